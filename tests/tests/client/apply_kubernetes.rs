//! Objects of built-in kinds are applied without derived types.

use crdkit::{
    Apply, Resource,
    client::{ApplyError, Object, Resources, scope::InNamespace},
};
use k8s_openapi::{
    NamespaceResourceScope,
    api::{
        apps::v1::Deployment,
        batch::v1::Job,
        core::v1::{ConfigMap, Pod, Secret, Service},
        rbac::v1::Role,
    },
};
use serde_json::{Value, json};

use crate::served::{client, namespace};

fn labels() -> Value {
    json!({ "app": "web" })
}

fn template() -> Value {
    let container = json!({ "name": "web", "image": "web:1", "ports": [{ "containerPort": 80 }] });
    json!({ "metadata": { "labels": labels() }, "spec": { "containers": [container] } })
}

/// Applies an object, reads it, adds a label and applies it again: the manager then owns all of it.
async fn round_trip<K>(namespace: &str, content: Value)
where
    K: Object + Apply<K> + Resource<DynamicType = (), Scope = NamespaceResourceScope>,
{
    let Some(client) = client().await else { return };
    let objects: Resources<K, InNamespace> = client.resources().namespace(namespace);
    let object: K = serde_json::from_value(content).unwrap();
    objects.apply("web", &object).await.unwrap();
    objects.apply("web", &object).await.unwrap();

    let mut read = objects.get("web").await.unwrap();
    assert!(read.meta().managed_fields.is_some());
    let labels = read.meta_mut().labels.get_or_insert_default();
    labels.insert("tier".into(), "front".into());
    let applied = objects.apply("web", &read).await.unwrap();
    assert_eq!(applied.meta().labels.as_ref().unwrap()["tier"], "front");
    assert_eq!(applied.meta().uid, read.meta().uid);

    // Its resourceVersion is no longer the newest.
    let labels = read.meta_mut().labels.get_or_insert_default();
    labels.insert("tier".into(), "back".into());
    let error = objects.apply("web", &read).await.unwrap_err();
    let ApplyError::Request(error) = error else {
        panic!("{error}");
    };
    assert!(error.is_conflict(), "{error}");
    read.meta_mut().resource_version = None;
    objects.apply("web", &read).await.unwrap();
    objects.delete("web").await.unwrap();
}

macro_rules! round_trips {
    ($($test:ident: $kind:ident = $content:expr;)+) => {$(
        #[tokio::test]
        async fn $test() {
            let Some(client) = client().await else { return };
            let name = concat!("apply-whole-", stringify!($test)).replace('_', "-");
            let namespace = namespace(&client, &name).await;
            round_trip::<$kind>(&namespace, $content).await;
        }
    )+};
}

round_trips! {
    config_maps: ConfigMap = json!({ "data": { "size": "1" } });
    secrets: Secret = json!({ "data": { "token": "aHVudGVyMg==" } });
    services: Service = json!({ "spec": { "selector": labels(), "ports": [{ "port": 80 }] } });
    pods: Pod = template();
    jobs: Job = {
        let mut template = template();
        template["spec"]["restartPolicy"] = json!("Never");
        json!({ "spec": { "template": template } })
    };
    deployments: Deployment = {
        json!({ "spec": { "selector": { "matchLabels": labels() }, "template": template() } })
    };
    roles: Role = {
        json!({ "rules": [{ "apiGroups": [""], "resources": ["pods"], "verbs": ["get"] }] })
    };
}
