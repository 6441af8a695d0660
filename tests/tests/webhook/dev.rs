//! Webhooks on the developer's machine.

use std::{
    env,
    process::{Child, Command, Stdio},
    sync::Arc,
    time::Duration,
};

use crdkit::{
    Client,
    kube::ResourceExt,
    webhook::{AdmissionContext, DevError, Error, FieldErrors, Webhook, Webhooks, deny, dev},
};
use crdkit_tests::{ControlPlane, Request};
use k8s_openapi::{
    api::{admissionregistration::v1::ValidatingWebhookConfiguration, core::v1::LimitRange},
    apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition,
    apimachinery::pkg::apis::meta::v1::ObjectMeta,
};
use serde_json::{Value, json};

use crate::conversion::{
    cluster::Cluster,
    kinds::developed::{GROUP, Machine, versions},
};

const LABEL: &str = "webhook.crdkit.dev/dev";
const NAME: &str = "developed-dev";

async fn validate(machine: Arc<Machine>, _: AdmissionContext<Machine>) -> Result<(), Error> {
    let mut errors = FieldErrors::new();
    if machine.spec.number < 0 {
        errors.invalid("spec.number", machine.spec.number, "must not be negative");
    }
    Ok(errors.into_result()?)
}

fn webhooks() -> Webhooks {
    Webhooks::new("developed").add(Webhook::of::<Machine>().validate(validate)).convert(versions().converter())
}

fn path(version: &str, rest: &str) -> String {
    format!("/apis/{GROUP}/{version}/namespaces/default/machines{rest}")
}

fn machine(name: &str, number: i32) -> Value {
    json!({
        "apiVersion": format!("{GROUP}/v1alpha1"), "kind": "Machine", "metadata": { "name": name },
        "spec": { "ram": "1Gi", "number": number },
    })
}

struct Developer<'a>(&'a Cluster);

