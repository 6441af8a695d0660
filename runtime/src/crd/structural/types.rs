//! `type`, `enum`, `const` and `nullable`.

use crdkit_core::schema::Kind;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::{JSON, JSONSchemaProps};
use serde_json::{Map, Value};

use crate::{
    crd::{
        crd_accessors::with_plain_numbers,
        structural::{ADVICE, convert::unsatisfiable, keywords},
    },
    error::RenderError,
};

const TYPES: [&str; 6] = ["array", "boolean", "integer", "number", "object", "string"];

/// Reads the types and the enum values of a node.
pub(super) fn read(schema: &mut Map<String, Value>, props: &mut JSONSchemaProps) -> Result<(), RenderError> {
    props.nullable = keywords::flag(schema, "nullable")?;
    read_enum(schema, props)?;
    let names = match schema.remove("type") {
        Some(Value::Array(names)) => names,
        name => name.into_iter().collect(),
    };
    if !names.is_empty() {
        read_types(&names, props)?;
    }
    if is_int_or_string(props) {
        // The server ignores `type` in this case.
        props.type_ = None;
    }
    Ok(())
}

/// Whether null is the only value that a schema allows.
pub(super) fn is_null(schema: &Value) -> bool {
    let is_null = |value: &Value| value.is_null() || value == "null";
    let is_all_null = |value: &Value| match value {
        Value::Array(values) => !values.is_empty() && values.iter().all(is_null),
        value => is_null(value),
    };
    ["type", "const", "enum"].iter().any(|keyword| schema.get(keyword).is_some_and(is_all_null))
}

/// Reads an `enum`, without null, which the server never accepts there.
fn read_enum(schema: &mut Map<String, Value>, props: &mut JSONSchemaProps) -> Result<(), RenderError> {
    let values = match schema.remove("const") {
        Some(value) => Some(vec![value]),
        None => keywords::object::<Vec<Value>>(schema, "enum", "a list")?,
    };
    let Some(mut values) = values else {
        return Ok(());
    };
    let all = values.len();
    values.retain(|value| !value.is_null());
    if values.len() < all {
        props.nullable = Some(true);
    }
    if values.is_empty() {
        return Err(if all > 0 { always_null() } else { unsatisfiable() });
    }
    // Those of several types are compared, and the server takes 1.0 for 1.
    props.enum_ = Some(values.into_iter().map(with_plain_numbers).map(JSON).collect());
    Ok(())
}

fn read_types(names: &[Value], props: &mut JSONSchemaProps) -> Result<(), RenderError> {
    let mut types = Vec::new();
    for name in names {
        match name.as_str() {
            Some("null") => props.nullable = Some(true),
            Some(name) if TYPES.contains(&name) => types.push(name),
            _ => return Err(unknown(name)),
        }
    }
    types.sort_unstable();
    types.dedup();
    if types.contains(&"number") {
        types.retain(|name| *name != "integer");
    }
    match types[..] {
        [] => return Err(always_null()),
        [name] => props.type_ = Some(name.to_owned()),
        ["integer", "string"] => props.x_kubernetes_int_or_string = Some(true),
        ["array", "boolean", "number", "object", "string"] => {
            props.x_kubernetes_preserve_unknown_fields = Some(true);
        }
        _ => return Err(mixed(&types)),
    }
    Ok(())
}

/// The error for a schema that allows only null.
pub(super) fn always_null() -> RenderError {
    RenderError::new(format!("a type whose only value is null, such as `()`, has no structural schema: {ADVICE}"))
}

fn mixed(names: &[&str]) -> RenderError {
    RenderError::new(format!("a value that is one of {} has no structural schema: {ADVICE}", names.join(", ")))
}

fn unknown(name: &Value) -> RenderError {
    RenderError::new(format!("`{name}` is not a schema type: expected one of {}", TYPES.join(", ")))
}

/// Returns the kind of value that a node describes.
pub(crate) fn kind(props: &JSONSchemaProps) -> Kind {
    Kind::of_type(props.type_.as_deref(), is_int_or_string(props))
}

/// Sets the kind of value that a node describes.
pub(super) fn set_kind(props: &mut JSONSchemaProps, kind: Kind) {
    props.type_ = kind.type_name().map(str::to_owned);
    props.x_kubernetes_int_or_string = (kind == Kind::IntOrString).then_some(true);
}

/// Whether a node is an integer or a string.
pub(super) fn is_int_or_string(props: &JSONSchemaProps) -> bool {
    props.x_kubernetes_int_or_string == Some(true)
}
