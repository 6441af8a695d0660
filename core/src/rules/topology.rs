//! The merge strategy of lists and maps in server-side apply: `x-kubernetes-list-type`, `x-kubernetes-list-map-keys` and
//! `x-kubernetes-map-type`.

use alloc::borrow::Cow;

use crate::{
    json::Json,
    merged_keywords::MergedKeywords,
    rules::{NodeReport, report_at_node},
    schema::{SchemaProps, Type},
    text::equal,
    violation::{Arg, ErrorType, ServerError, Text, Violation},
    walk::Node,
};

mod keys;

pub use keys::{
    keyed_list_is_map, list_map_has_keys, map_key_is_not_nullable, map_key_is_scalar, map_key_is_set, repeated_map_key,
    unknown_map_key,
};

rules! {
    L1 Error [Const, Validate] "Only a list has a list type.";
    L2 Error [Derive, Validate] "A list type is `atomic`, `set` or `map`.";
    L3 Error [Derive, Validate] "Only a list with the list type `map` has map keys.";
    L4 Error [Derive, Validate] "A list with the list type `map` has map keys.";
    L5 Error [Const, Validate] "The items of a list with the list type `map` are objects.";
    L6 Error [Const, Validate] "Each map key is a field of the items.";
    L7 Error [Const, Validate] "Each map key is a boolean, a number or a string.";
    L8 Error [Derive, Validate] "No map key is repeated.";
    L9 Error [Const, Validate] "Each map key is required, or has a default.";
    L10 Error [Const, Validate] "No map key is nullable.";
    L11 Error [Const, Validate] "The items of a list with the list type `set` or `map` are not nullable.";
    L12 Error [Const, Validate] "Objects in a set are atomic.";
    L13 Error [Const, Validate] "Lists in a set are atomic.";
    L14 Error [Const, Derive, Validate] "Only an object or a map has a map type, `atomic` or `granular`.";
}

const LIST_TYPE: &str = ".x-kubernetes-list-type";
const MAP_TYPE: &str = ".x-kubernetes-map-type";

/// Checks the family at one node.
pub(super) fn check_node(node: &Node<'_, '_>, report: &mut NodeReport<'_>) {
    let schema = node.schema;
    let facts = MergedKeywords::from_schema(schema);
    let mut check = |result: Result<(), Violation<'_>>| report_at_node(node, result, report);
    let keys = &schema.list_map_keys;
    let list_type = schema.list_type.as_deref();
    let all = list(keys);
    let quoted = Arg::Display(&all);
    check(list_type_is_on_list(&facts));
    check(map_type_is_on_object(&facts));
    check(keyed_list_is_map(list_type, keys.len()));
    for (at, key) in keys.iter().enumerate() {
        if keys[..at].contains(key) {
            check(Err(repeated_map_key(key).with_value(quoted)));
        }
    }
    check(list_type.map_or(Ok(()), list_type_is_supported));
    check(map_type_is_supported(&facts));
    let Some(list_type @ ("set" | "map")) = list_type else {
        return;
    };
    check(list_map_has_keys(Some(list_type), keys.len()));
    let Some(items) = schema.items() else {
        if list_type == "map" {
            check(Err(no_items(schema.items.is_some())));
        }
        return;
    };
    let item = MergedKeywords::from_schema(items);
    check(items_are_not_nullable(list_type, &item));
    match list_type {
        "map" => map(node, items, report),
        _ if list_type_is_on_list(&facts).is_ok() => {
            check(set_objects_are_atomic(&item));
            check(set_lists_are_atomic(&item));
        }
        _ => {}
    }
}

fn map(node: &Node<'_, '_>, items: &SchemaProps<'_>, report: &mut NodeReport<'_>) {
    let keys = &node.schema.list_map_keys;
    let all = list(keys);
    let quoted = Arg::Display(&all);
    let mut check = |result: Result<(), Violation<'_>>| report_at_node(node, result, report);
    check(map_items_are_objects(&MergedKeywords::from_schema(items)));
    for key in keys {
        match items.property(key) {
            None => check(Err(unknown_map_key(key).with_value(quoted))),
            Some(property) => {
                let facts = MergedKeywords::from_schema(property);
                check(map_key_is_scalar(key, &facts));
                check(map_key_is_set(key, &facts, items.requires(key)));
                check(map_key_is_not_nullable(key, &facts));
            }
        }
    }
}

