//! No value is lost: random objects go through each verb, and come back equal to what the server has.
//!
//! The objects have nulls in each position, numbers of each kind, and names that are special in paths and patches. What the server
//! does not accept, or does not store as it was sent, is left out: the tests print how much that is.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use crdkit::{
    Client, CustomResource, CustomResourceExt, KubeSchema,
    client::{OperationResult, Patch, Resources, scope::InNamespace},
    informer::Informers,
    kube::{
        api::{ApiResource, DynamicObject},
        core::GroupVersionKind,
    },
    testing::RoundtripTest,
};
use crdkit_oracles::Random;
use crdkit_tests::{Request, case_count, number, observed};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use tokio::sync::OnceCell;

use crate::{
    served::namespace,
    server::{Server, server},
};

/// A kind with free-form values beside those of declared types.
#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[crd(group = "values.example.com", version = "v1", kind = "Chart", namespaced, status = "Content")]
#[crd(derive = "PartialEq")]
pub(crate) struct ChartSpec {
    pub(crate) content: Content,
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
pub(crate) struct Content {
    pub(crate) values: BTreeMap<String, Value>,
    pub(crate) any: Value,
    pub(crate) small: f32,
    pub(crate) large: f64,
    pub(crate) count: i64,
    /// Serialized as null.
    pub(crate) note: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) hint: Option<String>,
    pub(crate) parts: Vec<Part>,
    pub(crate) marks: BTreeMap<String, Option<f32>>,
    pub(crate) rows: Vec<Vec<Option<bool>>>,
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
pub(crate) struct Part {
    /// Not unique.
    pub(crate) name: String,
    pub(crate) share: Option<f32>,
    pub(crate) value: Value,
}

const NAMES: [&str; 11] = ["a", "b", "d", "name", "a/b", "~1", "a.b", "ß", "0", "-", ""];

fn name(random: &mut Random) -> String {
    (*random.choose(&NAMES)).to_owned()
}

fn list<T>(random: &mut Random, item: impl Fn(&mut Random) -> T) -> Vec<T> {
    (0..random.below(4)).map(|_| item(random)).collect()
}

fn option<T>(random: &mut Random, some: impl Fn(&mut Random) -> T) -> Option<T> {
    (!random.once_in(2)).then(|| some(random))
}

/// Any number, half of them with few digits. Whole numbers beyond 2^53 are left out: the server stores another one of those that are
/// read as the same `f64`.
fn large(random: &mut Random) -> f64 {
    let sign = if random.once_in(2) { "-" } else { "" };
    let number = if random.once_in(2) {
        format!("{sign}{}e{}", random.below(1 << 31), random.below(17) as i32 - 12).parse().unwrap()
    } else {
        f64::from_bits(
            (random.below(1 << 31) as u64) << 33 ^ (random.below(1 << 31) as u64) << 11 ^ random.below(1 << 11) as u64,
        )
    };
    let is_stored = number.is_finite() && !(9e15..1e21).contains(&number.abs());
    if is_stored { number } else { large(random) }
}

fn small(random: &mut Random) -> f32 {
    let number = large(random) as f32;
    if number.is_finite() && !(9e15..1e21).contains(&number.abs()) { number } else { small(random) }
}

fn any(random: &mut Random, depth: usize) -> Value {
    match random.below(if depth == 0 { 6 } else { 9 }) {
        0 | 1 => Value::Null,
        2 => json!(random.once_in(2)),
        3 => json!(name(random)),
        4 => json!(random.below(1 << 31) as i64 - (1 << 30)),
        5 => json!(large(random)),
        6 => Value::Array(list(random, |random| any(random, depth - 1))),
        _ => Value::Object(Map::from_iter(list(random, |random| (name(random), any(random, depth - 1))))),
    }
}

fn content(random: &mut Random) -> Content {
    Content {
        values: list(random, |random| (name(random), any(random, 3))).into_iter().collect(),
        any: any(random, 3),
        small: small(random),
        large: large(random),
        count: random.below(1 << 31) as i64 * random.below(1 << 31) as i64,
        note: option(random, name),
        hint: option(random, name),
        parts: list(random, |random| Part { name: name(random), share: option(random, small), value: any(random, 2) }),
        marks: list(random, |random| (name(random), option(random, small))).into_iter().collect(),
        rows: list(random, |random| list(random, |random| option(random, |random| random.once_in(2)))),
    }
}

/// Changes a part of the content, so that the rest must remain.
fn changed(random: &mut Random, before: &Content) -> Content {
    let new = content(random);
    let mut after = before.clone();
    match random.below(8) {
        0 => after.values = new.values,
        1 => _ = after.values.insert(name(random), any(random, 3)),
        2 => after.any = new.any,
        3 => (after.small, after.large, after.count) = (new.small, new.large, new.count),
        4 => (after.note, after.hint) = (new.note, new.hint),
        5 => after.parts = new.parts,
        6 => (after.marks, after.rows) = (new.marks, new.rows),
        _ => after = new,
    }
    after
}

/// Returns a value with the numbers of JSON: a server writes 2.0 as 2.
fn plain(value: &Value) -> Value {
    match value {
        Value::Number(number) if number.is_f64() => {
            let float = number.as_f64().unwrap();
            let is_whole = float.fract() == 0.0 && float.abs() < 9e15;
            if is_whole { json!(float as i64) } else { value.clone() }
        }
        Value::Array(items) => items.iter().map(plain).collect(),
        Value::Object(members) => members.iter().map(|(name, value)| (name.clone(), plain(value))).collect(),
        value => value.clone(),
    }
}

/// Returns the JSON that a client sends.
fn text_of(value: &impl Serialize) -> Value {
    plain(&serde_json::from_str(&serde_json::to_string(value).unwrap()).unwrap())
}

/// The charts of a namespace, and the server that has them.
struct Charts {
    server: Server,
    namespace: String,
    charts: Resources<Chart, InNamespace>,
}

impl Charts {
    async fn new(server: Server, client: &Client, name: &str) -> Self {
        let namespace = namespace(client, name).await;
        Self { server, charts: client.resources().namespace(&namespace), namespace }
    }

