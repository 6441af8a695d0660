//! Enums of every form that serde has: their schemas are those written by hand, a real API server takes them without a
//! warning, and of values those that serde reads.

use crate::served_fields::{
    Form, assert_declared_verdicts, assert_expected_schemas, assert_out_of_range_values_are_refused,
    assert_server_agrees_with_serde, assert_server_agrees_with_validator, counts_of_preserved_unknown_fields,
};

mod adjacent;
mod advice;
mod attributes;
mod external;
mod flattened;
mod internal;
mod mutants;
mod nested;
mod null;
mod roundtrip;
mod skipped;
mod tuples;
mod untagged;

/// An enum that derives its schema both ways.
struct Enum {
    form: Form,
    /// The schema of the same type with schemars' derive.
    foreign: ForeignSchema,
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
                pub(in super::super) fn reencode(value: &serde_json::Value) -> Option<serde_json::Value> {
                    crate::served_fields::reencode::<$type>(value)
                }
                pub(in super::super) fn roundtrip() -> crdkit::testing::RoundtripTest {
                    crdkit::testing::RoundtripTest::of_type::<$type>()
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
        pub(crate) fn forms() -> Vec<crate::enums::Enum> {
            vec![$(crate::enums::Enum {
                form: crate::served_fields::Form {
                    name: stringify!($name),
                    schema: &own::$name::SCHEMA,
                    expected: serde_json::json!($expected),
                    accepted: serde_json::json!($accepted),
                    refused: serde_json::json!($refused),
                    reencode: own::$name::reencode,
                    roundtrip: own::$name::roundtrip,
                },
                foreign: foreign::$name::SCHEMA,
            }),+]
        }
    };
}

use crdkit::schema::ForeignSchema;
use forms;

fn enums() -> Vec<Enum> {
    let enums = [
        external::forms(),
        internal::forms(),
        adjacent::forms(),
        untagged::forms(),
        nested::forms(),
        null::forms(),
        flattened::forms(),
        tuples::forms(),
        attributes::forms(),
        skipped::forms(),
    ];
    enums.into_iter().flatten().collect()
}

fn all_forms() -> Vec<Form> {
    enums().into_iter().map(|it| it.form).collect()
}

#[test]
fn schemas_are_as_they_are_written_here() {
    assert_expected_schemas(&all_forms());
}

/// `x-kubernetes-preserve-unknown-fields` is only where an attribute requests it.
#[test]
fn nothing_is_preserved_unasked() {
    // By `#[crd(preserve_unknown_fields)]`.
    let expected = [("any_mixture", 1), ("any_content", 1)];
    assert_eq!(counts_of_preserved_unknown_fields(&all_forms()), expected);
}

#[tokio::test]
async fn the_server_agrees_with_serde() {
    assert_declared_verdicts(&all_forms()).await;
}

/// Where a schema refuses what a type keeps as it is, because an attribute requires it.
const STRICTER: &[&str] = &["bounded", "ruled_variant", "ruled_data", "level_of_both", "deciding_data"];

#[tokio::test]
async fn mutants_are_refused_by_both_or_by_neither() {
    let is_looser = |form: &Form, _: &_| {
        let mut looser = roundtrip::LOOSER.iter();
        looser.any(|(name, _)| *name == form.name)
    };
    assert_server_agrees_with_serde(&all_forms(), is_looser, STRICTER).await;
}

#[tokio::test]
async fn what_is_just_outside_is_refused() {
    assert_out_of_range_values_are_refused(&all_forms()).await;
}

#[tokio::test]
async fn random_documents_are_judged_as_expected() {
    assert_server_agrees_with_validator(&all_forms(), &[]).await;
}
