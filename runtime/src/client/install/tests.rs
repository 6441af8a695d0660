use serde_json::{Value, json};

mod objects;

use super::*;
use crate::client::{
    error::ApplyError,
    mock::{
        Mock, Reply,
        unexpected::{assert_unexpected, in_place_of},
    },
};

const NAME: &str = "vms.example.com";

fn crd(versions: &[&str], edit: impl FnOnce(&mut Value)) -> CustomResourceDefinition {
    let versions = versions.iter().enumerate().map(|(index, name)| {
        json!({
            "name": name, "served": true, "storage": index == 0,
            "schema": { "openAPIV3Schema": { "type": "object" } },
        })
    });
    let names = json!({ "plural": "vms", "singular": "vm", "kind": "Vm", "listKind": "VmList" });
    let mut crd = json!({
        "metadata": { "name": NAME },
        "spec": {
            "group": "example.com", "scope": "Namespaced", "names": names,
            "versions": versions.collect::<Vec<_>>(),
        },
    });
    edit(&mut crd);
    serde_json::from_value(crd).unwrap()
}

fn condition(name: &str, status: &str, reason: &str) -> Value {
    let message = format!("reason: {reason}");
    json!({ "type": name, "status": status, "reason": reason, "message": message, "lastTransitionTime": null })
}

/// The stored definition.
fn stored(conditions: &[Value]) -> Value {
    let mut crd = serde_json::to_value(crd(&["v1"], |_| ())).unwrap();
    let names = crd["spec"]["names"].clone();
    crd["status"] = json!({
        "acceptedNames": names, "conditions": conditions, "storedVersions": ["v1"],
    });
    crd
}

fn served() -> Value {
    stored(&[
        condition("NamesAccepted", "True", "NoConflicts"),
        condition("Established", "True", "InitialNamesAccepted"),
    ])
}

fn discovery(resources: Value) -> [Reply; 2] {
    let groups = json!({
        "kind": "APIGroupDiscoveryList",
        "items": [{
            "metadata": { "name": "example.com" },
            "versions": [{ "version": "v1", "resources": resources, "freshness": "Current" }],
        }],
    });
    let core = json!({ "kind": "APIGroupDiscoveryList", "items": [] });
    [Reply::json(200, core), Reply::json(200, groups)]
}

fn listed() -> [Reply; 2] {
    discovery(json!([{
        "resource": "vms", "responseKind": { "kind": "Vm" }, "scope": "Namespaced", "verbs": ["list"],
    }]))
}

/// A kind of the same name, which belongs to another program.
fn of_another_group() -> [Reply; 2] {
    let resource = json!({
        "resource": "vms", "responseKind": { "kind": "Vm" }, "scope": "Namespaced", "verbs": ["list"],
    });
    let groups = json!({
        "kind": "APIGroupDiscoveryList",
        "items": [{
            "metadata": { "name": "example.org" },
            "versions": [{ "version": "v1", "resources": [resource], "freshness": "Current" }],
        }],
    });
    let core = json!({ "kind": "APIGroupDiscoveryList", "items": [] });
    [Reply::json(200, core), Reply::json(200, groups)]
}

#[tokio::test(start_paused = true)]
async fn unreadable_definitions_of_others_are_ignored() {
    let mut replies = vec![Reply::status(404, "NotFound", NAME)];
    replies.extend(of_another_group());
    replies.push(Reply::status(403, "Forbidden", ""));
    replies.push(Reply::json(201, served()));
    replies.push(Reply::json(200, served()));
    replies.extend(listed());
    let mock = Mock::new(replies);
    let client = mock.client().field_manager("me");
    let installed = client.install([crd(&["v1"], |_| ())]).await.unwrap();
    assert_eq!(installed[0].outcome, OperationResult::Created);
}

fn install(mock: &Mock) -> Install {
    mock.client().install([crd(&["v1"], |_| ())])
}

#[tokio::test(start_paused = true)]
async fn installation_waits_until_the_definition_is_served() {
    let mut replies = vec![Reply::status(404, "NotFound", NAME)];
    replies.extend(discovery(json!([])));
    replies.push(Reply::json(201, stored(&[])));
    replies.push(Reply::json(200, stored(&[])));
    replies.push(Reply::status(503, "ServiceUnavailable", ""));
    replies.push(Reply::json(200, stored(&[condition("Established", "False", "Installing")])));
    replies.push(Reply::json(200, served()));
    replies.extend(discovery(json!([])));
    replies.push(Reply::json(200, served()));
    replies.extend(listed());
    let mock = Mock::new(replies);
    let installed = install(&mock).await.unwrap();
    assert_eq!(installed[0].outcome, OperationResult::Created);
    assert!(installed[0].crd.status.is_some());
    let path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/vms.example.com";
    let sent = mock.sent();
    assert_eq!(sent[3].line, format!("PATCH {path}?fieldManager=crdkit"));
    assert!(sent[3].body.get("status").is_none());
    assert_eq!(sent.len(), 13);
}

#[tokio::test(start_paused = true)]
async fn unchanged_definition_is_not_updated() {
    let mut replies = vec![Reply::json(200, served()), Reply::json(200, served()), Reply::json(200, served())];
    replies.extend(listed());
    let mock = Mock::new(replies);
    let installed = install(&mock).await.unwrap();
    assert_eq!(installed[0].outcome, OperationResult::Unchanged);
}

