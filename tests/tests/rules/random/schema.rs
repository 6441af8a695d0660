//! Random schemas. The server accepts them, except for a value that does not fit, or two keywords that conflict.

use serde_json::{Map, Value, json};

use super::{
    rng::Rng,
    values::{self, value},
};

type Schema = Map<String, Value>;

/// A schema of at most `depth` levels.
pub(crate) fn schema(rng: &mut Rng, depth: usize) -> Value {
    let kinds = if depth == 0 { 6 } else { 10 };
    let mut schema = match rng.below(kinds) {
        0 | 1 => string(rng),
        2 => number(rng, "integer"),
        3 => number(rng, "number"),
        4 => Schema::from_iter([("type".into(), "boolean".into())]),
        5 => alone(rng),
        6 => list(rng, depth),
        7 => map(rng, depth),
        _ => object(rng, depth),
    };
    if rng.once_in(4) {
        branches(rng, &mut schema);
    }
    if rng.once_in(8) {
        schema.insert("nullable".into(), true.into());
    }
    if rng.once_in(12) {
        schema.insert("description".into(), "a".into());
    }
    if rng.once_in(4) {
        let fitting = fitting(rng, &schema);
        schema.insert("default".into(), fitting);
    }
    if rng.once_in(12) && schema.contains_key("type") {
        let rule = rng.pick(&["true", "1 == 1"]);
        schema.insert("x-kubernetes-validations".into(), json!([{ "rule": rule }]));
    }
    Value::Object(schema)
}

fn of_type(type_: &str) -> Schema {
    Schema::from_iter([("type".into(), type_.into())])
}

fn string(rng: &mut Rng) -> Schema {
    let mut schema = of_type("string");
    if rng.once_in(3) {
        schema.insert("format".into(), values::format(rng));
    }
    if rng.once_in(4) {
        schema.insert("pattern".into(), values::pattern(rng));
    }
    if rng.once_in(4) {
        schema.insert("minLength".into(), values::count(rng));
    }
    if rng.once_in(4) {
        schema.insert("maxLength".into(), values::count(rng));
    }
    if rng.once_in(5) {
        let all: Vec<_> = (0..=rng.below(3)).map(|_| values::text(rng)).collect();
        schema.insert("enum".into(), all.into());
    }
    schema
}

fn number(rng: &mut Rng, type_: &str) -> Schema {
    let mut schema = of_type(type_);
    for name in ["minimum", "maximum", "multipleOf"] {
        if rng.once_in(5) {
            schema.insert(name.into(), values::number(rng));
        }
    }
    for name in ["exclusiveMinimum", "exclusiveMaximum"] {
        if rng.once_in(9) {
            schema.insert(name.into(), true.into());
        }
    }
    if rng.once_in(4) {
        schema.insert("format".into(), values::format(rng));
    }
    if rng.once_in(8) {
        let all: Vec<_> = (0..=rng.below(3)).map(|_| values::number(rng)).collect();
        schema.insert("enum".into(), all.into());
    }
    schema
}

/// A schema without a type.
fn alone(rng: &mut Rng) -> Schema {
    let keyword = ["x-kubernetes-int-or-string", "x-kubernetes-preserve-unknown-fields"];
    let mut schema = Schema::from_iter([((*rng.pick(&keyword)).to_owned(), true.into())]);
    if rng.once_in(5) {
        schema.insert("anyOf".into(), json!([{ "type": "integer" }, { "type": "string" }]));
    }
    if rng.once_in(6) {
        schema.insert("pattern".into(), values::pattern(rng));
    }
    if rng.once_in(6) {
        schema.insert("maximum".into(), values::number(rng));
    }
    schema
}

fn list(rng: &mut Rng, depth: usize) -> Schema {
    let mut schema = of_type("array");
    schema.insert("items".into(), self::schema(rng, depth - 1));
    for name in ["minItems", "maxItems"] {
        if rng.once_in(5) {
            schema.insert(name.into(), values::count(rng));
        }
    }
    if rng.once_in(3) {
        let type_ = rng.pick(&["atomic", "set", "map"]);
        schema.insert("x-kubernetes-list-type".into(), (*type_).into());
        if *type_ == "map" {
            let key = json!({ "type": "string" });
            schema["items"] = json!({ "type": "object", "required": ["a"], "properties": { "a": key, "b": self::schema(rng, depth - 1) } });
            schema.insert("x-kubernetes-list-map-keys".into(), json!(["a"]));
        }
    }
    schema
}

