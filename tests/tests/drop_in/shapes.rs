//! The shapes that both derives have, each with the schema of both and with values.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, LabelSelector};
use kube::CustomResourceExt;
use serde_json::{Value, json};

use crate::{crdkit_types as ours, kube_types as theirs, served_fields::reencode};

/// A type in a field, as both derive it.
pub(crate) struct Shape {
    pub(crate) name: &'static str,
    /// Kube-derive's schema, or the words of its panic.
    pub(crate) kube: Result<Value, String>,
    pub(crate) crdkit: Value,
    pub(crate) values: Vec<Value>,
    /// The function [`reencode`] of the type.
    pub(crate) reencode: fn(&Value) -> Option<Value>,
}

/// The schema of a field of the spec.
fn field(crd: &Value, name: &str) -> Value {
    let schema = &crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"];
    schema["properties"]["spec"]["properties"][name].clone()
}

/// A definition, or the words of the panic in its place.
pub(crate) fn definition<K: CustomResourceExt>() -> Result<Value, String> {
    let crd = std::panic::catch_unwind(|| json!(K::crd()));
    crd.map_err(|panic| {
        let text = panic.downcast_ref::<String>().cloned();
        text.unwrap_or_else(|| panic.downcast_ref::<&str>().unwrap_or(&"").to_string())
    })
}

macro_rules! values {
    ($($field:ident: $type:ty = $values:tt;)+) => {
        pub(crate) fn values() -> Vec<Shape> {
            use crate::crdkit_types::values::*;
            let (kube, crdkit) = (json!(theirs::values::Values::crd()), json!(ours::values::Values::crd()));
            vec![$(Shape {
                name: stringify!($field),
                kube: Ok(field(&kube, stringify!($field))),
                crdkit: field(&crdkit, stringify!($field)),
                values: serde_json::from_value(json!($values)).unwrap(),
                reencode: reencode::<$type>,
            }),+]
        }
    };
}