/// Returns the keys as the server quotes them.
fn list<'a>(keys: &'a [Cow<'_, str>]) -> Json<'a> {
    let keys = keys.iter().map(|key| Json::String(Cow::Borrowed(key)));
    Json::Array(keys.collect())
}

/// [`L1`].
pub const fn list_type_is_on_list<'a>(facts: &MergedKeywords<'a>) -> Result<(), Violation<'a>> {
    if facts.list_type.is_none() || matches!(facts.type_, Type::Array | Type::Unknown) {
        return Ok(());
    }
    let message = Text::new("a list type applies to lists, but this is {}", &[Arg::Text(facts.kind.noun())]);
    Err(Violation::new(&L1, message)
        .with_server_error(wrong_type(facts, "must be array if x-kubernetes-list-type is specified")))
}

const fn wrong_type<'a>(facts: &MergedKeywords<'a>, detail: &'static str) -> ServerError<'a> {
    match facts.type_ {
        Type::Missing => ServerError::new(ErrorType::Required, ".type", detail),
        _ => ServerError::new(ErrorType::Invalid, ".type", detail).with_value(Arg::Quoted(facts.type_name)),
    }
}

/// [`L2`].
pub const fn list_type_is_supported(list_type: &str) -> Result<(), Violation<'_>> {
    if equal(list_type, "atomic") || equal(list_type, "set") || equal(list_type, "map") {
        return Ok(());
    }
    let message = Text::new("`{}` is not a list type: write `atomic`, `set` or `map`", &[Arg::Text(list_type)]);
    let detail = "supported values: \"atomic\", \"set\", \"map\"";
    let server_error = ServerError::new(ErrorType::NotSupported, LIST_TYPE, detail);
    Err(Violation::new(&L2, message).with_server_error(server_error.with_value(Arg::Quoted(list_type))))
}

/// [`L5`].
pub const fn map_items_are_objects<'a>(items: &MergedKeywords<'a>) -> Result<(), Violation<'a>> {
    if matches!(items.type_, Type::Object | Type::Unknown) {
        return Ok(());
    }
    let message =
        Text::new("the items are {}: map keys apply to items that are objects", &[Arg::Text(items.kind.plural())]);
    let detail = "must be object if parent array's x-kubernetes-list-type is map";
    let server_error =
        ServerError::new(ErrorType::Invalid, ".items.type", detail).with_value(Arg::Quoted(items.type_name));
    Err(Violation::new(&L5, message).with_server_error(server_error))
}

const fn no_items<'a>(has_several: bool) -> Violation<'a> {
    let message = Text::literal("the list type `map` requires one schema for the items");
    let server_error = if has_several {
        ServerError::new(
            ErrorType::Invalid,
            ".items",
            "must only have a single schema if x-kubernetes-list-type is map",
        )
    } else {
        ServerError::new(ErrorType::Required, ".items", "must have a schema if x-kubernetes-list-type is map")
    };
    Violation::new(&L5, message).with_server_error(server_error)
}

/// [`L11`].
pub const fn items_are_not_nullable<'a>(list_type: &'a str, items: &MergedKeywords<'a>) -> Result<(), Violation<'a>> {
    if !items.nullable {
        return Ok(());
    }
    let message = Text::new("the items of a list of the list type `{}` cannot be nullable", &[Arg::Text(list_type)]);
    let mut server_error = ServerError::new(ErrorType::Forbidden, ".items.nullable", "");
    server_error.detail = Text::new("cannot be nullable when x-kubernetes-list-type is {}", &[Arg::Text(list_type)]);
    Err(Violation::new(&L11, message).with_server_error(server_error))
}

/// [`L12`].
pub const fn set_objects_are_atomic<'a>(items: &MergedKeywords<'a>) -> Result<(), Violation<'a>> {
    if !matches!(items.type_, Type::Object) || is(items.map_type, "atomic") {
        return Ok(());
    }
    let message = Text::literal(
        "the items are objects whose fields are merged one by one: make the list a map (`list_type = \"map\", \
         list_map_keys = [\"...\"]`), the list atomic, or the items atomic (`map_type = \"atomic\"`)",
    );
    let detail = "must be atomic as item of a list with x-kubernetes-list-type=set";
    let server_error = ServerError::new(ErrorType::Invalid, ".items.x-kubernetes-map-type", detail).with_value(
        match items.list_type {
            Some(list_type) => Arg::Quoted(list_type), // not the map type
            None => Arg::Text("null"),
        },
    );
    Err(Violation::new(&L12, message).with_server_error(server_error))
}

