//! The same types with serde's derives and with crdkit's.

use super::compare;

macro_rules! types {
    ($($name:ident)*; $($tokens:tt)*) => {
        #[allow(dead_code)]
        mod theirs {
            use serde::{Deserialize, Serialize};
            $($tokens)*
        }
        #[allow(dead_code)]
        mod ours {
            use crdkit::serde::{Deserialize, Serialize};
            $($tokens)*
        }
        #[test]
        fn types_are_read_and_written_as_by_serde() {
            $(compare::<theirs::$name, ours::$name>(stringify!($name));)*
        }
    };
}

types! {
    Plain Renamed Defaulted DefaultOfAll Skipping Strict Wrapped Pair Unit Transparent Choice Named Converted Checked
    Functions Lists Deep Other Flat FlatMap Internal Adjacent Untagged AnyOf;

    use std::collections::{BTreeMap, BTreeSet, HashMap};
    use std::time::Duration;

    #[derive(Serialize, Deserialize, Debug, Clone, PartialEq, Default)]
    pub struct Plain { a: i32, b: String, c: Option<bool>, d: f64 }

    #[derive(Serialize, Deserialize, Debug)]
    #[serde(rename_all = "camelCase")]
    pub struct Renamed {
        #[serde(rename = "a")] first_field: u8,
        #[serde(alias = "b", alias = "c")] second_field: Option<String>,
        #[serde(rename(serialize = "out", deserialize = "d"), default)] third: Option<f64>,
    }

    #[derive(Serialize, Deserialize, Debug)]
    pub struct Defaulted { #[serde(default)] a: u16, #[serde(default = "text")] b: String, c: Option<char> }
    fn text() -> String { "default".to_owned() }

    #[derive(Serialize, Deserialize, Debug)]
    #[serde(default)]
    pub struct DefaultOfAll { a: i64, b: Option<String>, #[serde(skip)] e: u8 }
    impl Default for DefaultOfAll { fn default() -> Self { Self { a: 7, b: Some("x".into()), e: 9 } } }

    #[derive(Serialize, Deserialize, Debug)]
    pub struct Skipping {
        #[serde(skip_serializing_if = "Option::is_none", default)] a: Option<i8>,
        #[serde(skip_serializing, default)] b: String,
        #[serde(skip_deserializing)] c: u8,
        #[serde(skip_serializing_if = "Vec::is_empty", default)] d: Vec<u8>,
    }

    #[derive(Serialize, Deserialize, Debug)]
    #[serde(deny_unknown_fields)]
    pub struct Strict { a: Option<i32>, #[serde(alias = "bb")] b: Option<String> }

    #[derive(Serialize, Deserialize, Debug)]
    pub struct Wrapped(Vec<i32>);

    #[derive(Serialize, Deserialize, Debug)]
    pub struct Pair(i32, #[serde(default)] String);

    #[derive(Serialize, Deserialize, Debug)]
    pub struct Unit;

    #[derive(Serialize, Deserialize, Debug)]
    #[serde(transparent)]
    pub struct Transparent { value: Option<i32> }

    #[derive(Serialize, Deserialize, Debug)]
    #[serde(rename_all = "camelCase")]
    pub enum Choice { A, #[serde(alias = "Second")] BbCc, #[serde(skip)] C, D }

    #[derive(Serialize, Deserialize, Debug)]
    pub enum Named { A, B(i32), C(i32, String), D { a: i32, #[serde(default)] b: Option<String> }, E(Box<Named>) }

    #[derive(Serialize, Deserialize, Debug, Clone)]
    #[serde(from = "Plain", into = "Plain")]
    pub struct Converted(Plain);
    impl From<Plain> for Converted { fn from(it: Plain) -> Self { Self(it) } }
    impl From<Converted> for Plain { fn from(it: Converted) -> Self { it.0 } }

    #[derive(Serialize, Deserialize, Debug, Clone)]
    #[serde(try_from = "i32", into = "i32")]
    pub struct Checked(i32);
    impl TryFrom<i32> for Checked {
        type Error = String;
        fn try_from(it: i32) -> Result<Self, String> { if it > 0 { Ok(Self(it)) } else { Err(format!("{it} is too small")) } }
    }
    impl From<Checked> for i32 { fn from(it: Checked) -> Self { it.0 } }

    #[derive(Serialize, Deserialize, Debug)]
    pub struct Functions {
        #[serde(with = "hex")] a: i64,
        #[serde(deserialize_with = "hex::deserialize", default)] c: i64,
        #[serde(serialize_with = "hex::serialize")] d: i64,
    }
    mod hex {
        use serde::{Deserialize, Deserializer, Serializer, de::Error};
        pub fn serialize<S: Serializer>(it: &i64, serializer: S) -> Result<S::Ok, S::Error> {
            serializer.serialize_str(&format!("{it:x}"))
        }
        pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<i64, D::Error> {
            let text = String::deserialize(deserializer)?;
            i64::from_str_radix(&text, 16).map_err(D::Error::custom)
        }
    }

    #[derive(Serialize, Deserialize, Debug)]
    pub struct Lists {
        #[serde(default)] a: Vec<Plain>,
        #[serde(default)] b: BTreeMap<String, Vec<i32>>,
        #[serde(default)] c: BTreeSet<String>,
        #[serde(default)] d: BTreeMap<Key, u8>,
        e: Option<Duration>,
        f: Option<(i32, String)>,
        g: Option<HashMap<u8, bool>>,
    }

    #[derive(Serialize, Deserialize, Debug, PartialEq, Eq, PartialOrd, Ord)]
    pub enum Key { A, B }

    #[derive(Serialize, Deserialize, Debug)]
    pub struct Deep { a: Option<Box<Deep>>, #[serde(default)] b: Vec<Deep>, #[serde(default)] c: BTreeMap<String, Deep> }

    #[derive(Serialize, Deserialize, Debug)]
    pub enum Other { A, B, #[serde(other)] Rest }

    #[derive(Serialize, Deserialize, Debug)]
    pub struct Flat { a: i32, #[serde(flatten)] rest: Strings }

    #[derive(Serialize, Deserialize, Debug)]
    pub struct Strings { b: Option<String>, c: Option<bool> }

    #[derive(Serialize, Deserialize, Debug)]
    pub struct FlatMap { a: Option<i32>, #[serde(flatten)] rest: BTreeMap<String, serde_json::Value> }

    #[derive(Serialize, Deserialize, Debug)]
    #[serde(tag = "b")]
    pub enum Internal { #[serde(rename = "text")] Text { a: i32 }, #[serde(rename = "x")] Plain(Plain), A }

    #[derive(Serialize, Deserialize, Debug)]
    #[serde(tag = "b", content = "a")]
    pub enum Adjacent { #[serde(rename = "text")] Number(i32), #[serde(rename = "x")] List(Vec<i32>), A }

    #[derive(Serialize, Deserialize, Debug)]
    #[serde(untagged)]
    pub enum Untagged { Number(i64), Text(String), Object { a: i32 }, List(Vec<Untagged>) }

    #[derive(Serialize, Deserialize, Debug)]
    pub struct AnyOf { a: Option<Untagged>, b: Option<Choice>, c: Option<Named>, d: Option<Internal> }
}
