//! Values just outside of a schema.

use serde_json::{Map, Value, json};

/// No schema has a field of this name.
pub(super) const UNDECLARED: &str = "unheardOf";

/// Returns the value with one part just outside of the schema each. Branches are ignored.
pub(super) fn out_of_range(schema: &Value, value: &Value) -> Vec<Value> {
    let mut all = Vec::new();
    if schema["enum"].is_array() {
        all.push(json!(UNDECLARED));
    }
    match value {
        Value::Number(_) => all.extend(numbers(schema)),
        Value::String(text) => all.extend(texts(schema, text)),
        Value::Array(items) => all.extend(lists(schema, items)),
        Value::Object(members) => all.extend(objects(schema, members)),
        _ => {}
    }
    all
}

fn numbers(schema: &Value) -> Vec<Value> {
    let step = |bound: &str, exclusive: &str, step: f64| {
        let limit = schema[bound].as_f64()?;
        let is_exclusive = schema[exclusive] == json!(true);
        Some(limit + if is_exclusive { 0.0 } else { step })
    };
    let below = step("minimum", "exclusiveMinimum", -1.0);
    let above = step("maximum", "exclusiveMaximum", 1.0);
    let between = schema["multipleOf"].as_f64().map(|factor| factor / 2.0);
    [below, above, between].into_iter().flatten().map(number).collect()
}

/// Returns whole numbers as integers, as the server stores them.
fn number(number: f64) -> Value {
    if number.fract() == 0.0 { json!(number as i64) } else { json!(number) }
}

fn texts(schema: &Value, text: &str) -> Vec<Value> {
    let of_length =
        |length: usize| Value::String(text.chars().chain("a".repeat(length).chars()).take(length).collect());
    lengths(schema, "minLength", "maxLength").map(of_length).collect()
}

fn lists(schema: &Value, items: &[Value]) -> Vec<Value> {
    let filler = items.first().cloned().unwrap_or(json!(UNDECLARED));
    let of_length = |length: usize| {
        let fillers = std::iter::repeat_n(filler.clone(), length);
        items.iter().cloned().chain(fillers).take(length).collect()
    };
    let mut all: Vec<_> = lengths(schema, "minItems", "maxItems").map(of_length).collect();
    for (index, item) in items.iter().enumerate() {
        let with = |item| {
            let mut items = items.to_vec();
            items[index] = item;
            Value::Array(items)
        };
        all.extend(out_of_range(&schema["items"], item).into_iter().map(with));
    }
    all
}

fn objects(schema: &Value, members: &Map<String, Value>) -> Vec<Value> {
    let of_length = |length: usize| {
        let filler = members.values().next().cloned().unwrap_or(json!(true));
        let fillers = (0..length).map(|index| (format!("{UNDECLARED}{index}"), filler.clone()));
        Value::Object(members.clone().into_iter().chain(fillers).take(length).collect())
    };
    let mut all: Vec<_> = lengths(schema, "minProperties", "maxProperties").map(of_length).collect();
    all.extend(without_what_is_required(schema, members));
    if is_closed(schema) {
        let mut more = members.clone();
        more.insert(UNDECLARED.to_owned(), json!(true));
        all.push(Value::Object(more));
    }
    for (name, member) in members {
        let with = |member| {
            let mut members = members.clone();
            members.insert(name.clone(), member);
            Value::Object(members)
        };
        all.extend(out_of_range(member_schema(schema, name), member).into_iter().map(with));
    }
    all
}

fn without_what_is_required(schema: &Value, members: &Map<String, Value>) -> Vec<Value> {
    let names = schema["required"].as_array().into_iter().flatten();
    let without = |name: &Value| {
        let name = name.as_str()?;
        let has_default = !schema["properties"][name]["default"].is_null();
        let mut members = members.clone();
        members.remove(name).filter(|_| !has_default)?;
        Some(Value::Object(members))
    };
    names.filter_map(without).collect()
}

fn member_schema<'a>(schema: &'a Value, name: &str) -> &'a Value {
    match schema["properties"].get(name) {
        Some(member) => member,
        None => &schema["additionalProperties"],
    }
}

/// Whether the server lets no unknown field in.
fn is_closed(schema: &Value) -> bool {
    let opens = ["additionalProperties", "x-kubernetes-preserve-unknown-fields", "x-kubernetes-embedded-resource"];
    schema["type"] == "object" && opens.iter().all(|keyword| schema[keyword].is_null())
}

/// One less than the least length, and one more than the greatest.
fn lengths(schema: &Value, least: &str, most: &str) -> impl Iterator<Item = usize> {
    let below = schema[least].as_u64().and_then(|least| least.checked_sub(1));
    let above = schema[most].as_u64().map(|most| most + 1);
    [below, above].into_iter().flatten().map(|length| length as usize)
}
