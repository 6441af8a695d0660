//! Types that are consistent with their schemas, and types that are not.

use crdkit::{
    KubeSchema,
    schema::{Field, Keyword, Schema, UnitVariant},
};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::*;

/// A type with a schema of this shape instead of its own.
macro_rules! planted {
    ($($name:ident = $schema:expr => { $($fields:tt)* })+) => {$(
        #[derive(Serialize, Deserialize)]
        struct $name { $($fields)* }

        impl KubeSchema for $name {
            const SCHEMA: Schema = $schema;
        }
    )+};
}

mod kubernetes;
mod skipped;

planted! {
    Misread = Schema::object(&[Field::new("size", &Schema::integer()), Field::new("note", &Schema::string()).optional()])
        => { size: String, note: Option<String> }
    Missing = Schema::object(&[Field::new("size", &u8::SCHEMA).optional(), Field::new("note", &Schema::string())])
        => { size: u8, note: String }
    Unbounded = Schema::object(&[Field::new("sizes", &Schema::list(&Schema::integer().with(&[Keyword::minimum(0.0)])))])
        => { sizes: Vec<u8> }
    Misnamed = Schema::object(&[Field::new("phase", &Schema::enumeration(&[UnitVariant::new("Pending"), UnitVariant::new("Runing")]))])
        => { phase: Phase }
    Forgotten = Schema::object(&[Field::new("kept", &Schema::string())])
        => { kept: String, #[serde(default)] lost: u8 }
    Overflowing = Schema::object(&[Field::new("size", &Schema::integer().with(&[Keyword::minimum(0.0), Keyword::maximum(9.0)]))])
        => { #[serde(serialize_with = "ten_times")] size: u8 }
    Drifting = Schema::object(&[Field::new("size", &u8::SCHEMA)])
        => { #[serde(serialize_with = "half")] size: u8 }
}

#[derive(Serialize, Deserialize)]
enum Phase {
    Pending,
    Running,
}

fn ten_times<S: serde::Serializer>(size: &u8, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_u8(size * 10)
}

fn half<S: serde::Serializer>(size: &u8, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_u8(size / 2)
}

fn failure<T: KubeSchema + Serialize + DeserializeOwned>() -> RoundtripFailure {
    let report = RoundtripTest::of_type::<T>().run();
    report.failure.unwrap_or_else(|| panic!("{} agrees", report.name))
}

#[test]
fn planted_disagreements_are_found() {
    for (found, path, document, message) in [
        (failure::<Misread>(), ".size", json!({ "size": 0 }), "expected a string"),
        (failure::<Missing>(), ".", json!({ "note": "" }), "missing field `size`"),
        (failure::<Misnamed>(), ".phase", json!({ "phase": "Runing" }), "unknown variant `Runing`"),
        (failure::<Forgotten>(), ".lost", json!({ "kept": "" }), "the server drops it"),
        (failure::<Overflowing>(), ".size", json!({ "size": 1 }), "should be less than or equal to 9"),
        (failure::<Drifting>(), ".size", json!({ "size": 2 }), r#"{"size":1}"#),
    ] {
        assert_eq!(found.path, path, "{found:?}");
        assert!(found.message.contains(message), "{found:?}");
        // The smallest document is not unique.
        assert_eq!(found.document.to_string().len(), document.to_string().len(), "{found:?}");
    }
}

#[test]
fn a_missing_bound_is_found_where_it_is_missing() {
    let found = failure::<Unbounded>();
    assert_eq!(found.path, ".sizes[0]", "{found:?}");
    assert_eq!(found.schema, json!({ "type": "integer", "minimum": 0.0 }));
    assert!(found.message.contains("expected u8"), "{found:?}");
    assert_eq!(found.document["sizes"].as_array().map(Vec::len), Some(1), "{found:?}");
}

#[test]
fn reports_say_what_was_found() {
    let report = RoundtripTest::of_type::<Misread>().seed(5).run();
    assert!(!report.is_good());
    let text = report.to_string();
    for part in [
        "are inconsistent at `.size`:\n",
        "\n  serde: invalid type: integer",
        "\n  the document: {\"size\":0}\n",
        "\n  the schema there: {\"type\":\"integer\"}\n",
        " with seed 5: ",
    ] {
        assert!(text.contains(part), "{part:?} is not in {text}");
    }
}

#[test]
fn types_that_agree() {
    let report = RoundtripTest::of_type::<Part>().run();
    assert!(report.is_good(), "{report}");
    assert_eq!(report.documents(), 500);
    assert!(report.accepted >= 200 && report.rejected >= 200, "{report}");
    assert_eq!(report.unchecked, Vec::<String>::new());
}

#[derive(KubeSchema, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Part {
    name: String,
    #[serde(default)]
    much: Option<f32>,
    #[schemars(length(min = 1, max = 3))]
    sizes: Vec<i16>,
    #[schemars(regex(pattern = "^[a-z]+$"))]
    word: String,
    by_name: std::collections::BTreeMap<String, Shape>,
    any: serde_json::Value,
}

#[derive(KubeSchema, Serialize, Deserialize)]
#[serde(tag = "kind")]
enum Shape {
    Square { side: u32 },
    Circle { radius: u32 },
    Nothing,
}

#[test]
fn the_same_documents_come_from_the_same_seed() {
    let run = |seed| RoundtripTest::of_type::<Part>().seed(seed).run();
    assert_eq!(run(1).to_string(), run(1).to_string());
    let reads = |seed| run(seed).rejected_but_decoded;
    assert!((2..9).any(|seed| reads(seed) != reads(1)));
}

#[test]
fn what_accepts_anything_is_not_known_to_agree() {
    let check = RoundtripTest::of_type::<Value>();
    let report = check.run();
    assert!(!report.is_good());
    assert!(report.to_string().contains("rejected too few documents"), "{report}");
    assert!(check.min_percent(0).run().is_good());
}

#[test]
fn what_the_schema_cannot_express_is_reported() {
    let check = RoundtripTest::of_type::<Vec<k8s_openapi::jiff::civil::Time>>();
    assert!(check.run().failure.is_some());
    let report = check.only("[]", ["12:00:00", "23:59:59"]).run();
    assert!(report.is_good() && report.excluded > 0, "{report}");
}

#[test]
#[should_panic(expected = "has no field `.colour`")]
fn values_of_no_field() {
    RoundtripTest::of_type::<Part>().only(".colour", ["red"]).check();
}

#[test]
fn what_is_not_checked_is_listed() {
    #[derive(KubeSchema, Serialize, Deserialize)]
    struct Texts {
        #[schemars(regex(pattern = r"^(\D\b){20}$"))]
        pattern: String,
        #[schemars(url)]
        format: String,
    }
    let check = RoundtripTest::of_type::<Texts>();
    let report = check.run();
    assert!(report.unchecked[0].starts_with(".format: the format `uri`"), "{report}");
    assert!(report.unchecked[1].starts_with(r".pattern: the pattern `^(\D\b){20}$`"), "{report}");
    let report = check.only(".pattern", ["-a".repeat(10)]).run();
    assert!(report.is_good(), "{report}");
}

/// A rule expresses what no schema can, so the decoder may rely on it.
#[test]
fn rules_are_run_on_what_the_decoder_refuses() {
    #[derive(KubeSchema, Serialize, Deserialize)]
    struct Even {
        #[x_kube(validation = ("self % 2 == 0", "odd"))]
        #[serde(deserialize_with = "even")]
        size: u8,
    }
    let report = RoundtripTest::of_type::<Even>().run();
    assert!(report.is_good(), "{report}");
    assert!(report.unchecked[0].contains("1 rule of CEL"), "{report}");
}

fn even<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<u8, D::Error> {
    let size = u8::deserialize(deserializer)?;
    match size % 2 {
        0 => Ok(size),
        _ => Err(serde::de::Error::custom("odd")),
    }
}
