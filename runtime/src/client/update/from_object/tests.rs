use k8s_openapi::api::{
    core::v1::{ConfigMap, Node, Pod},
    policy::v1::PodDisruptionBudget,
};
use serde_json::{Value, json};

use super::*;
use crate::{
    client::mock::{Mock, Reply},
    resource::conditions::{NewCondition, set_condition},
};

const CLEANUP: &str = "example.com/cleanup";

fn metadata(version: &str) -> Value {
    json!({
        "name": "web", "namespace": "prod", "uid": "1", "resourceVersion": version, "generation": 3,
        "finalizers": [CLEANUP],
    })
}

fn config(version: &str, size: &str) -> Value {
    json!({ "metadata": metadata(version), "data": { "size": size } })
}

fn read<K: Object>(object: Value) -> K {
    serde_json::from_value(object).unwrap()
}

fn given_object() -> ConfigMap {
    read(config("7", "1"))
}

fn resize(config: &mut ConfigMap) {
    let data = config.data.get_or_insert_default();
    data.insert("size".into(), "2".into());
}

fn conflict() -> Reply {
    Reply::status(409, "Conflict", "web")
}

/// A budget, as an example of a kind with conditions.
fn budget() -> PodDisruptionBudget {
    let condition = json!({
        "type": "Ready", "status": "True", "reason": "AllRun", "message": "", "observedGeneration": 3,
        "lastTransitionTime": "2026-01-01T00:00:00Z",
    });
    let status = json!({
        "currentHealthy": 1, "desiredHealthy": 1, "disruptionsAllowed": 0, "expectedPods": 1,
        "conditions": [condition],
    });
    read(json!({ "metadata": metadata("7"), "status": status }))
}

fn ready() -> NewCondition {
    NewCondition::is_true("Ready", "AllRun")
}

#[tokio::test]
async fn unchanged_reconcile_sends_one_request_by_name() {
    let mock = Mock::new([Reply::json(200, config("7", "1"))]);
    let client = mock.client().field_manager("operator");
    let budgets = client.resources::<PodDisruptionBudget>().all_namespaces();
    let configs = client.resources::<ConfigMap>().namespace("prod");
    let owner = std::sync::Arc::new(budget());

    budgets.finalizers().add_to(&owner, CLEANUP).await.unwrap();
    let child: ConfigMap = read(json!({ "data": { "size": "1" } }));
    configs.apply("web", &child).await.unwrap();
    let status = budgets.status();
    let updated = status.update_from(&owner, |status| {
        status.current_healthy = Some(1);
        set_condition(status.conditions.get_or_insert_default(), ready().observed_generation(3));
    });
    assert_eq!(updated.await.unwrap(), *owner);
    let updated = status.set_condition_from(&owner, ready()).await.unwrap();
    assert_eq!(updated, *owner);
    let path = "PATCH /api/v1/namespaces/prod/configmaps/web?fieldManager=operator";
    assert_eq!(mock.lines(), [path]);
}

#[tokio::test]
async fn unchanged_reconcile_sends_no_request_with_a_given_object() {
    let mock = Mock::new([]);
    let client = mock.client();
    let budgets = client.resources::<PodDisruptionBudget>().all_namespaces();
    let configs = client.resources::<ConfigMap>().all_namespaces();
    let owner = budget();

    let finalizers = budgets.finalizers();
    let added = finalizers.add_to(&owner, CLEANUP).await.unwrap();
    assert_eq!(added, OperationResult::Unchanged);
    let removed = finalizers.remove_from(&owner, "example.com/other").await;
    assert_eq!(removed.unwrap(), OperationResult::Unchanged);
    let as_it_is = |config: &mut ConfigMap| {
        let data = config.data.get_or_insert_default();
        data.insert("size".into(), "1".into());
    };
    configs.update_from(&given_object(), as_it_is).await.unwrap();
    let status = budgets.status();
    status.set_conditions_from(&owner, [ready()]).await.unwrap();
    assert!(mock.sent().is_empty());
}

