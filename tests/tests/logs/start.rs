//! What a program logs whose roles are missing: nothing before its one error.

use std::{convert::Infallible, env, process::Command, sync::Arc};

use crdkit::{
    controller::{Action, Context, Controller, Manager, ManagerError, ServeOptions},
    webhook::{WebhookServer, Webhooks, certificates::CertRotator},
};
use crdkit_api_server::ApiServer;
use example_resources::virtual_machine::{VirtualMachine, versions};
use k8s_openapi::api::{apps::v1::Deployment, core::v1::Pod};

use crate::capture::Lines;

/// The logger is that of the process.
const IN_CHILD: &str = "CRDKIT_TEST_LACKS_ROLES";

#[test]
fn missing_roles_are_one_error() {
    if env::var_os(IN_CHILD).is_some() {
        return start_without_roles();
    }
    let test = Command::new(env::current_exe().unwrap())
        .args(["--exact", "start::missing_roles_are_one_error", "--nocapture"])
        .env(IN_CHILD, "1")
        .output()
        .unwrap();
    let [output, errors] = [test.stdout, test.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
    assert!(test.status.success() && output.contains("1 passed"), "{output}{errors}");
}

/// An operator with all that needs permissions: controllers, the Lease of its leader, webhooks, certificates.
#[tokio::main]
async fn start_without_roles() {
    let lines = Lines::capture();
    let server = ApiServer::new().with_hub(&versions()).with_rbac();
    let client = server.as_service_account("vm-system", "vm-operator").client().field_manager("vm-operator");
    let webhooks = Webhooks::new("vm-operator").convert(versions().converter());
    let rotator = CertRotator::for_service(&client, "vm-system", "vm-operator").inject_webhooks(&webhooks);
    let served = WebhookServer::new(&webhooks, Arc::new(rotator.certificates())).address("127.0.0.1:0");
    let controller = Controller::of::<VirtualMachine>()
        .owns::<Deployment>()
        .watches::<Pod>(|_| Vec::new())
        .reconcile(async |_: Arc<VirtualMachine>, _: Context<VirtualMachine>| Ok::<_, Infallible>(Action::Done));
    let manager = Manager::new(client)
        .leader_election("vm-operator")
        .serve(ServeOptions::new().health_address("127.0.0.1:0").metrics_address("127.0.0.1:0"))
        .webhooks(served)
        .certificates(rotator)
        .add(controller);
    let error = manager.run().await.unwrap_err();
    let ManagerError::Preflight(error) = error else { panic!("{error}") };
    let roles = error.missing_permissions.as_ref().unwrap().to_yaml();
    for resource in ["customresourcedefinitions", "deployments", "leases", "pods", "secrets", "virtualmachines"] {
        assert!(roles.contains(&format!("- {resource}\n")), "{resource}: {roles}");
    }
    let is_problem = |line: &&String| line.starts_with("WARN") || line.starts_with("ERROR");
    let problems: Vec<_> = lines.all().iter().filter(is_problem).cloned().collect();
    assert_eq!(problems, Vec::<String>::new());
}
