//! The same types with serde's derives and with crdkit's.

use super::{compare, documents, formats};

macro_rules! types {
    ($($name:ident)*; $($tokens:tt)*) => {
        #[allow(dead_code, unreachable_pub, unreachable_patterns)]
        pub(super) mod theirs {
            use serde::{Deserialize, Serialize};
            $($tokens)*
        }
        #[allow(dead_code, unreachable_pub, unreachable_patterns)]
        pub(super) mod ours {
            use crdkit::serde::{Deserialize, Serialize};
            $($tokens)*
        }
        #[test]
        fn types_are_the_same_in_other_formats() {
            let documents: Vec<_> = documents::all().into_iter().step_by(3).collect();
            $(formats::compare::<theirs::$name, ours::$name>(stringify!($name), &documents);)*
        }
        #[test]
        fn types_are_read_and_written_as_by_serde() {
            $(compare::<theirs::$name, ours::$name>(stringify!($name));)*
        }
    };
}

types! {
    Plain Renamed Defaulted DefaultOfAll Skipping Strict Wrapped Pair Unit Transparent Choice Named Converted Checked
    Functions Lists Deep Other Flat FlatMap Internal Adjacent Untagged AnyOf
    Kubernetes OfPlain OfOption Cows Odd Wide TypeTag Raw TaggedInteger
    OneValue Single SingleDefault Absent Marked SameName FlatOption RenamedUnit RenamedSingle Expecting BoundInteger InferredBounds
    DefaultAndFlat Names Static Packed SameOwnName;

    use std::borrow::Cow;
    use std::collections::{BTreeMap, BTreeSet, HashMap};
    use std::sync::Arc;
    use std::time::Duration;

    #[derive(Serialize, Deserialize, Debug, Clone, PartialEq, Default)]
    pub struct Plain { pub a: i32, pub b: String, pub c: Option<bool>, pub d: f64 }

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

    use k8s_openapi::apimachinery::pkg::{
        api::resource::Quantity,
        apis::meta::v1::{Condition, ObjectMeta, Time},
        util::intstr::IntOrString,
    };

    #[derive(Serialize, Deserialize, Debug)]
    pub struct Kubernetes {
        a: Option<IntOrString>,
        b: Option<Quantity>,
        c: Option<serde_json::Value>,
        d: Option<Time>,
        metadata: Option<ObjectMeta>,
        conditions: Option<Vec<Condition>>,
    }

    #[derive(Serialize, Deserialize, Debug)]
    pub struct Generic<T, U: Default = u8> { a: T, #[serde(default)] b: Option<Box<U>>, #[serde(skip)] c: U }
    pub type OfPlain = Generic<Plain, String>;
    pub type OfOption = Generic<Option<i32>>;

    #[derive(Serialize, Deserialize, Debug)]
    pub struct Borrowed<'a> { a: Cow<'a, str>, b: Option<Vec<Cow<'a, str>>> }
    pub type Cows = Borrowed<'static>;

    #[derive(Serialize, Deserialize, Debug)]
    #[serde(tag = "b", bound(deserialize = "T: serde::de::DeserializeOwned"))]
    pub enum TaggedGeneric<T> { #[serde(rename = "text")] Text { a: T }, #[serde(rename = "x")] Other }
    pub type TaggedInteger = TaggedGeneric<i32>;

    #[derive(Serialize, Deserialize, Debug)]
    pub struct Odd { a: Option<[i32; 2]>, b: Option<Arc<str>>, c: Option<u128>, d: Option<Result<u8, char>>, #[serde(default)] e: () }

    /// More fields than bits of a number.
    #[derive(Serialize, Deserialize, Debug)]
    pub struct Wide { f0: Option<u8>, f1: Option<u8>, f2: Option<u8>, f3: Option<u8>, f4: Option<u8>, f5: Option<u8>, f6: Option<u8>, f7: Option<u8>, f8: Option<u8>, f9: Option<u8>, f10: Option<u8>, f11: Option<u8>, f12: Option<u8>, f13: Option<u8>, f14: Option<u8>, f15: Option<u8>, f16: Option<u8>, f17: Option<u8>, f18: Option<u8>, f19: Option<u8>, f20: Option<u8>, f21: Option<u8>, f22: Option<u8>, f23: Option<u8>, f24: Option<u8>, f25: Option<u8>, f26: Option<u8>, f27: Option<u8>, f28: Option<u8>, f29: Option<u8>, f30: Option<u8>, f31: Option<u8>, f32: Option<u8>, f33: Option<u8>, f34: Option<u8>, f35: Option<u8>, f36: Option<u8>, f37: Option<u8>, f38: Option<u8>, f39: Option<u8>, f40: Option<u8>, f41: Option<u8>, f42: Option<u8>, f43: Option<u8>, f44: Option<u8>, f45: Option<u8>, f46: Option<u8>, f47: Option<u8>, f48: Option<u8>, f49: Option<u8>, f50: Option<u8>, f51: Option<u8>, f52: Option<u8>, f53: Option<u8>, f54: Option<u8>, f55: Option<u8>, f56: Option<u8>, f57: Option<u8>, f58: Option<u8>, f59: Option<u8>, f60: Option<u8>, f61: Option<u8>, f62: Option<u8>, f63: Option<u8>, a: Option<i32>, b: Option<String>, c: u8 }

    /// Newtypes and variants with one value, of which serde's derive ignores some attributes.
    #[derive(Serialize, Deserialize, Debug)]
    pub enum OneValue {
        A(#[serde(skip_serializing_if = "Option::is_none")] Option<i32>),
        B(#[serde(default)] i32),
        C,
    }

    #[derive(Serialize, Deserialize, Debug)]
    pub struct Single(#[serde(default, skip_serializing_if = "Option::is_none")] Option<i32>);

    #[derive(Serialize, Deserialize, Debug, Default)]
    #[serde(default)]
    pub struct SingleDefault(i32);

    /// Types whose fields may be missing.
    #[derive(Serialize, Deserialize, Debug)]
    pub struct Absent { a: FromOption, b: CheckedOption, c: TransparentFunction, d: Transparent }

    #[derive(Serialize, Deserialize, Debug, Clone)]
    #[serde(from = "Option<i32>", into = "Option<i32>")]
    pub struct FromOption(Option<i32>);
    impl From<Option<i32>> for FromOption { fn from(it: Option<i32>) -> Self { Self(it) } }
    impl From<FromOption> for Option<i32> { fn from(it: FromOption) -> Self { it.0 } }

    #[derive(Serialize, Deserialize, Debug, Clone)]
    #[serde(try_from = "Option<String>", into = "Option<String>")]
    pub struct CheckedOption(Option<String>);
    impl TryFrom<Option<String>> for CheckedOption {
        type Error = String;
        fn try_from(it: Option<String>) -> Result<Self, String> {
            if it.as_deref() == Some("A") { Err("no A".into()) } else { Ok(Self(it)) }
        }
    }
    impl From<CheckedOption> for Option<String> { fn from(it: CheckedOption) -> Self { it.0 } }

    #[derive(Serialize, Deserialize, Debug)]
    #[serde(transparent)]
    pub struct TransparentFunction { #[serde(deserialize_with = "lenient")] value: Option<i32> }
    fn lenient<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<i32>, D::Error> {
        Option::deserialize(deserializer)
    }

    #[derive(Serialize, Deserialize, Debug)]
    #[serde(transparent)]
    pub struct WithMarker<T> { value: i32, marker: std::marker::PhantomData<T> }
    pub type Marked = WithMarker<u8>;

    /// A name that two fields have.
    #[derive(Serialize, Deserialize, Debug)]
    pub struct SameName { #[serde(alias = "c", default)] a: i32, #[serde(default)] b: Option<String>, #[serde(default)] c: i32 }

    #[derive(Serialize, Deserialize, Debug)]
    pub struct SameOwnName { #[serde(rename = "a", default)] x: i32, #[serde(default)] a: Option<String>, #[serde(default)] c: i32 }

    #[derive(Serialize, Deserialize, Debug)]
    pub struct FlatOption { a: i32, #[serde(flatten)] rest: OptionOfStrings }

    #[derive(Serialize, Deserialize, Debug)]
    #[serde(transparent)]
    pub struct OptionOfStrings(Option<Strings>);

    #[derive(Serialize, Deserialize, Debug)]
    #[serde(rename = "R")]
    pub struct RenamedUnit;

    #[derive(Serialize, Deserialize, Debug)]
    #[serde(rename = "R")]
    pub struct RenamedSingle(i32);

    #[derive(Serialize, Deserialize, Debug)]
    #[serde(expecting = "a pair of numbers")]
    pub struct Expecting(i32, i32);

    /// Bounds that serde's derives infer, or that attributes give.
    #[derive(Serialize, Deserialize, Debug)]
    #[serde(bound(serialize = "T: Serialize + Clone", deserialize = "T: Deserialize<'de>"))]
    pub struct Bound<T> {
        #[serde(with = "list")] a: Vec<T>,
        #[serde(default)] b: Option<Box<Self>>,
        #[serde(skip)] c: std::marker::PhantomData<T>,
    }
    pub type BoundInteger = Bound<i32>;
    mod list {
        use serde::{Deserialize, Deserializer, Serialize, Serializer};
        pub fn serialize<T: Serialize + Clone, S: Serializer>(it: &[T], serializer: S) -> Result<S::Ok, S::Error> {
            it.to_vec().serialize(serializer)
        }
        pub fn deserialize<'de, T: Deserialize<'de>, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<T>, D::Error> {
            Vec::deserialize(deserializer)
        }
    }

    #[derive(Serialize, Deserialize, Debug)]
    pub struct Inferred<T, U: Iterator> {
        #[serde(default)] a: T,
        b: U::Item,
        #[serde(skip)] c: (std::marker::PhantomData<U>, Option<T>),
    }
    pub type InferredBounds = Inferred<i32, std::vec::IntoIter<Option<String>>>;

    #[derive(Serialize, Deserialize, Debug, Default)]
    #[serde(default)]
    pub struct GenericDefault<T> { a: T, b: Option<String>, #[serde(flatten)] rest: BTreeMap<String, i32> }
    pub type DefaultAndFlat = GenericDefault<i32>;

    /// Names that generated code has too.
    #[derive(Serialize, Deserialize, Debug)]
    pub struct Names {
        #[serde(default = "source")] a: i32,
        #[serde(default = "step", skip_serializing_if = "sink")] b: Option<String>,
        #[serde(default)] index: u8,
        #[serde(default)] r#type: u8,
    }
    fn source() -> i32 { 1 }
    fn step() -> Option<String> { None }
    fn sink(it: &Option<String>) -> bool { it.is_none() }

    #[derive(Serialize, Deserialize, Debug)]
    pub struct Static { a: i32, #[serde(default, skip_deserializing)] b: &'static str }

    #[derive(Serialize, Deserialize, Debug, Clone, Copy)]
    #[repr(C, packed)]
    pub struct Packed { a: i32, c: u8 }

    #[derive(Serialize, Deserialize, Debug)]
    #[serde(tag = "b", rename = "text")]
    pub struct TypeTag { a: i32 }

    #[derive(Serialize, Deserialize, Debug)]
    pub struct Raw { r#a: u8, #[serde(rename = "b")] r#type: Option<String>, r#c: Option<bool> }

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
