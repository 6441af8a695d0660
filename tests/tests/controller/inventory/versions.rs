//! Versions of an operator that apply other kinds, by other means, and crashes between them.

use crdkit::{client::Verb, controller::Access};

use super::*;
use crate::collector::Collector;

/// Applies Secrets, too.
fn old(form: In) -> Controller {
    let builder = apps(form).owns_by_inventory::<ClusterRole>().owns_by_inventory::<Secret>();
    builder.reconcile(async |app: Arc<App>, cx: Context<App>| -> Result<Action, Error> {
        cx.apply_by_inventory::<Secret>(&app, app.spec.secrets.iter().map(|name| object(name))).await?;
        cx.apply_by_inventory::<ClusterRole>(&app, app.spec.roles.iter().map(|name| object(name))).await?;
        Ok(Action::Done)
    })
}

fn secrets(roles: &[&str], secrets: &[&str]) -> AppSpec {
    AppSpec { secrets: secrets.iter().map(|name| (*name).to_owned()).collect(), ..spec(roles, &[]) }
}

#[tokio::test(start_paused = true)]
async fn kinds_of_an_earlier_version_are_pruned() {
    for form in BOTH {
        let cluster = Cluster::new();
        let running = cluster.run(old(form));
        cluster.create("web", secrets(&["reader"], &["b/s", "c/s"])).await;
        assert_eq!(cluster.objects(), ["b/s", "c/s", "reader"], "{form:?}");
        running.stop().await;

        let running = cluster.run(controller(form));
        settle().await;
        assert_eq!(cluster.objects(), ["reader"], "{form:?}");
        let inventory = cluster.inventory("web").await;
        assert!(!inventory.iter().any(|line| line.contains("Secret") || line.contains(": b")), "{inventory:?}");
        assert_eq!(running.handle.metrics("app").unwrap().failures, 0);
        running.stop().await;
    }
}

#[tokio::test(start_paused = true)]
async fn kinds_of_an_earlier_version_are_deleted_with_their_owner() {
    for form in BOTH {
        let cluster = Cluster::new();
        let running = cluster.run(old(form));
        cluster.create("web", secrets(&["reader"], &["b/s"])).await;
        running.stop().await;
        cluster.apps.delete("web").await.unwrap();
        let running = cluster.run(controller(form));
        sleep(Duration::from_secs(10)).await;
        assert!(cluster.objects().is_empty() && cluster.apps.get_opt("web").await.unwrap().is_none(), "{form:?}");
        running.stop().await;
    }
}

/// The message has what is missing.
#[tokio::test(start_paused = true)]
async fn missing_permissions_for_an_earlier_kind_are_explained() {
    for form in BOTH {
        let cluster = Cluster::of(ApiServer::new().with::<App>().with_rbac());
        let running = cluster.run(old(form));
        cluster.create("web", secrets(&["reader"], &["b/s"])).await;
        running.stop().await;

        let operator = || cluster.server.as_service_account("a", "ops").client().field_manager("ops");
        let (collector, _guard) = Collector::install();
        let grant = |manager: &Manager| {
            let roles = manager.rbac().service_account("a", "ops").to_yaml();
            drop(cluster.server.clone().with_objects(&roles));
        };
        let manager = Manager::new(operator()).add(controller(form));
        grant(&manager);
        let running = Running::of(manager);
        settle().await;
        let events = collector.events("");
        let advice = r#".requires(Access::to_resource("", "secrets", [Verb::Get, Verb::List, Verb::Delete]))"#;
        let is_advice = |text: &String| text.replace("\\\"", "\"").contains(advice);
        assert!(events.iter().any(|(_, fields)| fields.values().any(is_advice)), "{form:?}: {events:?}");
        assert!(cluster.objects().contains(&"b/s".to_owned()));
        running.stop().await;

        let declared = apps(form)
            .owns_by_inventory::<ClusterRole>()
            .owns_by_inventory::<ConfigMap>()
            .requires(Access::to_resource("", "secrets", [Verb::Get, Verb::List, Verb::Delete]));
        let manager = Manager::new(operator()).add(declared.reconcile(reconcile));
        cluster.client.resources::<ClusterRole>().delete("ops").await.unwrap();
        grant(&manager);
        let running = Running::of(manager);
        settle().await;
        assert!(!cluster.objects().contains(&"b/s".to_owned()), "{form:?}");
        running.stop().await;
    }
}

/// The object is stored, and nobody knows it but the inventory.
#[tokio::test(start_paused = true)]
async fn what_was_applied_before_a_crash_is_found_by_another_version() {
    for form in BOTH {
        let cluster = Cluster::new();
        cluster.server.faults().on(Requests::apply().of::<Secret>()).lose_response();
        let running = cluster.run(old(form));
        cluster.create("web", secrets(&[], &["b/s"])).await;
        running.crash().await;
        cluster.server.faults().clear();
        assert_eq!(cluster.objects(), ["b/s"]);

        let running = cluster.run(controller(form));
        settle().await;
        assert!(cluster.objects().is_empty(), "{form:?}");
        running.stop().await;
    }
}

