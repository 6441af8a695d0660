//! Managers that are limited to namespaces, which come and go.

mod labelled;

use std::{
    convert::Infallible,
    env,
    process::Command,
    sync::{Arc, Mutex},
    time::Duration,
};

use crdkit::{
    Client, CustomResource, KubeSchema,
    client::Verb,
    controller::{Access, Action, Context, Controller, Error, Manager, ManagerError, ManagerHandle},
    informer::{CacheObject, ObjectKey},
};
use crdkit_api_server::{ApiServer, Requests};
use k8s_openapi::api::core::v1::{ConfigMap, Namespace, Node, Secret};
use serde::{Deserialize, Serialize};
use tokio::time::sleep;

use super::{Running, minutes};
use crate::cluster::{Fleet, fleet, settle};

const ALL: [&str; 3] = ["east", "north", "south"];

/// A cluster-scoped kind.
#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "sea.example.com", version = "v1", kind = "Ocean")]
struct OceanSpec {}

/// Each call of the reconcile function: the key, whether the object is in the cache, and the number of owned objects.
type Calls = Arc<Mutex<Vec<(String, bool, usize)>>>;

struct Waters {
    server: ApiServer,
    admin: Client,
    calls: Calls,
}

impl Waters {
    async fn new() -> Self {
        let server = ApiServer::new().with::<Fleet>().with::<Ocean>().with_rbac();
        let admin = server.client();
        for name in ALL {
            let mut namespace = Namespace::default();
            namespace.metadata.name = Some(name.to_owned());
            admin.resources().create(&namespace).await.unwrap();
            admin.resources().namespace(name).create(&fleet("first", &[])).await.unwrap();
        }
        Self { server, admin, calls: Calls::default() }
    }

    fn captain(&self) -> Client {
        self.server.as_service_account("default", "captain").client().field_manager("fleet-operator")
    }

    /// A manager of fleets with a ship each.
    fn manager(&self) -> Manager {
        self.manager_with(Duration::ZERO)
    }

    /// Each reconciliation takes this long.
    fn manager_with(&self, duration: Duration) -> Manager {
        let controller = Controller::of::<Fleet>().owns::<ConfigMap>().refers_across::<Secret>(|_| Vec::new());
        let state = (self.calls.clone(), duration);
        Manager::new(self.captain()).add(controller.state(state).reconcile_key(reconcile))
    }

    fn grant(&self, manager: &Manager, namespaces: &[&str]) {
        let roles = manager.rbac().service_account("default", "captain").namespaces(namespaces.iter().copied());
        drop(self.server.clone().with_objects(&roles.to_yaml()));
    }

    /// Runs a limited manager that has its roles in all namespaces.
    fn run(&self, manager: Manager, namespaces: &[&str]) -> Running {
        self.grant(&manager, &ALL);
        Running::of(manager.namespaces(namespaces.iter().copied()))
    }

    /// Changes the fleet of a namespace.
    async fn change(&self, namespace: &str) {
        let fleets = self.admin.resources::<Fleet>().namespace(namespace);
        fleets.update("first", |fleet| fleet.spec.ships.push("another".into())).await.unwrap();
    }

    /// Returns the calls, each once.
    fn take_calls(&self) -> Vec<(String, bool, usize)> {
        let mut calls = std::mem::take(&mut *self.calls.lock().unwrap());
        calls.sort();
        calls.dedup();
        calls
    }

    fn take_keys(&self) -> Vec<String> {
        let mut keys: Vec<_> = self.take_calls().into_iter().map(|(key, ..)| key).collect();
        keys.dedup();
        keys
    }

    async fn ships(&self, namespace: &str) -> usize {
        self.admin.resources::<ConfigMap>().namespace(namespace).list().await.unwrap().items.len()
    }
}

async fn reconcile(key: ObjectKey, cx: Context<Fleet, (Calls, Duration)>) -> Result<Action, Error> {
    let (calls, duration) = cx.state();
    sleep(*duration).await;
    let fleet = cx.get();
    let owned = fleet.as_ref().map_or(0, |fleet| cx.owned::<ConfigMap>(fleet).len());
    calls.lock().unwrap().push((key.to_string(), fleet.is_some(), owned));
    if let Some(fleet) = fleet {
        let mut ship = ConfigMap::default();
        ship.metadata.name = Some(format!("{}-ship", fleet.name()));
        cx.apply_owned(&fleet, [ship]).await?;
    }
    Ok(Action::Done)
}