impl Developer<'_> {
    fn dev(&self) -> crdkit::webhook::Dev {
        dev(&webhooks()).client(&self.0.client).host("127.0.0.1").address("127.0.0.1:0").allow_context("unknown")
    }

    async fn definition(&self) -> CustomResourceDefinition {
        self.0.client.resources().get(&format!("machines.{GROUP}")).await.unwrap()
    }

    async fn configuration(&self) -> Option<ValidatingWebhookConfiguration> {
        self.0.client.resources().get_opt(NAME).await.unwrap()
    }

    /// The API server calls this program, once it has noticed the registration.
    async fn assert_works(&self) {
        let denied = async {
            loop {
                let answer = self.0.send(Request::post(path("v1alpha1", "?dryRun=All"), machine("invalid", -1))).await;
                if answer.status == 422 {
                    break answer.body["message"].to_string();
                }
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        let denied = tokio::time::timeout(Duration::from_secs(30), denied).await.unwrap();
        assert!(denied.contains("spec.number: Invalid value: -1: must not be negative"), "{denied}");
        self.0.expect(Request::post(path("v1alpha1", ""), machine("valid", 1))).await;
        let read = self.0.expect(Request::get(path("v1", "/valid"))).await;
        assert_eq!(read["spec"], json!({ "memory": "1Gi", "number": 1 }));
        self.0.expect(Request::delete(path("v1", "/valid"))).await;
    }

    async fn assert_clean(&self) {
        assert_eq!(self.configuration().await, None);
        let definition = self.definition().await;
        assert!(!definition.annotations().contains_key(LABEL));
        let conversion = definition.spec.conversion.unwrap();
        assert_eq!((conversion.strategy.as_str(), conversion.webhook), ("None", None));
    }
}

async fn check(cluster: &Cluster) {
    let developer = Developer(cluster);
    let missing = developer.dev().start().await.unwrap_err();
    assert_eq!(
        missing.to_string(),
        format!("there is no CustomResourceDefinition `machines.{GROUP}`: install it first")
    );
    assert_eq!(developer.configuration().await, None);
    let none = crdkit::merge::ConversionWebhook::service("operators", "machines");
    let definition = versions().versions(none).merge().unwrap().crd;
    let definition = CustomResourceDefinition {
        spec: k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinitionSpec {
            conversion: None,
            ..definition.spec
        },
        ..definition
    };
    cluster.client.install([definition]).await.unwrap();

    let handle = developer.dev().start().await.unwrap();
    assert!(handle.url().starts_with("https://127.0.0.1:"), "{}", handle.url());
    developer.assert_works().await;
    assert!(developer.configuration().await.unwrap().labels().contains_key(LABEL));
    handle.stop().await.unwrap();
    developer.assert_clean().await;

    // After `kill -9`, the next start replaces what remained, and its end removes all of it.
    drop(developer.dev().start().await.unwrap());
    assert!(developer.configuration().await.is_some());
    assert!(developer.definition().await.annotations().contains_key(LABEL));
    let handle = developer.dev().start().await.unwrap();
    developer.assert_works().await;
    handle.stop().await.unwrap();
    developer.assert_clean().await;

    let stopped = developer.dev().run_until(std::future::ready(())).await;
    stopped.unwrap();
    developer.assert_clean().await;

    // A configuration of somebody else stays.
    let other: ValidatingWebhookConfiguration =
        serde_json::from_value(json!({ "metadata": { "name": NAME } })).unwrap();
    let other = cluster.client.resources().create(&other).await.unwrap();
    let error = developer.dev().start().await.unwrap_err();
    assert!(matches!(&error, DevError::OtherOwner { name, .. } if name == NAME), "{error}");
    assert_eq!(developer.configuration().await, Some(other));
    cluster.client.resources::<ValidatingWebhookConfiguration>().delete(NAME).await.unwrap();
}

#[tokio::test]
async fn webhooks_of_this_machine_in_the_process() {
    check(&Cluster::in_process()).await;
}

#[tokio::test]
async fn webhooks_of_this_machine_on_the_control_plane() {
    let Some(cluster) = Cluster::real("developed") else { return };
    check(&cluster).await;
}

/// Makes a process the program of the next test.
const PROGRAM: &str = "CRDKIT_TEST_DEV_PROGRAM";

/// The other process; nothing in this one. The cluster is that of the current context.
#[tokio::test]
async fn program() {
    if env::var(PROGRAM).is_err() {
        return;
    }
    let deny_all = |_, _: AdmissionContext<LimitRange>| async { Err(deny("by the program")) };
    dev(&Webhooks::new("program").add(Webhook::of::<LimitRange>().validate(deny_all))).run().await.unwrap();
}

/// The process, which ends with the test.
struct Program(Child);

impl Program {
    fn start(plane: &ControlPlane) -> Self {
        let mut command = Command::new(env::current_exe().unwrap());
        command.args(["dev::program", "--exact"]).env(PROGRAM, "yes").env("KUBECONFIG", plane.kubeconfig());
        Self(command.stdout(Stdio::null()).spawn().unwrap())
    }

    fn end(&mut self, signal: &str) {
        let sent = Command::new("kill").args(["-s", signal, &self.0.id().to_string()]).status().unwrap();
        assert!(sent.success());
        let status = self.0.wait().unwrap();
        assert_eq!(status.success(), signal != "KILL", "{signal}: {status}");
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // It fails if the program has ended.
        let _ = self.0.kill();
    }
}

#[cfg(unix)]
#[tokio::test]
async fn a_program_that_ends_by_a_signal_removes_its_webhooks() {
    let Some(plane) = ControlPlane::shared() else { return };
    let client = Client::try_from(plane.config()).unwrap();
    let configurations = client.resources::<ValidatingWebhookConfiguration>();
    let ranges = client.resources::<LimitRange>().namespace("default").dry_run();
    let range = LimitRange { metadata: ObjectMeta { name: Some("a".into()), ..ObjectMeta::default() }, spec: None };
    let denied = async || {
        let denied = async {
            while !ranges.create(&range).await.is_err_and(|error| error.to_string().contains("by the program")) {
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        };
        tokio::time::timeout(Duration::from_secs(60), denied).await.unwrap();
    };
    // After SIGKILL, the next start replaces what remained.
    for signal in ["INT", "KILL", "TERM"] {
        let mut program = Program::start(plane);
        denied().await;
        program.end(signal);
        let remaining = configurations.get_opt("program-dev").await.unwrap();
        assert_eq!(remaining.is_some(), signal == "KILL", "{signal}");
    }
}

#[tokio::test]
async fn clusters_that_are_not_local_need_permission() {
    let config = kube::Config::new("https://kubernetes.example.com:6443".parse().unwrap());
    let client = Client::try_from(config).unwrap();
    let error = dev(&webhooks()).client(&client).start().await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "the context `https://kubernetes.example.com:6443` (https://kubernetes.example.com:6443/) is not a local cluster: its API \
         server would call this machine; if you mean it, use `allow_context(\"https://kubernetes.example.com:6443\")`"
    );
}
