//! An object has one owner, and an ApplySet one tool.

use std::sync::Mutex;

use crdkit::controller::{ApplyOwnedError, ManagerError};

use super::*;

/// The errors of a controller's runs.
type Errors = Arc<Mutex<Vec<String>>>;

async fn reports(app: Arc<App>, cx: Context<App, Errors>) -> Result<Action, Error> {
    let roles = app.spec.roles.iter().map(|name| object(name));
    let applied = cx.apply_by_inventory::<ClusterRole>(&app, roles).await.map(drop);
    let configs = app.spec.configs.iter().map(|name| config(name));
    let applied = match applied {
        Ok(()) => cx.apply_by_inventory::<ConfigMap>(&app, configs).await.map(drop),
        refused => refused,
    };
    if let Err(error) = &applied {
        cx.state().lock().unwrap().push(error.to_string());
    }
    applied?;
    Ok(Action::Done)
}

fn reporting(form: In, errors: &Errors) -> Controller {
    let builder = apps(form).owns_by_inventory::<ClusterRole>().owns_by_inventory::<ConfigMap>();
    builder.state(errors.clone()).reconcile(reports)
}

fn last(errors: &Errors) -> String {
    errors.lock().unwrap().last().cloned().unwrap_or_default()
}

#[tokio::test(start_paused = true)]
async fn an_object_is_in_one_inventory() {
    for form in BOTH {
        let (cluster, errors) = (Cluster::new(), Errors::default());
        let running = cluster.run(reporting(form, &errors));
        cluster.create("web", spec(&["reader"], &[])).await;
        cluster.create("other", spec(&["reader"], &["b/x"])).await;
        let expected = "the ClusterRole `reader` is in the inventory of another object, `apps.apps.example.com a/web`: choose another \
                        name, or remove it there first";
        assert_eq!(last(&errors), expected, "{form:?}");
        let role = cluster.client.resources::<ClusterRole>().get("reader").await.unwrap();
        assert_eq!(role.metadata.annotations.unwrap()[INVENTORY_OF_ANNOTATION], "apps.apps.example.com a/web");

        // The one that was refused deletes nothing of the other.
        cluster.apps.delete("other").await.unwrap();
        sleep(Duration::from_secs(10)).await;
        assert!(cluster.apps.get_opt("other").await.unwrap().is_none());
        assert_eq!(cluster.objects(), ["reader"], "{form:?}");

        // Once it is free, another one may have it.
        cluster.create("next", spec(&["reader"], &[])).await;
        cluster.set("web", spec(&[], &[])).await;
        sleep(Duration::from_secs(30)).await;
        let role = cluster.client.resources::<ClusterRole>().get("reader").await.unwrap();
        assert_eq!(role.metadata.annotations.unwrap()[INVENTORY_OF_ANNOTATION], "apps.apps.example.com a/next");
        running.stop().await;
    }
}

#[tokio::test(start_paused = true)]
async fn an_object_with_a_controller_is_left_alone() {
    for form in BOTH {
        let (cluster, errors) = (Cluster::new(), Errors::default());
        let owner =
            json!([{ "apiVersion": "apps/v1", "kind": "Deployment", "name": "d", "uid": "u", "controller": true }]);
        let owned = json!({ "metadata": { "name": "x", "ownerReferences": owner } });
        let configs = cluster.client.resources::<ConfigMap>().namespace("b");
        configs.create(&serde_json::from_value(owned).unwrap()).await.unwrap();
        let running = cluster.run(reporting(form, &errors));
        cluster.create("web", spec(&[], &["b/x"])).await;
        assert_eq!(
            last(&errors),
            "the ConfigMap `b/x` belongs to the Deployment `d`, which is its controller",
            "{form:?}"
        );
        assert!(configs.get("x").await.unwrap().data.is_none());

        cluster.apps.delete("web").await.unwrap();
        sleep(Duration::from_secs(10)).await;
        assert_eq!(cluster.objects(), ["b/x"], "{form:?}");
        running.stop().await;
    }
}

/// An orphan is adopted, or refused.
#[tokio::test(start_paused = true)]
async fn an_orphan_is_adopted_unless_it_must_not_be() {
    let cluster = Cluster::new();
    let configs = cluster.client.resources::<ConfigMap>().namespace("b");
    configs.create(&serde_json::from_value(object("x")).unwrap()).await.unwrap();
    let refuses = async |app: Arc<App>, cx: Context<App>| -> Result<Action, Error> {
        let configs = app.spec.configs.iter().map(|name| config(name));
        match cx.apply_by_inventory::<ConfigMap>(&app, configs).without_adoption().await {
            Err(ApplyOwnedError::Orphan { .. }) => Ok(Action::Done),
            other => panic!("{other:?}"),
        }
    };
    let running = cluster.run(apps(In::Status).owns_by_inventory::<ConfigMap>().reconcile(refuses));
    cluster.create("web", spec(&[], &["b/x"])).await;
    assert!(configs.get("x").await.unwrap().data.is_none());
    running.stop().await;
    let running = cluster.run(controller(In::Status));
    settle().await;
    assert_eq!(configs.get("x").await.unwrap().data.unwrap()["value"], "1");
    running.stop().await;
}

