//! What the schema of a type accepts, its derives of `crdkit::serde` read; and what they write, the schema accepts.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crdkit::{
    CustomResource, KubeSchema,
    serde::{Deserialize, Serialize},
    testing::{roundtrip, roundtrip_of_type},
};
use k8s_openapi::apimachinery::pkg::{
    api::resource::Quantity,
    apis::meta::v1::{Condition, Time},
    util::intstr::IntOrString,
};
use serde_json::Value;

macro_rules! types {
    ($($name:ident: $type:ty = { $($definition:tt)* })*) => {
        $($($definition)*)*
        $(
            #[test]
            fn $name() {
                roundtrip_of_type::<$type>();
            }
        )*
    };
}

types! {
    names: Names = {
        #[derive(KubeSchema, Serialize, Deserialize, Debug)]
        #[serde(rename_all = "camelCase")]
        struct Names { first_field: u8, #[serde(rename = "other")] second: Option<String>, #[serde(alias = "c")] r#use: bool }
    }
    defaults: Defaults = {
        #[derive(KubeSchema, Serialize, Deserialize, Debug)]
        struct Defaults {
            #[serde(default)] a: u16,
            #[serde(default = "text")] b: String,
            #[serde(default, skip_serializing_if = "Vec::is_empty")] c: Vec<i64>,
            #[serde(skip)] _d: u8,
            e: Option<Strings>,
        }
        fn text() -> String { "default".to_owned() }

        #[derive(KubeSchema, Serialize, Deserialize, Debug, Default)]
        #[serde(default)]
        struct Strings { a: String, b: Option<BTreeMap<String, String>>, c: BTreeSet<String> }
    }
    numbers: Numbers = {
        #[derive(KubeSchema, Serialize, Deserialize, Debug)]
        struct Numbers { a: i8, b: u32, c: i64, d: f64, e: Option<f32>, f: HashMap<String, u8>, g: char }
    }
    kubernetes: Kubernetes = {
        #[derive(KubeSchema, Serialize, Deserialize, Debug)]
        struct Kubernetes { a: Option<IntOrString>, b: Quantity, c: Time, d: Vec<Condition>, e: Option<Value> }
    }
    wrappers: Wrappers = {
        #[derive(KubeSchema, Serialize, Deserialize, Debug)]
        struct Wrapped(Vec<i32>);

        #[derive(KubeSchema, Serialize, Deserialize, Debug)]
        #[serde(transparent)]
        struct Transparent { value: BTreeMap<String, bool> }

        #[derive(KubeSchema, Serialize, Deserialize, Debug)]
        struct Generic<T> { a: T, b: Vec<T> }

        #[derive(KubeSchema, Serialize, Deserialize, Debug)]
        struct Wrappers { a: Wrapped, b: Option<Transparent>, c: Generic<String>, d: Box<Generic<Wrapped>> }
    }
    converted: Converted = {
        #[derive(KubeSchema, Serialize, Deserialize, Debug, Clone)]
        #[serde(from = "Limits", into = "Limits")]
        struct Converted(Limits);
        impl From<Limits> for Converted { fn from(it: Limits) -> Self { Self(it) } }
        impl From<Converted> for Limits { fn from(it: Converted) -> Self { it.0 } }

        #[derive(KubeSchema, Serialize, Deserialize, Debug, Clone)]
        struct Limits { #[schemars(range(min = 1))] a: i32, #[serde(default)] b: Option<u64> }
    }
    functions: Functions = {
        #[derive(KubeSchema, Serialize, Deserialize, Debug)]
        struct Functions { #[serde(with = "in_text")] #[schemars(with = "BTreeSet<String>")] a: String, b: Option<bool> }

        mod in_text {
            use std::collections::BTreeSet;

            use serde::{Deserialize, Deserializer, Serializer};

            pub(super) fn serialize<S: Serializer>(it: &str, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_seq(it.split_terminator('\n'))
            }

            pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
                let lines = BTreeSet::<String>::deserialize(deserializer)?;
                Ok(lines.into_iter().filter(|line| !line.is_empty() && !line.contains('\n')).map(|line| line + "\n").collect())
            }
        }
    }
    units: Unit = {
        #[derive(KubeSchema, Serialize, Deserialize, Debug)]
        #[serde(rename_all = "camelCase")]
        enum Unit { First, SecondOne, #[serde(rename = "3")] Third }
    }
    external: External = {
        #[derive(KubeSchema, Serialize, Deserialize, Debug)]
        #[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
        enum External { Text(String), Fields { some_number: i32, #[serde(default)] other: Option<String> }, Boxed(Box<Wrapped>) }
    }
    internal: Internal = {
        #[derive(KubeSchema, Serialize, Deserialize, Debug)]
        #[serde(tag = "type")]
        enum Internal { A, B { size: u8 }, C(Limits) }
    }
    adjacent: Adjacent = {
        #[derive(KubeSchema, Serialize, Deserialize, Debug)]
        #[serde(tag = "type", content = "value")]
        enum Adjacent { Limited(Limits), Fields { size: u8 } }
    }
    flat: Flat = {
        #[derive(KubeSchema, Serialize, Deserialize, Debug)]
        struct Flat { own: i32, #[serde(flatten)] names: Names, #[serde(flatten)] adjacent: Option<Adjacent> }
    }
}

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Site", namespaced, status = "SiteStatus")]
#[serde(rename_all = "camelCase")]
struct SiteSpec {
    host_name: String,
    #[crd(default = 3)]
    replicas: i32,
    limits: Option<Limits>,
    #[serde(default)]
    labels: BTreeMap<String, String>,
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
struct SiteStatus {
    #[serde(default)]
    conditions: Vec<Condition>,
    ready: Option<bool>,
}

#[test]
fn resources() {
    roundtrip::<Site>();
}
