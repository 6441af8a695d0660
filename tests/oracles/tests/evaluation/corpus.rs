//! The expressions of the folder `cases`.
//!
//! A line is a rule; after `>`, it is an expression that is shown by `format`, after `?` an optional one, and after `$` one that is
//! shown by `string`. A line
//! `@ field [value, ..]` gives a field these values for the lines that follow, together with all values of the other fields that
//! have such a line directly before or after it.

use std::{fs, path::Path};

use crdkit_core::{
    json::Json,
    schema::{AdditionalProperties, Items, SchemaProps},
};
use crdkit_oracles::{
    Oracle,
    evaluation::{Question, RuleText, compare, shown},
};
use serde_json::Value;

type Schema = SchemaProps<'static>;
type Fields = Vec<(String, Vec<Value>)>;

/// How many pairs there are at least.
const PAIRS: usize = 5_000;

#[test]
fn expressions_have_the_outcomes_of_the_server() {
    let Some(oracle) = Oracle::shared() else { return };
    let questions: Vec<_> = files().iter().flat_map(|it| questions(it)).collect();
    let (different, pairs) = compare(oracle, &questions);
    let count = different.len();
    println!("{pairs} pairs, {count} differ");
    let text = shown(oracle, different, |_| None);
    assert!(count == 0, "{count} of {pairs} differ:\n{text}");
    assert!(pairs > PAIRS, "{pairs} pairs");
}

fn files() -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/evaluation/cases");
    let entries = fs::read_dir(folder).expect("the cases can be read");
    let mut files: Vec<_> = entries.map(|it| it.expect("the cases can be read").path()).collect();
    files.sort();
    files.iter().map(|it| fs::read_to_string(it).expect("the cases can be read")).collect()
}

/// A question for the rules between two changes of the values.
fn questions(text: &str) -> Vec<Question> {
    let (mut questions, mut fields, mut rules): (_, Fields, Vec<String>) = (Vec::new(), Vec::new(), Vec::new());
    let mut ask = |fields: &Fields, rules: &mut Vec<String>| {
        if !rules.is_empty() {
            questions.push(question(fields, std::mem::take(rules)));
        }
    };
    for line in text.lines().filter(|it| !it.is_empty() && !it.starts_with('#')) {
        let Some(of) = line.strip_prefix("@ ") else {
            rules.push(rule(line));
            continue;
        };
        if !rules.is_empty() {
            ask(&fields, &mut rules);
            fields.clear();
        }
        let (name, values) = of.split_once(' ').expect("a field has values");
        let values = serde_json::from_str(values).unwrap_or_else(|error| panic!("{line}: {error}"));
        fields.push((name.to_owned(), values));
    }
    ask(&fields, &mut rules);
    questions
}

fn rule(line: &str) -> String {
    if let Some(expression) = line.strip_prefix("> ") {
        return format!("{{'': true}}['%s'.format([dyn({expression})])]");
    }
    if let Some(expression) = line.strip_prefix("? ") {
        return format!("{{'': true}}['%s'.format([({expression}).optMap(it, [it]).orValue([])])]");
    }
    line.strip_prefix("$ ").map_or_else(|| line.to_owned(), |it| format!("{{'': true}}[string({it})]"))
}

fn question(fields: &Fields, rules: Vec<String>) -> Question {
    let mut values = vec![base()];
    for (name, given) in fields {
        let with = |object: &Json<'static>, value: &Value| {
            let Json::Object(mut members) = object.clone() else { panic!("the base is an object") };
            members.retain(|(it, _)| it != name);
            if *value != serde_json::json!({ "absent": true }) {
                members.push((name.clone().into(), json(value)));
            }
            Json::Object(members)
        };
        values = values.iter().flat_map(|object| given.iter().map(|it| with(object, it)).collect::<Vec<_>>()).collect();
    }
    Question {
        schema: schema(),
        is_root: false,
        limit: 1_000_000,
        repeats: 1,
        rules: rules.into_iter().map(|rule| RuleText { rule, ..RuleText::default() }).collect(),
        values: values.into_iter().map(|it| (it.clone(), Some(it))).collect(),
    }
}

fn json(value: &Value) -> Json<'static> {
    match value {
        Value::Null => Json::Null,
        Value::Bool(it) => Json::Bool(*it),
        Value::Number(it) => match (it.as_i64(), it.as_u64()) {
            (Some(it), _) => Json::Integer(it),
            (None, Some(it)) => Json::Unsigned(it),
            (None, None) => Json::Float(it.as_f64().expect("it is a number")),
        },
        Value::String(it) => Json::String(it.clone().into()),
        Value::Array(items) => Json::Array(items.iter().map(json).collect()),
        Value::Object(members) => {
            Json::Object(members.iter().map(|(name, it)| (name.clone().into(), json(it))).collect())
        }
    }
}

