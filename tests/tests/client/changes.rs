//! Changes of definitions, as `compare` judges them, beside what the API server does with objects and requests.

use std::time::Duration;

use crdkit::{
    Client,
    client::{Resources, dynamic::Unstructured, scope::InNamespace},
    compare::{Audience, ChangeSeverity, definition_changes},
};
use crdkit_tests::{Request, unique_group};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use serde_json::{Value, json};

use crate::{
    install::definition,
    served::client,
    server::{Server, server},
};

/// The effect of a change.
#[derive(Clone, Debug)]
enum Effect {
    /// A request that was accepted is rejected.
    Rejected,
    /// A request that was rejected is accepted.
    Accepted,
    /// The request is accepted before and after.
    SameForRequests,
    /// A stored object no longer has the value at this path after it was written.
    Lost(&'static str),
    /// A stored object has this value at this path after it was written.
    Filled(&'static str, Value),
    /// The path below the collection is found.
    Found(&'static str),
    /// The path below the collection, which was found, is no longer found.
    NotFound(&'static str),
    /// A list with this query, which was accepted, is rejected.
    ListRejected(&'static str),
}

struct Case {
    check: &'static str,
    severity: ChangeSeverity,
    old: Value,
    new: Value,
    /// The spec of an object that is stored under the old definition, if it accepts that.
    spec: Value,
    effect: Effect,
}

/// Returns a case whose schemas are those of `.spec.a`.
fn field(check: &'static str, severity: ChangeSeverity, old: Value, new: Value, a: Value, effect: Effect) -> Case {
    let of = |a: Value| match a {
        Value::Null => json!({ "type": "object" }),
        a => json!({ "type": "object", "properties": { "a": a } }),
    };
    let spec = if a.is_null() { json!({}) } else { json!({ "a": a }) };
    Case { check, severity, old: of(old), new: of(new), spec, effect }
}

fn text(key: &str, value: Value) -> Value {
    json!({ "type": "string", key: value })
}

fn cases() -> Vec<Case> {
    use ChangeSeverity::{Breaking, Compatible, Risky};
    use Effect::{Accepted, Filled, Lost, Rejected, SameForRequests};
    let plain = || json!({ "type": "string" });
    let number = |key: &str, value: Value| json!({ "type": "integer", key: value });
    let integer = || json!({ "type": "integer" });
    let list = |key: &str, value: Value| json!({ "type": "array", "items": { "type": "string" }, key: value });
    let map =
        |key: &str, value: Value| json!({ "type": "object", "additionalProperties": { "type": "string" }, key: value });
    let required =
        |names: Value| json!({ "type": "object", "properties": { "a": { "type": "string" } }, "required": names });
    let rule = |rule: &str| json!({ "type": "integer", "x-kubernetes-validations": [{ "rule": rule }] });
    let branch = |key: &str, pattern: &str| json!({ "type": "string", key: [{ "pattern": pattern }] });
    let mut cases = vec![
        field("existingFieldRemoval", Breaking, plain(), Value::Null, json!("x"), Lost("/spec/a")),
        field("newField", Compatible, Value::Null, plain(), Value::Null, SameForRequests),
        field("type", Breaking, integer(), plain(), json!(1), Rejected),
        field("type", Breaking, integer(), json!({ "x-kubernetes-int-or-string": true }), json!("1"), Accepted),
        field(
            "nullable",
            Risky,
            list("x-kubernetes-list-type", json!("atomic")),
            json!({
                "type": "array", "items": { "type": "string", "nullable": true }, "x-kubernetes-list-type": "atomic",
            }),
            json!([null]),
            Accepted,
        ),
        field("enum", Breaking, text("enum", json!(["x", "y"])), text("enum", json!(["y"])), json!("x"), Rejected),
        field("enum", Risky, text("enum", json!(["y"])), text("enum", json!(["x", "y"])), json!("x"), Accepted),
        field("format", Breaking, plain(), text("format", json!("ipv4")), json!("x"), Rejected),
        field("pattern", Breaking, plain(), text("pattern", json!("^y")), json!("x"), Rejected),
        field("pattern", Risky, text("pattern", json!("^y")), plain(), json!("x"), Accepted),
        field("minimum", Breaking, integer(), number("minimum", json!(3)), json!(2), Rejected),
        field("minimum", Compatible, number("minimum", json!(3)), number("minimum", json!(2)), json!(2), Accepted),
        field(
            "exclusiveMinimum",
            Breaking,
            number("minimum", json!(3)),
            json!({ "type": "integer", "minimum": 3, "exclusiveMinimum": true }),
            json!(3),
            Rejected,
        ),
        field("maximum", Breaking, integer(), number("maximum", json!(3)), json!(4), Rejected),
        field(
            "exclusiveMaximum",
            Breaking,
            number("maximum", json!(3)),
            json!({ "type": "integer", "maximum": 3, "exclusiveMaximum": true }),
            json!(3),
            Rejected,
        ),
        field("multipleOf", Breaking, integer(), number("multipleOf", json!(5)), json!(4), Rejected),
        field("minLength", Breaking, plain(), text("minLength", json!(2)), json!("x"), Rejected),
        field("maxLength", Breaking, plain(), text("maxLength", json!(2)), json!("xyz"), Rejected),
        field("minItems", Breaking, list("minItems", json!(0)), list("minItems", json!(1)), json!([]), Rejected),
        field(
            "maxItems",
            Breaking,
            list("maxItems", json!(2)),
            list("maxItems", json!(1)),
            json!(["x", "y"]),
            Rejected,
        ),
        field(
            "listType",
            Breaking,
            list("x-kubernetes-list-type", json!("atomic")),
            list("x-kubernetes-list-type", json!("set")),
            json!(["x", "x"]),
            Rejected,
        ),
        field(
            "minProperties",
            Breaking,
            map("minProperties", json!(0)),
            map("minProperties", json!(1)),
            json!({}),
            Rejected,
        ),
        field(
            "maxProperties",
            Breaking,
            map("maxProperties", json!(2)),
            map("maxProperties", json!(1)),
            json!({ "x": "", "y": "" }),
            Rejected,
        ),
        field(
            "mapType",
            Risky,
            map("x-kubernetes-map-type", json!("granular")),
            map("x-kubernetes-map-type", json!("atomic")),
            json!({ "x": "" }),
            SameForRequests,
        ),
        field("xvalidations", Breaking, integer(), rule("self > 3"), json!(2), Rejected),
        field("xvalidations", Risky, rule("self > 3"), integer(), json!(2), Accepted),
        field("default", Risky, plain(), text("default", json!("x")), Value::Null, Filled("/spec/a", json!("x"))),
        field(
            "default",
            Breaking,
            text("default", json!("x")),
            text("default", json!("y")),
            Value::Null,
            SameForRequests,
        ),
        field("default", Breaking, text("default", json!("x")), plain(), Value::Null, SameForRequests),
        field("allOf", Breaking, plain(), branch("allOf", "^y"), json!("x"), Rejected),
        field("anyOf", Breaking, plain(), branch("anyOf", "^y"), json!("x"), Rejected),
        field("oneOf", Breaking, plain(), branch("oneOf", "^y"), json!("x"), Rejected),
        field("not", Breaking, plain(), text("not", json!({ "pattern": "^x" })), json!("x"), Rejected),
        field(
            "embeddedResource",
            Breaking,
            json!({ "type": "object", "x-kubernetes-preserve-unknown-fields": true }),
            json!({
                "type": "object", "x-kubernetes-preserve-unknown-fields": true, "x-kubernetes-embedded-resource": true,
            }),
            json!({ "x": 1 }),
            Rejected,
        ),
        field(
            "existingFieldRemoval",
            Breaking,
            json!({ "type": "object", "x-kubernetes-preserve-unknown-fields": true }),
            json!({ "type": "object" }),
            json!({ "x": 1 }),
            Lost("/spec/a/x"),
        ),
        field("description", Compatible, plain(), text("description", json!("An a.")), json!("x"), SameForRequests),
    ];
    cases.push(Case {
        check: "required",
        severity: Breaking,
        old: required(json!([])),
        new: required(json!(["a"])),
        spec: json!({}),
        effect: Rejected,
    });
    cases.push(Case {
        check: "required",
        severity: Risky,
        old: required(json!(["a"])),
        new: required(json!([])),
        spec: json!({}),
        effect: Accepted,
    });
    cases
}

fn with_spec(group: &str, spec: &Value) -> CustomResourceDefinition {
    definition(group, |crd| {
        crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"] =
            json!({ "type": "object", "properties": { "spec": spec } });
    })
}

struct Vms {
    server: Server,
    client: Client,
    group: String,
    objects: Resources<Unstructured, InNamespace>,
}

impl Vms {
    async fn install(old: &CustomResourceDefinition, group: String) -> Option<Self> {
        let (server, client) = (server()?, client().await?.field_manager(&group));
        client.install([old.clone()]).await.unwrap();
        let vms = client.dynamic().resources(format!("vms.{group}")).await.unwrap();
        Some(Self { server, client, group, objects: vms.namespace("default").unwrap() })
    }

    async fn change(&self, new: &CustomResourceDefinition) {
        self.client.install([new.clone()]).allow_data_loss().await.unwrap();
    }

    /// Returns whether the server accepts an object with this spec.
    async fn create(&self, name: &str, spec: &Value) -> bool {
        let object = json!({
            "apiVersion": format!("{}/v1", self.group), "kind": "Vm", "metadata": { "name": name }, "spec": spec,
        });
        let object: Unstructured = serde_json::from_value(object).unwrap();
        self.objects.create(&object).await.is_ok()
    }

    async fn get(&self, name: &str) -> Value {
        serde_json::to_value(self.objects.get(name).await.unwrap()).unwrap()
    }

    /// Writes the stored object without a change of its spec, and returns it.
    async fn written(&self, attempt: usize) -> Value {
        let labels = json!({ "metadata": { "labels": { "attempt": attempt.to_string() } } });
        let patch = Request::patch(self.path("/old"), "application/merge-patch+json", labels);
        assert!(self.server.raw(patch).await.is_success());
        self.get("old").await
    }

    fn path(&self, rest: &str) -> String {
        format!("/apis/{}/v1/namespaces/default/vms{rest}", self.group)
    }

    async fn is_success(&self, rest: &str) -> bool {
        self.server.raw(Request::get(self.path(rest))).await.is_success()
    }

    /// Checks an effect until the server has the new definition.
    async fn expect(&self, effect: &Effect, spec: &Value) -> bool {
        const ATTEMPTS: usize = 100;
        for attempt in 0..ATTEMPTS {
            let name = format!("new{attempt}");
            let is_there = match effect {
                Effect::Rejected => !self.create(&name, spec).await,
                Effect::Accepted | Effect::SameForRequests => self.create(&name, spec).await,
                Effect::Lost(path) => self.written(attempt).await.pointer(path).is_none(),
                Effect::Filled(path, value) => self.written(attempt).await.pointer(path) == Some(value),
                Effect::Found(rest) => self.is_success(rest).await,
                Effect::NotFound(rest) => !self.is_success(rest).await,
                Effect::ListRejected(query) => !self.is_success(query).await,
            };
            if is_there {
                return true;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        false
    }
}

async fn check(case: Case) {
    let group = unique_group();
    let [old, new] = [&case.old, &case.new].map(|spec| with_spec(&group, spec));
    let changes = definition_changes(&old, &new);
    let change = changes.iter().find(|change| change.check.name() == case.check).expect(case.check);
    assert_eq!(change.severity(), case.severity, "{change}");
    let breaks_writers = change.is_breaking() && change.affects().contains(&Audience::Writers);
    let Some(vms) = Vms::install(&old, group).await else {
        return;
    };
    let was_accepted = vms.create("old", &case.spec).await;
    assert_eq!(was_accepted, !matches!(case.effect, Effect::Accepted), "{change}");
    vms.change(&new).await;
    assert!(vms.expect(&case.effect, &case.spec).await, "{change}: {:?}", case.effect);
    if matches!(case.effect, Effect::Rejected) {
        assert!(breaks_writers, "{change}");
    }
}

#[tokio::test]
async fn changes_of_schemas_have_the_reported_effects() {
    let cases = cases().into_iter().map(check);
    futures_util::future::join_all(cases).await;
}

/// Returns a definition with other parts of its version.
fn with_version(group: &str, parts: &Value) -> CustomResourceDefinition {
    let text = json!({ "type": "string" });
    let properties = json!({ "spec": { "type": "object", "properties": { "a": text, "n": { "type": "integer" } } },
        "status": { "type": "object", "properties": { "n": { "type": "integer" } } } });
    definition(group, |crd| {
        let version = &mut crd["spec"]["versions"][0];
        version["schema"]["openAPIV3Schema"] = json!({ "type": "object", "properties": properties });
        version.as_object_mut().unwrap().extend(parts.as_object().unwrap().clone());
    })
}

#[tokio::test]
async fn changes_of_versions_have_the_reported_effects() {
    let scale = json!({ "specReplicasPath": ".spec.n", "statusReplicasPath": ".status.n" });
    let cases = [
        ("status", json!({ "subresources": { "status": {} } }), json!({}), Effect::NotFound("/old/status")),
        ("scale", json!({ "subresources": { "scale": scale } }), json!({}), Effect::NotFound("/old/scale")),
        (
            "selectableFields",
            json!({ "selectableFields": [{ "jsonPath": ".spec.a" }] }),
            json!({}),
            Effect::ListRejected("?fieldSelector=spec.a%3Dx"),
        ),
    ];
    for (name, old, new, effect) in cases {
        let group = unique_group();
        let [old, new] = [old, new].map(|parts| with_version(&group, &parts));
        let changes = definition_changes(&old, &new);
        assert_eq!((changes.len(), changes[0].check.name(), changes[0].is_breaking()), (1, name, true));
        let Some(vms) = Vms::install(&old, group).await else {
            return;
        };
        assert!(vms.create("old", &json!({ "a": "x", "n": 1 })).await);
        let (Effect::NotFound(path) | Effect::ListRejected(path)) = &effect else { unreachable!() };
        assert!(vms.is_success(path).await, "{name}");
        vms.change(&new).await;
        assert!(vms.expect(&effect, &json!({})).await, "{name}");
    }
}

#[tokio::test]
async fn a_new_status_subresource_ignores_the_status_of_writes() {
    let group = unique_group();
    let [old, new] = [json!({}), json!({ "subresources": { "status": {} } })].map(|parts| with_version(&group, &parts));
    let changes = definition_changes(&old, &new);
    assert_eq!((changes[0].check.name(), changes[0].affects()), ("status", &[Audience::Writers][..]));
    let Some(vms) = Vms::install(&old, group).await else {
        return;
    };
    assert!(vms.create("old", &json!({})).await);
    let patch = |number: i32| {
        let body = json!({ "status": { "n": number } });
        vms.server.raw(Request::patch(vms.path("/old"), "application/merge-patch+json", body))
    };
    assert!(patch(1).await.is_success());
    assert_eq!(vms.get("old").await["status"]["n"], 1);
    vms.change(&new).await;
    assert!(vms.expect(&Effect::Found("/old/status"), &json!({})).await);
    assert!(patch(2).await.is_success());
    assert_eq!(vms.get("old").await["status"]["n"], 1);
}

#[tokio::test]
async fn a_removed_version_is_not_found() {
    let group = unique_group();
    let [both, one] = [&["v1", "v2"][..], &["v1"]].map(|names| {
        definition(&group, |crd| {
            let version = crd["spec"]["versions"][0].clone();
            let versions = names.iter().enumerate().map(|(at, name)| {
                let mut version = version.clone();
                (version["name"], version["storage"]) = (json!(name), json!(at == 0));
                version
            });
            crd["spec"]["versions"] = versions.collect();
        })
    });
    let changes = definition_changes(&both, &one);
    assert_eq!((changes[0].check.name(), changes[0].is_breaking()), ("servedVersionRemoval", true));
    let Some(vms) = Vms::install(&both, group).await else {
        return;
    };
    let path = format!("/apis/{}/v2/namespaces/default/vms", vms.group);
    assert!(vms.server.raw(Request::get(path.clone())).await.is_success());
    vms.change(&one).await;
    for _ in 0..100 {
        if !vms.server.raw(Request::get(path.clone())).await.is_success() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("v2 is still served");
}
