//! The programs run, one after another, on a control plane.

use crdkit_tests::{ControlPlane, Program};

#[test]
fn programs_do_what_they_say() {
    let Some(plane) = ControlPlane::shared() else {
        return;
    };
    let install = env!("CARGO_BIN_EXE_install");
    let names = [
        "virtualmachines.infra.example.com",
        "ats.cnat.programming-kubernetes.info",
    ];
    for outcome in ["Created", "Unchanged"] {
        let lines = names.map(|name| format!("{name}: {outcome}\n"));
        assert_eq!(Program::run(plane, install, &[]), lines.concat());
    }

    let life = Program::run(plane, env!("CARGO_BIN_EXE_vm"), &[]);
    for line in [
        "created, with 1 replica\n",
        "updated, to debian:13\n",
        "applied, to nodes with {\"disk\": \"ssd\"}\n",
        "scaled to 3, status Some(VirtualMachineStatus { phase: Running, replicas: 3",
        "running: 1\n",
        "deleted\n",
    ] {
        assert!(life.contains(line), "{life}");
    }

    let dynamic = env!("CARGO_BIN_EXE_dynamic");
    let machines = Program::run(plane, dynamic, &["vm"]);
    assert_eq!(
        machines,
        "VirtualMachine of \"infra.example.com\" in version v1\n"
    );
    let namespaces = Program::run(plane, dynamic, &["ns"]);
    assert!(namespaces.contains("\ndefault: Active\n"), "{namespaces}");
}
