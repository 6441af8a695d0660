//! Schemas that the server accepts, but for a value that does not fit, or a rule that only a pair of keywords breaks.

use serde_json::{Map, Value, json};

use super::{
    pieces::{self, value},
    source::Source,
};

type Schema = Map<String, Value>;

/// A schema of at most `depth` levels.
pub(crate) fn schema(source: &mut Source, depth: usize) -> Value {
    let kinds = if depth == 0 { 6 } else { 10 };
    let mut schema = match source.below(kinds) {
        0 | 1 => string(source),
        2 => number(source, "integer"),
        3 => number(source, "number"),
        4 => Schema::from_iter([("type".into(), "boolean".into())]),
        5 => alone(source),
        6 => list(source, depth),
        7 => map(source, depth),
        _ => object(source, depth),
    };
    if source.once_in(4) {
        branches(source, &mut schema);
    }
    if source.once_in(8) {
        schema.insert("nullable".into(), true.into());
    }
    if source.once_in(12) {
        schema.insert("description".into(), "a".into());
    }
    if source.once_in(4) {
        let fitting = fitting(source, &schema);
        schema.insert("default".into(), fitting);
    }
    if source.once_in(12) && schema.contains_key("type") {
        let rule = source.pick(&["true", "1 == 1"]);
        schema.insert("x-kubernetes-validations".into(), json!([{ "rule": rule }]));
    }
    Value::Object(schema)
}

fn of_type(type_: &str) -> Schema {
    Schema::from_iter([("type".into(), type_.into())])
}

fn string(source: &mut Source) -> Schema {
    let mut schema = of_type("string");
    if source.once_in(3) {
        schema.insert("format".into(), pieces::format(source));
    }
    if source.once_in(4) {
        schema.insert("pattern".into(), pieces::pattern(source));
    }
    if source.once_in(4) {
        schema.insert("minLength".into(), pieces::count(source));
    }
    if source.once_in(4) {
        schema.insert("maxLength".into(), pieces::count(source));
    }
    if source.once_in(5) {
        let all: Vec<_> = (0..=source.below(3)).map(|_| pieces::text(source)).collect();
        schema.insert("enum".into(), all.into());
    }
    schema
}

fn number(source: &mut Source, type_: &str) -> Schema {
    let mut schema = of_type(type_);
    for name in ["minimum", "maximum", "multipleOf"] {
        if source.once_in(5) {
            schema.insert(name.into(), pieces::number(source));
        }
    }
    for name in ["exclusiveMinimum", "exclusiveMaximum"] {
        if source.once_in(9) {
            schema.insert(name.into(), true.into());
        }
    }
    if source.once_in(4) {
        schema.insert("format".into(), pieces::format(source));
    }
    if source.once_in(8) {
        let all: Vec<_> = (0..=source.below(3)).map(|_| pieces::number(source)).collect();
        schema.insert("enum".into(), all.into());
    }
    schema
}

/// A schema without a type.
fn alone(source: &mut Source) -> Schema {
    let keyword = ["x-kubernetes-int-or-string", "x-kubernetes-preserve-unknown-fields"];
    let mut schema = Schema::from_iter([((*source.pick(&keyword)).to_owned(), true.into())]);
    if source.once_in(5) {
        schema.insert("anyOf".into(), json!([{ "type": "integer" }, { "type": "string" }]));
    }
    if source.once_in(6) {
        schema.insert("pattern".into(), pieces::pattern(source));
    }
    if source.once_in(6) {
        schema.insert("maximum".into(), pieces::number(source));
    }
    schema
}

fn list(source: &mut Source, depth: usize) -> Schema {
    let mut schema = of_type("array");
    schema.insert("items".into(), self::schema(source, depth - 1));
    for name in ["minItems", "maxItems"] {
        if source.once_in(5) {
            schema.insert(name.into(), pieces::count(source));
        }
    }
    if source.once_in(3) {
        let type_ = source.pick(&["atomic", "set", "map"]);
        schema.insert("x-kubernetes-list-type".into(), (*type_).into());
        if *type_ == "map" {
            let key = json!({ "type": "string" });
            schema["items"] = json!({ "type": "object", "required": ["a"], "properties": { "a": key, "b": self::schema(source, depth - 1) } });
            schema.insert("x-kubernetes-list-map-keys".into(), json!(["a"]));
        }
    }
    schema
}

