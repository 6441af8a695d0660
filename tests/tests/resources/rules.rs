//! `validation` on roots, types and fields, in every form.

use crdkit::{CustomResource, KubeSchema};
use kube::core::Rule;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::served::served;

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
#[crd(
    group = "rules.example.com",
    version = "v1",
    kind = "Ruled",
    validation = "self.metadata.name != 'forbidden'",
    validation = Rule::new("self.spec.low <= 100")
        .message("low is too high")
        .field_path(".spec.low"),
    derive = "PartialEq"
)]
#[x_kube(validation = ("self.low <= self.high", "low must not exceed high"))]
#[serde(rename_all = "camelCase")]
pub(crate) struct RuledSpec {
    pub(crate) low: i32,
    pub(crate) high: i32,

    #[x_kube(
        validation = "self != 'bad'",
        validation = Rule::new("self != 'worse'").message(Message::Expression("'no ' + self".into())),
        validation = Rule::new("self != 'worst'").reason(Reason::FieldValueForbidden)
    )]
    #[schemars(length(max = 20))]
    pub(crate) text: String,

    #[crd(validation = not("zero", 0))]
    #[x_kube(validation = Rule::new(format!("self != {}", 13)).message("unlucky"))]
    pub(crate) number: i64,

    #[x_kube(validation = Rule {
        rule: "self == oldSelf".into(),
        message: Some("immutable".into()),
        ..Rule::default()
    })]
    pub(crate) fixed: bool,

    #[x_kube(validation = Rule::new("!oldSelf.hasValue() || oldSelf.value() <= self")
        .message("must not shrink")
        .optional_old_self(true))]
    pub(crate) growing: i64,

    pub(crate) inner: Inner,
}

/// A rule that an expression makes.
fn not(name: &str, value: i64) -> Rule {
    Rule::new(format!("self != {value}")).message(&*format!("must not be {name}"))
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
#[crd(validation = Rule::new("!self.on || has(self.since)")
    .message("on since when?")
    .reason(Reason::FieldValueRequired)
    .field_path(".since"))]
pub(crate) struct Inner {
    pub(crate) on: bool,
    pub(crate) since: Option<String>,
}

fn ruled(name: &str) -> Ruled {
    let spec = RuledSpec {
        low: 1,
        high: 2,
        text: "good".to_owned(),
        number: 1,
        fixed: true,
        growing: 1,
        inner: Inner { on: true, since: Some("today".to_owned()) },
    };
    Ruled::new(name, spec)
}

#[tokio::test]
async fn objects_that_follow_the_rules_are_kept() {
    let Some(served) = served::<Ruled>().await else {
        return;
    };
    served.keeps(ruled("kept")).await;
}

#[tokio::test]
async fn each_rule_is_enforced() {
    let Some(served) = served::<Ruled>().await else {
        return;
    };
    for (pointer, value, field, reason, message) in [
        ("/metadata/name", json!("forbidden"), "<nil>", "FieldValueInvalid", "failed rule: self.metadata.name"),
        ("/spec/low", json!(101), "spec.low", "FieldValueInvalid", "low is too high"),
        ("/spec/low", json!(3), "spec", "FieldValueInvalid", "low must not exceed high"),
        ("/spec/text", json!("bad"), "spec.text", "FieldValueInvalid", "failed rule: self != 'bad'"),
        ("/spec/text", json!("worse"), "spec.text", "FieldValueInvalid", "no worse"),
        ("/spec/text", json!("worst"), "spec.text", "FieldValueForbidden", "failed rule"),
        ("/spec/number", json!(0), "spec.number", "FieldValueInvalid", "must not be zero"),
        ("/spec/number", json!(13), "spec.number", "FieldValueInvalid", "unlucky"),
        ("/spec/inner/since", json!(null), "spec.inner.since", "FieldValueRequired", "on since when?"),
    ] {
        let mut object = json!(ruled("refused"));
        crate::served::set(&mut object, pointer, value);
        let verdict = served.create(object).await;
        let causes = verdict.causes_at(field);
        let found = causes.iter().any(|cause| cause.reason == reason && cause.message.contains(message));
        assert!(found, "{pointer}: {:?}", verdict.causes);
    }
}

#[tokio::test]
async fn rules_about_changes_are_enforced() {
    let Some(served) = served::<Ruled>().await else {
        return;
    };
    served.create(ruled("changed")).await.expect_accepted();
    for (spec, field, message) in [
        (json!({ "fixed": false }), "spec.fixed", "immutable"),
        (json!({ "growing": 0 }), "spec.growing", "must not shrink"),
    ] {
        let verdict = served.merge("changed", json!({ "spec": spec })).await;
        let causes = verdict.causes_at(field);
        assert!(causes[0].message.contains(message), "{verdict}");
    }
    let grown = json!({ "spec": { "growing": 2 } });
    served.merge("changed", grown).await.expect_accepted();
}
