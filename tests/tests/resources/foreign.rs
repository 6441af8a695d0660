//! Types that have only a schema of schemars.

use std::{borrow::Cow, collections::BTreeMap};

use crdkit::{CustomResource, Foreign, KubeSchema, emit::Crds, testing::CheckReport};
use k8s_openapi::api::core::v1::{Container, ContainerPort, PodSpec, PodTemplateSpec};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::served::served;

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
#[crd(group = "foreign.example.com", version = "v1", kind = "Importer", derive = "PartialEq")]
#[serde(rename_all = "camelCase")]
pub(crate) struct ImporterSpec {
    pub(crate) theirs: Theirs,
    pub(crate) optional: Option<Theirs>,
    pub(crate) list: Vec<Theirs>,
    pub(crate) map: BTreeMap<String, Theirs>,
    pub(crate) mode: TheirMode,
    pub(crate) optional_mode: Option<TheirMode>,
    pub(crate) template: Option<PodTemplateSpec>,
}

/// Made for schemars alone.
#[derive(JsonSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Theirs {
    /// The size.
    #[schemars(range(min = 1))]
    pub(crate) the_size: u32,
    pub(crate) note: Option<String>,
    #[serde(default)]
    pub(crate) tags: Vec<String>,
    pub(crate) ours: Option<Ours>,
}

#[derive(JsonSchema, Serialize, Deserialize, Clone, Copy, Debug, PartialEq)]
pub(crate) enum TheirMode {
    /// As fast as it gets.
    Fast,
    Slow,
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
pub(crate) struct Ours {
    #[x_kube(validation = "self > 1")]
    pub(crate) count: u8,
}

fn theirs() -> Theirs {
    Theirs { the_size: 1, note: Some("note".to_owned()), tags: vec!["a".to_owned()], ours: Some(Ours { count: 2 }) }
}

fn importer(name: &str) -> Importer {
    let container = Container {
        name: "main".to_owned(),
        image: Some("debian:13".to_owned()),
        ports: Some(vec![ContainerPort { container_port: 80, protocol: Some("TCP".to_owned()), ..Default::default() }]),
        ..Default::default()
    };
    let template = PodTemplateSpec {
        spec: Some(PodSpec { containers: vec![container], ..Default::default() }),
        ..Default::default()
    };
    let spec = ImporterSpec {
        theirs: theirs(),
        optional: Some(theirs()),
        list: vec![theirs()],
        map: [("a".to_owned(), theirs())].into(),
        mode: TheirMode::Fast,
        optional_mode: Some(TheirMode::Slow),
        template: Some(template),
    };
    Importer::new(name, spec)
}

#[tokio::test]
async fn values_are_kept() {
    let Some(served) = served::<Importer>().await else {
        return;
    };
    served.keeps(importer("full")).await;
    let mut nulls = importer("nulls");
    nulls.spec.theirs.note = None;
    nulls.spec.theirs.ours = None;
    nulls.spec.optional = None;
    nulls.spec.optional_mode = None;
    nulls.spec.template = None;
    served.keeps(nulls).await;
}

#[tokio::test]
async fn other_values_are_refused() {
    let Some(served) = served::<Importer>().await else {
        return;
    };
    let changes = [
        ("/spec/theirs/theSize", json!(0), "spec.theirs.theSize"),
        ("/spec/theirs", json!(null), "spec.theirs"),
        ("/spec/optional/note", json!(1), "spec.optional.note"),
        ("/spec/list/0/ours/count", json!(1), "spec.list[0].ours.count"),
        ("/spec/map/a/tags", json!([1]), "spec.map.a.tags[0]"),
        ("/spec/mode", json!("fast"), "spec.mode"),
        ("/spec/optionalMode", json!("slow"), "spec.optionalMode"),
        ("/spec/template/spec/containers", json!(null), "spec.template.spec.containers"),
    ];
    served.refuses(&importer("refused"), &changes).await;
}

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "foreign.example.com", version = "v1", kind = "Narrow")]
pub(crate) struct NarrowSpec {
    ports: Vec<Ports>,
}

/// Lists with a port that every user may use.
#[derive(Serialize, Deserialize, Clone, Debug)]
pub(crate) struct Ports(Vec<u16>);

impl JsonSchema for Ports {
    fn schema_name() -> Cow<'static, str> {
        "Ports".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "array", "items": { "type": "integer" }, "contains": { "minimum": 1024 } })
    }
}

#[test]
fn lost_keywords_are_named() {
    let expected = "`contains` is lost at .spec.ports[], in `resources::foreign::Ports`: ";
    let report = CheckReport::new(&Narrow::DEFINITION);
    assert!(report.is_good(), "{report}");
    assert!(report.notes[0].starts_with(expected), "{:?}", report.notes);
    let advice = "`#[crd(validation = \"self.exists(item, item > 0)\")]`";
    assert!(report.notes[0].ends_with(advice), "{:?}", report.notes);
    let warnings: Vec<_> =
        Crds::new().add::<Narrow>().render().unwrap().warnings.iter().map(ToString::to_string).collect();
    let message = format!("`resources::foreign::Narrow`: {expected}");
    assert!(warnings[0].starts_with(&message), "{warnings:?}");
}

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "foreign.example.com", version = "v1", kind = "Usual")]
pub(crate) struct UsualSpec {
    bytes: Foreign<bytes::Bytes>,
    date: Foreign<chrono::NaiveDate>,
    time: Foreign<chrono::DateTime<chrono::Utc>>,
    timestamp: Foreign<k8s_openapi::jiff::Timestamp>,
    url: Foreign<url::Url>,
    uuid: Foreign<uuid::Uuid>,
    map: Foreign<BTreeMap<u32, std::net::IpAddr>>,
    pods: Vec<PodTemplateSpec>,
}

#[test]
fn usual_types_lose_nothing() {
    let report = CheckReport::new(&Usual::DEFINITION);
    assert!(report.is_good(), "{report}");
    let mut notes = report.notes.iter();
    assert!(!notes.any(|note| note.contains(" is lost ")), "{:?}", report.notes);
}
