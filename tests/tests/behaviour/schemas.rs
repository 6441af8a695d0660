//! The schemas of derived types for schemars and kube-derive.

use crdkit::{CustomResource, KubeSchema};
use kube::CustomResourceExt;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
struct Ours {
    #[schemars(length(max = 3))]
    #[x_kube(validation = "self != ''")]
    text: Option<String>,
}

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "schemas.example.com", version = "v1", kind = "Thing")]
struct ThingSpec {
    ours: Ours,
}

/// A resource of kube-derive.
#[derive(kube::CustomResource, JsonSchema, Serialize, Deserialize, Clone, Debug)]
#[kube(group = "schemas.example.com", version = "v1", kind = "Theirs")]
struct TheirSpec {
    ours: Ours,
    maybe: Option<Ours>,
}

#[test]
fn derived_types_implement_schemars() {
    #[derive(JsonSchema)]
    #[allow(dead_code)]
    struct Wrapper {
        ours: Vec<Ours>,
    }
    let schema = json!(schemars::schema_for!(Wrapper));
    let items = &schema["properties"]["ours"]["items"];
    assert_eq!(items["$ref"], "#/$defs/Ours", "{schema}");
    let text = &schema["$defs"]["Ours"]["properties"]["text"];
    assert_eq!(text["maxLength"], 3, "{schema}");
}

#[test]
fn roots_implement_schemars() {
    let schema = json!(schemars::schema_for!(Thing));
    assert_eq!(schema["properties"]["spec"]["required"], json!(["ours"]));
    assert_eq!(schema["title"], "Thing");
}

#[test]
fn resources_of_kube_derive_hold_derived_types() {
    let crd = json!(Theirs::crd());
    let schema = &crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"];
    let spec = &schema["properties"]["spec"];
    let text = json!({
        "type": "string",
        "nullable": true,
        "maxLength": 3,
        "x-kubernetes-validations": [{ "rule": "self != ''" }],
    });
    assert_eq!(spec["properties"]["ours"]["properties"]["text"], text);
    assert_eq!(spec["properties"]["maybe"]["properties"]["text"], text);
    assert_eq!(spec["properties"]["maybe"]["nullable"], true);
    assert_eq!(spec["required"], json!(["ours"]));
}

/// A spec whose schema schemars makes.
#[derive(CustomResource, JsonSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(
    group = "schemas.example.com",
    version = "v1",
    kind = "Foreign",
    printcolumn(name = "Size", type_ = "integer", json_path = ".spec.size")
)]
struct ForeignSpec {
    size: Option<u8>,
    /// One of two.
    mode: ForeignMode,
}

#[derive(JsonSchema, Serialize, Deserialize, Clone, Debug)]
enum ForeignMode {
    On,
    Off,
}

#[test]
fn resources_hold_specs_of_schemars() {
    let crd = json!(Foreign::crd());
    let schema = &crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"];
    let expected = json!({
        "type": "object",
        "description": "A spec whose schema schemars makes.",
        "required": ["mode"],
        "properties": {
            "size": { "type": "integer", "nullable": true, "minimum": 0.0, "maximum": 255.0 },
            "mode": { "type": "string", "description": "One of two.", "enum": ["On", "Off"] },
        },
    });
    assert_eq!(schema["properties"]["spec"], expected);
}

/// A variant and a field whose words a macro puts in.
macro_rules! described {
    ($words:literal) => {
        #[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
        enum Described {
            #[doc = $words]
            One,
            /// Words.
            #[schemars(description = "Other words.")]
            Two,
            #[deprecated]
            #[allow(dead_code)]
            Three,
        }
    };
}

described!("Words of a macro.");

#[test]
fn variants_are_described() {
    let schema = crdkit::render::render_schema(&<Described as KubeSchema>::SCHEMA).unwrap();
    let description = schema.description.unwrap();
    for words in ["Words of a macro.", "Other words.", "Deprecated."] {
        assert!(description.contains(words), "{description}");
    }
}

#[derive(KubeSchema, Deserialize)]
#[allow(dead_code)]
struct ReadByAFunction {
    #[serde(deserialize_with = "read")]
    there: Option<String>,
    #[serde(default, deserialize_with = "read")]
    left_out: Option<String>,
}