#[tokio::test]
async fn only_the_change_is_sent_with_the_given_version() {
    for all in [true, false] {
        let mock = Mock::new([Reply::json(200, config("8", "2"))]);
        let client = mock.client();
        let updated = if all {
            let configs = client.resources().all_namespaces();
            configs.update_from(&given_object(), resize).await
        } else {
            let configs = client.resources().namespace("prod");
            configs.update_from(&given_object(), resize).await
        };
        let version = updated.unwrap().metadata.resource_version;
        assert_eq!(version.as_deref(), Some("8"));
        let [sent] = mock.sent().try_into().unwrap();
        assert_eq!(sent.line, "PATCH /api/v1/namespaces/prod/configmaps/web");
        let patch = json!({ "metadata": { "resourceVersion": "7" }, "data": { "size": "2" } });
        assert_eq!(sent.body, patch);
    }
}

#[tokio::test(start_paused = true)]
async fn outdated_object_is_read() {
    let newer = |size: &str| Reply::json(200, config("8", size));
    let mock = Mock::new([conflict(), newer("5"), newer("2")]);
    let configs = mock.client().resources().namespace("prod");
    configs.update_from(&given_object(), resize).await.unwrap();
    let path = "/api/v1/namespaces/prod/configmaps/web";
    let lines = ["PATCH", "GET", "PATCH"].map(|method| format!("{method} {path}"));
    assert_eq!(mock.lines(), lines);
    assert_eq!(mock.sent()[2].body["metadata"]["resourceVersion"], "8");

    // The concurrent change was the same.
    let mock = Mock::new([conflict(), newer("2")]);
    let configs = mock.client().resources().namespace("prod");
    configs.update_from(&given_object(), resize).await.unwrap();
    assert_eq!(mock.sent().len(), 2);
}

#[tokio::test(start_paused = true)]
async fn endless_conflicts_exhaust_the_attempts() {
    let newer = || Reply::json(200, config("8", "5"));
    let mock = Mock::new([conflict(), newer(), conflict(), newer(), conflict()]);
    let configs = mock.client().resources().namespace("prod").max_attempts(3);
    let error = configs.update_from(&given_object(), resize).await.unwrap_err();
    assert!(matches!(error, UpdateError::RetriesExhausted { attempts: 3, .. }), "{error}");
    assert_eq!(mock.sent().len(), 5);
}

#[tokio::test]
async fn change_without_response_is_not_retried() {
    let mock = Mock::new([Reply::lost()]);
    let configs = mock.client().max_retries(5).resources().namespace("prod");
    let error = configs.update_from(&given_object(), resize).await.unwrap_err();
    assert!(error.is_outcome_unknown(), "{error}");
    assert_eq!(mock.sent().len(), 1);
}

#[tokio::test]
async fn closure_can_abort_the_change() {
    let mock = Mock::new([]);
    let configs = mock.client().resources().namespace("prod");
    let off = |_: &mut ConfigMap| Err("not today");
    let error = configs.update_from(&given_object(), off).await.unwrap_err();
    assert!(matches!(error, UpdateError::Aborted("not today")), "{error}");
}

/// An object from which an informer's transform removed some fields.
#[tokio::test]
async fn fields_missing_in_the_given_object_are_preserved() {
    let pod = |containers: Value| json!({ "metadata": metadata("7"), "spec": { "containers": containers } });
    let whole = json!([{ "name": "a", "image": "a:1", "args": ["-v"] }, { "name": "b", "image": "b:1" }]);
    let mock = Mock::new([
        Reply::status(422, "Invalid", "web"),
        Reply::json(200, pod(whole.clone())),
        Reply::json(200, pod(whole)),
    ]);
    let pods = mock.client().resources::<Pod>().all_namespaces();
    let trimmed: Pod = read(pod(json!([{ "name": "a", "image": "a:1" }])));
    let renew = |pod: &mut Pod| {
        pod.spec.as_mut().unwrap().containers[0].image = Some("a:2".into());
    };
    pods.update_from(&trimmed, renew).await.unwrap();
    let path = "/api/v1/namespaces/prod/pods/web";
    let lines = ["PATCH", "GET", "PATCH"].map(|method| format!("{method} {path}"));
    assert_eq!(mock.lines(), lines);
    let known = json!({
        "op": "test", "path": "/spec/containers", "value": [{ "name": "a", "image": "a:1" }],
    });
    assert_eq!(mock.sent()[0].body[0], known);
    let renewed = json!([{ "name": "a", "image": "a:2", "args": ["-v"] }, { "name": "b", "image": "b:1" }]);
    assert_eq!(mock.sent()[2].body["spec"]["containers"], renewed);
}

