//! Errors that name the missing permissions.

use std::{collections::BTreeSet, time::Duration};

use crdkit::{
    Client,
    client::{self, Error, UpdateError},
};
use crdkit_tests::ControlPlane;
use futures_util::TryStreamExt;
use k8s_openapi::api::rbac::v1::{ClusterRole, ClusterRoleBinding, PolicyRule, Role, RoleBinding};
use serde_json::{Value, json};

use crate::{
    served::{Machine, Sample, Site, client, namespace},
    server::server,
};

const RBAC: &str = "rbac.authorization.k8s.io";
const LIMIT: Duration = Duration::from_secs(20);

pub(crate) fn client_of_user(user: &str) -> Client {
    server().unwrap().client_of_user(user).field_manager(user)
}

/// Grants a rule to a user.
async fn allow(admin: &Client, user: &str, rule: &client::PolicyRule) {
    let rules: Vec<PolicyRule> = serde_saphyr::from_str(&rule.to_string()).unwrap();
    let name = format!("{user}-{}-{}", rule.verbs.concat(), rule.resource.replace('/', "-"));
    let role = json!({ "metadata": { "name": name }, "rules": rules });
    let subject = json!({ "kind": "User", "name": user, "apiGroup": RBAC });
    let binding = |kind: &str| {
        let role = json!({ "kind": kind, "name": name, "apiGroup": RBAC });
        json!({ "metadata": { "name": name }, "subjects": [subject], "roleRef": role })
    };
    match &rule.namespace {
        Some(namespace) => {
            let roles = admin.resources::<Role>().namespace(namespace);
            roles.create(&read(role)).await.unwrap();
            let bindings = admin.resources::<RoleBinding>().namespace(namespace);
            bindings.create(&read(binding("Role"))).await.unwrap();
        }
        None => {
            let roles = admin.resources::<ClusterRole>();
            roles.create(&read(role)).await.unwrap();
            let bindings = admin.resources::<ClusterRoleBinding>();
            bindings.create(&read(binding("ClusterRole"))).await.unwrap();
        }
    }
}

fn read<T: serde::de::DeserializeOwned>(value: Value) -> T {
    serde_json::from_value(value).unwrap()
}

/// Grants a user the missing rules one by one until an action succeeds. Returns the rules.
pub(crate) async fn grant_until_allowed<T>(
    admin: &Client,
    user: &str,
    action: impl AsyncFn() -> Result<T, Error>,
) -> Vec<String> {
    let mut allowed = BTreeSet::new();
    let mut granted = Vec::new();
    let deadline = tokio::time::Instant::now() + LIMIT;
    loop {
        let Err(error) = action().await else { return granted };
        assert!(tokio::time::Instant::now() < deadline, "{error}");
        let Error::Forbidden(refusal) = &error else {
            panic!("{error}");
        };
        let rule = refusal.missing_rule().unwrap();
        assert!(error.to_string().contains(&rule.to_string()), "{error}");
        let text = format!("{} {}.{}", rule.verbs.join(","), rule.resource, rule.group);
        if allowed.insert(text.clone()) {
            allow(admin, user, &rule).await;
            granted.push(text);
        }
        // New roles take effect a moment later.
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test]
async fn each_error_names_the_missing_rule() {
    let Some(admin) = client().await else { return };
    let namespace = namespace(&admin, "permissions").await;
    admin.resources().namespace(&namespace).create(&Machine::named("a", 1)).await.unwrap();
    let jane = client_of_user("jane");
    let machines = jane.resources::<Machine>().namespace(&namespace);

    let update = async || Ok(machines.update("a", |machine| machine.spec.size += 1).await?);
    let granted = grant_until_allowed(&admin, "jane", update).await;
    assert_eq!(granted, ["get machines.client.example.com", "patch machines.client.example.com"]);

    let status = async || Ok(machines.status().update("a", |status| status.size += 1).await?);
    let granted = grant_until_allowed(&admin, "jane", status).await;
    assert_eq!(granted, ["patch machines/status.client.example.com"]);

    let scale = async || machines.scale().set("a", 3).await;
    let granted = grant_until_allowed(&admin, "jane", scale).await;
    assert_eq!(granted, ["patch machines/scale.client.example.com"]);

    let watch = async || machines.watch().await?.try_next().await;
    let granted = grant_until_allowed(&admin, "jane", watch).await;
    assert_eq!(granted, ["watch machines.client.example.com"]);
}

#[tokio::test]
async fn applying_a_missing_object_requires_the_permission_to_create() {
    let Some(admin) = client().await else { return };
    let joe = client_of_user("joe").resources::<Site>();
    let apply = async || {
        let applied = joe.apply("permissions-joe", &json!({ "spec": { "size": 1 } })).await;
        applied.map_err(|error| match error {
            crdkit::client::ApplyError::Request(error) => error,
            error => panic!("{error}"),
        })
    };
    let granted = grant_until_allowed(&admin, "joe", apply).await;
    let rules = ["patch sites.client.example.com", "create sites.client.example.com"];
    assert_eq!(granted, rules);
}

#[tokio::test]
async fn a_forbidden_object_is_not_reported_as_missing() {
    if client().await.is_none() {
        return;
    }
    let sites = client_of_user("jim").resources::<Site>();
    let error = sites.get_opt("none").await.unwrap_err();
    assert!(matches!(error, Error::Forbidden(_)), "{error}");
    let error = sites.update("none", |_| {}).await.unwrap_err();
    assert!(matches!(error, UpdateError::Request(Error::Forbidden(_))), "{error}");
}

#[tokio::test]
async fn an_unauthenticated_user_gets_an_error() {
    let Some(plane) = ControlPlane::shared() else {
        return;
    };
    let mut config = plane.config();
    config.auth_info.token = Some(String::from("wrong").into());
    let sites = Client::try_from(config).unwrap().resources::<Site>();
    let error = sites.get("none").await.unwrap_err();
    assert!(matches!(error, Error::Unauthorized(_)), "{error}");
}