fn objects_in_caches(handle: &ManagerHandle) -> Vec<String> {
    let metrics = handle.openmetrics();
    let lines = metrics.lines().filter(|line| line.starts_with("crdkit_informer_objects{"));
    lines.map(|line| line.trim_start_matches("crdkit_informer_objects").to_owned()).collect()
}

/// Prints the namespaces of its environment, in a process of its own.
#[test]
fn print_namespaces() {
    if env::var_os("CRDKIT_PRINT_NAMESPACES").is_none() {
        return;
    }
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(async {
        let manager = Manager::new(ApiServer::new().client()).namespaces_from_env();
        let rbac = manager.rbac();
        println!("namespaces: {:?} {}", manager.handle().namespaces(), rbac.is_limited_by_env());
    });
}

#[test]
fn an_environment_variable_names_the_namespaces() {
    let printed = |value: Option<&str>| {
        let mut program = Command::new(env::current_exe().unwrap());
        program.args(["--exact", "namespaces::limited::print_namespaces", "--nocapture"]);
        program.env("CRDKIT_PRINT_NAMESPACES", "1").env_remove("WATCH_NAMESPACE");
        let output = program.envs(value.map(|value| ("WATCH_NAMESPACE", value))).output().unwrap();
        let output = String::from_utf8(output.stdout).unwrap();
        let (_, rest) = output.split_once("namespaces: ").unwrap_or_else(|| panic!("{output}"));
        rest.lines().next().unwrap().to_owned()
    };
    assert_eq!(printed(Some("south, north")), "Some([\"north\", \"south\"]) true");
    assert_eq!((printed(Some("")), printed(None)), ("None true".to_owned(), "None true".to_owned()));
}

#[tokio::test(start_paused = true)]
async fn one_setting_limits_all_caches_and_roles() {
    let waters = Waters::new().await;
    let manager = waters.manager().namespaces(["south", "north", "south"]);
    let rbac = manager.rbac().service_account("default", "captain");
    assert!(rbac.cluster_role().is_none() && rbac.cluster_role_binding().is_none());
    let namespaces: Vec<_> = rbac.roles().into_iter().map(|role| role.metadata.namespace.unwrap()).collect();
    assert_eq!(namespaces, ["north", "south"]);
    drop(waters.server.clone().with_objects(&rbac.to_yaml()));

    let running = Running::of(manager);
    assert_eq!(running.handle.namespaces().unwrap(), ["north", "south"]);
    settle().await;
    assert_eq!(waters.take_keys(), ["north/first", "south/first"]);
    assert_eq!((waters.ships("east").await, waters.ships("south").await), (0, 1));
    waters.change("east").await;
    settle().await;
    assert_eq!(waters.take_keys(), [""; 0]);
    running.stop().await;
    assert!(waters.server.journal().iter().all(|entry| entry.code() != Some(403)));
}

#[tokio::test(start_paused = true)]
async fn namespaces_come_and_go() {
    let waters = Waters::new().await;
    let running = waters.run(waters.manager(), &["north"]);
    settle().await;
    assert_eq!(waters.take_keys(), ["north/first"]);

    running.handle.set_namespaces(["north", "south"]).unwrap();
    assert!(running.handle.readyz().is_healthy(), "a namespace that is added does not make it unready");
    settle().await;
    assert_eq!(waters.take_keys(), ["south/first"]);

    // What leaves the caches is not deleted, and what it owns remains.
    running.handle.set_namespaces(["south"]).unwrap();
    settle().await;
    assert_eq!((waters.take_calls(), waters.ships("north").await), (Vec::new(), 1));
    assert_eq!(objects_in_caches(&running.handle)[1], "{resource=\"fleets.sea.example.com\"} 1.0");
    waters.change("north").await;
    waters.admin.resources::<ConfigMap>().namespace("north").delete("first-ship").await.unwrap();
    waters.change("south").await;
    sleep(minutes(10)).await;
    assert_eq!(waters.take_keys(), ["south/first"]);

    // It is listed again, with what changed.
    running.handle.set_namespaces(["north"]).unwrap();
    settle().await;
    assert_eq!((waters.take_keys(), waters.ships("north").await), (vec!["north/first".to_owned()], 1));
    running.handle.set_namespaces([""; 0]).unwrap();
    waters.change("north").await;
    sleep(minutes(10)).await;
    assert_eq!(waters.take_keys(), [""; 0]);
    assert_eq!((running.handle.healthz().to_string(), running.handle.readyz().to_string()), ("ok".into(), "ok".into()));
    assert_eq!(objects_in_caches(&running.handle)[1], "{resource=\"fleets.sea.example.com\"} 0.0");
    running.stop().await;
}