#[tokio::test]
async fn condition_is_changed_with_one_request() {
    let mock = Mock::new([Reply::json(200, json!({ "metadata": metadata("8") }))]);
    let client = mock.client();
    let budgets = client.resources::<PodDisruptionBudget>().all_namespaces();
    let failed = NewCondition::is_false("Ready", "Failed");
    let status = budgets.status();
    status.set_condition_from(&budget(), failed).await.unwrap();
    let [sent] = mock.sent().try_into().unwrap();
    assert!(sent.line.ends_with("/poddisruptionbudgets/web/status"));
    let version = json!({ "op": "add", "path": "/metadata/resourceVersion", "value": "7" });
    assert_eq!(sent.body[2], version);
    let path = "/status/conditions";
    assert_eq!(sent.body[0]["op"], "test");
    assert_eq!(sent.body[0]["path"], path);
    assert_eq!(sent.body[0]["value"][0]["status"], "True");
    assert_eq!(sent.body[1]["path"], path);
    assert_eq!(sent.body[1]["value"][0]["status"], "False");
    assert_eq!(sent.body.as_array().unwrap().len(), 3);
}

#[tokio::test(start_paused = true)]
async fn condition_has_the_generation_of_the_given_object() {
    let newer = || {
        let mut newer = json!({ "metadata": metadata("8"), "status": null });
        newer["metadata"]["generation"] = json!(4);
        Reply::json(200, newer)
    };
    let mock = Mock::new([conflict(), newer(), newer()]);
    let client = mock.client();
    let budgets = client.resources::<PodDisruptionBudget>().all_namespaces();
    let failed = NewCondition::is_false("Ready", "Failed");
    let status = budgets.status();
    status.set_condition_from(&budget(), failed).await.unwrap();
    let condition = &mock.sent()[2].body["status"]["conditions"][0];
    assert_eq!(condition["observedGeneration"], 3);
    assert_eq!(condition["status"], "False");
}

#[tokio::test]
async fn rejected_change_is_retried_with_the_read_object() {
    let invalid = || Reply::status(422, "Invalid", "web");
    let newest = serde_json::to_value(budget()).unwrap();
    let mock = Mock::new([invalid(), Reply::json(200, newest), invalid()]);
    let client = mock.client();
    let budgets = client.resources::<PodDisruptionBudget>().all_namespaces();
    let failed = NewCondition::is_false("Ready", "");
    let refused = budgets.status().set_condition_from(&budget(), failed).await;
    assert!(matches!(refused, Err(UpdateError::Request(Error::Invalid(_)))));
    assert_eq!(mock.sent().len(), 3);
}

#[tokio::test]
async fn finalizer_is_added_and_removed_with_one_request() {
    let metadata = || Reply::json(200, json!({ "metadata": metadata("8") }));
    let mock = Mock::new([metadata(), metadata()]);
    let configs = mock.client().resources::<ConfigMap>().all_namespaces();
    let finalizers = configs.finalizers();
    let added = finalizers.add_to(&given_object(), "example.com/more").await;
    assert_eq!(added.unwrap(), OperationResult::Updated);
    let removed = finalizers.remove_from(&given_object(), CLEANUP).await;
    assert_eq!(removed.unwrap(), OperationResult::Updated);
    let [add, remove] = mock.sent().try_into().unwrap();
    let patch = |finalizers: Value| json!({ "metadata": { "resourceVersion": "7", "finalizers": finalizers } });
    assert_eq!(add.body, patch(json!([CLEANUP, "example.com/more"])));
    assert_eq!(remove.body, patch(Value::Null));
    assert!(add.accept.contains("as=PartialObjectMetadata;"));
}

