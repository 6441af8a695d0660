//! Changes of schemas, with and without objects that they would invalidate.

use crdkit::{
    Client,
    client::{
        Error, OperationResult, Resources,
        dynamic::Unstructured,
        install::InstallError,
        install::{DataLoss, Objects},
        scope::InNamespace,
    },
};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use serde_json::{Value, json};

use super::{data_losses::losses, definition, installer, outcomes};
use crate::permissions::{client_of_user, grant_until_allowed};

/// A definition of `vms` whose spec has this schema and its type.
fn with_spec(group: &str, spec: &Value) -> CustomResourceDefinition {
    let mut spec = spec.clone();
    spec["type"] = json!("object");
    definition(group, |crd| {
        crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"] =
            json!({ "type": "object", "properties": { "spec": spec } });
    })
}

fn old() -> Value {
    json!({ "properties": {
        "image": { "type": "string" }, "note": { "type": "string" },
        "size": { "type": "integer", "format": "int32" },
    } })
}

fn new() -> Value {
    json!({ "properties": { "image": { "type": "string" }, "size": { "type": "string" } } })
}

/// A definition that is installed, and its objects.
struct Vms {
    client: Client,
    group: String,
    objects: Resources<Unstructured, InNamespace>,
}

impl Vms {
    async fn install(spec: &Value) -> Option<Self> {
        let (client, group) = installer().await?;
        client.install([with_spec(&group, spec)]).await.unwrap();
        let dynamic = client.dynamic();
        let vms = dynamic.resources(format!("vms.{group}")).await.unwrap();
        let objects = vms.namespace("default").unwrap();
        Some(Self { client, group, objects })
    }

    async fn create(&self, name: &str, spec: Value) {
        let object = json!({
            "apiVersion": format!("{}/v1", self.group), "kind": "Vm", "metadata": { "name": name }, "spec": spec,
        });
        let object: Unstructured = serde_json::from_value(object).unwrap();
        self.objects.create(&object).await.unwrap();
    }

    async fn spec(&self, name: &str) -> Value {
        self.objects.get(name).await.unwrap().fields["spec"].clone()
    }

    async fn losses(&self, spec: &Value) -> Vec<DataLoss> {
        losses(self.client.install([with_spec(&self.group, spec)]).await)
    }

    async fn change(&self, spec: &Value) -> OperationResult {
        let changed = self.client.install([with_spec(&self.group, spec)]).await;
        outcomes(&changed.unwrap())[0]
    }

    fn crd(&self) -> String {
        format!("vms.{}", self.group)
    }
}

fn one(name: &str) -> impl Fn(&Objects) -> bool {
    let example = format!("default/{name}");
    move |objects| objects.count == 1 && objects.example == example
}

#[tokio::test]
async fn values_of_objects_are_not_lost() {
    let Some(vms) = Vms::install(&old()).await else {
        return;
    };
    let spec = json!({ "image": "debian", "note": "mine", "size": 3 });
    vms.create("web", spec.clone()).await;

    let lost = vms.losses(&new()).await;
    let is_one = one("web");
    match &lost[..] {
        [
            DataLoss::Field { crd, path, objects, .. },
            DataLoss::Type { path: of_type, from, to, objects: others, .. },
        ] => {
            assert_eq!((crd, path.as_str()), (&vms.crd(), ".spec.note"));
            assert_eq!(of_type, ".spec.size");
            assert_eq!((from.as_str(), to.as_str()), ("integer", "string"));
            assert!(is_one(objects) && is_one(others), "{lost:?}");
        }
        other => panic!("{other:?}"),
    }
    let dry = vms.client.dry_run().install([with_spec(&vms.group, &new())]).await;
    assert_eq!(losses(dry), lost);
    assert_eq!(vms.spec("web").await, spec);

    let install = vms.client.install([with_spec(&vms.group, &new())]);
    let meant = install.allow_data_loss().await.unwrap();
    assert_eq!(outcomes(&meant), [OperationResult::Updated]);
}

