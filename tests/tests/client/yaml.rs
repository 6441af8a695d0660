//! YAML as kubectl reads it, compared with Go's library.

use crdkit::client::scheme::Scheme;
use crdkit_oracles::{Oracle, Random, case_count, seeds};
use serde_json::Value;

/// Scalars that YAML 1.1 and 1.2, and their parsers, read differently.
const SCALARS: &[&str] = &[
    "0777",
    "-0777",
    "0o17",
    "0x1F",
    "0b101",
    "1_000",
    "0899",
    "00",
    "08",
    "0",
    "-0",
    "+12",
    "1e3",
    "1E3",
    "1.5e-7",
    ".5",
    "1.",
    "12e03",
    "9007199254740993",
    "18446744073709551615",
    "18446744073709551616",
    "-9223372036854775808",
    "y",
    "Y",
    "n",
    "N",
    "yes",
    "Yes",
    "YES",
    "no",
    "No",
    "NO",
    "on",
    "On",
    "ON",
    "off",
    "Off",
    "OFF",
    "true",
    "True",
    "TRUE",
    "false",
    "~",
    "null",
    "Null",
    "NULL",
    "nULL",
    "''",
    "'y'",
    "\"0777\"",
    "2030-01-31",
    "2030-01-31T12:00:00Z",
    "12:30",
    "12:30:45",
    "1:1",
    "0.1",
    "1.10",
    "v1",
    "a b",
    "=",
    "a:b",
    "'a: b'",
    "!!str 1",
    "!!str yes",
    "!!int 010",
    "!!float 1",
    "!!bool yes",
    "\"a\\tb\"",
    "'it''s'",
    "1,000",
    "0x",
    "0b2",
    "_1",
    "infinity",
    "nan",
    "x.inf",
    "Ä",
    "\"\\u00e4\"",
    "yEs",
    "nO",
    "oFF",
    "tRUE",
    "fALSE",
    "1__0",
    "1_",
    "1_0.5",
    ".5_0",
    "._5",
    "-_1",
    "0_7",
    "0x_1",
    "0b1_0",
    "-0b11",
    "0B11",
    "0O17",
    "0X1f",
    "1e400",
    "-1e400",
    "1e-400",
    "1.e5",
    "+18446744073709551615",
    ".5e",
    "+.5",
    "0x1p4",
    "1_e5",
    "inf",
    "+inf",
    ".inf",
    "NaN",
    "[]",
    "{}",
    "[y, 010, 'n']",
    "{y: n, 010: 1, 1.5: a}",
];

/// Documents whose layout is what matters.
const DOCUMENTS: &[&str] = &[
    "a:\n    b: \"c\n  d\"\n",
    "a:\n    b: 'c\n\n  d\ne'\nf: 1\n",
    "a:\n- b\n-   c: d\n    e: f\n",
    "a: &x {b: 1}\nc: *x\n",
    "a: &x {b: 1, c: 2}\nd:\n  <<: *x\n  c: 3\n",
    "a: 1\nb: 2\na: 3\n",
    "a: {b: 1, b: 2}\n",
    "y: 1\nn: 2\non: 3\n'off': 4\n",
    "0777: a\n0x10: b\n1.5: c\n1e3: d\n",
    "a: |\n  b\n   c\n\n  d\ne: >-\n  f\n  g\n\n  h\n",
    "a: |+\n  b\n\n\nc: |2\n    d\n",
    "a: b\n  c\nd: e\n",
    "a:\n  b:   # c\n    - d # e\n",
    "a: [b,\nc,\n  d]\n",
    "a: {b: c,\nd: e}\n",
    "? a\n: b\n",
    "a: \"b\\\n   c\"\n",
    "a: b: c\n",
    "a: 'b\n",
    "a:\n  - b\n c: d\n",
    "a: \tb\n",
    "- a\n- b\n",
    "a: &x {b: 1, c: 2}\nd:\n  c: 3\n  <<: *x\n  b: 4\n",
    "a: &x {b: 1}\nd: &y {b: 2, e: 3}\nf:\n  e: 0\n  <<: [*x, *y]\n",
    "a: &x {b: 1}\nd:\n  <<: {b: 2, c: 3}\n  <<: *x\n",
    "a: &x {b: 1}\nd: &y\n  b: 2\n  <<: *x\ne:\n  b: 3\n  <<: *y\n",
    "a: &x {b: 1}\nd:\n  '<<': *x\n",
    "a: &x {b: 1}\nd:\n  !!merge <<: *x\n  b: 2\n",
    "a:\n  <<: 1\n",
    "a:\n  <<: [1]\n",
    "a:\n  <<: [[{b: 1}]]\n",
    "a:\n  <<:\n",
    "a: <<\n",
    "<<: {a: b}\na: c\n",
    "a: &x yEs\nb: *x\n*x : c\n",
    "a: !!str &x yes\nb: *x\n",
    "a: &x !!str yes\nb: *x\n",
    "a: !!int '10'\nb: !!str 1__0\n",
    "a: yEs # c\nb: [yEs, nO , 1_]\nc: {yEs: nO}\n",
    "a: 1_\n  2\nb: yes\n  no\n",
    "a:\nb: ~\nc: !!str\nd: !!null\n",
    "? yEs\n: 1_\n",
];