#[tokio::test]
async fn dropped_change_is_not_an_update() {
    let mut kept = json!({ "metadata": metadata("7") });
    kept["metadata"]["managedFields"] = json!([{ "manager": "me" }]);
    let mock = Mock::new([Reply::json(200, kept)]);
    let configs = mock.client().resources::<ConfigMap>().all_namespaces();
    let finalizers = configs.finalizers();
    let added = finalizers.add_to(&given_object(), "example.com/more").await;
    assert_eq!(added.unwrap(), OperationResult::Unchanged);
}

#[tokio::test(start_paused = true)]
async fn another_object_of_the_same_name_is_not_changed() {
    let another = || {
        let mut another = config("9", "5");
        another["metadata"]["uid"] = json!("2");
        Reply::json(200, another)
    };
    let mock = Mock::new([conflict(), another(), conflict(), another()]);
    let configs = mock.client().resources::<ConfigMap>().namespace("prod");
    let error = configs.update_from(&given_object(), resize).await.unwrap_err();
    assert!(error.is_not_found());
    let message = "cannot patch ConfigMap `web` in namespace `prod`: the object was deleted, and another object has \
                   its name";
    assert_eq!(error.to_string(), message);
    let finalizers = configs.finalizers();
    let removed = finalizers.remove_from(&given_object(), CLEANUP).await;
    assert_eq!(removed.unwrap(), OperationResult::Unchanged);
    assert_eq!(mock.sent().len(), 4);
}

#[tokio::test]
async fn missing_object_has_no_finalizers() {
    let mock = Mock::new([Reply::status(404, "NotFound", "web")]);
    let configs = mock.client().resources::<ConfigMap>().all_namespaces();
    let removed = configs.finalizers().remove_from(&given_object(), CLEANUP).await;
    assert_eq!(removed.unwrap(), OperationResult::Unchanged);
}

#[tokio::test]
async fn object_without_server_metadata_is_not_sent() {
    let mock = Mock::new([]);
    let configs = mock.client().resources::<ConfigMap>().all_namespaces();
    for (missing, path) in
        [("namespace", "metadata.namespace"), ("resourceVersion", "metadata.resourceVersion"), ("uid", "metadata.uid")]
    {
        for given in [Value::Null, json!("")] {
            let mut object = config("7", "1");
            object["metadata"][missing] = given;
            let object: ConfigMap = read(object);
            let updated = configs.update_from(&object, resize).await;
            let UpdateError::Request(Error::MissingMetadata { missing, .. }) = updated.unwrap_err() else {
                panic!("{path}");
            };
            assert_eq!(missing, path);
        }
    }
    let mut nameless = given_object();
    nameless.metadata.name = None;
    let updated = configs.update_from(&nameless, resize).await;
    assert!(matches!(updated, Err(UpdateError::Request(Error::MissingName { .. }))));
    assert!(mock.sent().is_empty());
}

#[tokio::test]
async fn object_of_another_namespace_is_not_sent() {
    let mock = Mock::new([]);
    let configs = mock.client().resources::<ConfigMap>().namespace("dev");
    let error = configs.update_from(&given_object(), resize).await.unwrap_err();
    let message = "cannot patch ConfigMap `web` in namespace `dev`: the object is in namespace `prod`: select \
                   it with `.namespace(...)`, or use a handle with `.all_namespaces()`";
    assert_eq!(error.to_string(), message);

    let nodes = mock.client().resources::<Node>();
    let node: Node = read(json!({ "metadata": metadata("7") }));
    let label = |node: &mut Node| {
        node.metadata.labels = Some([("a".into(), "b".into())].into());
    };
    let error = nodes.update_from(&node, label).await.unwrap_err();
    assert!(matches!(error, UpdateError::Request(Error::NamespaceMismatch { .. })), "{error}");
    assert!(mock.sent().is_empty());
}

#[tokio::test]
async fn cluster_scoped_objects_have_no_namespace() {
    let node = json!({ "metadata": { "name": "n1", "uid": "1", "resourceVersion": "7" } });
    let mock = Mock::new([Reply::json(200, node.clone())]);
    let nodes = mock.client().resources::<Node>();
    let label = |node: &mut Node| {
        node.metadata.labels = Some([("a".into(), "b".into())].into());
    };
    nodes.update_from(&read(node), label).await.unwrap();
    assert_eq!(mock.lines(), ["PATCH /api/v1/nodes/n1"]);
}
