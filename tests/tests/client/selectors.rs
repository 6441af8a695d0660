//! Field and label selectors on the API server.

use std::fmt::Debug;

use crdkit::{
    Client,
    client::{
        Error, Object,
        selector::FieldSelector,
        selector::Labels,
        selector::{FieldKind, Selectable, SelectableFields},
    },
    selector,
};
use k8s_openapi::api::{
    batch::v1::Job,
    certificates::v1::CertificateSigningRequest,
    core::v1::{ConfigMap, Event, Namespace, Node, Pod, ReplicationController, Secret, Service},
    events::v1::Event as NewEvent,
    resource::v1::ResourceSlice,
};
use serde::{Serialize, Serializer};
use serde_json::json;

use crate::served::{Machine, Sample, Site, client, namespace};

/// Every field of the table, with a value of its kind.
async fn is_accepted<K: SelectableFields<DynamicType = ()> + Object>(client: &Client) {
    let Selectable::Listed(fields) = K::SELECTABLE else {
        panic!("{} is not a type of Kubernetes", K::kind(&()));
    };
    for field in fields {
        let value = match field.kind {
            FieldKind::Boolean => "true",
            FieldKind::Integer => "1",
            _ => "none",
        };
        let kind = K::plural(&()).into_owned();
        let path = K::url_path(&(), None);
        let query = format!("{path}?fieldSelector={}%3D{value}", field.path);
        let request = http::Request::get(query).body(Vec::new()).unwrap();
        let answer = client.kube().request_text(request).await;
        assert!(answer.is_ok(), "{} of {kind}: {answer:?}", field.path);
    }
}

#[tokio::test]
async fn fields_of_the_table_are_selectable() {
    let Some(client) = client().await else { return };
    is_accepted::<CertificateSigningRequest>(&client).await;
    is_accepted::<Event>(&client).await;
    is_accepted::<Job>(&client).await;
    is_accepted::<Namespace>(&client).await;
    is_accepted::<NewEvent>(&client).await;
    is_accepted::<Node>(&client).await;
    is_accepted::<Pod>(&client).await;
    is_accepted::<ReplicationController>(&client).await;
    is_accepted::<ResourceSlice>(&client).await;
    is_accepted::<Secret>(&client).await;
    is_accepted::<Service>(&client).await;
}

#[tokio::test]
async fn objects_are_selected_by_declared_fields() {
    let Some(client) = client().await else { return };
    let namespace = namespace(&client, "selectors-declared").await;
    let machines = client.resources::<Machine>().namespace(&namespace);
    for size in 1..4 {
        let machine = Machine::named(&format!("m{size}"), size);
        machines.create(&machine).await.unwrap();
    }
    let names = |list: Vec<Machine>| list.into_iter().map(|it| it.metadata.name.unwrap());
    let size = 2_i32;
    let two = machines.list().matching(selector!(Machine, spec.size == size));
    assert!(names(two.await.unwrap().items).eq(["m2"]));
    let others = selector!(Machine, spec.size != 2 && metadata.name != "m3");
    let others = machines.list().matching(&others).await.unwrap();
    assert!(names(others.items).eq(["m1"]));
    let here = selector!(Machine, metadata.namespace == namespace);
    let all = client.resources::<Machine>().all_namespaces();
    assert_eq!(all.list().matching(&here).await.unwrap().items.len(), 3);

    let three = selector!(Machine, spec.size == 3);
    let metadata = machines.metadata().list().matching(&three).await.unwrap();
    assert_eq!(metadata.items.len(), 1);
    let deleted = machines.delete_collection().matching(three).await.unwrap();
    assert!(deleted.into_iter().map(|metadata| metadata.name.unwrap()).eq(["m3"]));
    assert_eq!(machines.list().await.unwrap().items.len(), 2);
}

#[tokio::test]
async fn cluster_resources_are_selected_by_name() {
    let Some(client) = client().await else { return };
    let sites = client.resources::<Site>();
    sites.create(&Site::named("selected", 1)).await.unwrap();
    let named = sites.list().matching(selector!(Site, metadata.name == "selected"));
    assert_eq!(named.await.unwrap().items.len(), 1);
}

#[tokio::test]
async fn values_may_have_commas_and_equals_signs() {
    let Some(client) = client().await else { return };
    let namespace = namespace(&client, "selectors-escaped").await;
    let secrets = client.resources::<Secret>().namespace(&namespace);
    let odd = r"example.com/a,b=c\d";
    for (name, type_) in [("odd", odd), ("plain", "example.com/a")] {
        let secret = json!({ "metadata": { "name": name }, "type": type_ });
        let secret: Secret = serde_json::from_value(secret).unwrap();
        secrets.create(&secret).await.unwrap();
    }
    let name_of = |selector: FieldSelector<Secret>| {
        let request = secrets.list().matching(selector);
        async { request.await.unwrap().items.remove(0).metadata.name.unwrap() }
    };
    assert_eq!(name_of(selector!(Secret, type == odd)).await, "odd");
    assert_eq!(name_of(selector!(Secret, r#type != odd)).await, "plain");
    assert_eq!(name_of(selector!(Secret, "type" == r"example.com/a,b=c\d")).await, "odd");
}

/// A value that is a number only when it is serialized.
struct Odd;

impl Serialize for Odd {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(0.5)
    }
}

#[tokio::test]
async fn an_invalid_value_is_not_sent() {
    let Some(client) = client().await else { return };
    let machines = client.resources::<Machine>().all_namespaces();
    let odd = selector!(Machine, metadata.name == "a" && spec.size == Odd);
    let error = machines.list().matching(&odd).await.unwrap_err();
    assert!(matches!(error, Error::InvalidSelector { .. }), "{error}");
    let expected = "cannot list machines: `spec.size` cannot be compared with the value: the field is an integer, but \
                    the value is a number in JSON";
    assert_eq!(error.to_string(), expected);
    fails(machines.delete_collection().matching(&odd).await);
    assert!(machines.watch().matching(&odd).await.is_err());
    fails(machines.metadata().list().matching(&odd).await);
}

fn fails<T: Debug>(result: Result<T, Error>) {
    assert!(matches!(result, Err(Error::InvalidSelector { .. })), "{result:?}");
}

#[tokio::test]
async fn objects_are_selected_by_labels() {
    let Some(client) = client().await else { return };
    let namespace = namespace(&client, "selectors-labels").await;
    let configs = client.resources::<ConfigMap>().namespace(&namespace);
    for (name, tier) in [("a", "front"), ("b", "back"), ("c", "")] {
        let labels = json!({ "tier": tier, "example.com/zone": "z1" });
        let config = json!({ "metadata": { "name": name, "labels": labels } });
        let config: ConfigMap = serde_json::from_value(config).unwrap();
        configs.create(&config).await.unwrap();
    }
    let all = || Labels::new().exists("example.com/zone").unwrap();
    for (selector, expected) in [
        (all().equal("tier", "front"), 1),
        (all().equal("tier", ""), 1),
        (all().not_equal("tier", "front"), 2),
        (all().one_of("tier", ["front", ""]), 2),
        (all().none_of("tier", ["front", "back"]), 1),
        (all().exists("tier"), 3),
        (all().does_not_exist("tier"), 0),
    ] {
        let selector = selector.unwrap();
        let found = configs.list().labels(&selector).await.unwrap();
        assert_eq!(found.items.len(), expected, "{selector}");
        let of = |config: &ConfigMap| config.metadata.labels.clone().unwrap_or_default();
        assert!(found.items.iter().all(|config| selector.matches(&of(config))));
    }
}