/// A copy has the label and the annotations of a member, and is not one.
#[tokio::test(start_paused = true)]
async fn a_copy_of_a_member_is_not_deleted() {
    for form in BOTH {
        let cluster = Cluster::new();
        let running = cluster.run(controller(form));
        cluster.create("web", spec(&[], &["b/x"])).await;
        let configs = cluster.client.resources::<ConfigMap>().namespace("b");
        let mut copy = configs.get("x").await.unwrap();
        copy.metadata = k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta {
            name: Some("copy".to_owned()),
            labels: copy.metadata.labels,
            annotations: copy.metadata.annotations,
            ..Default::default()
        };
        configs.create(&copy).await.unwrap();
        cluster.set("web", spec(&[], &[])).await;
        assert_eq!(cluster.objects(), ["b/copy"], "{form:?}");
        cluster.apps.delete("web").await.unwrap();
        sleep(Duration::from_secs(10)).await;
        assert_eq!(cluster.objects(), ["b/copy"], "{form:?}");
        assert!(cluster.apps.get_opt("web").await.unwrap().is_none());
        running.stop().await;
    }
}

#[tokio::test(start_paused = true)]
async fn the_apply_set_of_another_tool_is_not_changed() {
    let (cluster, errors) = (Cluster::new(), Errors::default());
    let annotations = json!({ "applyset.kubernetes.io/tooling": "kubectl/v1.37.0", "applyset.kubernetes.io/contains-group-kinds": "ConfigMap" });
    let mut app = App::new("web", spec(&["reader"], &[]));
    app.metadata.annotations = serde_json::from_value(annotations).unwrap();
    let running = cluster.run(reporting(In::ApplySet, &errors));
    cluster.apps.create(&app).await.unwrap();
    settle().await;
    assert!(
        last(&errors).starts_with("the App `a/web` is the parent of an ApplySet that `kubectl/v1.37.0` manages"),
        "{}",
        last(&errors)
    );
    assert!(cluster.objects().is_empty());

    // Its members have the label of the set.
    let label = json!({ "applyset.kubernetes.io/part-of": ID_OF_WEB });
    let member = json!({ "metadata": { "name": "x", "labels": label } });
    let configs = cluster.client.resources::<ConfigMap>().namespace("a");
    configs.create(&serde_json::from_value(member).unwrap()).await.unwrap();
    cluster.set("web", spec(&[], &[])).await;
    cluster.apps.delete("web").await.unwrap();
    sleep(Duration::from_secs(10)).await;
    assert!(cluster.apps.get_opt("web").await.unwrap().is_none());
    assert_eq!(cluster.objects(), ["a/x"]);
    running.stop().await;
}

/// The definition of an older version has no field for the inventory.
#[tokio::test(start_paused = true)]
async fn an_inventory_that_is_dropped_is_an_error() {
    let (cluster, errors) = (Cluster::new(), Errors::default());
    let mut crd = <App as crdkit::CustomResourceExt>::crd();
    let schema = crd.spec.versions[0].schema.as_mut().unwrap().open_api_v3_schema.as_mut().unwrap();
    let status = schema.properties.as_mut().unwrap().get_mut("status").unwrap();
    status.properties.as_mut().unwrap().remove("inventory");
    cluster.client.field_manager("admin").install([crd]).force().allow_data_loss().await.unwrap();
    let running = cluster.run(reporting(In::Status, &errors));
    cluster.create("web", spec(&["reader"], &[])).await;
    assert!(
        last(&errors).starts_with("the API server has dropped the inventory of the App `a/web`"),
        "{}",
        last(&errors)
    );
    assert!(cluster.objects().is_empty());
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn settings_are_checked() {
    let cluster = Cluster::new();
    let problems = async |manager: Manager| match manager.run().await {
        Err(ManagerError::Settings(error)) => error.problems,
        other => panic!("{other:?}"),
    };
    let without = Controller::of::<App>().owns_by_inventory::<ClusterRole>().reconcile(reconcile);
    let expected = "the controller `app` owns `ClusterRole` by inventory, and has none: set one with `ControllerBuilder::inventory`";
    assert_eq!(problems(Manager::new(cluster.operator()).add(without)).await, [expected]);
    let two = ["one", "two"].map(|name| {
        let builder = Controller::of::<App>()
            .name(name)
            .inventory(&format!("apps.example.com/{name}"), InventoryStore::apply_set());
        builder.owns_by_inventory::<ClusterRole>().reconcile(reconcile)
    });
    let [one, two] = two;
    let found = problems(Manager::new(cluster.operator()).add(one).add(two)).await;
    assert!(found.len() == 1 && found[0].contains("are both the ApplySet of their object"), "{found:?}");
}
