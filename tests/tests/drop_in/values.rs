//! A resource with a field of each type of the standard library and of other crates. Derived twice; this file does not name the derive.

use std::{
    borrow::Cow,
    cell::RefCell,
    collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap, HashSet, LinkedList, VecDeque},
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, SocketAddrV4, SocketAddrV6},
    num::{NonZero, Wrapping},
    ops::{Range, RangeInclusive},
    path::PathBuf,
    rc::Rc,
    sync::{Arc, LazyLock},
    time::{Duration, SystemTime},
};

use k8s_openapi::{
    apimachinery::pkg::{
        api::resource::Quantity,
        apis::meta::v1::{Condition, LabelSelector, Time},
        util::intstr::IntOrString,
    },
    jiff::{SignedDuration, Span, Timestamp, civil},
};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Number, Value, value::RawValue};
use url::Url;
use uuid::Uuid;

use super::derives::{CustomResource, JsonSchema, KubeSchema};

#[derive(CustomResource, JsonSchema, Serialize, Deserialize, Clone, Debug)]
#[kube(group = "dropin.example.com", version = "v1", kind = "Values")]
pub(crate) struct ValuesSpec {
    pub(crate) boolean: bool,
    pub(crate) int8: i8,
    pub(crate) int16: i16,
    pub(crate) int32: i32,
    pub(crate) int64: i64,
    pub(crate) int128: i128,
    pub(crate) intsize: isize,
    pub(crate) uint8: u8,
    pub(crate) uint16: u16,
    pub(crate) uint32: u32,
    pub(crate) uint64: u64,
    pub(crate) uint128: u128,
    pub(crate) uintsize: usize,
    pub(crate) nonzero_u8: NonZero<u8>,
    pub(crate) nonzero_i32: NonZero<i32>,
    pub(crate) wrapping: Wrapping<i32>,
    pub(crate) float: f32,
    pub(crate) double: f64,
    pub(crate) number: Number,
    pub(crate) character: char,
    pub(crate) text: String,
    pub(crate) boxed_text: Box<str>,
    pub(crate) borrowed: Cow<'static, str>,
    pub(crate) shared: Arc<str>,
    pub(crate) counted: Rc<str>,
    pub(crate) path: PathBuf,
    pub(crate) optional: Option<u8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) skipped: Option<bool>,
    #[serde(skip)]
    #[allow(dead_code)]
    pub(crate) never: (),
    pub(crate) boxed: Box<Option<bool>>,
    pub(crate) list: Vec<String>,
    pub(crate) nested_list: Vec<Vec<Option<bool>>>,
    pub(crate) queue: VecDeque<String>,
    #[expect(clippy::linkedlist, reason = "it has a schema, too")]
    pub(crate) linked: LinkedList<bool>,
    pub(crate) set: BTreeSet<String>,
    pub(crate) hash_set: HashSet<bool>,
    pub(crate) list_set: BTreeSet<Vec<u8>>,
    pub(crate) array: [bool; 2],
    pub(crate) pair: (bool, bool),
    pub(crate) triple: (u8, u16, u32),
    pub(crate) point: Point,
    pub(crate) newtype: Newtype,
    pub(crate) transparent: Transparent,
    pub(crate) map: BTreeMap<String, bool>,
    pub(crate) number_map: HashMap<i64, bool>,
    pub(crate) name_map: BTreeMap<Colour, bool>,
    pub(crate) optional_map: BTreeMap<String, Option<String>>,
    pub(crate) optional_names: Vec<Option<Colour>>,
    pub(crate) optional_name_map: BTreeMap<String, Option<Colour>>,
    pub(crate) any: Value,
    pub(crate) anys: Vec<Value>,
    pub(crate) any_map: BTreeMap<String, Value>,
    pub(crate) object: Map<String, Value>,
    pub(crate) raw: Box<RawValue>,
    pub(crate) duration: Duration,
    pub(crate) system_time: SystemTime,
    pub(crate) range: Range<bool>,
    pub(crate) ip: IpAddr,
    pub(crate) ipv4: Ipv4Addr,
    pub(crate) ipv6: Ipv6Addr,
    pub(crate) socket: SocketAddr,
    pub(crate) web: Url,
    pub(crate) id: Uuid,
    pub(crate) timestamp: Timestamp,
    pub(crate) date: civil::Date,
    pub(crate) signed: SignedDuration,
    pub(crate) span: Span,
    pub(crate) chrono_time: chrono::DateTime<chrono::Utc>,
    pub(crate) time: Time,
    pub(crate) quantity: Option<Quantity>,
    pub(crate) port: Option<IntOrString>,
    #[schemars(length(max = 4))]
    pub(crate) short_port: IntOrString,
    pub(crate) condition: Condition,
    pub(crate) conditions: Vec<Condition>,
    pub(crate) selector: LabelSelector,
    #[schemars(ip)]
    pub(crate) address: String,
    /// No longer wanted.
    #[deprecated]
    pub(crate) old: bool,
    pub(crate) generic: Generic<bool, Colour>,
    pub(crate) defaults: Defaults,
    pub(crate) plain_defaults: PlainDefaults,
    pub(crate) strict: Strict,
    pub(crate) heap: BinaryHeap<i32>,
    pub(crate) cell: RefCell<bool>,
    pub(crate) whole_range: RangeInclusive<i32>,
    pub(crate) socket_v4: SocketAddrV4,
    pub(crate) socket_v6: SocketAddrV6,
    pub(crate) naive_date: chrono::NaiveDate,
    pub(crate) naive_time: chrono::NaiveTime,
    pub(crate) converted: Converted,
    #[serde(with = "PlaceDef")]
    pub(crate) place: Place,
    pub(crate) tagged: Tagged,
    pub(crate) outer: Outer,
    pub(crate) validated: Validated,
    pub(crate) ruled: Ruled,
    pub(crate) open: Open,
    #[serde(with = "hex")]
    #[schemars(with = "String")]
    pub(crate) hex: i64,
    #[serde(alias = "other", rename = "renamed")]
    pub(crate) aliased: bool,
}

