//! Documents with unusual content.

use proptest::{prelude::*, sample::Index};
use serde_json::Value;

/// JSON as text, in parts.
#[derive(Clone, Debug)]
enum Part {
    Leaf(String),
    List(Vec<Part>),
    Object(Vec<(String, Part)>),
}

/// Replacement values.
const ODD: &[&str] = &[
    "null",
    "true",
    "false",
    "0",
    "-0",
    "-0.0",
    "00",
    "1",
    "-1",
    "+1",
    "127",
    "128",
    "-129",
    "255",
    "256",
    "65536",
    "2147483648",
    "4294967296",
    "9223372036854775807",
    "9223372036854775808",
    "-9223372036854775808",
    "-9223372036854775809",
    "18446744073709551615",
    "18446744073709551616",
    "340282366920938463463374607431768211456",
    "1.0",
    "1.",
    ".5",
    "0.1",
    "1e3",
    "1E+2",
    "1e",
    "1e400",
    "5e-324",
    "3.4028236e38",
    "123456789.123456789e-30",
    "nul",
    "nulll",
    "truefalse",
    "NaN",
    "\"\"",
    "\"a\"",
    "\"Red\"",
    "\"a\\nb\\\"\\u00e9\\/\"",
    "\"\\ud83d\\ude00\"",
    "\"\\ud83d\"",
    "\"\\x\"",
    "\"a\nb\"",
    "\"é😀\"",
    "\"open",
    "\"2026-01-02T03:04:05Z\"",
    "\"2026-01-02T03:04:05.123456789+02:00\"",
    "\"2026-01-02T03:04:60Z\"",
    "\"5Gi\"",
    "[]",
    "{}",
    "[1,]",
    "[,]",
    "{,}",
    "{\"a\":1,}",
    "{\"a\" 1}",
    "{a:1}",
    "[null]",
    "[\"a\",\"b\"]",
    "[{\"a\":1}]",
    "{\"a\":null}",
    "{\"a\":\"b\",\"a\":\"c\"}",
    "{\"Red\":null}",
    "{\"\\u0061\":\"b\"}",
    "{\"b\":1,\"a\":{\"a\":[]}}",
    "[[[[[[]]]]]]",
];

/// A change of a document, at one of its parts.
#[derive(Clone, Debug)]
enum Change {
    Replace(Index),
    Deepen(usize),
    Remove(Index),
    Repeat(Index),
    Escape(Index),
    Rename(Index, Index),
    Reverse,
    Add(Index, Index),
    Space(Index),
}

fn change() -> impl Strategy<Value = (Index, Change)> {
    let index = any::<Index>;
    let change = prop_oneof![
        6 => index().prop_map(Change::Replace),
        1 => (110usize..140).prop_map(Change::Deepen),
        2 => index().prop_map(Change::Remove),
        2 => index().prop_map(Change::Repeat),
        1 => index().prop_map(Change::Escape),
        1 => (index(), index()).prop_map(|(from, to)| Change::Rename(from, to)),
        1 => Just(Change::Reverse),
        2 => (index(), index()).prop_map(|(at, value)| Change::Add(at, value)),
        1 => index().prop_map(Change::Space),
    ];
    (index(), change)
}

impl Part {
    fn of(value: &Value) -> Self {
        match value {
            Value::Array(items) => Self::List(items.iter().map(Self::of).collect()),
            Value::Object(members) => {
                let members = members.iter().map(|(key, it)| (Value::from(&**key).to_string(), Self::of(it)));
                Self::Object(members.collect())
            }
            leaf => Self::Leaf(leaf.to_string()),
        }
    }

    fn text(&self) -> String {
        match self {
            Self::Leaf(text) => text.clone(),
            Self::List(items) => {
                let items: Vec<_> = items.iter().map(Self::text).collect();
                format!("[{}]", items.join(","))
            }
            Self::Object(members) => {
                let members: Vec<_> = members.iter().map(|(key, it)| format!("{key}:{}", it.text())).collect();
                format!("{{{}}}", members.join(","))
            }
        }
    }

