//! Namespaces that are selected by labels.

use crdkit::{client::Patch, controller::PreflightError};
use serde_json::json;

use super::*;

const SELECTOR: &str = "sea=calm";

impl Waters {
    /// Some namespaces have the label.
    async fn calm(names: &[&str]) -> Self {
        let waters = Self::new().await;
        for name in names {
            waters.label(name, Some("calm")).await;
        }
        waters
    }

    async fn label(&self, namespace: &str, value: Option<&str>) {
        let labels = Patch::merge(json!({ "metadata": { "labels": { "sea": value } } }));
        self.admin.resources::<Namespace>().patch(namespace, &labels).await.unwrap();
    }

    /// Creates a namespace with the label, and a fleet there.
    async fn found(&self, namespace: &str) {
        let labelled = json!({ "metadata": { "name": namespace, "labels": { "sea": "calm" } } });
        self.admin.resources::<Namespace>().create(&serde_json::from_value(labelled).unwrap()).await.unwrap();
        self.admin.resources().namespace(namespace).create(&fleet("first", &[])).await.unwrap();
    }

    fn follower(&self) -> Manager {
        self.manager().namespaces_with_labels(SELECTOR)
    }

    /// Grants the roles for all namespaces.
    fn grant_all(&self) {
        let roles = self.follower().rbac().service_account("default", "captain");
        drop(self.server.clone().with_objects(&roles.to_yaml()));
    }

    fn follow(&self) -> Running {
        self.grant_all();
        Running::of(self.follower())
    }
}

