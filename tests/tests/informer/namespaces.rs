//! One store for several namespaces, each with its own watch.

use crdkit::{
    Client,
    client::{Error, PolicyRule},
    informer::{Informers, Problem, SyncError, WatchError, WatchState},
};
use k8s_openapi::api::rbac::v1::{Role, RoleBinding};
use serde_json::json;

use crate::{
    next_ones,
    served::{Machine, Sample, client, namespace},
    server::server,
    until, within_limit,
};

const USER: &str = "informer-jane";
const RBAC: &str = "rbac.authorization.k8s.io";

fn jane() -> Client {
    server().unwrap().client_of_user(USER)
}

async fn allow(admin: &Client, namespace: &str) {
    let role = json!({
        "metadata": { "name": "read" },
        "rules": [{
            "apiGroups": ["client.example.com"], "resources": ["machines"], "verbs": ["list", "watch"],
        }],
    });
    let binding = json!({
        "metadata": { "name": "read" },
        "subjects": [{ "kind": "User", "name": USER, "apiGroup": RBAC }],
        "roleRef": { "kind": "Role", "name": "read", "apiGroup": RBAC },
    });
    let role: Role = serde_json::from_value(role).unwrap();
    let binding: RoleBinding = serde_json::from_value(binding).unwrap();
    let roles = admin.resources::<Role>().namespace(namespace);
    roles.create(&role).await.unwrap();
    let bindings = admin.resources::<RoleBinding>().namespace(namespace);
    bindings.create(&binding).await.unwrap();
}

#[tokio::test]
async fn a_forbidden_namespace_is_reported_and_affects_no_other() {
    let Some(admin) = client().await else { return };
    let open = namespace(&admin, "informer-open").await;
    let closed = namespace(&admin, "informer-closed").await;
    for namespace in [&open, &closed] {
        let machines = admin.resources::<Machine>().namespace(namespace);
        machines.create(&Machine::named(namespace, 1)).await.unwrap();
    }
    allow(&admin, &open).await;

    let informers = Informers::new(jane());
    let informer = informers.of::<Machine>().namespaces([&open, &closed]).start();
    let mut problems = informer.problems();
    let mut events = informer.subscribe();
    // The role may take effect after the first request.
    until(|| !informer.lister().is_empty()).await;
    let SyncError::Refused(refused) = within_limit(informer.synced()).await.unwrap_err() else {
        panic!();
    };
    assert_eq!(refused.len(), 1);
    assert_eq!(refused[0].namespace.as_deref(), Some(closed.as_str()));
    let WatchError::Request(error @ Error::Forbidden(refusal)) = &*refused[0].error else {
        panic!("{:?}", refused[0]);
    };
    let rule: PolicyRule = refusal.missing_rule().unwrap();
    assert_eq!(rule.verbs, ["get", "list", "watch"], "{error}");
    assert!(error.to_string().contains(&rule.to_string()), "{error}");
    assert_eq!(next_ones(&mut events, 2).await, [format!("+{open}"), "synced".to_owned()]);
    let problem = within_limit(problems.next()).await;
    assert!(matches!(problem, Some(Problem::Watch { .. })));

    let machines = admin.resources::<Machine>().namespace(&open);
    machines.create(&Machine::named("more", 1)).await.unwrap();
    assert_eq!(next_ones(&mut events, 1).await, ["+more"]);
    let health = informer.health();
    assert!(!health.is_good());
    assert!(health.staleness().is_none());
    let states: Vec<_> = health.watches.iter().map(|watch| &watch.state).collect();
    assert!(matches!(states[..], [WatchState::Disconnected { error: Some(_), .. }, WatchState::Watching { .. }]));

    allow(&admin, &closed).await;
    assert_eq!(next_ones(&mut events, 1).await, [format!("+{closed}")]);
    within_limit(informer.synced()).await.unwrap();
    until(|| informer.health().is_good()).await;
    assert_eq!(informer.lister().namespace(&closed).len(), 1);
}

#[tokio::test]
async fn without_namespaces_there_are_no_objects() {
    let Some(admin) = client().await else { return };
    let none: [&str; 0] = [];
    let informer = Informers::new(admin).of::<Machine>().namespaces(none).start();
    within_limit(informer.synced()).await.unwrap();
    assert!(informer.lister().is_empty());
    assert_eq!(next_ones(&mut informer.subscribe(), 1).await, ["synced"]);
}