/// Informers see only the last of several changes.
#[tokio::test(start_paused = true)]
async fn a_namespace_that_is_removed_and_added_at_once_is_listed_again() {
    let waters = Waters::new().await;
    let running = waters.run(waters.manager(), &["north"]);
    settle().await;
    waters.take_calls();
    running.handle.set_namespaces(["south"]).unwrap();
    running.handle.set_namespaces(["north"]).unwrap();
    settle().await;
    assert_eq!(waters.take_calls(), [("north/first".to_owned(), true, 1)]);
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn reconciliations_in_a_removed_namespace_end_with_their_caches() {
    let waters = Waters::new().await;
    let manager = waters.manager_with(Duration::from_secs(60));
    let running = waters.run(manager, &["north"]);
    sleep(Duration::from_secs(150)).await;
    assert_eq!(waters.take_calls().last().unwrap(), &("north/first".to_owned(), true, 1));
    waters.change("north").await;
    sleep(Duration::from_secs(1)).await;

    // One runs, which ends 59 s later.
    running.handle.set_namespaces(["south"]).unwrap();
    waters.change("north").await;
    sleep(Duration::from_secs(30)).await;
    // Its namespace returns before that: nothing else starts there until it has ended.
    running.handle.set_namespaces(["north", "south"]).unwrap();
    sleep(Duration::from_secs(27)).await;
    assert_eq!(waters.take_calls(), []);
    sleep(Duration::from_secs(4)).await;
    assert_eq!(waters.take_calls(), [("north/first".to_owned(), true, 1)]);
    // What changed meanwhile is not lost.
    sleep(Duration::from_secs(300)).await;
    assert_eq!(waters.take_keys(), ["north/first", "south/first"]);
    running.stop().await;
}

/// Otherwise objects would be created that exist.
#[tokio::test(start_paused = true)]
async fn an_added_namespace_waits_until_what_its_objects_own_is_listed() {
    let waters = Waters::new().await;
    let running = waters.run(waters.manager(), &["north"]);
    settle().await;
    // Without the other one: its informers have one watch again.
    running.handle.set_namespaces(["south"]).unwrap();
    settle().await;
    waters.take_calls();
    let faults = [Requests::watch(), Requests::list()].map(|requests| requests.of::<ConfigMap>().namespace("north"));
    faults.into_iter().for_each(|requests| drop(waters.server.faults().on(requests).fail(403)));
    running.handle.set_namespaces(["north"]).unwrap();
    sleep(minutes(10)).await;
    assert_eq!(waters.take_calls(), []);
    waters.server.faults().clear();
    sleep(minutes(10)).await;
    assert_eq!(waters.take_calls(), [("north/first".to_owned(), true, 1)]);
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_namespace_that_is_deleted_or_forbidden_is_reported_and_the_others_go_on() {
    let waters = Waters::new().await;
    let manager = waters.manager();
    waters.grant(&manager, &["north", "south"]);
    let running = Running::of(manager.namespaces(["north", "south", "nowhere"]));
    sleep(minutes(20)).await;
    assert_eq!(waters.take_keys(), ["north/first", "south/first"]);
    assert_eq!((running.handle.healthz().to_string(), running.handle.readyz().to_string()), ("ok".into(), "ok".into()));
    let warning = running.handle.readyz().check("informers").unwrap().warning.clone().unwrap();
    assert!(warning.contains("`fleets.sea.example.com` in `nowhere` is not listed yet"), "{warning}");
    running.handle.set_namespaces(["north", "south"]).unwrap();
    settle().await;
    assert_eq!(running.handle.readyz().check("informers").unwrap().warning, None);
    waters.admin.resources::<Namespace>().delete("south").await.unwrap();
    waters.change("north").await;
    sleep(minutes(10)).await;
    assert!(running.handle.healthz().is_healthy() && waters.take_keys().contains(&"north/first".to_owned()));
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn kinds_without_namespaces_are_not_limited() {
    let waters = Waters::new().await;
    let ocean = |waters: &Waters| {
        let controller = Controller::of::<Ocean>()
            .owns::<ConfigMap>()
            .reads::<Node>()
            .writes::<Secret>([Verb::Create])
            .requires(Access::to_resource("metrics.k8s.io", "nodes", [Verb::List]))
            .reconcile(async |_: Arc<Ocean>, _: Context<Ocean>| Ok::<_, Infallible>(Action::Done));
        Manager::new(waters.captain()).namespaces(["north"]).add(controller)
    };
    let rbac = ocean(&waters).rbac();
    let resources = |rules: Option<Vec<k8s_openapi::api::rbac::v1::PolicyRule>>| {
        let all = rules.unwrap_or_default().into_iter().flat_map(|rule| rule.resources.unwrap_or_default());
        all.collect::<Vec<_>>()
    };
    let cluster = resources(rbac.cluster_role().unwrap().rules);
    assert_eq!(cluster, ["nodes", "nodes", "oceans", "oceans/finalizers"]);
    let roles = rbac.roles().into_iter();
    let roles: Vec<_> = roles.map(|role| (role.metadata.namespace.unwrap(), resources(role.rules))).collect();
    assert_eq!(
        roles,
        [
            ("default".to_owned(), vec!["events".to_owned()]),
            ("north".to_owned(), vec!["configmaps".to_owned(), "secrets".to_owned()]),
        ]
    );

    let ended = ocean(&waters).until(sleep(minutes(1))).run().await.unwrap_err();
    assert!(matches!(ended, ManagerError::Preflight(_)), "{ended}");
    let message = ended.to_string();
    let expected = "\nThe program is limited to the namespaces `north`. It needs a ClusterRole nevertheless for `nodes`, \
                    `nodes.metrics.k8s.io`, `oceans.sea.example.com`, `oceans/finalizers.sea.example.com`: these have no \
                    namespace, or it selects them in all namespaces";
    assert!(message.ends_with(expected), "{message}");
}

/// They were chosen for this controller alone.
#[tokio::test(start_paused = true)]
async fn namespaces_of_a_controller_replace_those_of_the_manager() {
    let waters = Waters::new().await;
    let of = |name: &str, calls: &Calls| {
        let reconcile = async |fleet: Arc<Fleet>, cx: Context<Fleet, (String, Calls)>| {
            let (name, calls) = cx.state();
            let key = format!("{name} {}", fleet.namespace().unwrap());
            calls.lock().unwrap().push((key, true, 0));
            Ok::<_, Infallible>(Action::Done)
        };
        let builder = Controller::of::<Fleet>().name(name).state((name.to_owned(), calls.clone()));
        match name {
            "east" => builder.select(|fleets| fleets.namespaces(["east"])).reconcile(reconcile),
            "all" => builder.select(|fleets| fleets.all_namespaces()).reconcile(reconcile),
            _ => builder.reconcile(reconcile),
        }
    };
    let calls = &waters.calls;
    let manager = Manager::new(waters.admin.clone()).add(of("limited", calls)).add(of("east", calls));
    // The order of the settings does not matter.
    let running = Running::of(manager.add(of("all", calls)).namespaces(["north"]));
    settle().await;
    assert_eq!(waters.take_keys(), ["all east", "all north", "all south", "east east", "limited north"]);
    running.handle.set_namespaces(["south"]).unwrap();
    settle().await;
    assert_eq!(waters.take_keys(), ["limited south"]);
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn names_are_checked_and_all_namespaces_remain_all() {
    let waters = Waters::new().await;
    let invalid = waters.manager().namespaces(["north", "No Where"]).run().await.unwrap_err().to_string();
    assert!(invalid.contains("- `No Where` is not the name of a namespace"), "{invalid}");
    let manager = waters.manager();
    waters.grant(&manager, &ALL);
    drop(waters.server.clone().with_objects(&manager.rbac().service_account("default", "captain").to_yaml()));
    let running = Running::of(manager);
    assert_eq!(running.handle.namespaces(), None);
    let error = running.handle.set_namespaces(["north", ""]).unwrap_err();
    assert_eq!(error.problems.len(), 2, "{error}");
    assert!(error.to_string().contains("limit it with `Manager::namespaces`"), "{error}");
    settle().await;
    assert_eq!(waters.take_keys(), ["east/first", "north/first", "south/first"]);
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_clean_up_waits_until_its_namespace_returns() {
    let waters = Waters::new().await;
    let controller = Controller::of::<Fleet>()
        .finalizer("sea.example.com/anchor", async |_: Arc<Fleet>, _: Context<Fleet>| Ok::<_, Error>(Action::Done))
        .reconcile(async |_: Arc<Fleet>, _: Context<Fleet>| Ok::<_, Error>(Action::Done));
    let running = Running::of(Manager::new(waters.admin.clone()).namespaces(["north"]).add(controller));
    settle().await;
    running.handle.set_namespaces(["south"]).unwrap();
    settle().await;
    let fleets = waters.admin.resources::<Fleet>().namespace("north");
    fleets.delete("first").await.unwrap();
    sleep(minutes(10)).await;
    assert!(fleets.get("first").await.unwrap().is_terminating());
    running.handle.set_namespaces(["south", "north"]).unwrap();
    settle().await;
    assert!(fleets.get_opt("first").await.unwrap().is_none());
    running.stop().await;
}
