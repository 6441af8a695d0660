//! Transforms of enums see the variants as schemars writes them, with both derives.

use kube::CustomResourceExt;
use schemars::{Schema, json_schema};
use serde_json::{Map, Value, json};

use crate::{
    comparison::compare,
    differences::{DIFFERENCES, remove},
};

/// One object of all variants, as it is written by hand where the definition would panic or be refused.
fn one_object(schema: &mut Schema) {
    let mut properties = Map::new();
    let mut names = Vec::new();
    for variant in taken(schema, "oneOf") {
        for (name, property) in variant["properties"].as_object().unwrap() {
            match name.as_str() {
                "type" => names.push(property["const"].clone()),
                _ => drop(properties.insert(name.clone(), property.clone())),
            }
        }
    }
    properties.insert("type".into(), json!({ "type": "string", "enum": names }));
    schema.insert("type".into(), "object".into());
    schema.insert("properties".into(), properties.into());
    schema.insert("required".into(), json!(["type"]));
}

/// One list of names, without their descriptions.
fn one_list(schema: &mut Schema) {
    let mut names = Vec::new();
    for variant in taken(schema, "oneOf") {
        names.extend(variant.get("const").cloned());
        names.extend(variant["enum"].as_array().cloned().unwrap_or_default());
    }
    schema.insert("type".into(), "string".into());
    schema.insert("enum".into(), names.into());
}

/// All variants but the last.
fn without_the_last(schema: &mut Schema) {
    let keyword = match schema.get("oneOf") {
        Some(_) => "oneOf",
        None => "anyOf",
    };
    let mut variants = taken(schema, keyword);
    variants.pop();
    schema.insert(keyword.into(), variants.into());
}

/// Any value, whatever the variants are.
fn anything(schema: &mut Schema) {
    *schema = json_schema!({ "x-kubernetes-preserve-unknown-fields": true });
}

/// A change that is not about the variants.
fn atomic(schema: &mut Schema) {
    schema.insert("x-kubernetes-map-type".into(), "atomic".into());
}

fn taken(schema: &mut Schema, keyword: &str) -> Vec<Value> {
    match schema.remove(keyword) {
        Some(Value::Array(variants)) => variants,
        other => panic!("expected variants in `{keyword}`, found {other:?}"),
    }
}

macro_rules! derived {
    ($module:ident { $($derives:item)+ }) => {
        #[allow(dead_code)]
        mod $module {
            use super::{anything, atomic, one_list, one_object, without_the_last};
            $($derives)+
            use serde::{Deserialize, Serialize};

            #[derive(CustomResource, JsonSchema, Serialize, Deserialize, Clone, Debug)]
            #[kube(group = "dropin.example.com", version = "v1", kind = "Transformed")]
            pub(super) struct TransformedSpec {
                login: Option<Login>,
                level: Level,
                place: Place,
                size: Size,
                volumes: Vec<Volume>,
                mixed: Mixed,
                odd: Vec<Odd>,
            }

            /// Names and objects.
            #[derive(JsonSchema, Serialize, Deserialize, Clone, Debug)]
            #[schemars(transform = anything)]
            enum Mixed {
                Unit,
                Data(i32),
            }

            #[derive(JsonSchema, Serialize, Deserialize, Clone, Debug)]
            #[serde(untagged)]
            #[schemars(transform = anything)]
            enum Odd {
                Text(String),
                Object { size: i32 },
            }

            /// How to log in.
            #[derive(JsonSchema, Serialize, Deserialize, Clone, Debug)]
            #[serde(tag = "type", rename_all = "kebab-case")]
            #[schemars(transform = one_object)]
            enum Login {
                /// With a token.
                Token { scope: Option<String> },
                Password(Password),
                Anonymous,
            }

            #[derive(JsonSchema, Serialize, Deserialize, Clone, Debug)]
            struct Password {
                /// The name of a Secret.
                secret: Option<String>,
            }

            /// How much is written.
            #[derive(JsonSchema, Serialize, Deserialize, Clone, Debug)]
            #[schemars(transform = one_list)]
            enum Level {
                Info,
                /// Everything.
                Debug,
                Warn,
            }

            #[derive(JsonSchema, Serialize, Deserialize, Clone, Debug)]
            #[schemars(transform = without_the_last)]
            enum Place {
                Node { name: String },
                Zone { zone: String, region: Option<String> },
                Anywhere { hidden: bool },
            }

            #[derive(JsonSchema, Serialize, Deserialize, Clone, Debug)]
            #[serde(untagged)]
            #[schemars(transform = without_the_last)]
            enum Size {
                Exact { bytes: u64 },
                Least { at_least: u64 },
                Legacy { size: String },
            }

            #[derive(JsonSchema, Serialize, Deserialize, Clone, Debug)]
            #[schemars(transform = atomic)]
            enum Volume {
                Disk { path: String },
                Memory { size: i32 },
            }
        }
    };
}

derived! {
    theirs {
        use kube::CustomResource;
        use schemars::JsonSchema;
    }
}

derived! {
    ours {
        use crdkit::{CustomResource, JsonSchema};
    }
}

#[test]
fn transforms_of_enums_make_the_same() {
    let (mut kube, mut crdkit) = (json!(theirs::Transformed::crd()), json!(ours::Transformed::crd()));
    remove(DIFFERENCES, "", &mut kube);
    remove(DIFFERENCES, "", &mut crdkit);
    let mut others = Vec::new();
    compare("", &kube, &crdkit, &mut others);
    assert!(others.is_empty(), "{}", others.join("\n"));
}
