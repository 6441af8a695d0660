//! The subresources of Kubernetes' own kinds.

use std::time::Duration;

use crdkit::{
    Client,
    client::{Error, EvictError, UpdateError},
};
use crdkit_api_server::{ApiServer, Requests};
use k8s_openapi::{
    ByteString,
    api::{
        authentication::v1::{TokenRequest, TokenReview},
        certificates::v1::CertificateSigningRequest,
        core::v1::{ConfigMap, EphemeralContainer, Pod, ServiceAccount},
        policy::v1::PodDisruptionBudget,
    },
};
use serde::de::DeserializeOwned;
use serde_json::{Value, from_value, json};

use crate::served::{client, namespace};

fn object<K: DeserializeOwned>(object: Value) -> K {
    from_value(object).unwrap()
}

fn pod(name: &str) -> Pod {
    object(json!({
        "metadata": { "name": name, "labels": { "app": "web" } },
        "spec": { "containers": [{ "name": "web", "image": "web" }], "terminationGracePeriodSeconds": 0 },
    }))
}

#[tokio::test]
async fn tokens_are_issued_on_a_real_server() {
    let Some(client) = client().await else { return };
    let namespace = namespace(&client, "tokens").await;
    tokens(&client, &namespace).await;
}

#[tokio::test]
async fn tokens_are_issued_in_the_process() {
    tokens(&Client::from(ApiServer::new().kube_client()), "default").await;
}

async fn tokens(client: &Client, namespace: &str) {
    let accounts = client.resources::<ServiceAccount>().namespace(namespace);
    accounts.create(&object(json!({ "metadata": { "name": "builder" } }))).await.unwrap();
    let issued = accounts.create_token("builder", &TokenRequest::default()).await.unwrap();
    let mut review = TokenReview::default();
    review.spec.token = issued.status.unwrap().token.unwrap();
    let status = client.resources().create(&review).await.unwrap().status.unwrap();
    let user = status.user.unwrap().username.unwrap();
    assert_eq!(user, format!("system:serviceaccount:{namespace}:builder"));

    let missing = accounts.create_token("nobody", &TokenRequest::default()).await.unwrap_err();
    assert!(matches!(missing, Error::NotFound(_)), "{missing}");
    let short = object(json!({ "spec": { "expirationSeconds": 60 } }));
    let invalid = accounts.create_token("builder", &short).await.unwrap_err();
    let start = format!(
        "cannot create the token of ServiceAccount `builder` in namespace `{namespace}`: the object is invalid"
    );
    assert!(matches!(invalid, Error::Invalid(_)) && invalid.to_string().starts_with(&start), "{invalid}");
}

#[tokio::test]
async fn pods_are_evicted_unless_a_budget_forbids_it() {
    let Some(client) = client().await else { return };
    let namespace = namespace(&client, "evictions").await;
    let pods = client.resources::<Pod>().namespace(&*namespace);
    pods.create(&pod("web")).await.unwrap();
    // Budgets do not protect Pods that never ran.
    let is_ready = |status: &mut k8s_openapi::api::core::v1::PodStatus| {
        status.phase = Some("Running".into());
        status.conditions = Some(vec![object(json!({ "type": "Ready", "status": "True" }))]);
    };
    let running = pods.status().update("web", is_ready).await.unwrap();
    let budgets = client.resources::<PodDisruptionBudget>().namespace(&*namespace);
    let selector = json!({ "matchLabels": { "app": "web" } });
    let budget = json!({ "metadata": { "name": "web" }, "spec": { "minAvailable": 1, "selector": selector } });
    budgets.create(&object(budget)).await.unwrap();
    let counts = |allowed: i32| {
        move |status: &mut k8s_openapi::api::policy::v1::PodDisruptionBudgetStatus| {
            (status.observed_generation, status.disruptions_allowed) = (Some(1), Some(allowed));
            (status.current_healthy, status.desired_healthy, status.expected_pods) = (Some(1), Some(1), Some(1));
        }
    };
    budgets.status().update("web", counts(0)).await.unwrap();
    let refused = pods.evict("web").await.unwrap_err();
    let reason = "a PodDisruptionBudget does not allow it now: The disruption budget web needs 1 healthy pods and has 1 currently; try \
        again later";
    assert!(matches!(refused, EvictError::Budget(_)) && refused.to_string().ends_with(reason), "{refused}");

    budgets.status().update("web", counts(1)).await.unwrap();
    pods.dry_run().evict("web").await.unwrap();
    let other = pods.evict("web").uid("other").await.unwrap_err();
    assert!(matches!(other, EvictError::Request(Error::Conflict(_))), "{other}");
    // The API server counts a disruption before it compares the UIDs.
    budgets.status().update("web", counts(1)).await.unwrap();
    let uid = running.metadata.uid.unwrap();
    pods.evict("web").uid(&uid).grace_period(Duration::ZERO).await.unwrap();
    pods.wait_until_deleted("web").within(Duration::from_secs(30)).await.unwrap();
    assert!(pods.evict("web").await.unwrap_err().is_not_found());
}