/// Returns what the client reads from a value, as JSON; `None` if it refuses it.
fn read(document: &str) -> Option<Value> {
    let lines: String = document.lines().map(|line| format!("{line}\n")).collect();
    let object = format!("apiVersion: v1\nkind: At\n{lines}");
    let read = Scheme::new().allow_unknown().decode_yaml(&object).ok()?;
    let mut json = read.into_iter().next()?.to_json().ok()?;
    // What every object has here.
    for name in ["apiVersion", "kind", "metadata"] {
        json.as_object_mut()?.remove(name);
    }
    Some(json)
}

/// Compares documents, each of which is a mapping.
fn compare(documents: &[String]) {
    let Some(oracle) = Oracle::shared() else { return };
    let queries: Vec<_> = documents.iter().map(|text| vec!["yaml".to_owned(), text.clone()]).collect();
    let mut differences = Vec::new();
    oracle.query(&queries, |query, response| {
        let decoded: Option<Value> = (response[0] == "json").then(|| serde_json::from_str(&response[1]).unwrap());
        // Other documents than mappings are no objects.
        let expected = decoded.filter(Value::is_object);
        let found = read(&query[1]);
        let is_same = match (&found, &expected) {
            (Some(found), Some(expected)) => equal(found, expected),
            (found, expected) => found.is_none() && expected.is_none(),
        };
        if !is_same {
            differences.push(format!("{:?}\n  kubectl: {expected:?} {response:?}\n  here:    {found:?}", query[1]));
        }
    });
    assert!(differences.is_empty(), "{} of {}\n{}", differences.len(), queries.len(), differences.join("\n"));
}

/// Whether two values are equal, with equal numbers in any notation.
fn equal(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => one == other || one.as_f64() == other.as_f64(),
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| equal(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            one.len() == other.len()
                && one.iter().all(|(name, value)| other.get(name).is_some_and(|other| equal(value, other)))
        }
        _ => one == other,
    }
}

#[test]
fn scalars_and_keys_are_those_of_kubectl() {
    let values = SCALARS.iter().map(|scalar| format!("a: {scalar}\n"));
    let keys = SCALARS.iter().filter(|scalar| !scalar.starts_with(['[', '{'])).map(|scalar| format!("{scalar}: a\n"));
    let items = SCALARS.iter().map(|scalar| format!("a:\n- {scalar}\n- [b, {scalar}]\n"));
    compare(&values.chain(keys).chain(items).collect::<Vec<_>>());
}

#[test]
fn documents_are_those_of_kubectl() {
    compare(&DOCUMENTS.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>());
}

#[test]
fn random_documents_are_those_of_kubectl() {
    for seed in seeds("CRDKIT_ORACLE_SEED", 1) {
        let mut random = Random::new(seed);
        let count: usize = case_count("CRDKIT_ORACLE_CASES", 500);
        compare(&(0..count).map(|_| mapping(&mut random, 0)).collect::<Vec<_>>());
    }
}

/// Texts of the characters of numbers and of the words of YAML 1.1.
#[test]
fn random_scalars_are_those_of_kubectl() {
    const PARTS: &[&str] = &[
        "0",
        "1",
        "7",
        "9",
        "_",
        "__",
        "+",
        "-",
        ".",
        "e",
        "E",
        "x",
        "o",
        "b",
        "0x",
        "0b",
        "0o",
        "f",
        "y",
        "es",
        "YES",
        "n",
        "No",
        "on",
        "oFf",
        "tru",
        "null",
        "~",
        "inf",
        ".inf",
        "nan",
        "99999999999999999999",
        "e400",
        ":",
        "T",
    ];
    for seed in seeds("CRDKIT_ORACLE_SEED", 1) {
        let mut random = Random::new(seed);
        let count: usize = case_count("CRDKIT_ORACLE_CASES", 500);
        let mut document = || {
            let scalar: String = (0..=random.below(4)).map(|_| random.pick(PARTS)).collect();
            // The parser follows YAML 1.2 in where such a scalar of a flow sequence ends.
            let is_of_1_2 = scalar.starts_with(':') || scalar.ends_with(':') || scalar == "-";
            match random.below(4) {
                0 => format!("{scalar}: a\n"),
                1 if !is_of_1_2 => format!("a: [{scalar}, &x {scalar}, *x]\n"),
                2 => format!("a: !!str {scalar}\nb: '{scalar}'\n"),
                _ => format!("a: {scalar}\n"),
            }
        };
        compare(&(0..count).map(|_| document()).collect::<Vec<_>>());
    }
}

fn mapping(random: &mut Random, indent: usize) -> String {
    let mut text = String::new();
    for at in 0..=random.below(3) {
        let key = if random.below(4) == 0 { random.pick(SCALARS) } else { ["a", "b", "c", "d"][at] };
        let key = if key.starts_with(['[', '{']) { "k" } else { key };
        let step = 1 + random.below(4);
        let value = match random.below(6) {
            0 if indent < 12 => format!("\n{}", mapping(random, indent + step)),
            1 => format!("\n{0}- {1}\n{0}- {2}\n", " ".repeat(indent), random.pick(SCALARS), random.pick(SCALARS)),
            2 => format!(" \"{}\n{}{}\"\n", random.pick(&["a", "b c"]), " ".repeat(random.below(indent + 3)), "d"),
            _ => format!(" {}\n", random.pick(SCALARS)),
        };
        text += &format!("{}{key}:{value}", " ".repeat(indent));
    }
    text
}