#[tokio::test(start_paused = true)]
async fn namespaces_get_and_lose_the_label() {
    let waters = Waters::new().await;
    let running = waters.follow();
    // None has it.
    settle().await;
    assert_eq!((waters.take_calls(), running.handle.namespaces()), (Vec::new(), Some(Vec::new())));
    assert_eq!((running.handle.healthz().to_string(), running.handle.readyz().to_string()), ("ok".into(), "ok".into()));

    waters.label("north", Some("calm")).await;
    waters.label("south", Some("rough")).await;
    settle().await;
    assert_eq!((waters.take_keys(), waters.ships("south").await), (vec!["north/first".to_owned()], 0));
    waters.label("south", Some("calm")).await;
    settle().await;
    assert_eq!(waters.take_keys(), ["south/first"]);
    // Another label changes nothing.
    let other = Patch::merge(json!({ "metadata": { "labels": { "depth": "100" } } }));
    waters.admin.resources::<Namespace>().patch("south", &other).await.unwrap();
    settle().await;
    assert_eq!(waters.take_calls(), []);

    waters.label("north", None).await;
    settle().await;
    waters.change("north").await;
    waters.change("south").await;
    sleep(minutes(10)).await;
    // What its objects own remains.
    assert_eq!((waters.take_keys(), waters.ships("north").await), (vec!["south/first".to_owned()], 1));
    assert_eq!(running.handle.namespaces().unwrap(), ["south"]);
    // What changed meanwhile is not lost.
    waters.label("north", Some("calm")).await;
    settle().await;
    assert_eq!(waters.take_keys(), ["north/first"]);
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_namespace_is_deleted_and_made_again() {
    let mut waters = Waters::calm(&["north"]).await;
    waters.server = waters.server.with_namespace_deletion();
    let running = waters.follow();
    waters.found("west").await;
    settle().await;
    assert_eq!(waters.take_keys(), ["north/first", "west/first"]);

    waters.admin.resources::<Namespace>().delete("west").await.unwrap();
    settle().await;
    // It is gone at once here, with its objects.
    waters.take_calls();
    assert_eq!(running.handle.namespaces().unwrap(), ["north"]);

    waters.found("west").await;
    settle().await;
    assert_eq!((waters.take_keys(), waters.ships("west").await), (vec!["west/first".to_owned()], 1));
    // At once: the manager may see the deletion and the creation as one change.
    waters.admin.resources::<Namespace>().delete("west").await.unwrap();
    waters.found("west").await;
    settle().await;
    assert_eq!(waters.ships("west").await, 1);
    assert!(running.handle.healthz().is_healthy());
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn the_next_leader_has_the_namespaces_of_its_time() {
    let waters = Waters::calm(&["north"]).await;
    let replica = || waters.follower().leader_election("fleets");
    drop(waters.server.clone().with_objects(&replica().rbac().service_account("default", "captain").to_yaml()));
    let first = Running::of(replica());
    settle().await;
    let second = Running::of(replica());
    settle().await;
    assert!(first.handle.is_leader() && !second.handle.is_leader());
    waters.label("south", Some("calm")).await;
    settle().await;
    assert_eq!(waters.take_keys(), ["north/first", "south/first"]);
    assert_eq!(second.handle.namespaces().unwrap(), ["north", "south"]);
    assert!(second.handle.readyz().is_healthy());

    waters.label("north", None).await;
    settle().await;
    first.stop().await;
    sleep(minutes(1)).await;
    assert!(second.handle.is_leader());
    assert_eq!(waters.take_keys(), ["south/first"]);
    waters.label("east", Some("calm")).await;
    settle().await;
    assert_eq!(waters.take_keys(), ["east/first"]);
    second.stop().await;
}

#[tokio::test(start_paused = true)]
async fn the_roles_are_those_of_all_namespaces_unless_some_are_named() {
    let waters = Waters::calm(&["north"]).await;
    let rbac = waters.follower().rbac().service_account("default", "captain");
    assert!(rbac.roles().is_empty());
    let rules = rbac.cluster_role().unwrap().rules.unwrap();
    let of_namespaces =
        rules.iter().find(|rule| rule.resources.iter().flatten().any(|name| name == "namespaces")).unwrap();
    assert!(["get", "list", "watch"].iter().all(|verb| of_namespaces.verbs.iter().any(|other| other == verb)));

    // Without any role.
    let ended = waters.follower().run().await.unwrap_err();
    let ManagerError::Preflight(error) = ended else { panic!("{ended}") };
    let missing = missing_resources(&error);
    assert_eq!(missing, ["namespaces"], "{error}");

    // Only those of a namespace that has no label yet.
    let limited = rbac.namespaces(["south"]);
    assert_eq!(limited.cluster_role().unwrap().rules.unwrap().len(), 1);
    drop(waters.server.clone().with_objects(&limited.to_yaml()));
    let ended = waters.follower().run().await.unwrap_err();
    let ManagerError::Preflight(error) = ended else { panic!("{ended}") };
    assert!(error.to_string().contains("namespace: north"), "{error}");

    waters.label("south", Some("calm")).await;
    let running = Running::of(waters.follower());
    sleep(minutes(10)).await;
    assert_eq!(waters.take_keys(), ["south/first"]);
    let warning = running.handle.readyz().check("informers").unwrap().warning.clone().unwrap();
    assert!(warning.contains("`fleets.sea.example.com` in `north` is not listed yet"), "{warning}");
    running.stop().await;
}

fn missing_resources(error: &PreflightError) -> Vec<String> {
    let role = error.missing_permissions.as_ref().unwrap().cluster_role().unwrap();
    role.rules.unwrap().into_iter().flat_map(|rule| rule.resources.unwrap_or_default()).collect()
}

#[tokio::test(start_paused = true)]
async fn namespaces_that_cannot_be_listed_are_an_error() {
    let waters = Waters::new().await;
    let ended = waters.follower().without_preflight().run().await.unwrap_err();
    assert!(matches!(ended, ManagerError::Namespaces(_)) && ended.exit_code() == 11, "{ended:?}");
    let message = ended.to_string();
    assert!(message.contains("the namespaces of the manager: ") && message.contains("`namespaces`: "), "{message}");
    waters.grant_all();
    let ended = waters.manager().namespaces_with_labels("sea in (").without_preflight().run().await.unwrap_err();
    assert!(matches!(ended, ManagerError::Namespaces(_)), "{ended}");
}

#[tokio::test(start_paused = true)]
async fn a_lost_watch_of_namespaces_is_reported() {
    let waters = Waters::calm(&["north"]).await;
    let running = waters.follow();
    settle().await;
    let metrics = running.handle.openmetrics();
    assert!(metrics.contains("crdkit_informer_objects{resource=\"namespaces\"} 1.0"), "{metrics}");
    let requests = [Requests::watch(), Requests::list()].map(|requests| requests.of::<Namespace>());
    requests.into_iter().for_each(|requests| drop(waters.server.faults().on(requests).fail(500)));
    waters.server.watches(Requests::watch().of::<Namespace>()).end();
    sleep(minutes(30)).await;
    let report = running.handle.healthz();
    assert!(!report.is_healthy() && report.to_string().contains("namespaces"), "{report}");
    // The others go on.
    waters.change("north").await;
    settle().await;
    assert!(waters.take_keys().contains(&"north/first".to_owned()));
    waters.server.faults().clear();
    sleep(minutes(10)).await;
    assert!(running.handle.healthz().is_healthy());
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn the_last_setting_counts() {
    let waters = Waters::calm(&["north"]).await;
    let running = waters.follow();
    settle().await;
    let error = running.handle.set_namespaces(["south"]).unwrap_err().to_string();
    assert!(error.contains("those with the labels `sea=calm`"), "{error}");
    assert_eq!(running.handle.namespaces().unwrap(), ["north"]);
    running.stop().await;
    waters.take_calls();

    let running = Running::of(waters.follower().namespaces(["south"]));
    settle().await;
    assert_eq!(waters.take_keys(), ["south/first"]);
    running.handle.set_namespaces(["east"]).unwrap();
    running.stop().await;
    let named = waters.manager().namespaces(["south"]).namespaces_with_labels(SELECTOR);
    let running = Running::of(named);
    settle().await;
    assert!(waters.take_keys().contains(&"north/first".to_owned()));
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_plan_has_the_namespaces_with_the_label() {
    let waters = Waters::calm(&["north"]).await;
    waters.grant_all();
    let plan = waters.follower().plan().await.unwrap();
    let summaries: Vec<_> = plan.writes().map(|write| write.summary()).collect();
    assert_eq!(summaries, ["apply ConfigMap north/first-ship"], "{plan}");
}