#[tokio::test]
async fn pods_have_ephemeral_containers_and_logs() {
    let Some(client) = client().await else { return };
    let namespace = namespace(&client, "ephemeral").await;
    let pods = client.resources::<Pod>().namespace(&*namespace);
    pods.create(&pod("web")).await.unwrap();
    let container = |name: &str| EphemeralContainer {
        name: name.into(),
        image: Some("busybox".into()),
        target_container_name: Some("web".into()),
        ..EphemeralContainer::default()
    };
    for name in ["first", "second", "first"] {
        pods.add_ephemeral_container("web", &container(name)).await.unwrap();
    }
    let stored = pods.get("web").await.unwrap().spec.unwrap().ephemeral_containers.unwrap();
    assert_eq!(stored.iter().map(|container| &*container.name).collect::<Vec<_>>(), ["first", "second"]);
    let missing = pods.add_ephemeral_container("nobody", &container("first")).await.unwrap_err();
    assert!(matches!(missing, UpdateError::Request(Error::NotFound(_))), "{missing}");

    // No node runs it.
    assert_eq!(pods.log("web").tail(3).text().await.unwrap(), "");
    let error = pods.log("web").container("other").follow().lines().await.unwrap_err();
    assert_eq!(error.status().unwrap().code, 400, "{error}");
}

#[tokio::test]
async fn requests_for_certificates_are_approved_or_denied() {
    let Some(client) = client().await else { return };
    let requests = client.resources::<CertificateSigningRequest>();
    for name in ["web", "stranger"] {
        let mut request: CertificateSigningRequest = object(json!({
            "metadata": { "name": format!("subresources-{name}") },
            "spec": { "request": "", "signerName": "example.com/signer", "usages": ["client auth"] },
        }));
        request.spec.request = ByteString(include_bytes!("subresources/web.csr").to_vec());
        requests.create(&request).await.unwrap();
    }
    let condition = |request: &CertificateSigningRequest| {
        let conditions = request.status.as_ref().unwrap().conditions.as_ref().unwrap();
        let [condition] = &conditions[..] else { panic!("{conditions:?}") };
        (condition.type_.clone(), condition.reason.clone(), condition.last_update_time.is_some())
    };
    let approved = requests.approve("subresources-web", "KnownHost", "it is in the inventory").await.unwrap();
    assert_eq!(condition(&approved), ("Approved".into(), Some("KnownHost".into()), true));
    let again = requests.approve("subresources-web", "Again", "").await.unwrap();
    assert_eq!(again.metadata.resource_version, approved.metadata.resource_version);
    let contradiction = requests.deny("subresources-web", "Mistake", "").await.unwrap_err();
    assert!(matches!(contradiction, UpdateError::Request(Error::Invalid(_))), "{contradiction}");
    let denied = requests.deny("subresources-stranger", "Unknown", "who is it").await.unwrap();
    assert_eq!(condition(&denied), ("Denied".into(), Some("Unknown".into()), true));
}

#[tokio::test]
async fn read_only_handles_read() {
    let server = ApiServer::new();
    let configs = server.client().resources::<ConfigMap>();
    let created = configs.namespace("default").create(&object(json!({ "metadata": { "name": "web" } }))).await.unwrap();
    server.clear_journal();
    let reads = configs.read_only();
    let reads = reads.namespace("default");
    assert_eq!(reads.get("web").await.unwrap(), created);
    assert!(reads.get_opt("other").await.unwrap().is_none());
    let listed = configs.namespace("default").list().await.unwrap().items;
    assert!(listed.contains(&created));
    assert_eq!(reads.list().await.unwrap().items, listed);
    assert_eq!(configs.read_only().all_namespaces().namespace("default").list().await.unwrap().items, listed);
    reads.wait_until("web", |_: &ConfigMap| true).await.unwrap();
    reads.wait_for(&created, |_: &ConfigMap| true).await.unwrap();
    reads.wait_until_deleted("other").await.unwrap();
    assert_eq!(reads.beside(&created).list().await.unwrap().items, listed);
    assert!(server.journal().only(Requests::writes()).is_empty());
}