#[tokio::test(start_paused = true)]
async fn waiting_ends_with_the_missing_condition() {
    let installing = || Reply::json(200, stored(&[condition("Established", "False", "Installing")]));
    let discovery = [Reply::json(200, served()), Reply::json(200, served())];
    let replies = discovery.into_iter().chain((0..100).map(|_| installing()));
    let mock = Mock::new(replies);
    let start = tokio::time::Instant::now();
    let error = install(&mock).timeout(Duration::from_secs(3)).await.unwrap_err();
    assert_eq!(start.elapsed(), Duration::from_secs(3));
    let message = "`vms.example.com` is applied but not served after 3s: it is not established: reason: Installing";
    assert_eq!(error.to_string(), message);
}

#[tokio::test(start_paused = true)]
async fn persistent_conflict_is_reported() {
    let conflict = || {
        let conflict = condition("NamesAccepted", "False", "ShortNamesConflict");
        Reply::json(200, stored(&[conflict]))
    };
    let replies = [Reply::json(200, served()), Reply::json(200, served())];
    let mock = Mock::new(replies.into_iter().chain((0..100).map(|_| conflict())));
    let error = install(&mock).await.unwrap_err();
    let InstallError::NamesConflict { reason, .. } = &error else {
        panic!("{error}");
    };
    assert_eq!(reason, "ShortNamesConflict");
}

fn losses(desired: &CustomResourceDefinition) -> Vec<String> {
    let mut present: CustomResourceDefinition = crd(&["v1", "v1beta1"], |_| ());
    let stored = Some(vec!["v1beta1".to_owned(), "v1".to_owned()]);
    present.status.get_or_insert_default().stored_versions = stored;
    let losses = loss::from_change(desired, &present).into_iter();
    losses.map(|loss| loss.to_string()).collect()
}

#[test]
fn data_losses_are_reported() {
    assert!(losses(&crd(&["v1", "v1beta1", "v2"], |_| ())).is_empty());
    let fewer = losses(&crd(&["v2"], |_| ()));
    assert_eq!(fewer.len(), 2);
    assert!(fewer[0].starts_with("`vms.example.com` no longer has version `v1beta1`"), "{fewer:?}");
    let changed = losses(&crd(&["v1", "v1beta1"], |crd| {
        crd["spec"]["scope"] = json!("Cluster");
        crd["spec"]["names"]["kind"] = json!("VM");
    }));
    assert!(changed[0].starts_with("the scope of `vms.example.com` would change from Namespaced to Cluster"));
    assert!(changed[1].starts_with("the kind of `vms.example.com` would change from Vm to VM"));
}

#[tokio::test]
async fn nothing_is_changed_if_data_would_be_lost() {
    let mock = Mock::new([Reply::json(200, served())]);
    let install = mock.client().install([crd(&["v2"], |_| ())]);
    let error = install.await.unwrap_err();
    let message = error.to_string();
    assert!(matches!(error, InstallError::DataLoss(_)), "{message}");
    assert!(message.ends_with("or allow the loss with `.allow_data_loss()`"), "{message}");
    assert_eq!(mock.sent().len(), 1);
}

#[tokio::test]
async fn definitions_need_unique_names() {
    let mock = Mock::new([]);
    let twice = mock.client().install([crd(&["v1"], |_| ()), crd(&["v2"], |_| ())]);
    assert!(matches!(twice.await.unwrap_err(), InstallError::Duplicate { .. }));
    let nameless = crd(&["v1"], |crd| crd["metadata"] = json!({}));
    let nameless = mock.client().install([nameless]);
    assert!(matches!(nameless.await.unwrap_err(), InstallError::MissingName { .. }));
    assert!(mock.sent().is_empty());
}

#[tokio::test(start_paused = true)]
async fn maximum_duration_is_no_limit() {
    let replies = (0..4).map(|_| Reply::json(200, served()));
    let mock = Mock::new(replies.chain([Reply::silent(), Reply::silent()]));
    let installing = install(&mock).timeout(Duration::MAX).into_future();
    let day = Duration::from_secs(86_400);
    let _ = tokio::time::timeout(day, installing).await;
    assert!(mock.sent().len() > 3);
}

#[tokio::test(start_paused = true)]
async fn hanging_requests_end_at_the_deadline() {
    let mock = Mock::new([Reply::silent(), Reply::silent()]);
    let start = tokio::time::Instant::now();
    let client = mock.client().timeout(Duration::from_secs(5));
    let error = client.install([crd(&["v1"], |_| ())]).await.unwrap_err();
    assert!(matches!(error, InstallError::Request(Error::DeadlineExceeded { .. })), "{error}");
    assert_eq!(start.elapsed(), Duration::from_secs(5));
}

#[tokio::test(start_paused = true)]
async fn response_must_be_the_installed_definition() {
    let mut right = served();
    right["apiVersion"] = json!("apiextensions.k8s.io/v1");
    right["kind"] = json!("CustomResourceDefinition");
    let missing = || Reply::status(404, "NotFound", NAME);
    for odd in in_place_of(&right) {
        let odd = || Reply::exactly(200, &odd);
        let [core, groups] = discovery(json!([]));
        let [core_again, groups_again] = discovery(json!([]));
        for replies in [
            vec![odd()],
            vec![missing(), core, groups, odd()],
            vec![missing(), core_again, groups_again, Reply::exactly(201, &right), odd()],
        ] {
            let mock = Mock::new(replies);
            match install(&mock).await.unwrap_err() {
                InstallError::Request(error) | InstallError::Apply(ApplyError::Request(error)) => {
                    assert_unexpected(&error);
                }
                other => panic!("{other}"),
            }
        }
    }
}