fn map(source: &mut Source, depth: usize) -> Schema {
    let mut schema = of_type("object");
    let values = match source.below(8) {
        0 => json!(true),
        1 => json!(false),
        _ => self::schema(source, depth - 1),
    };
    schema.insert("additionalProperties".into(), values);
    for name in ["minProperties", "maxProperties"] {
        if source.once_in(5) {
            schema.insert(name.into(), pieces::count(source));
        }
    }
    schema
}

fn object(source: &mut Source, depth: usize) -> Schema {
    let mut schema = of_type("object");
    let properties: Schema =
        (0..=source.below(3)).map(|_| (pieces::field(source), self::schema(source, depth - 1))).collect();
    if source.once_in(3) {
        let required: Vec<_> = properties.keys().filter(|_| source.once_in(2)).cloned().collect();
        schema.insert("required".into(), required.into());
    }
    schema.insert("properties".into(), properties.into());
    if source.once_in(8) {
        schema.insert("x-kubernetes-preserve-unknown-fields".into(), true.into());
    }
    if source.once_in(10) {
        schema.insert("x-kubernetes-embedded-resource".into(), true.into());
    }
    if source.once_in(10) {
        schema.insert("x-kubernetes-map-type".into(), (*source.pick(&["atomic", "granular"])).into());
    }
    schema
}

/// Adds branches to a schema.
fn branches(source: &mut Source, schema: &mut Schema) {
    let name = *source.pick(&["allOf", "anyOf", "oneOf", "not"]);
    let written = match name {
        "not" => branch(source, schema, 2),
        _ => (0..=source.below(2)).map(|_| branch(source, schema, 2)).collect(),
    };
    schema.insert(name.into(), written);
}

/// A branch about what the schema has.
fn branch(source: &mut Source, schema: &Schema, depth: usize) -> Value {
    let mut branch = Schema::new();
    if let Some(properties) = schema.get("properties").and_then(Value::as_object) {
        let properties: Vec<_> = properties.iter().collect();
        if depth > 0 && !properties.is_empty() && source.once_in(2) {
            let (name, property) = *source.pick(&properties);
            let property = property.as_object().expect("a schema is an object");
            let below = self::branch(source, property, depth - 1);
            branch.insert("properties".into(), json!({ (name.as_str()): below }));
        }
        if source.once_in(2) {
            branch.insert("required".into(), pieces::fields(source));
        }
    }
    if let (Some(Value::Object(items)), true) = (schema.get("items"), depth > 0 && source.once_in(2)) {
        branch.insert("items".into(), self::branch(source, items, depth - 1));
    }
    match source.below(8) {
        0 => branch.insert("pattern".into(), pieces::pattern(source)),
        1 => branch.insert("minLength".into(), pieces::count(source)),
        2 => branch.insert("enum".into(), json!([value(source, 1)])),
        3 => branch.insert("minimum".into(), pieces::number(source)),
        4 => branch.insert("format".into(), pieces::format(source)),
        5 if depth > 0 => {
            let not = self::branch(source, schema, depth - 1);
            branch.insert("not".into(), not)
        }
        _ => None,
    };
    Value::Object(branch)
}

/// A value that mostly fits the schema.
pub(crate) fn fitting(source: &mut Source, schema: &Schema) -> Value {
    if source.once_in(12) {
        return value(source, 2);
    }
    if let (Some(Value::Array(all)), false) = (schema.get("enum"), source.once_in(6))
        && !all.is_empty()
    {
        return source.pick(all).clone();
    }
    match schema.get("type").and_then(Value::as_str) {
        Some("string") => pieces::text(source),
        Some("integer" | "number") => pieces::number(source),
        Some("boolean") => Value::Bool(true),
        Some("array") => {
            let Some(Value::Object(items)) = schema.get("items") else {
                return json!([]);
            };
            (0..source.below(3)).map(|_| fitting(source, items)).collect()
        }
        Some("object") => members(source, schema),
        _ => value(source, 2),
    }
}

fn members(source: &mut Source, schema: &Schema) -> Value {
    let mut object = Schema::new();
    for (name, property) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
        if let (Value::Object(property), true) = (property, source.below(4) > 0) {
            object.insert(name.clone(), fitting(source, property));
        }
    }
    if let Some(Value::Object(values)) = schema.get("additionalProperties") {
        for _ in 0..source.below(3) {
            object.insert(pieces::field(source), fitting(source, values));
        }
    }
    if schema.contains_key("x-kubernetes-embedded-resource") && source.below(4) > 0 {
        object.insert("apiVersion".into(), "v1".into());
        object.insert("kind".into(), "Thing".into());
    }
    Value::Object(object)
}
