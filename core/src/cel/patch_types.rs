//! The types and the function of patches, which only expressions of mutations have: those of `DynamicTypeResolver` and of the library
//! `kubernetes.jsonpatch` in the server.

use alloc::vec::Vec;

use super::{functions::Overload, types::Type};

/// An object as it is applied. Its parts are `Object.spec`, `Object.spec.template` and so on.
const OBJECT: &str = "Object";
/// An operation of a JSON patch.
const JSON_PATCH: &str = "JSONPatch";

/// The type of an applied object.
pub(super) fn object() -> Type {
    Type::Object(OBJECT.into())
}

/// The type of a JSON patch.
pub(super) fn json_patch() -> Type {
    Type::list(Type::Struct(JSON_PATCH))
}

/// Returns the type with a name.
pub(super) fn named_type(name: &str) -> Option<Type> {
    if name == JSON_PATCH {
        return Some(Type::Struct(JSON_PATCH));
    }
    is_object(name).then(|| Type::Object(name.into()))
}

fn is_object(name: &str) -> bool {
    name.strip_prefix(OBJECT).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// Returns the type of a field. The server does not know the fields of objects: all exist, with any value.
pub(super) fn field(type_: &str, field: &str) -> Option<Type> {
    match (type_, field) {
        (JSON_PATCH, "op" | "path" | "from") => Some(Type::String),
        (JSON_PATCH, "value") => Some(Type::Dyn),
        _ => is_object(type_).then_some(Type::Dyn),
    }
}

/// Returns the overloads of a function.
pub(super) fn overloads(name: &str) -> Vec<Overload> {
    if name != "jsonpatch.escapeKey" {
        return Vec::new();
    }
    alloc::vec![Overload {
        id: "string_jsonpatch_escapeKey_string",
        since: 0,
        is_member: false,
        args: alloc::vec![Type::String],
        result: Type::String,
    }]
}