/// [`L13`].
pub const fn set_lists_are_atomic<'a>(items: &MergedKeywords<'a>) -> Result<(), Violation<'a>> {
    let Some(list_type) = items.list_type else {
        return Ok(());
    };
    if !matches!(items.type_, Type::Array) || equal(list_type, "atomic") {
        return Ok(());
    }
    let message = Text::new(
        "the items are lists of the list type `{}`: lists in a set must be `atomic`",
        &[Arg::Text(list_type)],
    );
    let detail = "must be atomic as item of a list with x-kubernetes-list-type=set";
    let server_error = ServerError::new(ErrorType::Invalid, ".items.x-kubernetes-list-type", detail)
        .with_value(Arg::Quoted(list_type));
    Err(Violation::new(&L13, message).with_server_error(server_error))
}

/// [`L14`].
pub const fn map_type_is_on_object<'a>(facts: &MergedKeywords<'a>) -> Result<(), Violation<'a>> {
    if facts.map_type.is_none() || matches!(facts.type_, Type::Object | Type::Unknown) {
        return Ok(());
    }
    let message = Text::new("a map type applies to objects and maps, but this is {}", &[Arg::Text(facts.kind.noun())]);
    Err(Violation::new(&L14, message)
        .with_server_error(wrong_type(facts, "must be object if x-kubernetes-map-type is specified")))
}

/// [`L14`].
pub const fn map_type_is_supported<'a>(facts: &MergedKeywords<'a>) -> Result<(), Violation<'a>> {
    let Some(map_type) = facts.map_type else {
        return Ok(());
    };
    if equal(map_type, "atomic") || equal(map_type, "granular") {
        return Ok(());
    }
    let message = Text::new("`{}` is not a map type: write `atomic` or `granular`", &[Arg::Text(map_type)]);
    let detail = "supported values: \"atomic\", \"granular\"";
    let server_error = ServerError::new(ErrorType::NotSupported, MAP_TYPE, detail);
    Err(Violation::new(&L14, message).with_server_error(server_error.with_value(Arg::Quoted(map_type))))
}

const fn is(word: Option<&str>, expected: &str) -> bool {
    match word {
        Some(word) => equal(word, expected),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use alloc::{boxed::Box, string::ToString, vec, vec::Vec};

    use super::*;
    use crate::schema::{Items, SchemaProps};

    fn typed(type_: &str) -> SchemaProps<'_> {
        SchemaProps { type_: Some(type_.into()), ..SchemaProps::default() }
    }

    fn list<'a>(list_type: &'a str, items: SchemaProps<'a>) -> SchemaProps<'a> {
        SchemaProps { list_type: Some(list_type.into()), items: Some(Items::Schema(Box::new(items))), ..typed("array") }
    }

    fn broken(schema: &SchemaProps<'_>) -> Vec<&'static str> {
        let mut found = Vec::new();
        check_node(&Node::root(schema), &mut |_, violation| {
            assert!(!violation.message.to_string().contains("{}"));
            found.push(violation.rule.id);
        });
        found
    }

    #[test]
    fn sets() {
        let atomic = SchemaProps { map_type: Some("atomic".into()), ..typed("object") };
        assert_eq!(broken(&list("set", atomic)), [""; 0]);
        assert_eq!(broken(&list("set", typed("array"))), [""; 0]);
        assert_eq!(broken(&list("set", typed("object"))), ["L12"]);
        assert_eq!(broken(&list("set", list("set", typed("string")))), ["L13"]);
    }

    #[test]
    fn maps() {
        let key = SchemaProps { nullable: true, ..typed("array") };
        let items = SchemaProps { properties: Some(vec![("a".into(), key)]), ..typed("object") };
        let map = SchemaProps { list_map_keys: vec!["a".into(), "b".into(), "b".into()], ..list("map", items) };
        assert_eq!(broken(&map), ["L8", "L7", "L9", "L10", "L6", "L6"]);
        assert_eq!(broken(&list("map", typed("string"))), ["L4", "L5"]);
        let keyed = SchemaProps { list_map_keys: vec!["a".into()], ..list("map", typed("string")) };
        assert_eq!(broken(&keyed), ["L5", "L6"]);
        assert_eq!(broken(&list("bag", typed("string"))), ["L2"]);
    }
}
