use k8s_openapi::{
    api::apps::v1::Deployment, api::policy::v1::PodDisruptionBudget, apimachinery::pkg::apis::meta::v1::Condition,
};
use serde_json::{Value, json};

use super::*;
use crate::{
    client::{
        mock::{
            Mock, Reply,
            unexpected::{assert_unexpected, in_place_of},
        },
        scope::InNamespace,
    },
    resource::conditions::HasConditions,
};

fn deployment(status: Value) -> Reply {
    let metadata = json!({ "name": "web", "resourceVersion": "7", "generation": 3 });
    Reply::json(200, json!({ "metadata": metadata, "status": status }))
}

fn deployments(mock: &Mock) -> Resources<Deployment, InNamespace> {
    mock.client().resources().namespace("prod")
}

#[tokio::test]
async fn only_the_change_is_sent_to_the_status() {
    let mock = Mock::new([deployment(json!({ "replicas": 1, "new": 2 })), deployment(json!({}))]);
    let status = deployments(&mock).status();
    status.update("web", |status| status.replicas = Some(2)).await.unwrap();
    let path = "/apis/apps/v1/namespaces/prod/deployments/web";
    assert_eq!(mock.lines(), [format!("GET {path}"), format!("PATCH {path}/status")]);
    let patch = json!({ "metadata": { "resourceVersion": "7" }, "status": { "replicas": 2 } });
    assert_eq!(mock.sent()[1].body, patch);
}

#[tokio::test]
async fn status_can_be_removed() {
    let mock = Mock::new([deployment(json!({ "replicas": 1 })), deployment(json!({}))]);
    let status = deployments(&mock).status();
    status.update_opt("web", |status| *status = None).await.unwrap();
    assert_eq!(mock.sent()[1].body["status"], Value::Null);
    assert!(mock.sent()[1].body.get("status").is_some());
}

#[tokio::test]
async fn unchanged_status_is_not_sent() {
    let mock = Mock::new([deployment(json!({ "replicas": 1 }))]);
    let status = deployments(&mock).status();
    status.update("web", |status| status.replicas = Some(1)).await.unwrap();
    assert_eq!(mock.sent().len(), 1);
}

#[tokio::test]
async fn the_status_alone_is_read() {
    let mock = Mock::new([deployment(json!({ "replicas": 1 }))]);
    let status = deployments(&mock).status().get("web").await.unwrap();
    assert_eq!(status.unwrap().replicas, Some(1));
    let path = "GET /apis/apps/v1/namespaces/prod/deployments/web/status";
    assert_eq!(mock.lines(), [path]);
}

impl HasConditions for k8s_openapi::api::policy::v1::PodDisruptionBudgetStatus {
    fn conditions_mut(&mut self) -> &mut Vec<Condition> {
        self.conditions.get_or_insert_default()
    }
}

#[tokio::test]
async fn conditions_have_the_generation() {
    let mock = Mock::new([deployment(Value::Null), deployment(Value::Null)]);
    let budgets = mock.client().resources::<PodDisruptionBudget>().namespace("prod");
    let condition = NewCondition::is_true("Ready", "Enough");
    budgets.status().set_condition("web", condition).await.unwrap();
    let sent = mock.sent()[1].body["status"]["conditions"][0].clone();
    assert_eq!(sent["observedGeneration"], 3);
    assert_eq!(sent["status"], "True");
}

#[tokio::test]
async fn default_status_is_not_written() {
    let mock = Mock::new([deployment(Value::Null)]);
    let status = deployments(&mock).status();
    let updated = status.update("web", |status| status.replicas = None).await;
    assert_eq!(updated.unwrap().status, None);
    assert_eq!(mock.sent().len(), 1);

    let mock = Mock::new([deployment(Value::Null), deployment(json!({}))]);
    let status = deployments(&mock).status();
    let updated = status.update("web", |status| status.replicas = Some(1)).await;
    updated.unwrap();
    assert_eq!(mock.sent()[1].body["status"], json!({ "replicas": 1 }));
}

#[tokio::test]
async fn several_conditions_are_set_at_once() {
    let mock = Mock::new([deployment(Value::Null), deployment(Value::Null)]);
    let budgets = mock.client().resources::<PodDisruptionBudget>();
    let status = budgets.namespace("prod").status();
    let ready = NewCondition::is_true("Ready", "Enough");
    let paused = NewCondition::is_false("Paused", "Enough").observed_generation(2);
    status.set_conditions("web", [ready, paused]).await.unwrap();
    let conditions = &mock.sent()[1].body["status"]["conditions"];
    assert_eq!((&conditions[0]["type"], &conditions[0]["observedGeneration"]), (&json!("Ready"), &json!(3)));
    assert_eq!((&conditions[1]["type"], &conditions[1]["observedGeneration"]), (&json!("Paused"), &json!(2)));
}

#[tokio::test]
async fn missing_object_has_no_status() {
    let replies =
        [deployment(json!({ "replicas": 1 })), deployment(Value::Null), Reply::status(404, "NotFound", "web")];
    let mock = Mock::new(replies);
    let status = deployments(&mock).status();
    assert_eq!(status.get_opt("web").await.unwrap().unwrap().replicas, Some(1));
    assert_eq!(status.get_opt("web").await.unwrap(), None);
    assert_eq!(status.get_opt("web").await.unwrap(), None);
    assert!(status.get_opt("web").await.is_err());
}

#[tokio::test]
async fn status_response_must_be_the_object() {
    let metadata = json!({ "name": "web", "namespace": "prod", "resourceVersion": "7" });
    let web = json!({ "apiVersion": "apps/v1", "kind": "Deployment", "metadata": metadata });
    for odd in in_place_of(&web) {
        let right = || Reply::exactly(200, &web);
        let odd = || Reply::exactly(200, &odd);
        let mock = Mock::new([odd(), odd(), odd(), odd(), right(), odd(), odd()]);
        let client = mock.client().field_manager("me");
        let deployments: Resources<Deployment, InNamespace> = client.resources().namespace("prod");
        let status = deployments.status();
        let patch = Patch::merge(json!({}));
        let object: Deployment = serde_json::from_value(web.clone()).unwrap();
        assert_unexpected(&status.get("web").await.unwrap_err());
        assert_unexpected(&status.patch("web", &patch).await.unwrap_err());
        assert_unexpected(&status.replace(&object).await.unwrap_err());
        for updated in [
            status.update("web", |status| status.replicas = Some(2)).await,
            status.update("web", |status| status.replicas = Some(2)).await,
        ] {
            let Err(UpdateError::Request(error)) = updated else {
                panic!("{updated:?}");
            };
            assert_unexpected(&error);
        }
        let applied = status.apply("web", &json!({})).await;
        let Err(ApplyError::Request(error)) = applied else {
            panic!("{applied:?}");
        };
        assert_unexpected(&error);
    }
}
