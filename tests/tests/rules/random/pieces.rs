//! The pieces of which random definitions are made: words that stand somewhere, right or wrong.

use serde_json::{Value, json};

use super::source::Source;

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
pub(crate) fn value(source: &mut Source, depth: usize) -> Value {
    match source.below(if depth == 0 { 5 } else { 7 }) {
        0 if source.once_in(2) => Value::Null,
        0 | 1 => text(source),
        2 | 3 => number(source),
        4 => Value::Bool(source.once_in(2)),
        5 => (0..source.below(3)).map(|_| value(source, depth - 1)).collect(),
        _ => {
            let members = (0..source.below(3)).map(|_| {
                let name = source.pick(FIELDS).to_string();
                (name, value(source, depth - 1))
            });
            Value::Object(members.collect())
        }
    }
}

pub(crate) fn text(source: &mut Source) -> Value {
    json!(source.pick(TEXTS))
}

pub(crate) fn number(source: &mut Source) -> Value {
    serde_json::from_str(source.pick::<&str>(NUMBERS)).expect("it is a number")
}

pub(crate) fn count(source: &mut Source) -> Value {
    json!(source.pick(COUNTS))
}

pub(crate) fn format(source: &mut Source) -> Value {
    json!(source.pick(FORMATS))
}

pub(crate) fn pattern(source: &mut Source) -> Value {
    json!(source.pick(PATTERNS))
}

pub(crate) fn field(source: &mut Source) -> String {
    source.pick(FIELDS).to_string()
}

/// Some names of fields.
pub(crate) fn fields(source: &mut Source) -> Value {
    let all: Vec<_> = (0..source.below(3)).map(|_| field(source)).collect();
    json!(all)
}
