//! Enums of every form that serde has: their schemas are those written by hand, a real API server takes them without a
//! warning, and of values those that serde reads.

use crdkit::{
    render::render_schema,
    schema::{ForeignSchema, Schema},
    testing::Agreement,
};
use serde_json::{Value, json};
use zoo::{Zoo, sorted};

mod adjacent;
mod agreement;
mod attributes;
mod external;
mod flattened;
mod internal;
mod mutants;
mod nested;
mod tuples;
mod untagged;
#[path = "../zoo/mod.rs"]
mod zoo;

/// An enum, what its schema is, and values that it has and has not.
struct Form {
    name: &'static str,
    schema: &'static Schema,
    /// The schema of the same type with schemars' derive.
    foreign: ForeignSchema,
    expected: Value,
    accepted: Value,
    refused: Value,
    /// Reads a value and writes it again; none if serde refuses it.
    again: fn(&Value) -> Option<Value>,
    agreement: fn() -> Agreement,
}

/// Types that derive their schema both ways, with their forms.
///
/// The types are declared twice, with crdkit's derive and with that of schemars; `forms` makes the list of forms.
macro_rules! forms {
    (
        { $($items:item)+ }
        $($name:ident: $type:ty = $expected:tt, accepts $accepted:tt, refuses $refused:tt;)+
    ) => {
        mod own {
            #[allow(unused_imports)]
            use {crdkit::{KubeSchema as JsonSchema, KubeSchema as Schema}, super::*};
            $($items)+
            $(pub(super) mod $name {
                #[allow(unused_imports)]
                use super::*;
                pub(in super::super) const SCHEMA: crdkit::schema::Schema = <$type as crdkit::KubeSchema>::SCHEMA;
                pub(in super::super) fn again(value: &serde_json::Value) -> Option<serde_json::Value> {
                    let value: $type = serde::Deserialize::deserialize(value).ok()?;
                    Some(serde_json::json!(value))
                }
                pub(in super::super) fn agreement() -> crdkit::testing::Agreement {
                    crdkit::testing::Agreement::of_type::<$type>()
                }
            })+
        }
        mod foreign {
            #[allow(unused_imports)]
            use {schemars::{JsonSchema, JsonSchema as Schema}, super::*};
            $($items)+
            $(pub(super) mod $name {
                #[allow(unused_imports)]
                use super::*;
                pub(in super::super) const SCHEMA: crdkit::schema::ForeignSchema =
                    crdkit::schema::ForeignSchema::of::<$type>();
            })+
        }
        pub(crate) fn forms() -> Vec<crate::Form> {
            vec![$(crate::Form {
                name: stringify!($name),
                schema: &own::$name::SCHEMA,
                foreign: foreign::$name::SCHEMA,
                expected: serde_json::json!($expected),
                accepted: serde_json::json!($accepted),
                refused: serde_json::json!($refused),
                again: own::$name::again,
                agreement: own::$name::agreement,
            }),+]
        }
    };
}

use forms;

fn all_forms() -> Vec<Form> {
    let forms = [
        external::forms(),
        internal::forms(),
        adjacent::forms(),
        untagged::forms(),
        nested::forms(),
        flattened::forms(),
        tuples::forms(),
        attributes::forms(),
    ];
    forms.into_iter().flatten().collect()
}

#[test]
fn schemas_are_as_they_are_written_here() {
    let mut wrong = Vec::new();
    for form in all_forms() {
        let rendered = render_schema(form.schema).map(|props| sorted(json!(props)));
        if rendered.as_ref() != Ok(&sorted(form.expected)) {
            let rendered = rendered
                .map(|it| it.to_string())
                .unwrap_or_else(|error| error.to_string());
            wrong.push(format!("{}: {rendered}", form.name));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// `x-kubernetes-preserve-unknown-fields` stands only where it is asked for.
#[test]
fn nothing_is_preserved_unasked() {
    for form in all_forms() {
        let rendered = json!(render_schema(form.schema).unwrap()).to_string();
        let found = rendered.matches("preserve-unknown-fields").count();
        let asked = form
            .expected
            .to_string()
            .matches("preserve-unknown-fields")
            .count();
        assert_eq!(found, asked, "{}", form.name);
        assert!(asked == 0 || form.name.contains("any"), "{}", form.name);
    }
}

#[tokio::test]
async fn the_server_agrees_with_serde() {
    let forms = all_forms();
    let Some(zoo) = Zoo::of(forms.iter().map(|form| (form.name, *form.schema))).await else {
        return;
    };
    let mut wrong = Vec::new();
    for form in &forms {
        for value in form.accepted.as_array().unwrap() {
            let again = (form.again)(value);
            if again.as_ref() != Some(value) {
                wrong.push(format!("{}: serde makes {again:?} of {value}", form.name));
            }
            let verdict = zoo.create(form.name, value).await;
            let stored = verdict
                .object
                .as_ref()
                .map(|object| &object["spec"][form.name]);
            if stored != Some(value) {
                wrong.push(format!(
                    "{}: {value} becomes {stored:?}: {verdict}",
                    form.name
                ));
            }
        }
        for value in form.refused.as_array().unwrap() {
            if zoo.create(form.name, value).await.accepted {
                wrong.push(format!("{}: {value} is accepted", form.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
