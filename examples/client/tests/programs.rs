//! The programs run, one after another, on a control plane.

use crdkit::Client;
use crdkit_tests::{ControlPlane, Program};
use example_resources::virtual_machine::VirtualMachine;
use serde_json::json;

fn create(plane: &ControlPlane, name: &str) {
    let machine = json!({
        "apiVersion": "infra.example.com/v1", "kind": "VirtualMachine", "metadata": { "name": name },
        "spec": {
            "cpu": "2", "memory": "4Gi", "image": "debian:13",
            "disks": [{ "name": "root", "size": "20Gi", "boot": true }],
        },
    });
    let machine: VirtualMachine = serde_json::from_value(machine).unwrap();
    let create = async {
        let client = Client::try_from(plane.config()).unwrap();
        let machines = client.resources().namespace("default");
        machines.create(&machine).await.unwrap();
    };
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    runtime.enable_all().build().unwrap().block_on(create);
}

#[test]
fn programs_do_what_they_say() {
    let Some(plane) = ControlPlane::shared() else {
        return;
    };
    let install = env!("CARGO_BIN_EXE_install");
    let names = ["virtualmachines.infra.example.com", "ats.cnat.programming-kubernetes.info"];
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
    assert_eq!(machines, "VirtualMachine of \"infra.example.com\" in version v1\n");
    let namespaces = Program::run(plane, dynamic, &["ns"]);
    assert!(namespaces.contains("\ndefault: Active\n"), "{namespaces}");

    create(plane, "watched");
    let events = env!("CARGO_BIN_EXE_events");
    assert_eq!(Program::run(plane, events, &["watched"]), "recorded\n");
}
