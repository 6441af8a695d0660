//! The versions of a kind as a program declares them, on the server in the process.

#![allow(unreachable_pub)] // as a user writes the versions

use crdkit::{
    CustomResource, KubeSchema,
    convert::{Convert, Hub},
    webhook::{WebhookClient, Webhooks},
};
use crdkit_api_server::ApiServer;
use serde::{Deserialize, Serialize};

mod v1 {
    use super::*;

    #[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
    #[crd(group = "hub.example.com", version = "v1", kind = "Machine", namespaced)]
    pub struct MachineSpec {
        pub memory: String,
        pub zone: Option<String>,
    }
}

mod v1beta1 {
    use super::*;

    // As `cargo crdkit add version` writes it: both versions are stored by default.
    #[derive(CustomResource, KubeSchema, Convert, Serialize, Deserialize, Clone, Debug, PartialEq)]
    #[crd(group = "hub.example.com", version = "v1beta1", kind = "Machine", namespaced)]
    #[convert(hub = super::v1::Machine)]
    pub struct MachineSpec {
        #[convert(to = "memory")]
        pub ram: String,
    }
}

fn machines() -> Hub<v1::Machine> {
    Hub::new().spoke::<v1beta1::Machine>().store_as::<v1::Machine>()
}

async fn check(server: &ApiServer) {
    let client = server.client();
    let old = client.resources::<v1beta1::Machine>().namespace("default");
    let new = client.resources::<v1::Machine>().namespace("default");
    let spec = v1::MachineSpec { memory: "1Gi".into(), zone: Some("eu-1".into()) };
    new.create(&v1::Machine::new("web", spec)).await.unwrap();
    assert_eq!(old.get("web").await.unwrap().spec.ram, "1Gi");
    old.update("web", |machine| machine.spec.ram = "2Gi".into()).await.unwrap();
    let spec = new.get("web").await.unwrap().spec;
    assert_eq!((&*spec.memory, spec.zone.as_deref()), ("2Gi", Some("eu-1")));
    new.delete("web").await.unwrap();
}

#[tokio::test]
async fn a_hub_has_all_versions() {
    check(&ApiServer::new().with_hub(&machines())).await;
}

/// A definition whose webhook cannot be called.
async fn install(server: &ApiServer) {
    let conversion = WebhookClient::service("machines", "machines").conversion();
    server.client().install([machines().versions(conversion).merge().unwrap().crd]).await.unwrap();
}

#[tokio::test]
async fn the_webhooks_of_a_program_convert_without_a_network() {
    let webhooks = Webhooks::new("machines").convert(machines().converter());
    let before = ApiServer::new().with_webhooks(&webhooks);
    install(&before).await;
    check(&before).await;

    let after = ApiServer::new();
    install(&after).await;
    check(&after.with_webhooks(&webhooks)).await;
}

#[tokio::test]
async fn functions_of_a_test_have_priority_over_webhooks() {
    let webhooks = Webhooks::new("machines").convert(machines().converter());
    let refuse = |_, _: &str| Err("no conversion".to_owned());
    let server = ApiServer::new().with_conversion::<v1::Machine>(refuse).with_webhooks(&webhooks);
    install(&server).await;
    let old = server.client().resources::<v1beta1::Machine>().namespace("default");
    let refused = old.create(&v1beta1::Machine::new("web", v1beta1::MachineSpec { ram: "1Gi".into() })).await;
    assert!(refused.unwrap_err().to_string().contains("no conversion"));
}