    /// Reads an object past the client.
    async fn raw(&self, name: &str) -> Value {
        let path = format!("/apis/values.example.com/v1/namespaces/{}/charts/{name}", self.namespace);
        self.server.raw(Request::get(path)).await.body
    }

    /// Asserts that the server has the object that a verb returned.
    async fn assert_stored(&self, verb: &str, returned: &Chart) {
        let raw = self.raw(returned.metadata.name.as_deref().unwrap()).await;
        let stored: Chart = serde_json::from_value(raw.clone()).unwrap();
        assert_eq!(returned, &stored, "{verb}: {raw}");
    }

    /// The same, with the content that was written.
    async fn assert_written(&self, verb: &str, returned: &Chart, spec: &Content, status: Option<&Content>) {
        self.assert_stored(verb, returned).await;
        assert_eq!(text_of(&returned.spec.content), text_of(spec), "{verb}");
        assert_eq!(text_of(&returned.status), text_of(&status), "{verb}: status");
    }
}

async fn installed() -> Option<(Server, Client)> {
    static INSTALLED: OnceCell<()> = OnceCell::const_new();
    let server = server()?;
    let install = async || {
        let crd = serde_json::to_value(Chart::crd()).unwrap();
        server.install(&crd).await.expect_accepted();
    };
    INSTALLED.get_or_init(install).await;
    Some((server, server.client().field_manager("values")))
}

/// Writes and reads one object by each verb.
async fn through_each_verb(all: &Charts, random: &mut Random, name: &str) {
    let charts = &all.charts;
    let mut spec = content(random);
    let created = charts.create(&Chart::new(name, ChartSpec { content: spec.clone() })).await.unwrap();
    all.assert_written("create", &created, &spec, None).await;
    assert_eq!(charts.get(name).await.unwrap(), created, "get");
    let mut listed = charts.list().await.unwrap().items;
    listed.retain(|chart| chart.metadata.name == created.metadata.name);
    // Lists do not keep them.
    listed[0].metadata.managed_fields = created.metadata.managed_fields.clone();
    assert_eq!(listed, [created], "list");

    spec = changed(random, &spec);
    let updated = charts.update(name, |chart| chart.spec.content = spec.clone()).await.unwrap();
    all.assert_written("update", &updated, &spec, None).await;

    spec = changed(random, &spec);
    let updated = charts.update_from(&updated, |chart| chart.spec.content = spec.clone()).await.unwrap();
    all.assert_written("update_from", &updated, &spec, None).await;

    let wanted = changed(random, &spec);
    let template = Chart::new(name, ChartSpec::default());
    let (written, outcome) =
        charts.create_or_update(&template, |chart| chart.spec.content = wanted.clone()).await.unwrap();
    let is_unchanged = written.metadata.resource_version == updated.metadata.resource_version;
    assert_eq!(is_unchanged, outcome == OperationResult::Unchanged, "create_or_update");
    // The reverse is not true: the server stores an object anew in which 2 becomes 2.0.
    assert!(!is_unchanged || text_of(&wanted) == text_of(&spec), "create_or_update");
    spec = wanted;
    all.assert_written("create_or_update", &written, &spec, None).await;

    spec = content(random);
    let replaced = charts.replace(&Chart { spec: ChartSpec { content: spec.clone() }, ..written }).await.unwrap();
    all.assert_written("replace", &replaced, &spec, None).await;

    spec = content(random);
    let patch = Patch::json(json!([{ "op": "replace", "path": "/spec/content", "value": text_of(&spec) }]));
    let patched = charts.patch(name, &patch).await.unwrap();
    all.assert_written("patch", &patched, &spec, None).await;

    statuses(all, random, name, &spec).await;
    let deleted = charts.get(name).await.unwrap();
    all.assert_stored("get", &deleted).await;
}

async fn statuses(all: &Charts, random: &mut Random, name: &str, spec: &Content) {
    let client = all.charts.status();
    let mut status = content(random);
    let updated = client.update(name, |it| *it = status.clone()).await.unwrap();
    all.assert_written("status.update", &updated, spec, Some(&status)).await;
    status = changed(random, &status);
    let mut updated = client.update_from(&updated, |it| *it = status.clone()).await.unwrap();
    all.assert_written("status.update_from", &updated, spec, Some(&status)).await;
    status = content(random);
    updated.status = Some(status.clone());
    let replaced = client.replace(&updated).await.unwrap();
    all.assert_written("status.replace", &replaced, spec, Some(&status)).await;
}

fn seed() -> u64 {
    number("CRDKIT_VALUES_SEED").unwrap_or(1)
}

#[tokio::test(flavor = "multi_thread")]
async fn random_objects_go_through_each_verb() {
    let Some((server, client)) = installed().await else { return };
    let all = Charts::new(server, &client, "values-verbs").await;
    let informers = Informers::new(client.clone());
    let informer = informers.of::<Chart>().namespace(&all.namespace).start();
    informer.synced().await.unwrap();
    let objects: usize = case_count("CRDKIT_VALUES", 100);
    for at in 0..objects {
        let mut random = Random::new(seed() + at as u64);
        let name = format!("c{at}");
        through_each_verb(&all, &mut random, &name).await;
        let stored = all.charts.get(&name).await.unwrap();
        let find = async || informer.lister().namespace(&all.namespace).get(&name);
        let version = &stored.metadata.resource_version;
        let is_latest =
            |it: &Option<Arc<Chart>>| it.as_ref().is_some_and(|it| it.metadata.resource_version == *version);
        let cached = observed(Duration::from_secs(20), find, is_latest).await.unwrap();
        let mut cached = Arc::unwrap_or_clone(cached);
        // Informers do not keep them.
        cached.metadata.managed_fields = stored.metadata.managed_fields.clone();
        assert_eq!(cached, stored, "informer");
    }
}

/// serde_json writes null in the place of such a number, by which an optional field is removed.
#[tokio::test]
async fn numbers_that_json_does_not_have_are_refused() {
    let Some((server, client)) = installed().await else { return };
    let all = Charts::new(server, &client, "values-finite").await;
    let charts = &all.charts;
    let created = charts.create(&Chart::new("web", ChartSpec::default())).await.unwrap();
    let broken = Content { marks: [("a".to_owned(), Some(f32::NAN))].into(), ..Content::default() };
    let chart = Chart::new("broken", ChartSpec { content: broken.clone() });
    let spoil = |chart: &mut Chart| chart.spec.content = broken.clone();
    let merged = BTreeMap::from([("spec", f64::INFINITY)]);
    let errors = [
        ("spec.content.marks.a", charts.create(&chart).await.unwrap_err().to_string()),
        ("spec.content.marks.a", charts.replace(&chart).await.unwrap_err().to_string()),
        ("spec.content.marks.a", charts.update("web", spoil).await.unwrap_err().to_string()),
        ("spec.content.marks.a", charts.update_from(&created, spoil).await.unwrap_err().to_string()),
        ("spec.content.marks.a", charts.create_or_update(&chart, |_| {}).await.unwrap_err().to_string()),
        (
            "status.large",
            charts.status().update("web", |status| status.large = f64::NEG_INFINITY).await.unwrap_err().to_string(),
        ),
        ("spec", charts.patch("web", &Patch::merge(&merged)).await.unwrap_err().to_string()),
    ];
    for (path, error) in errors {
        let expected = format!("a number is NaN or infinite, which JSON does not have: `{path}`");
        assert!(error.ends_with(&expected), "{error}");
    }
    let stored = charts.get("web").await.unwrap();
    assert_eq!(stored.metadata.resource_version, created.metadata.resource_version);
}

/// Server-side apply: what the client returns is what the server has, although the server drops what it does not merge.
#[tokio::test]
async fn random_objects_are_applied() {
    let Some((server, client)) = installed().await else { return };
    let all = Charts::new(server, &client, "values-applied").await;
    let objects: usize = case_count("CRDKIT_VALUES", 100);
    let mut left_out = 0;
    for at in 0..objects {
        let mut random = Random::new(seed() + at as u64);
        let name = format!("c{at}");
        let spec = content(&mut random);
        let fields = json!({ "spec": { "content": text_of(&spec) } });
        let applied = all.charts.apply(&name, &fields).await.unwrap();
        all.assert_stored("apply", &applied).await;
        left_out += usize::from(text_of(&applied.spec.content) != text_of(&spec));
        let status = content(&mut random);
        let fields = json!({ "status": text_of(&status) });
        let applied = all.charts.status().apply(&name, &fields).await.unwrap();
        all.assert_stored("status.apply", &applied).await;
        left_out += usize::from(text_of(&applied.status) != text_of(&Some(&status)));
    }
    println!("of {} applied values, the server stored {left_out} otherwise", 2 * objects);
    assert!(left_out <= objects, "{left_out}");
}

/// Types that are not known before: the schemas of other kinds of these tests, with random documents.
#[tokio::test]
async fn random_objects_of_dynamic_types_are_updated() {
    let Some((server, client)) = installed().await else { return };
    let all = Charts::new(server, &client, "values-dynamic").await;
    let kind = GroupVersionKind::gvk("values.example.com", "v1", "Chart");
    let kind = ApiResource::from_gvk_with_plural(&kind, "charts");
    let objects = client.resources_with::<DynamicObject>(kind).namespace(&all.namespace);
    // Less than half of them are valid.
    let documents = 4 * case_count::<usize>("CRDKIT_VALUES", 100);
    let cases = RoundtripTest::of_resource::<Chart>().documents(documents).cases();
    let valid: Vec<_> = cases.iter().filter(|case| case.stored.is_some()).collect();
    let mut left_out = 0;
    for (at, pair) in valid.windows(2).enumerate() {
        let name = format!("c{at}");
        let [first, second] = [&pair[0].document["spec"], &pair[1].document["spec"]];
        let mut object = DynamicObject::new(&name, &ApiResource::erase::<Chart>(&()));
        object.data = json!({ "spec": first });
        if objects.create(&object).await.is_err() {
            // Its numbers or names are not those of the server, such as a duration in metadata.
            left_out += 1;
            continue;
        }
        let Ok(updated) = objects.update(&name, |object| object.data["spec"] = second.clone()).await else {
            left_out += 1;
            continue;
        };
        let mut raw = all.raw(&name).await;
        assert_eq!(updated.data["spec"], raw["spec"].take(), "update");
        let stored = &pair[1].stored.as_ref().unwrap()["spec"];
        assert_eq!(plain(&updated.data["spec"]), plain(stored), "update");
    }
    println!(
        "{left_out} of {} objects of dynamic types were left out, because the server rejects them",
        valid.len() - 1
    );
    assert!(10 * left_out <= valid.len(), "{left_out} of {}", valid.len());
}