fn read<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    Option::deserialize(deserializer)
}

#[test]
fn serde_leaves_out_only_what_it_reads_itself() {
    let schema = crdkit::render::render_schema(&<ReadByAFunction as KubeSchema>::SCHEMA).unwrap();
    assert_eq!(schema.required, Some(vec!["there".to_owned()]));
    assert_eq!(schema.properties.unwrap()["there"].nullable, Some(true));
    assert!(serde_json::from_value::<ReadByAFunction>(json!({})).is_err());
    assert!(serde_json::from_value::<ReadByAFunction>(json!({ "there": null })).is_ok());
}

/// `serde_json` has 0.10000000149011612 for an `f32` of 0.1, which clients never send.
#[test]
fn defaults_of_32_bit_floats_have_their_shortest_text() {
    #[derive(KubeSchema, Serialize, Deserialize)]
    struct Shares {
        #[serde(default = "tenth")]
        #[crd(maximum = 0.1)]
        float: f32,
        #[serde(default = "tenth")]
        #[crd(format = "double", maximum = 0.1)]
        double: f32,
        #[crd(default = tenth(), example = tenth(), format = "double")]
        expression: f32,
        #[serde(default = "tenths", serialize_with = "write")]
        #[schemars(with = "Vec<f64>")]
        written: [f32; 2],
        #[crd(default = json!({ "a": [tenth()] }))]
        free: serde_json::Value,
    }
    fn tenth() -> f32 {
        0.1
    }
    fn tenths() -> [f32; 2] {
        [0.1, -2_856_804.2]
    }
    fn write<S: serde::Serializer>(numbers: &[f32; 2], serializer: S) -> Result<S::Ok, S::Error> {
        numbers.as_slice().serialize(serializer)
    }
    let schema = json!(crdkit::render::render_schema(&Shares::SCHEMA).unwrap());
    let properties = &schema["properties"];
    for name in ["float", "double", "expression"] {
        assert_eq!(properties[name]["default"], json!(0.1), "{name}");
    }
    assert_eq!(properties["expression"]["example"], json!(0.1));
    assert_eq!(properties["written"]["default"], json!([0.1, -2_856_804.2]));
    for name in ["float", "double"] {
        assert_eq!(properties[name]["maximum"], json!(0.1), "{name}");
    }
}

#[test]
fn defaults_that_cannot_be_written_are_errors() {
    #[derive(KubeSchema, Serialize, Deserialize)]
    struct Fleet {
        #[serde(default = "fleet", serialize_with = "write")]
        #[schemars(with = "String")]
        ships: String,
    }
    fn fleet() -> String {
        "titanic".to_owned()
    }
    fn write<S: serde::Serializer>(_: &String, _: S) -> Result<S::Ok, S::Error> {
        Err(serde::ser::Error::custom("it sank"))
    }
    let error = crdkit::render::render_schema(&Fleet::SCHEMA).unwrap_err();
    assert_eq!(error.to_string(), ".ships: the default cannot be written as JSON: it sank");
}

/// Documented elsewhere.
#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
struct Retired {
    #[doc = concat!("What ", "it is.")]
    #[deprecated(note = "no longer read")]
    one: bool,
    /// Not this.
    #[schemars(description = "What it is.")]
    #[deprecated]
    other: bool,
}

#[test]
fn deprecation_follows_any_description() {
    let schema = json!(crdkit::render::render_schema(&Retired::SCHEMA).unwrap());
    let of = |name: &str| schema["properties"][name]["description"].clone();
    assert_eq!(of("one"), "What it is.\n\nDeprecated: no longer read");
    assert_eq!(of("other"), "What it is.\n\nDeprecated.");
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
struct Borrowed<'a> {
    #[serde(borrow)]
    pair: (&'a str, &'a str),
}

#[test]
fn tuples_may_borrow() {
    let schema = json!(crdkit::render::render_schema(&Borrowed::SCHEMA).unwrap());
    assert_eq!(schema["properties"]["pair"]["items"]["type"], "string");
}