fn typed(type_: &'static str) -> Schema {
    SchemaProps { type_: Some(type_.into()), ..Schema::default() }
}

fn formatted(format: &'static str) -> Schema {
    SchemaProps { format: Some(format.into()), ..typed("string") }
}

fn list(items: Schema) -> Schema {
    SchemaProps { items: Some(Items::Schema(Box::new(items))), ..typed("array") }
}

fn map(values: Schema) -> Schema {
    SchemaProps { additional_properties: Some(AdditionalProperties::Schema(Box::new(values))), ..typed("object") }
}

fn object(fields: Vec<(&'static str, Schema)>) -> Schema {
    let fields = fields.into_iter().map(|(name, schema)| (name.into(), schema));
    SchemaProps { properties: Some(fields.collect()), ..typed("object") }
}

/// A schema with fields of all types.
fn schema() -> Schema {
    let either = || SchemaProps { int_or_string: true, ..Schema::default() };
    let preserving = |schema: Schema| SchemaProps { preserve_unknown_fields: Some(true), ..schema };
    let nullable = |schema: Schema| SchemaProps { nullable: true, ..schema };
    let keyed = || object(vec![("k", typed("string")), ("v", typed("integer"))]);
    let of_type = |list_type: &'static str, schema: Schema| SchemaProps { list_type: Some(list_type.into()), ..schema };
    object(vec![
        ("s", typed("string")),
        ("r", typed("string")),
        ("i", typed("integer")),
        ("j", typed("integer")),
        ("n", typed("number")),
        ("m", typed("number")),
        ("b", typed("boolean")),
        ("by", formatted("byte")),
        ("t", formatted("date-time")),
        ("d", formatted("date")),
        ("du", formatted("duration")),
        ("x", either()),
        ("y", either()),
        ("ss", list(typed("string"))),
        ("is", list(typed("integer"))),
        ("ns", list(typed("number"))),
        ("ll", list(list(typed("integer")))),
        ("set", of_type("set", list(typed("string")))),
        ("set2", of_type("set", list(typed("string")))),
        ("ml", SchemaProps { list_map_keys: vec!["k".into()], ..of_type("map", list(keyed())) }),
        ("ml2", SchemaProps { list_map_keys: vec!["k".into()], ..of_type("map", list(keyed())) }),
        ("mi", map(typed("integer"))),
        ("mi2", map(typed("integer"))),
        ("mo", map(keyed())),
        (
            "o",
            object(vec![("s", typed("string")), ("i", typed("integer")), ("o", object(vec![("s", typed("string"))]))]),
        ),
        ("os", list(keyed())),
        ("nul", nullable(typed("string"))),
        ("nuls", list(nullable(typed("string")))),
        ("pu", preserving(object(vec![("s", typed("string"))]))),
        ("er", SchemaProps { embedded_resource: true, ..preserving(typed("object")) }),
        ("un", preserving(Schema::default())),
        ("a-b", typed("integer")),
        ("digit", object(vec![("1a", typed("string")), ("b c", typed("integer"))])),
        ("namespace", typed("string")),
    ])
}

fn base() -> Json<'static> {
    json(&serde_json::json!({
        "s": "abc", "r": "b", "i": 2, "j": -3, "n": 1.5, "m": -0.25, "b": true, "by": "YWJj", "t": "2024-06-15T12:30:45.5Z",
        "d": "2024-02-29", "du": "1h2m3.5s", "x": 1, "y": "a", "ss": ["a", "b", "a"], "is": [3, 1, 2], "ns": [1.5, 2, -1],
        "ll": [[1], [2, 3], []], "set": ["a", "b"], "set2": ["b", "a"], "ml": [{ "k": "a", "v": 1 }, { "k": "b", "v": 2 }],
        "ml2": [{ "k": "b", "v": 2 }, { "k": "a", "v": 1 }], "mi": { "a": 1 }, "mi2": { "a": 1 }, "mo": { "a": { "k": "x", "v": 1 } },
        "o": { "s": "a", "i": 1 }, "os": [{ "k": "a", "v": 1 }, { "k": "b" }], "nul": null, "nuls": ["a", null],
        "pu": { "s": "a", "other": { "a": [1] } }, "er": { "apiVersion": "v1", "kind": "Pod", "metadata": { "name": "a" }, "spec": {} },
        "un": { "a": 1 }, "a-b": 1, "namespace": "ns",
    }))
}
