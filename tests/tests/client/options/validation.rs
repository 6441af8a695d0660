//! Unknown fields, and kinds of patches.

use std::sync::{Arc, Mutex};

use crdkit::{
    Client, CustomResource, KubeSchema,
    client::{Error, FieldValidation, Patch},
};
use http::{Response, header::WARNING};
use k8s_openapi::api::apps::v1::Deployment;
use kube::client::Body;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::both_scopes;
use crate::{
    request_hook::client_with_hook,
    served::{client, namespace},
    server::server,
};

/// The machine in a newer program.
#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "client.example.com", version = "v1", kind = "Machine", namespaced)]
struct MachineSpec {
    size: i32,
    #[serde(skip_serializing_if = "Option::is_none")]
    speed: Option<i32>,
}

fn fast(name: &str) -> Machine {
    let speed = Some(1);
    Machine::new(name, MachineSpec { size: 1, speed })
}

type Warnings = Arc<Mutex<Vec<String>>>;

/// A client, and the warnings that it receives.
fn warned() -> (Client, Warnings) {
    let (kube, warnings) = (server().expect("there is a client").kube(), Warnings::default());
    let seen = warnings.clone();
    let client = client_with_hook(move |request| {
        let (kube, seen) = (kube.clone(), seen.clone());
        async move {
            let answer = kube.send(request).await?;
            seen.lock().unwrap().extend(warnings_of(&answer));
            Ok(answer)
        }
    });
    (client, warnings)
}

fn warnings_of(answer: &Response<Body>) -> impl Iterator<Item = String> {
    let warnings = answer.headers().get_all(WARNING).iter();
    warnings.map(|it| it.to_str().unwrap().to_owned())
}

#[tokio::test]
async fn unknown_fields_are_rejected_reported_or_dropped() {
    let Some((_, _)) = both_scopes("options-validation").await else {
        return;
    };
    let (client, warnings) = warned();
    let machines = client.resources::<Machine>().namespace("options-validation");
    for (validation, name) in
        [(FieldValidation::Strict, "strict"), (FieldValidation::Warn, "warn"), (FieldValidation::Ignore, "ignore")]
    {
        let known = Machine::new(name, MachineSpec { size: 1, speed: None });
        let mut changed = machines.create(&known).await.unwrap();
        changed.spec.speed = Some(1);
        let patch = Patch::merge(json!({ "spec": { "speed": 1 } }));
        let validating = machines.field_validation(validation);
        let results = [
            validating.create(&fast(&format!("new-{name}"))).await,
            validating.replace(&changed).await,
            validating.patch(name, &patch).await,
            validating.update(name, |it| it.spec.speed = Some(1)).await.map_err(Error::from),
        ];
        let warned: Vec<_> = warnings.lock().unwrap().drain(..).collect();
        for result in results {
            match (validation, result) {
                (FieldValidation::Strict, Err(error)) => is_unknown(&error.to_string()),
                (FieldValidation::Strict, Ok(_)) => panic!("it is not rejected"),
                (_, kept) => assert_eq!(kept.unwrap().spec.speed, None),
            }
        }
        let warns = if validation == FieldValidation::Warn { 4 } else { 0 };
        assert_eq!(warned.len(), warns, "{warned:?}");
        warned.iter().for_each(|it| is_unknown(&it.replace('\\', "")));
    }
}

fn is_unknown(message: &str) {
    assert!(message.contains("unknown field \"spec.speed\""), "{message}");
}

#[tokio::test]
async fn strategic_patches_use_the_keys_of_lists_of_kubernetes_own_kinds() {
    let Some(client) = client().await else { return };
    let namespace = namespace(&client, "options-strategic").await;
    let deployments = client.resources::<Deployment>().namespace(&namespace);
    let containers = |image: &str| json!([{ "name": "a", "image": image }]);
    let deployment = json!({
        "metadata": { "name": "web" },
        "spec": {
            "selector": { "matchLabels": { "app": "web" } },
            "template": {
                "metadata": { "labels": { "app": "web" } },
                "spec": { "containers": [{ "name": "a", "image": "a" }, { "name": "b", "image": "b" }] },
            },
        },
    });
    let deployment = serde_json::from_value(deployment).unwrap();
    deployments.create(&deployment).await.unwrap();
    let images = async |patch: Patch| {
        let patched = deployments.patch("web", &patch).await.unwrap();
        let containers = patched.spec.template.spec.unwrap().containers;
        let images = containers.into_iter().filter_map(|it| it.image);
        images.collect::<Vec<_>>()
    };
    let change = |image| json!({ "spec": { "template": { "spec": { "containers": containers(image) } } } });
    let strategic = Patch::strategic(change("c"));
    assert_eq!(images(strategic).await, ["c", "b"]);
    let merge = Patch::merge(change("d"));
    assert_eq!(images(merge).await, ["d"]);

    let machines = client.resources::<Machine>().namespace(&namespace);
    let created = Machine::new("a", MachineSpec { size: 1, speed: None });
    machines.create(&created).await.unwrap();
    let strategic = Patch::strategic(json!({ "spec": { "size": 2 } }));
    let error = machines.patch("a", &strategic).await.unwrap_err();
    assert!(matches!(error, Error::Api(_)), "{error}");
    assert_eq!(error.status().unwrap().code, 415);
}