fn map(rng: &mut Rng, depth: usize) -> Schema {
    let mut schema = of_type("object");
    let values = match rng.below(8) {
        0 => json!(true),
        1 => json!(false),
        _ => self::schema(rng, depth - 1),
    };
    schema.insert("additionalProperties".into(), values);
    for name in ["minProperties", "maxProperties"] {
        if rng.once_in(5) {
            schema.insert(name.into(), values::count(rng));
        }
    }
    schema
}

fn object(rng: &mut Rng, depth: usize) -> Schema {
    let mut schema = of_type("object");
    let properties: Schema = (0..=rng.below(3)).map(|_| (values::field(rng), self::schema(rng, depth - 1))).collect();
    if rng.once_in(3) {
        let required: Vec<_> = properties.keys().filter(|_| rng.once_in(2)).cloned().collect();
        schema.insert("required".into(), required.into());
    }
    schema.insert("properties".into(), properties.into());
    if rng.once_in(8) {
        schema.insert("x-kubernetes-preserve-unknown-fields".into(), true.into());
    }
    if rng.once_in(10) {
        schema.insert("x-kubernetes-embedded-resource".into(), true.into());
    }
    if rng.once_in(10) {
        schema.insert("x-kubernetes-map-type".into(), (*rng.pick(&["atomic", "granular"])).into());
    }
    schema
}

/// Adds branches to a schema.
fn branches(rng: &mut Rng, schema: &mut Schema) {
    let name = *rng.pick(&["allOf", "anyOf", "oneOf", "not"]);
    let written = match name {
        "not" => branch(rng, schema, 2),
        _ => (0..=rng.below(2)).map(|_| branch(rng, schema, 2)).collect(),
    };
    schema.insert(name.into(), written);
}

/// A branch about what the schema has.
fn branch(rng: &mut Rng, schema: &Schema, depth: usize) -> Value {
    let mut branch = Schema::new();
    if let Some(properties) = schema.get("properties").and_then(Value::as_object) {
        let properties: Vec<_> = properties.iter().collect();
        if depth > 0 && !properties.is_empty() && rng.once_in(2) {
            let (name, property) = *rng.pick(&properties);
            let property = property.as_object().expect("a schema is an object");
            let below = self::branch(rng, property, depth - 1);
            branch.insert("properties".into(), json!({ (name.as_str()): below }));
        }
        if rng.once_in(2) {
            branch.insert("required".into(), values::fields(rng));
        }
    }
    if let (Some(Value::Object(items)), true) = (schema.get("items"), depth > 0 && rng.once_in(2)) {
        branch.insert("items".into(), self::branch(rng, items, depth - 1));
    }
    match rng.below(8) {
        0 => branch.insert("pattern".into(), values::pattern(rng)),
        1 => branch.insert("minLength".into(), values::count(rng)),
        2 => branch.insert("enum".into(), json!([value(rng, 1)])),
        3 => branch.insert("minimum".into(), values::number(rng)),
        4 => branch.insert("format".into(), values::format(rng)),
        5 if depth > 0 => {
            let not = self::branch(rng, schema, depth - 1);
            branch.insert("not".into(), not)
        }
        _ => None,
    };
    Value::Object(branch)
}

/// A value that mostly fits the schema.
pub(crate) fn fitting(rng: &mut Rng, schema: &Schema) -> Value {
    if rng.once_in(12) {
        return value(rng, 2);
    }
    if let (Some(Value::Array(all)), false) = (schema.get("enum"), rng.once_in(6))
        && !all.is_empty()
    {
        return rng.pick(all).clone();
    }
    match schema.get("type").and_then(Value::as_str) {
        Some("string") => values::text(rng),
        Some("integer" | "number") => values::number(rng),
        Some("boolean") => Value::Bool(true),
        Some("array") => {
            let Some(Value::Object(items)) = schema.get("items") else {
                return json!([]);
            };
            (0..rng.below(3)).map(|_| fitting(rng, items)).collect()
        }
        Some("object") => members(rng, schema),
        _ => value(rng, 2),
    }
}

fn members(rng: &mut Rng, schema: &Schema) -> Value {
    let mut object = Schema::new();
    for (name, property) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
        if let (Value::Object(property), true) = (property, rng.below(4) > 0) {
            object.insert(name.clone(), fitting(rng, property));
        }
    }
    if let Some(Value::Object(values)) = schema.get("additionalProperties") {
        for _ in 0..rng.below(3) {
            object.insert(values::field(rng), fitting(rng, values));
        }
    }
    if schema.contains_key("x-kubernetes-embedded-resource") && rng.below(4) > 0 {
        object.insert("apiVersion".into(), "v1".into());
        object.insert("kind".into(), "Thing".into());
    }
    Value::Object(object)
}