#[tokio::test]
async fn unused_fields_can_be_removed() {
    let Some(vms) = Vms::install(&old()).await else {
        return;
    };
    vms.create("web", json!({ "image": "debian" })).await;
    assert_eq!(vms.change(&new()).await, OperationResult::Updated);
    assert_eq!(vms.spec("web").await, json!({ "image": "debian" }));
}

#[tokio::test]
async fn required_fields_must_be_set() {
    let Some(vms) = Vms::install(&old()).await else {
        return;
    };
    let mut required = old();
    required["required"] = json!(["image"]);
    vms.create("with", json!({ "image": "debian" })).await;
    vms.create("without", json!({ "size": 1 })).await;
    let lost = vms.losses(&required).await;
    match &lost[..] {
        [DataLoss::Required { path, objects, .. }] => {
            assert_eq!(path, ".spec.image");
            assert!(one("without")(objects), "{lost:?}");
        }
        other => panic!("{other:?}"),
    }

    let mut defaulted = required.clone();
    defaulted["properties"]["image"]["default"] = json!("debian");
    assert_eq!(vms.change(&defaulted).await, OperationResult::Updated);
}

#[tokio::test]
async fn narrower_bounds_need_values_within_them() {
    let Some(vms) = Vms::install(&old()).await else {
        return;
    };
    let narrower = |size: Value, image: Value| {
        let mut narrower = old();
        for (name, bounds) in [("size", size), ("image", image)] {
            for (keyword, bound) in bounds.as_object().unwrap() {
                narrower["properties"][name][keyword] = bound.clone();
            }
        }
        narrower
    };
    vms.create("small", json!({ "size": 3, "image": "debian" })).await;
    let fits = narrower(json!({ "maximum": 5 }), json!({ "enum": ["debian", "alpine"] }));
    assert_eq!(vms.change(&fits).await, OperationResult::Updated);

    let beyond = narrower(json!({ "maximum": 2 }), json!({ "enum": ["alpine"], "pattern": "^a" }));
    let lost = vms.losses(&beyond).await;
    let keywords: Vec<_> = lost
        .iter()
        .map(|loss| match loss {
            DataLoss::Narrowed { keyword, objects, .. } if one("small")(objects) => *keyword,
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(keywords, ["pattern", "enum", "maximum"]);
    let message = lost[2].to_string();
    let expected = "would change from 5 to 2, which 1 object (`default/small`) would not match";
    assert!(message.contains(expected), "{message}");
}

/// The server would accept the value in updates, but a typed program could not read it.
#[tokio::test]
async fn values_that_ratcheting_accepts_are_reported_as_lost() {
    let Some(vms) = Vms::install(&old()).await else {
        return;
    };
    vms.create("web", json!({ "image": "debian", "size": 3 })).await;
    let spec = json!({ "properties": {
        "image": { "type": "string" }, "note": { "type": "string" },
        "size": { "type": "integer", "format": "int32", "maximum": 2 },
    } });
    assert_eq!(vms.losses(&spec).await.len(), 1);
    let install = vms.client.install([with_spec(&vms.group, &spec)]);
    install.allow_data_loss().await.unwrap();
    let update = vms.objects.update("web", |vm| vm.set("spec.note", "changed").unwrap());
    update.await.unwrap();
    assert_eq!(vms.spec("web").await["size"], json!(3));
}

#[tokio::test]
async fn without_permission_to_list_objects_nothing_is_lost() {
    let Some(vms) = Vms::install(&old()).await else {
        return;
    };
    let user = vms.group.as_str();
    let client = client_of_user(user);
    let install = async || match client.install([with_spec(&vms.group, &new())]).await {
        Err(InstallError::Request(error)) => Err(error),
        other => Ok::<_, Error>(losses(other)),
    };
    let granted = grant_until_allowed(&vms.client, user, &install).await;
    assert_eq!(granted, ["get customresourcedefinitions.apiextensions.k8s.io"]);
    match &install().await.unwrap()[..] {
        [DataLoss::Unverified { changes, reason, .. }] => {
            assert_eq!(changes.len(), 2);
            assert!(reason.contains("this rule would allow it"), "{reason}");
        }
        other => panic!("{other:?}"),
    }
}
