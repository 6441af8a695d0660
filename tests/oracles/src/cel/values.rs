//! Random values of a schema, often at its limits.

use crdkit_core::json::Json;

use super::node::{Field, Kind, ListKind, Node, Scope};
use crate::Random;

type Value = Json<'static>;

const INTEGERS: &[i64] = &[
    0,
    1,
    -1,
    2,
    3,
    4,
    5,
    -7,
    10,
    60,
    100,
    255,
    3600,
    86_400,
    2_147_483_648,
    9_007_199_254_740_993,
    i64::MAX,
    i64::MIN,
    i64::MAX - 1,
    i64::MIN + 1,
    253_402_300_799,
    253_402_300_800,
    -62_135_596_800,
    -62_135_596_801,
    1_700_000_000,
];

const FLOATS: &[f64] = &[
    0.0,
    -0.0,
    0.5,
    1.5,
    -2.5,
    3.0,
    1e308,
    -1e308,
    1e-308,
    5e-324,
    9_007_199_254_740_993.0,
    9.223_372_036_854_776e18,
    -9.223_372_036_854_776e18,
    1.844_674_407_370_955_2e19,
    1e19,
    0.1,
    1e21,
    1e20,
    1e-7,
    1e-6,
    0.000_012_3,
    123_456_789.125,
    1e15,
    1e6,
    1.1,
    100.0,
    1.797_693_134_862_315_7e308,
    2.675,
    4.35,
];

const KEYS: &[&str] = &["a", "b", "", "ä", "x y", "1", "a.b", "self", "\u{1d4b3}"];
const BYTES: &[&str] = &["", "YQ==", "YWJj", "/w==", "w6Q=", "8J+RjQ==", "AAE=", "YWJjYWJj", "4pyT", "//8=", "wyg="];
const DATES: &[&str] = &["2020-02-29", "0001-01-01", "9999-12-31", "1970-01-01", "2024-06-15", "2023-12-31"];
const TIMES: &[&str] = &[
    "2020-01-01T00:00:00Z",
    "2020-02-29T23:59:59.999999999Z",
    "0001-01-01T00:00:00Z",
    "9999-12-31T23:59:59Z",
    "1970-01-01T00:00:00Z",
    "1969-12-31T23:59:59.5Z",
    "2024-06-15T12:30:45+05:30",
    "2024-06-15T12:30:45.123-08:00",
    "2024-12-31T23:59:59.000001Z",
    "1600-02-29T00:00:00Z",
];
const DURATIONS: &[&str] = &[
    "1h",
    "0s",
    "0",
    "1.5s",
    "-1h",
    "300ms",
    "1us",
    "1h2m3.004005006s",
    "2562047h47m16.854775807s",
    "1 day",
    "2 w",
    "24h",
    "3d",
    "-300ms",
    "1ns",
];

/// A random value of a schema.
fn random_value(node: &Node, random: &mut Random) -> Value {
    if node.is_nullable && random.once_in(4) {
        return Json::Null;
    }
    match &node.kind {
        Kind::Bool => Json::Bool(random.once_in(2)),
        Kind::Int => Json::Integer(integer(random)),
        Kind::Double if random.once_in(3) => Json::Integer(integer(random)),
        Kind::Double => Json::Float(*random.choose(FLOATS)),
        Kind::Text(flavor) => Json::String(flavor.text(random).into()),
        Kind::Formatted(format) => Json::String((*random.choose(formatted(format))).into()),
        Kind::IntOrString if random.once_in(2) => Json::Integer(integer(random)),
        Kind::IntOrString => Json::String((*random.choose(&["a", "50%", "", "1", "é"])).into()),
        Kind::Unknown => anything(random, 2),
        Kind::List(kind, items) => list(*kind, items, random),
        Kind::Map(values) => {
            let keys: Vec<_> =
                KEYS.iter().enumerate().filter(|(at, _)| random.once_in(if *at < 2 { 2 } else { 5 })).collect();
            Json::Object(keys.into_iter().map(|(_, key)| ((*key).into(), random_value(values, random))).collect())
        }
        Kind::Object { fields, preserves, is_embedded } => object(fields, *preserves, *is_embedded, random),
    }
}