    fn count(&self) -> usize {
        1 + match self {
            Self::Leaf(_) => 0,
            Self::List(items) => items.iter().map(Self::count).sum(),
            Self::Object(members) => members.iter().map(|(_, it)| it.count()).sum(),
        }
    }

    fn part(&mut self, at: usize) -> &mut Self {
        if at == 0 {
            return self;
        }
        let mut at = at - 1;
        let parts: Vec<&mut Self> = match self {
            Self::Leaf(_) => Vec::new(),
            Self::List(items) => items.iter_mut().collect(),
            Self::Object(members) => members.iter_mut().map(|(_, it)| it).collect(),
        };
        for part in parts {
            let count = part.count();
            if at < count {
                return part.part(at);
            }
            at -= count;
        }
        unreachable!("the index is less than the number of parts")
    }

    fn change(&mut self, change: &Change) {
        match (change, self) {
            (Change::Replace(with), it) => *it = Self::Leaf((*with.get(ODD)).to_owned()),
            (Change::Deepen(by), it) => {
                *it = Self::Leaf(format!("{}{}{}", "[".repeat(*by), it.text(), "]".repeat(*by)));
            }
            (Change::Add(at, value), Self::Object(members)) => {
                let value = Self::Leaf((*value.get(ODD)).to_owned());
                let at = at.index(members.len() + 1);
                members.insert(at, ("\"odd\"".to_owned(), value));
            }
            (Change::Reverse, Self::Object(members)) => members.reverse(),
            (Change::Space(_), Self::Leaf(text)) => *text = format!(" \n{text}\t\r "),
            (change, Self::Object(members)) if !members.is_empty() => change.of_member(members),
            (_, Self::List(items)) if !items.is_empty() => items.extend_from_within(..1),
            _ => {}
        }
    }
}

impl Change {
    fn of_member(&self, members: &mut Vec<(String, Part)>) {
        match self {
            Self::Remove(at) => drop(members.remove(at.index(members.len()))),
            Self::Repeat(at) => members.push(at.get(members).clone()),
            Self::Rename(from, to) => {
                let name = to.get(members).0.clone();
                let at = from.index(members.len());
                members[at].0 = name;
            }
            Self::Escape(at) => {
                let at = at.index(members.len());
                let key: String = serde_json::from_str(&members[at].0).unwrap_or_default();
                let escaped = key.chars().map(|c| format!("\\u{:04x}", c as u32 & 0xffff));
                members[at].0 = format!("\"{}\"", escaped.collect::<String>());
            }
            Self::Space(at) => {
                let at = at.index(members.len());
                members[at].0 = format!("\n {}\t ", members[at].0);
            }
            _ => {}
        }
    }
}

/// A document with some changes, and possibly with a missing or an additional character.
pub(super) fn documents(of: Value) -> impl Strategy<Value = String> {
    let changes = prop::collection::vec(change(), 0..4);
    let breaks = prop::option::weighted(0.2, (any::<Index>(), any::<bool>(), any::<Index>()));
    (changes, breaks).prop_map(move |(changes, breaks)| {
        let mut part = Part::of(&of);
        for (at, change) in &changes {
            let count = part.count();
            part.part(at.index(count)).change(change);
        }
        let mut text: Vec<char> = part.text().chars().collect();
        if let Some((at, cut, character)) = breaks {
            let at = at.index(text.len());
            if cut {
                text.truncate(at);
            } else {
                text[at] = *character.get(&['{', '}', '[', ']', '"', '\\', ',', ':', '0', 'e', '.', '-']);
            }
        }
        text.into_iter().collect()
    })
}

/// Texts that consist of one unusual value, surrounded by spaces.
pub(super) fn odd() -> impl Iterator<Item = String> {
    ODD.iter().flat_map(|odd| [(*odd).to_owned(), format!("\t{odd} "), format!("{odd},")])
}