values! {
    boolean: bool = [true];
    int8: i8 = [-128, 127];
    int16: i16 = [-32768];
    int32: i32 = [-2147483648];
    int64: i64 = [i64::MIN];
    int128: i128 = [1];
    intsize: isize = [1];
    uint8: u8 = [255];
    uint16: u16 = [65535];
    uint32: u32 = [1];
    uint64: u64 = [i64::MAX];
    uint128: u128 = [1];
    uintsize: usize = [1];
    nonzero_u8: std::num::NonZero<u8> = [1];
    nonzero_i32: std::num::NonZero<i32> = [-1, 1];
    wrapping: std::num::Wrapping<i32> = [1];
    float: f32 = [0.5];
    double: f64 = [0.5];
    number: serde_json::Number = [1, 0.5];
    character: char = ["a"];
    text: String = ["a"];
    boxed_text: Box<str> = ["a"];
    borrowed: String = ["a"];
    shared: std::sync::Arc<str> = ["a"];
    counted: std::rc::Rc<str> = ["a"];
    path: std::path::PathBuf = ["/a"];
    optional: Option<u8> = [1, null];
    skipped: Option<bool> = [true];
    boxed: Box<Option<bool>> = [true, null];
    list: Vec<String> = [["a"]];
    nested_list: Vec<Vec<Option<bool>>> = [[[true, null]]];
    queue: Vec<String> = [["a"]];
    linked: Vec<bool> = [[true]];
    set: std::collections::BTreeSet<String> = [["a", "b"]];
    hash_set: std::collections::BTreeSet<bool> = [[true]];
    list_set: std::collections::BTreeSet<Vec<u8>> = [[[1], [2]]];
    array: [bool; 2] = [[true, false]];
    pair: (bool, bool) = [[true, false]];
    triple: (u8, u16, u32) = [[1, 2, 3]];
    point: Point = [[1, 2]];
    newtype: Newtype = ["a"];
    transparent: Transparent = [[true]];
    map: std::collections::BTreeMap<String, bool> = [{ "a": true }];
    number_map: std::collections::BTreeMap<i64, bool> = [{ "1": true }];
    name_map: std::collections::BTreeMap<Colour, bool> = [{ "Red": true }];
    optional_map: std::collections::BTreeMap<String, Option<String>> = [{ "a": null }];
    optional_names: Vec<Option<Colour>> = [[null, "Red"]];
    optional_name_map: std::collections::BTreeMap<String, Option<Colour>> = [{ "a": null, "b": "Red" }];
    any: Value = [{ "a": [1], "b": null }, 1, null];
    anys: Vec<Value> = [[1, { "a": {} }, null]];
    any_map: std::collections::BTreeMap<String, Value> = [{ "a": { "b": 1 } }, { "a": null }];
    object: serde_json::Map<String, Value> = [{ "a": [{ "b": 1 }] }, { "a": null, "b": { "c": null } }];
    raw: Box<serde_json::value::RawValue> = [{ "a": [1, { "b": null }] }, "a", null];
    duration: std::time::Duration = [{ "secs": 1, "nanos": 2 }];
    system_time: std::time::SystemTime = [{ "secs_since_epoch": 1, "nanos_since_epoch": 2 }];
    range: std::ops::Range<bool> = [{ "start": false, "end": true }];
    ip: std::net::IpAddr = ["127.0.0.1", "::1"];
    ipv4: std::net::Ipv4Addr = ["127.0.0.1"];
    ipv6: std::net::Ipv6Addr = ["::1"];
    socket: std::net::SocketAddr = ["127.0.0.1:80"];
    web: url::Url = ["https://example.com/"];
    id: uuid::Uuid = ["67e55044-10b1-426f-9247-bb680e5fe0c8"];
    timestamp: k8s_openapi::jiff::Timestamp = ["2020-01-01T00:00:00Z"];
    date: k8s_openapi::jiff::civil::Date = ["2020-01-01"];
    signed: k8s_openapi::jiff::SignedDuration = ["PT1S"];
    span: k8s_openapi::jiff::Span = ["P1Y2M", "PT1S"];
    chrono_time: chrono::DateTime<chrono::Utc> = ["2020-01-01T00:00:00Z"];
    time: k8s_openapi::apimachinery::pkg::apis::meta::v1::Time = ["2020-01-01T00:00:00Z"];
    quantity: Option<k8s_openapi::apimachinery::pkg::api::resource::Quantity> = ["1Gi", null];
    port: Option<k8s_openapi::apimachinery::pkg::util::intstr::IntOrString> = [1, "80%", null];
    short_port: k8s_openapi::apimachinery::pkg::util::intstr::IntOrString = [1, "80%"];
    condition: Condition = [condition()];
    conditions: Vec<Condition> = [[condition()]];
    selector: LabelSelector = [
        { "matchLabels": { "a": "b" } }, { "matchExpressions": [{ "key": "a", "operator": "In", "values": ["b"] }] },
    ];
    address: String = ["10.0.0.1", "::1"];
    old: bool = [true];
    generic: Generic<bool, Colour> = [{ "a": true, "b": ["Red"] }];
    defaults: Defaults = [{ "FIRST_SIZE": 1, "TEXT": null, "COLOUR": "Red" }];
    plain_defaults: PlainDefaults = [
        { "flag": true, "size": 1, "text": "a", "share": 0.5, "list": [true], "map": { "a": true }, "maybe": null, "hex": "ff" },
        {},
    ];
    strict: Strict = [{ "one": "a", "two": true }];
    heap: std::collections::BinaryHeap<i32> = [[1]];
    cell: std::cell::RefCell<bool> = [true];
    whole_range: std::ops::RangeInclusive<i32> = [{ "start": 1, "end": 2 }];
    socket_v4: std::net::SocketAddrV4 = ["127.0.0.1:80"];
    socket_v6: std::net::SocketAddrV6 = ["[::1]:80"];
    naive_date: chrono::NaiveDate = ["2020-01-01"];
    naive_time: chrono::NaiveTime = ["12:00:00"];
    converted: Converted = ["1"];
    place: Placed = [{ "zone": "a" }];
    tagged: Tagged = [{ "type": "Tagged", "size": 1 }];
    outer: Outer = [{ "name": "a", "size": 1, "host": "b", "port": 2 }];
    validated: Validated = [{ "names": ["a"], "name": "a", "repeated": "abc", "differing": 2, "least": 1, "most": 2 }];
    ruled: Ruled = [{ "name": "a", "low": 1, "high": 2 }, { "name": "a" }];
    open: Open = [{ "known": true, "other": { "a": [1] } }];
    hex: String = ["ff"];
    renamed: bool = [true];
}

fn condition() -> Value {
    json!({
        "type": "Ready", "status": "True", "reason": "Requested", "message": "", "lastTransitionTime": "2020-01-01T00:00:00Z",
    })
}

macro_rules! enums {
    ($($name:ident: $root:ident $type:ty = $values:tt;)+) => {
        pub(crate) fn enums() -> Vec<Shape> {
            use crate::crdkit_types::enums::*;
            vec![$({
                let crdkit = json!(ours::enums::$root::crd());
                let kube = definition::<theirs::enums::$root>();
                Shape {
                    name: stringify!($name),
                    kube: kube.map(|crd| field(&crd, "value")),
                    crdkit: field(&crdkit, "value"),
                    values: serde_json::from_value(json!($values)).unwrap(),
                    reencode: reencode::<$type>,
                }
            }),+]
        }

        pub(crate) fn optional_enums() -> Vec<Shape> {
            use crate::crdkit_types::enums::*;
            vec![$({
                let crdkit = json!(ours::enums::$root::crd());
                let kube = definition::<theirs::enums::$root>();
                Shape {
                    name: stringify!($name),
                    kube: kube.map(|crd| field(&crd, "optional")),
                    crdkit: field(&crdkit, "optional"),
                    values: serde_json::from_value(json!($values)).unwrap(),
                    reencode: reencode::<Option<$type>>,
                }
            }),+]
        }

        #[test]
        fn enums_are_written_the_same() {
            $(for value in json!($values).as_array().unwrap() {
                let spec = json!({ "value": value, "optional": null });
                let object = json!({
                    "apiVersion": "dropin.example.com/v1", "kind": stringify!($root), "metadata": {}, "spec": spec,
                });
                let kube = reencode::<theirs::enums::$root>(&object);
                assert_eq!(kube, reencode::<ours::enums::$root>(&object));
                assert_eq!(kube.unwrap()["spec"], spec);
            })+
        }
    };
}