#[derive(JsonSchema, Serialize, Deserialize, Clone, Debug)]
pub(crate) struct Point(i32, i32);

#[derive(JsonSchema, Serialize, Deserialize, Clone, Debug)]
pub(crate) struct Newtype(String);

#[derive(JsonSchema, Serialize, Deserialize, Clone, Debug)]
#[serde(transparent)]
pub(crate) struct Transparent {
    list: Vec<bool>,
}

#[derive(JsonSchema, Serialize, Deserialize, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Colour {
    Red,
    Green,
}

#[derive(JsonSchema, Serialize, Deserialize, Clone, Debug)]
pub(crate) struct Generic<A, B: Clone = A>
where
    A: Clone,
{
    a: A,
    b: Vec<B>,
}

#[derive(JsonSchema, Serialize, Deserialize, Clone, Debug)]
#[serde(default, rename_all = "SCREAMING_SNAKE_CASE")]
pub(crate) struct Defaults {
    first_size: i32,
    text: Option<String>,
    colour: Colour,
}

#[derive(JsonSchema, Serialize, Deserialize, Clone, Debug)]
pub(crate) struct PlainDefaults {
    #[serde(default)]
    flag: bool,
    #[serde(default)]
    size: Box<i64>,
    #[serde(default)]
    text: String,
    #[serde(default)]
    share: f64,
    #[serde(default)]
    list: Vec<bool>,
    #[serde(default)]
    map: BTreeMap<String, bool>,
    #[serde(default)]
    maybe: Option<String>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    left_out: bool,
    #[serde(default, with = "hex")]
    #[schemars(with = "String")]
    hex: i64,
}

impl Default for Defaults {
    fn default() -> Self {
        Self { first_size: 3, text: Some("text".to_owned()), colour: Colour::Green }
    }
}

#[derive(JsonSchema, Serialize, Deserialize, Clone, Debug)]
#[serde(deny_unknown_fields)]
pub(crate) struct Strict {
    one: String,
    two: bool,
}

#[derive(JsonSchema, Serialize, Deserialize, Clone, Debug)]
pub(crate) struct Outer {
    name: String,
    #[serde(flatten)]
    always: Always,
    #[serde(flatten)]
    maybe: Option<Maybe>,
}

/// Written as another type.
#[derive(JsonSchema, Serialize, Deserialize, Clone, Debug)]
#[serde(try_from = "String", into = "String")]
pub(crate) struct Converted(u8);

impl TryFrom<String> for Converted {
    type Error = std::num::ParseIntError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse().map(Self)
    }
}

impl From<Converted> for String {
    fn from(converted: Converted) -> Self {
        converted.0.to_string()
    }
}

/// A value without a derive.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    pub(crate) zone: String,
}

#[derive(JsonSchema, Serialize, Deserialize)]
#[serde(remote = "Place")]
struct PlaceDef {
    zone: String,
}

#[derive(Serialize, Deserialize)]
#[serde(transparent)]
#[allow(dead_code)]
pub(crate) struct Placed(#[serde(with = "PlaceDef")] Place);

#[derive(JsonSchema, Serialize, Deserialize, Clone, Debug)]
#[serde(tag = "type")]
pub(crate) struct Tagged {
    size: i32,
}

#[derive(JsonSchema, Serialize, Deserialize, Clone, Debug)]
pub(crate) struct Validated {
    #[garde(inner(ascii, length(min = 1)))]
    names: Vec<String>,
    #[schemars(regex(pattern = NAME))]
    name: String,
    #[schemars(length(min = 3), pattern("^[a-z]+$"))]
    #[validate(length(min = 3), regex(path = NAME))]
    #[garde(length(min = 3), pattern("^[a-z]+$"))]
    repeated: String,
    #[garde(range(min = 1), range(max = 9))]
    #[validate(range(min = 2, max = 8))]
    differing: i32,
    #[serde(flatten)]
    #[schemars(required)]
    needed: Option<Needed>,
}

static NAME: LazyLock<String> = LazyLock::new(|| "^[a-z]+$".to_owned());

#[derive(JsonSchema, Serialize, Deserialize, Clone, Debug)]
pub(crate) struct Needed {
    least: i32,
    most: i32,
}

#[derive(JsonSchema, Serialize, Deserialize, Clone, Debug)]
pub(crate) struct Always {
    size: i32,
}

#[derive(JsonSchema, Serialize, Deserialize, Clone, Debug)]
pub(crate) struct Maybe {
    host: String,
    port: i32,
}

#[derive(JsonSchema, Serialize, Deserialize, Clone, Debug)]
pub(crate) struct Ruled {
    name: String,
    #[serde(flatten)]
    maybe: Option<Limits>,
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[x_kube(validation = "self.low <= self.high")]
pub(crate) struct Limits {
    low: i32,
    high: i32,
}

#[derive(JsonSchema, Serialize, Deserialize, Clone, Debug)]
pub(crate) struct Open {
    known: bool,
    #[serde(flatten)]
    others: BTreeMap<String, Value>,
}

mod hex {
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub(super) fn serialize<S: Serializer>(number: &i64, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&format_args!("{number:x}"))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<i64, D::Error> {
        let text = String::deserialize(deserializer)?;
        i64::from_str_radix(&text, 16).map_err(D::Error::custom)
    }
}
