//! Numbers of 32-bit floats.
//!
//! `serde_json` converts such a float to the 64-bit float of the same value, 0.10000000149011612 for 0.1, which can be above
//! the field's own maximum. As text, which clients send, it is `0.1`: the shortest number that is this float.

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::JSONSchemaProps;
use serde_json::{Number, Value};

use crate::crd::{
    crd_accessors::{items, values},
    structural::{closed::branches, walk},
};

/// Shortens the bounds, defaults, examples and values of all 32-bit floats.
pub(crate) fn shorten(props: &mut JSONSchemaProps) {
    walk::children(props).for_each(shorten);
    branches(props).for_each(shorten);
    if is_single(props) {
        for bound in [&mut props.minimum, &mut props.maximum, &mut props.multiple_of] {
            *bound = bound.map(|number| shortest(number).unwrap_or(number));
        }
    }
    let (mut default, mut example) = (props.default.take(), props.example.take());
    let mut allowed = props.enum_.take();
    for json in default.iter_mut().chain(&mut example).chain(allowed.iter_mut().flatten()) {
        shorten_value(&mut json.0, props);
    }
    (props.default, props.example, props.enum_) = (default, example, allowed);
}

fn shorten_value(value: &mut Value, schema: &JSONSchemaProps) {
    match value {
        Value::Number(number) if is_single(schema) && number.is_f64() => {
            if let Some(short) = number.as_f64().and_then(shortest).and_then(Number::from_f64) {
                *number = short;
            }
        }
        Value::Array(all) => {
            if let Some(schema) = items(schema) {
                all.iter_mut().for_each(|item| shorten_value(item, schema));
            }
        }
        Value::Object(members) => {
            for (name, member) in members {
                let property = schema.properties.as_ref().and_then(|all| all.get(name));
                if let Some(schema) = property.or_else(|| values(schema)) {
                    shorten_value(member, schema);
                }
            }
        }
        _ => {}
    }
}

fn is_single(schema: &JSONSchemaProps) -> bool {
    schema.format.as_deref() == Some("float")
}

/// Returns the number with the fewest digits that is the same 32-bit float, if the number is one.
fn shortest(number: f64) -> Option<f64> {
    #[allow(clippy::cast_possible_truncation)] // the result is compared with the number
    let single = number as f32;
    if f64::from(single) != number {
        return None;
    }
    // The shortest text of the greatest float is above it, and the format has no greater number.
    let short: f64 = single.to_string().parse().ok()?;
    Some(short).filter(|short| short.abs() <= f64::from(f32::MAX))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde_json::json;

    use super::*;
    use crate::{
        crd::render::render_schema,
        schema::{Field, Keyword, KubeSchema, Schema},
    };

    #[test]
    fn shortest_numbers() {
        for (number, expected) in [
            (f64::from(0.1_f32), Some(0.1)),
            (f64::from(-16.777_216_f32), Some(-16.777_216)),
            (f64::from(1e20_f32), Some(1e20)),
            (f64::from(1e-40_f32), Some(1e-40)),
            (0.5, Some(0.5)),
            (0.1, None),
            (f64::from(f32::MAX), None),
        ] {
            assert_eq!(shortest(number), expected, "{number}");
        }
    }

    /// A tenth at each place, in a schema and in a default around it.
    #[test]
    fn numbers_at_all_depths() {
        const TENTH: f32 = 0.1;
        const RATIO: Field = Field::new("ratio", <Option<f32>>::SCHEMA_REF).with(&[
            Keyword::maximum(TENTH as f64),
            Keyword::Default(|| serde_json::to_value(Some(TENTH)).map(Some)),
            Keyword::Example(|| serde_json::to_value(TENTH)),
        ]);
        const LIST: Field = Field::new("list", <Vec<f32>>::SCHEMA_REF);
        const MAP: Field = Field::new("map", <BTreeMap<String, f32>>::SCHEMA_REF);
        const DOUBLE: Field = Field::new("double", <f64>::SCHEMA_REF);
        const PART: Schema = Schema::object(&[RATIO, LIST, MAP, DOUBLE]);
        const OUTER: Schema = Schema::object(&[Field::new("part", &PART).with(&[Keyword::Default(|| {
            Ok(Some(json!({ "ratio": TENTH, "list": [TENTH], "map": { "a": TENTH }, "double": f64::from(TENTH) })))
        })])]);
        let rendered = serde_json::to_value(render_schema(&OUTER).unwrap()).unwrap();
        let part = &rendered["properties"]["part"];
        let widened = f64::from(TENTH);
        assert_eq!(part["default"], json!({ "ratio": 0.1, "list": [0.1], "map": { "a": 0.1 }, "double": widened }));
        let ratio = &part["properties"]["ratio"];
        assert_eq!((&ratio["default"], &ratio["maximum"], &ratio["example"]), (&json!(0.1), &json!(0.1), &json!(0.1)));
    }
}
