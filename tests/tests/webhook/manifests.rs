//! Policies and configurations that `emit` writes, on an API server.

use crdkit::emit::{AdmissionPolicy, Crds};
use crdkit_tests::Request;
use k8s_openapi::api::{admissionregistration::v1::Validation, core::v1::ConfigMap};
use serde_json::{Value, json};

use crate::{
    admission,
    fixture::{client, cluster},
};

fn policy() -> AdmissionPolicy {
    AdmissionPolicy::new("maps.example.com")
        .of::<ConfigMap>()
        .of_operations::<ConfigMap>(["DELETE"])
        .match_condition("named", "request.name.startsWith('policy-')")
        .variable("keys", "object == null || !has(object.data) ? [] : object.data.map(key, key)")
        .rule("!('secret' in variables.keys)", "secrets belong in a Secret")
        .validation(Validation {
            expression: "request.operation != 'DELETE' || oldObject.metadata.name != 'policy-kept'".into(),
            message_expression: Some("oldObject.metadata.name + ' is kept for ' + request.userInfo.username".into()),
            reason: Some("Forbidden".into()),
            ..Validation::default()
        })
        .audit_annotation("keys", "string(size(variables.keys))")
        .audit()
}

#[tokio::test]
async fn what_is_written_is_accepted_and_in_effect() {
    let Some(cluster) = cluster().await else { return };
    let crds =
        Crds::new().add_policy(policy()).add_webhooks(&admission::webhooks(), &client("https://127.0.0.1:1")).unwrap();
    let documents: Vec<Value> = serde_saphyr::from_multiple(&crds.to_yaml().unwrap()).unwrap();
    assert_eq!(documents.len(), 4);
    for document in documents {
        let plural = match document["kind"].as_str().unwrap() {
            "ValidatingAdmissionPolicy" => "validatingadmissionpolicies".to_owned(),
            kind => format!("{}s", kind.to_lowercase()),
        };
        // The configurations are there already.
        let query = if plural.contains("webhook") { "?dryRun=All" } else { "" };
        let path = format!("/apis/admissionregistration.k8s.io/v1/{plural}{query}");
        let created = cluster.server.raw(Request::post(path, document)).await;
        assert!(matches!(created.status, 201 | 409), "{}", created.body);
    }

    let map = |name: &str, key: &str| json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": name }, "data": { key: "x" } });
    let maps = "/api/v1/namespaces/default/configmaps";
    let denied = cluster
        .until_denied(|| cluster.server.raw(Request::post(format!("{maps}?dryRun=All"), map("policy-a", "secret"))))
        .await;
    let message = "configmaps \"policy-a\" is forbidden: ValidatingAdmissionPolicy 'maps.example.com' with binding \
        'maps.example.com' denied request: secrets belong in a Secret";
    assert_eq!((denied.status, &denied.body["message"]), (422, &json!(message)));
    assert_eq!(cluster.server.raw(Request::post(maps, map("policy-kept", "a"))).await.status, 201);
    let kept = cluster.server.raw(Request::delete(format!("{maps}/policy-kept"))).await;
    assert_eq!(kept.status, 403, "{}", kept.body);
    assert!(kept.body["message"].as_str().unwrap().contains("policy-kept is kept for "), "{}", kept.body);
}
