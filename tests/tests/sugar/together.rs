//! Fields that are set together: `one_of`, `at_most_one_of`, `at_least_one_of` and `requires`.

use crdkit::{CustomResource, KubeSchema};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::{
    schema,
    served::{installed, served},
};

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
#[crd(
    group = "together.example.com",
    version = "v1",
    kind = "Together",
    derive = "PartialEq",
    one_of("config_map", "secret", "in"),
    at_most_one_of = ["min", "max"]
)]
#[crd(at_least_one_of("x.y", "zones"))]
#[serde(rename_all = "camelCase")]
pub(crate) struct TogetherSpec {
    pub(crate) config_map: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) secret: Option<Secret>,
    pub(crate) r#in: Option<i64>,
    pub(crate) min: Option<i64>,
    pub(crate) max: Option<f64>,
    #[serde(rename = "x.y")]
    pub(crate) dotted: Option<bool>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[crd(requires = "namespace")]
    pub(crate) zones: Vec<String>,
    #[crd(requires("tls-key", "tls_cert"))]
    pub(crate) namespace: Option<String>,
    #[serde(rename = "tls-key")]
    pub(crate) key: Option<String>,
    pub(crate) tls_cert: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) sources: Vec<Source>,
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
#[crd(one_of("file", "url"))]
pub(crate) struct Secret {
    pub(crate) file: Option<String>,
    #[serde(flatten)]
    pub(crate) remote: Remote,
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
pub(crate) struct Remote {
    pub(crate) url: Option<String>,
    #[crd(requires = "url")]
    pub(crate) token: Option<String>,
}

/// The rules of a variant are about that variant alone.
#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
#[serde(tag = "type")]
pub(crate) enum Source {
    Git {
        #[crd(requires = "branch")]
        commit: Option<String>,
        branch: Option<String>,
    },
    Image {
        tag: Option<String>,
    },
}

#[test]
fn rules_are_written() {
    let rules = schema::<TogetherSpec>()["x-kubernetes-validations"].clone();
    let requires = |rule: &str, message: &str, path: &str| {
        json!({
            "rule": rule, "message": message, "reason": "FieldValueRequired", "fieldPath": path,
        })
    };
    assert_eq!(
        rules,
        json!([
            requires(
                "!has(self.zones) || has(self.__namespace__)",
                "must be set if `zones` is set",
                ".namespace"
            ),
            requires(
                "!has(self.__namespace__) || has(self.tls__dash__key)",
                "must be set if `namespace` is set",
                ".tls-key"
            ),
            requires(
                "!has(self.__namespace__) || has(self.tlsCert)",
                "must be set if `namespace` is set",
                ".tlsCert"
            ),
            {
                "rule": "(has(self.configMap) ? 1 : 0) + (has(self.secret) ? 1 : 0) + (has(self.__in__) ? 1 : 0) == 1",
                "message": "exactly one of `configMap`, `secret` and `in` must be set",
            },
            {
                "rule": "(has(self.min) ? 1 : 0) + (has(self.max) ? 1 : 0) <= 1",
                "message": "at most one of `min` and `max` may be set",
            },
            {
                "rule": "has(self.x__dot__y) || has(self.zones)",
                "message": "at least one of `x.y` and `zones` must be set",
            },
        ])
    );
}

/// A flattened type brings its rules along, and the type around it may name its fields.
#[test]
fn rules_of_flattened_types_are_written_once() {
    assert_eq!(
        schema::<Secret>()["x-kubernetes-validations"],
        json!([
            {
                "rule": "!has(self.token) || has(self.url)", "message": "must be set if `token` is set",
                "reason": "FieldValueRequired", "fieldPath": ".url",
            },
            {
                "rule": "(has(self.file) ? 1 : 0) + (has(self.url) ? 1 : 0) == 1",
                "message": "exactly one of `file` and `url` must be set",
            },
        ])
    );
    assert_eq!(schema::<Remote>()["x-kubernetes-validations"][0], schema::<Secret>()["x-kubernetes-validations"][0]);
}

fn object(name: &str, spec: Value) -> Value {
    json!({
        "apiVersion": "together.example.com/v1", "kind": "Together",
        "metadata": { "name": name }, "spec": spec,
    })
}

#[tokio::test]
async fn the_definition_is_taken_without_a_warning() {
    let Some(installed) = installed().await else {
        return;
    };
    let verdict = &installed["togethers.together.example.com"].verdict;
    assert!(verdict.accepted, "{verdict}");
    assert_eq!(verdict.warnings, Vec::<String>::new());
}

#[tokio::test]
async fn objects_that_follow_the_rules_are_kept() {
    let Some(served) = served::<Together>().await else {
        return;
    };
    for (name, spec) in [
        ("a", json!({ "configMap": "a", "x.y": true })),
        ("b", json!({ "in": 1, "min": 1, "x.y": false })),
        (
            "c",
            json!({
                "secret": { "url": "a", "token": "b" }, "max": 0.5,
                "zones": ["a"], "namespace": "b", "tls-key": "c", "tlsCert": "d",
            }),
        ),
        (
            "d",
            json!({
                "secret": { "file": "a", "url": null }, "configMap": null, "in": null, "x.y": true,
                "sources": [{ "type": "Image", "tag": "a" }, { "type": "Git", "commit": "a", "branch": "b" }],
            }),
        ),
    ] {
        let object: Together = serde_json::from_value(object(name, spec)).unwrap();
        served.keeps(object).await;
    }
}

#[tokio::test]
async fn each_rule_is_enforced() {
    let Some(served) = served::<Together>().await else {
        return;
    };
    const ONE: &str = "exactly one of `configMap`, `secret` and `in` must be set";
    for (spec, field, message) in [
        (json!({ "x.y": true }), "spec", ONE),
        (json!({ "x.y": true, "configMap": null }), "spec", ONE),
        (json!({ "x.y": true, "configMap": "a", "in": 1 }), "spec", ONE),
        (json!({ "x.y": true, "configMap": "a", "in": 1, "secret": { "file": "a" } }), "spec", ONE),
        (json!({ "x.y": true, "in": 1, "min": 1, "max": 2 }), "spec", "at most one of `min` and `max` may be set"),
        (json!({ "in": 1 }), "spec", "at least one of `x.y` and `zones` must be set"),
        (json!({ "in": 1, "zones": ["a"] }), "spec.namespace", "must be set if `zones` is set"),
        (
            json!({ "in": 1, "x.y": true, "namespace": "a", "tlsCert": "b" }),
            "spec.tls-key",
            "must be set if `namespace` is set",
        ),
        (
            json!({ "in": 1, "x.y": true, "namespace": "a", "tls-key": "b" }),
            "spec.tlsCert",
            "must be set if `namespace` is set",
        ),
        (
            json!({ "x.y": true, "secret": { "file": "a", "url": "b" } }),
            "spec.secret",
            "exactly one of `file` and `url` must be set",
        ),
        (
            json!({ "x.y": true, "secret": { "file": "a", "token": "b" } }),
            "spec.secret.url",
            "must be set if `token` is set",
        ),
        (
            json!({ "in": 1, "x.y": true, "sources": [{ "type": "Git", "commit": "a" }] }),
            "spec.sources[0].branch",
            "must be set if `commit` is set",
        ),
    ] {
        let verdict = served.create(object("refused", spec.clone())).await;
        let causes = verdict.causes_at(field);
        let found = causes.iter().any(|cause| cause.message.contains(message));
        assert!(found, "{spec}: {:?}", verdict.causes);
        assert_eq!(verdict.causes.len(), 1, "{spec}: {:?}", verdict.causes);
    }
}

/// A generic type learns from its arguments which fields can be left out.
#[test]
fn generic_types_are_checked_when_they_are_rendered() {
    #[derive(KubeSchema, Serialize, Deserialize)]
    #[crd(one_of("left", "right"))]
    struct Pair<T> {
        left: T,
        right: T,
    }

    type Good = Pair<Option<u8>>;
    let rules = &schema::<Good>()["x-kubernetes-validations"];
    assert_eq!(rules[0]["message"], "exactly one of `left` and `right` must be set");
    let error = crdkit::render::render_schema(Pair::<u8>::SCHEMA_REF).unwrap_err();
    assert!(error.to_string().contains("`left` must always be there"), "{error}");
}