fn integer(random: &mut Random) -> i64 {
    if random.once_in(2) { *random.choose(&INTEGERS[..8]) } else { *random.choose(INTEGERS) }
}

fn formatted(format: &str) -> &'static [&'static str] {
    match format {
        "byte" => BYTES,
        "date" => DATES,
        "date-time" => TIMES,
        "duration" => DURATIONS,
        "uuid" => &["123e4567-e89b-12d3-a456-426614174000", "123E4567-E89B-12D3-A456-426614174000"],
        _ => &["1.2.3.4", "10.0.0.1"],
    }
}

fn list(kind: ListKind, items: &Node, random: &mut Random) -> Value {
    let key = |item: &Value| if kind == ListKind::Map { item.get("k").cloned() } else { Some(item.clone()) };
    let mut all: Vec<Value> = Vec::new();
    for _ in 0..random.below(5) {
        let item = random_value(items, random);
        if kind == ListKind::Atomic || all.iter().all(|it| key(it) != key(&item)) {
            all.push(item);
        }
    }
    Json::Array(all)
}

fn object(fields: &[Field], preserves: bool, is_embedded: bool, random: &mut Random) -> Value {
    let present: Vec<_> = fields.iter().filter(|it| it.is_required || !random.once_in(6)).collect();
    let mut members: Vec<_> = present.into_iter().map(|it| (it.name.into(), random_value(&it.node, random))).collect();
    if preserves && random.once_in(2) {
        members.push(("unknown".into(), anything(random, 1)));
    }
    if is_embedded {
        members.extend(resource(random));
    }
    Json::Object(members)
}

impl Scope {
    /// A random value, of a resource with its members.
    pub fn random_value(&self, random: &mut Random) -> Value {
        match random_value(&self.node, random) {
            Json::Object(mut members) if self.is_root => {
                members.extend(resource(random));
                Json::Object(members)
            }
            value => value,
        }
    }
}

/// The members that a resource has.
fn resource(random: &mut Random) -> [(std::borrow::Cow<'static, str>, Value); 3] {
    let text = |text: &'static str| Json::String(text.into());
    let mut metadata = vec![("name".into(), text(random.pick(&["a", "b-c"])))];
    if random.once_in(2) {
        metadata.push(("labels".into(), Json::Object(vec![("a".into(), text("b"))])));
    }
    [("apiVersion".into(), text("v1")), ("kind".into(), text("Pod")), ("metadata".into(), Json::Object(metadata))]
}

fn anything(random: &mut Random, depth: usize) -> Value {
    match random.below(if depth == 0 { 5 } else { 7 }) {
        0 => Json::Null,
        1 => Json::Bool(true),
        2 => Json::Integer(integer(random)),
        3 => Json::Float(*random.choose(FLOATS)),
        4 => Json::String("a".into()),
        5 => Json::Array((0..random.below(3)).map(|_| anything(random, depth - 1)).collect()),
        _ => Json::Object(vec![("a".into(), anything(random, depth - 1))]),
    }
}

/// The value with other values at some of its places: the one that it replaces.
pub fn with_changes(value: &Value, node: &Node, random: &mut Random) -> Value {
    if random.once_in(6) {
        return random_value(node, random);
    }
    match (value, &node.kind) {
        (Json::Array(items), Kind::List(_, of)) => {
            Json::Array(items.iter().map(|it| with_changes(it, of, random)).collect())
        }
        (Json::Object(members), Kind::Map(of)) => {
            Json::Object(members.iter().map(|(name, it)| (name.clone(), with_changes(it, of, random))).collect())
        }
        (Json::Object(members), Kind::Object { fields, .. }) => {
            let changed = |(name, it): &(std::borrow::Cow<'static, str>, Value)| {
                let field = fields.iter().find(|field| field.name == name);
                (name.clone(), field.map_or_else(|| it.clone(), |field| with_changes(it, &field.node, random)))
            };
            Json::Object(members.iter().map(changed).collect())
        }
        _ => value.clone(),
    }
}