/// One that was owned by reference is owned by inventory, and the other way round.
#[tokio::test(start_paused = true)]
async fn objects_move_between_references_and_inventories() {
    for form in BOTH {
        let cluster = Cluster::new();
        let by_reference = || {
            apps(form).owns::<ConfigMap>().reconcile(async |app: Arc<App>, cx: Context<App>| -> Result<Action, Error> {
                cx.apply_owned::<ConfigMap>(&app, app.spec.configs.iter().map(|name| config(name))).await?;
                Ok(Action::Done)
            })
        };
        let configs = cluster.client.resources::<ConfigMap>().namespace("a");
        let running = cluster.run(by_reference());
        cluster.create("web", spec(&[], &["x", "y"])).await;
        assert_eq!(configs.get("x").await.unwrap().owners().count(), 1);
        running.stop().await;
        cluster.apps.patch("web", &Patch::merge(json!({ "spec": spec(&[], &["x"]) }))).await.unwrap();

        let running = cluster.run(controller(form));
        settle().await;
        let moved = configs.get("x").await.unwrap();
        assert_eq!((moved.owners().count(), moved.labels().count()), (0, 1), "{form:?}");
        assert_eq!(cluster.objects(), ["a/x"], "{form:?}");
        running.stop().await;

        let running = cluster.run(by_reference());
        settle().await;
        let moved = configs.get("x").await.unwrap();
        assert_eq!((moved.owners().count(), moved.labels().count()), (1, 0), "{form:?}");
        let inventory = cluster.inventory("web").await;
        assert!(!inventory.iter().any(|line| line.contains("ConfigMap")), "{form:?}: {inventory:?}");
        running.stop().await;
    }
}

/// The form of the inventory changes, and nothing else.
#[tokio::test(start_paused = true)]
async fn an_inventory_moves_from_a_status_to_an_apply_set() {
    for (from, to) in [(In::Status, In::ApplySet), (In::ApplySet, In::Status)] {
        let cluster = Cluster::new();
        let running = cluster.run(controller(from));
        let created = cluster.create("web", spec(&["reader"], &["b/x", "b/y"])).await;
        let uid = async || cluster.client.resources::<ClusterRole>().get("reader").await.unwrap().metadata.uid;
        let first = uid().await;
        running.stop().await;
        cluster.apps.patch("web", &Patch::merge(json!({ "spec": spec(&["reader"], &["b/x"]) }))).await.unwrap();
        let running = cluster.run(controller(to));
        settle().await;
        assert_eq!(uid().await, first);
        assert_eq!(cluster.objects(), ["b/x", "reader"], "{from:?}");
        assert_eq!(created.uid(), cluster.apps.get("web").await.unwrap().uid());
        cluster.apps.delete("web").await.unwrap();
        sleep(Duration::from_secs(10)).await;
        assert!(cluster.objects().is_empty(), "{from:?}");
        running.stop().await;
    }
}

/// The kind is gone, and with it its objects.
#[tokio::test(start_paused = true)]
async fn a_kind_that_is_not_served_any_longer_does_not_block_the_owner() {
    for form in BOTH {
        let cluster = Cluster::new();
        let mut app = App::new("web", spec(&["reader"], &[]));
        app.metadata.finalizers = Some(vec!["apps.example.com/inventory".to_owned()]);
        let set = [
            ("applyset.kubernetes.io/tooling", "ops.app/v0.1.0"),
            ("applyset.kubernetes.io/contains-group-kinds", "Widget.gone.example.com"),
            ("applyset.kubernetes.io/additional-namespaces", ""),
        ];
        if form == In::ApplySet {
            app.metadata.annotations = Some(set.map(|(key, value)| (key.to_owned(), value.to_owned())).into());
        }
        cluster.apps.create(&app).await.unwrap();
        if form == In::Status {
            let entry = json!({ "group": "gone.example.com", "version": "v1", "kind": "Widget", "name": "w" });
            let status = json!({ "status": { "inventory": { "entries": [entry] } } });
            cluster.apps.status().patch("web", &Patch::merge(status)).await.unwrap();
        }
        let running = cluster.run(controller(form));
        settle().await;
        let inventory = cluster.inventory("web").await;
        assert!(!inventory.iter().any(|line| line.contains("Widget")), "{form:?}: {inventory:?}");
        cluster.apps.delete("web").await.unwrap();
        sleep(Duration::from_secs(10)).await;
        assert!(cluster.apps.get_opt("web").await.unwrap().is_none(), "{form:?}");
        running.stop().await;
    }
}