enums! {
    plain: PlainRoot Plain = ["read-only", "rw"];
    described: DescribedRoot Described = ["Last", "First"];
    other: OtherRoot Other = ["Known", "Unknown"];
    external: ExternalRoot External = [
        { "withSize": { "theSize": 1 } }, { "ofKind": "rw" }, { "nothing": {} }, { "many": ["a"] }, { "maybe": true },
    ];
    tuple: TupleRoot Tuple = [{ "Pair": [true, false] }, { "One": true }];
    newtypes: NewtypesRoot Newtypes = [{ "Text": "a" }, { "Number": 1 }];
    titled: TitledRoot Titled = [{ "By": { "distance": 1 } }, { "To": "a" }];
    internal: InternalRoot Internal = [{ "type": "Sized", "size": 1 }, { "type": "Named", "name": "a" }, { "type": "Unit" }];
    adjacent: AdjacentRoot Adjacent = [
        { "type": "Sized", "value": { "size": 1 } }, { "type": "Named", "value": { "name": "a" } }, { "type": "Unit" },
    ];
    untagged: UntaggedRoot Untagged = [{ "first": "a", "second": "rw" }, { "other": 1 }];
    exact: ExactRoot Exact = [{ "first": "a" }, { "other": 1 }];
    overlapping: OverlappingRoot Overlapping = [{ "shared": 1, "only": "a" }, { "shared": 1 }];
    differing: DifferingRoot Differing = [{ "shared": 1, "only": "a" }, { "shared": 1 }];
    scalars: ScalarsRoot Scalars = [1, "a"];
    flattened: FlattenedRoot Flattened = [{ "name": "a", "Text": "b" }, { "name": "a", "Number": 1 }];
    flattened_twice: FlattenedTwiceRoot FlattenedTwice = [{ "Text": "a", "type": "Unit" }];
    flattened_untagged: FlattenedUntaggedRoot FlattenedUntagged = [{ "first": "a", "second": "rw" }, { "other": 1 }];
    bytes: BytesRoot bytes::Bytes = [[1, 2]];
    c_text: CTextRoot std::ffi::CString = [[97]];
    gaps: GapsRoot Gaps = [{ "one": "a" }, { "two": "First", "three": "a" }, {}];
    flattened_gaps: FlattenedGapsRoot FlattenedGaps = [{ "one": "a" }, { "two": "First", "three": "a" }, {}];
    flattened_both: FlattenedBothRoot FlattenedBoth = [
        { "Text": "a", "Share": 0.5 }, { "Number": 1, "Count": { "least": 1 } },
    ];
    maybe_external: MaybeExternalRoot MaybeExternal = [
        { "name": "a" }, { "name": "a", "Text": "b" }, { "name": "a", "Number": 1 },
    ];
    maybe_internal: MaybeInternalRoot MaybeInternal = [
        { "name": "a" }, { "name": "a", "type": "Heavy", "kilos": 1 }, { "name": "a", "type": "Light", "grams": 1 },
    ];
    maybe_adjacent: MaybeAdjacentRoot MaybeAdjacent = [
        { "name": "a" }, { "name": "a", "type": "Sized", "value": { "size": 1 } }, { "name": "a", "type": "Unit" },
    ];
    maybe_untagged: MaybeUntaggedRoot MaybeUntagged = [
        { "name": "a" }, { "name": "a", "first": "a", "second": "rw" }, { "name": "a", "other": 1 },
    ];
    internal_other: InternalOtherRoot InternalOther = [{ "type": "Known", "size": 1 }, { "type": "Unknown" }];
    adjacent_other: AdjacentOtherRoot AdjacentOther = [{ "type": "Known", "value": { "size": 1 } }, { "type": "Unknown" }];
    nested: NestedRoot Nested = [
        { "list": [{ "Text": "a" }], "choice": { "Documented": { "nothing": {} } } },
        { "list": [], "choice": { "Inline": { "plain": "rw", "described": "Last", "newtypes": { "Number": 1 } } } },
    ];
}

#[test]
fn values_are_written_the_same() {
    let values = values();
    let first = |shape: &Shape| (shape.name.to_owned(), shape.values[0].clone());
    let object = json!({
        "apiVersion": "dropin.example.com/v1",
        "kind": "Values",
        "metadata": { "name": "a" },
        "spec": values.iter().map(first).collect::<Value>(),
    });
    let kube = reencode::<theirs::values::Values>(&object).unwrap();
    assert_eq!(Some(&kube), reencode::<ours::values::Values>(&object).as_ref());
    assert_eq!(kube, object);
}
