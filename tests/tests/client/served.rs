//! The kinds of these tests, one namespaced and one cluster-scoped, and clients for them.

use crdkit::{Client, CustomResource, CustomResourceExt, KubeSchema};
use crdkit_tests::ControlPlane;
use k8s_openapi::{api::core::v1::Namespace, apimachinery::pkg::apis::meta::v1::Condition};
use serde::{Deserialize, Serialize};
use serde_json::json;
use tokio::sync::OnceCell;

use crate::server::{Server, control_plane, server};

/// How much of something there is to be.
#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[crd(group = "client.example.com", version = "v1", kind = "Machine", namespaced)]
#[crd(status = "SizeStatus", scale, derive = "PartialEq")]
pub(crate) struct MachineSpec {
    #[schemars(range(min = 0, max = 1000))]
    #[crd(scale(replicas), selectable)]
    pub(crate) size: i32,
    #[serde(default)]
    pub(crate) note: Option<String>,
    #[serde(default)]
    #[crd(merge_strategy = ListMerge::Map(vec!["name".into()]))]
    pub(crate) disks: Vec<Disk>,
}

/// As [`MachineSpec`], cluster-scoped.
#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[crd(group = "client.example.com", version = "v1", kind = "Site")]
#[crd(status = "SizeStatus", scale, derive = "PartialEq")]
pub(crate) struct SiteSpec {
    #[schemars(range(min = 0, max = 1000))]
    #[crd(scale(replicas), selectable)]
    pub(crate) size: i32,
    #[serde(default)]
    pub(crate) note: Option<String>,
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
pub(crate) struct Disk {
    pub(crate) name: String,
    pub(crate) size: i32,
    #[serde(default)]
    pub(crate) encrypted: bool,
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
pub(crate) struct SizeStatus {
    #[serde(default)]
    #[crd(scale(status_replicas))]
    pub(crate) size: i32,
    #[serde(default)]
    pub(crate) conditions: Vec<Condition>,
}

/// The same machine in an older program.
pub(crate) mod older {
    use super::{CustomResource, Deserialize, KubeSchema, Serialize};

    #[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug, Default)]
    #[crd(group = "client.example.com", version = "v1", kind = "Machine", namespaced)]
    pub(crate) struct MachineSpec {
        pub(crate) size: i32,
        #[serde(default)]
        pub(crate) disks: Vec<Disk>,
    }

    #[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, Default)]
    pub(crate) struct Disk {
        pub(crate) name: String,
        pub(crate) size: i32,
    }
}

/// What tests need of the objects of each kind.
pub(crate) trait Sample: crdkit::client::Object + crdkit::Resource<DynamicType = ()> {
    fn named(name: &str, size: i32) -> Self;
    fn size(&self) -> i32;
    fn resize(&mut self, size: i32);
}

macro_rules! samples {
    ($($kind:ident: $spec:ident,)+) => {$(
        impl Sample for $kind {
            fn named(name: &str, size: i32) -> Self {
                Self::new(name, $spec { size, ..Default::default() })
            }

            fn size(&self) -> i32 {
                self.spec.size
            }

            fn resize(&mut self, size: i32) {
                self.spec.size = size;
            }
        }
    )+};
}

samples! {
    Machine: MachineSpec,
    Site: SiteSpec,
}

/// A client of the administrator for the runtime of the caller; `None` if a control plane is selected and there is none.
pub(crate) async fn client() -> Option<Client> {
    static INSTALLED: OnceCell<()> = OnceCell::const_new();
    let server = server()?;
    INSTALLED.get_or_init(|| install(server)).await;
    Some(server.client().field_manager("tests"))
}

/// As [`client`], for a test that needs the control plane for a reason.
pub(crate) async fn client_of_control_plane(reason: &str) -> Option<Client> {
    control_plane(reason)?;
    client().await
}

pub(crate) fn client_of(plane: &ControlPlane) -> Client {
    Client::try_from(plane.config()).unwrap()
}

async fn install(server: Server) {
    for crd in [Machine::crd(), Site::crd()] {
        let crd = serde_json::to_value(crd).unwrap();
        server.install(&crd).await.expect_accepted();
    }
}

/// A namespace for one test.
pub(crate) async fn namespace(client: &Client, name: &str) -> String {
    let namespace: Namespace = serde_json::from_value(json!({ "metadata": { "name": name } })).unwrap();
    client.resources::<Namespace>().create(&namespace).await.unwrap();
    name.to_owned()
}
