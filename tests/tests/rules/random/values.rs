//! The values of random definitions: valid and invalid ones for each place.

use serde_json::{Value, json};

use super::rng::Rng;

pub(crate) const TYPES: &[&str] = &["string", "integer", "number", "boolean", "array", "object"];

pub(crate) const FIELDS: &[&str] = &["a", "b", "c", "metadata", "kind", "apiVersion", "name", "d-e"];

const FORMATS: &[&str] = &[
    "date",
    "date-time",
    "datetime",
    "ipv4",
    "ipv6",
    "cidr",
    "uuid",
    "byte",
    "email",
    "hostname",
    "uri",
    "duration",
    "int32",
    "int64",
    "float",
    "double",
    "mac",
    "password",
    "k8s-short-name",
    "k8s-long-name",
    "hexcolor",
    "rgbcolor",
    "isbn",
    "ssn",
    "creditcard",
    "bsonobjectid",
    "uint8",
    "ip",
    "",
    "Date-Time",
];

const PATTERNS: &[&str] = &[
    "",
    "^a",
    "b$",
    "^[a-z0-9]+$",
    r"^\d{2,3}$",
    r"\w+",
    r"^(a|b)*$",
    r"\pL",
    "(?i)A",
    "[^a]",
    "^.?$",
    "(",
    "a{2,1}",
    "(?=a)",
    r"\Z",
    "a++",
    "[b-a]",
    "(a{500}){3}",
    r"(?P<n>a)",
    "^$",
    r"\bfoo\b",
    "ä|ö",
    r"[[:alpha:]]",
    r"\x41",
    "a{0,3}?",
];

const TEXTS: &[&str] = &[
    "",
    "a",
    "b",
    "ab",
    "abc",
    "A",
    "1",
    "12",
    "ä",
    "äöü",
    "a b",
    "null",
    "true",
    "2020-01-01",
    "2020-01-01T00:00:00Z",
    "1.2.3.4",
    "::1",
    "10.0.0.0/8",
    "YQ==",
    "a@b.c",
    "example.com",
    "https://example.com/a",
    "1h",
    "PT1H",
    "67e55044-10b1-426f-9247-bb680e5fe0c8",
    "00:00:00:00:00:01",
    "#fff",
    "rgb(1,2,3)",
    "a.b",
    "a-b",
    "a_b",
    "v1",
    "Thing",
    "\n",
    " ",
    "foo",
];

const NUMBERS: &[&str] = &[
    "0",
    "1",
    "2",
    "3",
    "-1",
    "5",
    "10",
    "0.5",
    "1.5",
    "1.0",
    "-0.5",
    "2147483647",
    "2147483648",
    "-2147483649",
    "4294967296",
    "9007199254740993",
    "9223372036854775807",
    "9223372036854775808",
    "-9223372036854775808",
    "1e39",
    "1e20",
    "0.1",
    "0.3",
];

const COUNTS: &[i64] = &[0, 1, 2, 3, 5, -1, 100];

/// A value of any type.
pub(crate) fn value(rng: &mut Rng, depth: usize) -> Value {
    match rng.below(if depth == 0 { 5 } else { 7 }) {
        0 if rng.once_in(2) => Value::Null,
        0 | 1 => text(rng),
        2 | 3 => number(rng),
        4 => Value::Bool(rng.once_in(2)),
        5 => (0..rng.below(3)).map(|_| value(rng, depth - 1)).collect(),
        _ => {
            let members = (0..rng.below(3)).map(|_| {
                let name = rng.pick(FIELDS).to_string();
                (name, value(rng, depth - 1))
            });
            Value::Object(members.collect())
        }
    }
}

pub(crate) fn text(rng: &mut Rng) -> Value {
    json!(rng.pick(TEXTS))
}

pub(crate) fn number(rng: &mut Rng) -> Value {
    serde_json::from_str(rng.pick::<&str>(NUMBERS)).expect("it is a number")
}

pub(crate) fn count(rng: &mut Rng) -> Value {
    json!(rng.pick(COUNTS))
}

pub(crate) fn format(rng: &mut Rng) -> Value {
    json!(rng.pick(FORMATS))
}

pub(crate) fn pattern(rng: &mut Rng) -> Value {
    json!(rng.pick(PATTERNS))
}

pub(crate) fn field(rng: &mut Rng) -> String {
    rng.pick(FIELDS).to_string()
}

/// Some names of fields.
pub(crate) fn fields(rng: &mut Rng) -> Value {
    let all: Vec<_> = (0..rng.below(3)).map(|_| field(rng)).collect();
    json!(all)
}
