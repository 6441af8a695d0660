//! Stack size for deeply nested definitions.

use std::{panic::resume_unwind, thread};

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::{
    CustomResourceDefinition, JSONSchemaProps, JSONSchemaPropsOrArray, JSONSchemaPropsOrBool,
    JSONSchemaPropsOrStringArray,
};
use serde_json::Value;

use crate::crd::crd_accessors;

/// The depth up to which the current stack is sufficient.
const MAX_SHALLOW_DEPTH: usize = 40;

/// The stack size per level, without optimizations.
const STACK_PER_LEVEL: usize = 96 * 1024;

/// Runs a function on a stack that is large enough for a number of levels.
pub(super) fn with_stack_for<T: Send>(levels: usize, run: impl Fn() -> T + Sync) -> T {
    if levels <= MAX_SHALLOW_DEPTH {
        return run();
    }
    thread::scope(|scope| {
        let builder = thread::Builder::new().stack_size(levels.saturating_mul(STACK_PER_LEVEL));
        match builder.spawn_scoped(scope, &run) {
            Ok(thread) => thread.join().unwrap_or_else(|panic| resume_unwind(panic)),
            // Without threads, only the current stack is available.
            Err(_) => run(),
        }
    })
}

/// Returns the depth of a JSON value.
pub(super) fn of_json(value: &Value) -> usize {
    deepest(value, |value, within| match value {
        Value::Array(items) => within.extend(items),
        Value::Object(members) => within.extend(members.values()),
        _ => {}
    })
}

/// Returns the depth of a definition's schemas, including the values in them.
pub(super) fn of_definition(crd: &CustomResourceDefinition) -> usize {
    let schemas = crd.spec.versions.iter().filter_map(crd_accessors::schema);
    schemas
        .map(|schema| {
            let mut values = 0;
            let levels = deepest(schema, |schema, within| {
                values = values.max(in_values(schema));
                children(schema, within);
            });
            levels + values
        })
        .max()
        .unwrap_or_default()
}

fn in_values(schema: &JSONSchemaProps) -> usize {
    let values = schema.default.iter().chain(&schema.example).chain(schema.enum_.iter().flatten());
    values.map(|value| of_json(&value.0)).max().unwrap_or_default()
}

fn children<'s>(schema: &'s JSONSchemaProps, within: &mut Vec<&'s JSONSchemaProps>) {
    for named in [&schema.properties, &schema.pattern_properties, &schema.definitions] {
        within.extend(named.iter().flat_map(|schemas| schemas.values()));
    }
    for listed in [&schema.all_of, &schema.any_of, &schema.one_of] {
        within.extend(listed.iter().flatten());
    }
    within.extend(schema.not.as_deref());
    match &schema.items {
        Some(JSONSchemaPropsOrArray::Schema(items)) => within.push(items),
        Some(JSONSchemaPropsOrArray::Schemas(items)) => within.extend(items),
        None => {}
    }
    for open in [&schema.additional_properties, &schema.additional_items] {
        if let Some(JSONSchemaPropsOrBool::Schema(schema)) = open {
            within.push(schema);
        }
    }
    for dependency in schema.dependencies.iter().flat_map(|all| all.values()) {
        if let JSONSchemaPropsOrStringArray::Schema(schema) = dependency {
            within.push(schema);
        }
    }
}

/// Returns the depth of a tree. `children` adds the children of a node to a list.
fn deepest<'v, T>(first: &'v T, mut children: impl FnMut(&'v T, &mut Vec<&'v T>)) -> usize {
    let mut level = vec![first];
    let mut count = 0;
    while !level.is_empty() {
        count += 1;
        let mut next = Vec::new();
        for value in level {
            children(value, &mut next);
        }
        level = next;
    }
    count
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn levels() {
        assert_eq!(of_json(&json!(1)), 1);
        assert_eq!(of_json(&json!({ "a": [1, { "b": 2 }], "c": 3 })), 4);
        let crd = super::super::tests::with_spec(json!({
            "type": "object",
            "properties": { "a": { "type": "array", "items": { "not": {} }, "default": [[]] } },
        }));
        assert_eq!(of_definition(&crd), 5 + 2);
    }

    #[test]
    fn runs() {
        assert_eq!(with_stack_for(1, || 1), 1);
        assert_eq!(with_stack_for(MAX_SHALLOW_DEPTH + 1, || 2), 2);
    }
}
