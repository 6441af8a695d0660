//! Checks of conversions between versions: every field has a counterpart, or a value.

#![allow(clippy::result_large_err)] // const evaluation has no allocator, and errors are rare

use crdkit_core::schema::Kind;

use super::{ConversionNode, FieldConversion, KindConversion, ObjectConversion, has_empty_value};
use crate::{
    check::{Message, suggest::missing},
    resource::definition::Definition,
    schema::{
        Field, Schema, Shape,
        walk::{ElementStep, Location, Member, Value, equal, field as member, find, strip_newtypes},
    },
};

mod variants;

pub use variants::{has_data_in_hub, hub_content, hub_tagging, hub_variant, hub_variants, stand_in};

/// Checks that the hub is another version of the same kind, and no spoke of a further version.
pub const fn kind(conversion: KindConversion, hub_of_hub: Option<&'static Definition>) -> Result<(), Message> {
    let (spoke, hub) = (conversion.spoke, conversion.hub);
    if equal(spoke.group, hub.group) && equal(spoke.kind, hub.kind) {
        return match hub_of_hub {
            _ if equal(spoke.version, hub.version) => Err(Message::concat(&[
                "the hub is this version itself, ",
                spoke.version,
                ": only the other versions of a kind derive `Convert`",
            ])),
            Some(further) => Err(Message::concat(&[
                "the hub is ",
                hub.version,
                ", which is itself a spoke of ",
                further.version,
                ": write `hub = ...` with the root type of ",
                further.version,
            ])),
            None => Ok(()),
        };
    }
    Err(Message::concat(&[
        "the hub is a ",
        hub.kind,
        " of ",
        hub.group,
        ", but this is a ",
        spoke.kind,
        " of ",
        spoke.group,
        ": the versions of a kind have one group and one kind",
    ]))
}

/// Checks that a field has a counterpart of the same kind in the hub.
pub const fn field(conversion: &ObjectConversion, at: usize) -> Result<(), Message> {
    let field = &conversion.fields[at];
    let Some(path) = field.hub else {
        return has_a_value(conversion, field);
    };
    if field.name.is_empty() || path.is_empty() {
        return Ok(());
    }
    let target = match resolve(conversion.hub, path) {
        Ok(Some(target)) => target,
        Ok(None) => return Ok(()),
        Err(message) => {
            return Err(message.then(" (write `to = \"...\"`, or `dropped` if only this version has the field)"));
        }
    };
    if field.with.is_some() {
        return Ok(());
    }
    match find(&Value::of(conversion.spoke), field.name) {
        Some(Location::At(source)) => fits(&field.node, &source.value, &target.value, path[path.len() - 1]),
        _ => Ok(()),
    }
}

/// Checks that a field that the hub does not have is optional, or has a default or an empty value.
const fn has_a_value(conversion: &ObjectConversion, field: &FieldConversion) -> Result<(), Message> {
    match find(&Value::of(conversion.spoke), field.name) {
        Some(Location::At(Member { field: Some(declared), .. }))
            if declared.is_required() && field.default.is_none() && !has_empty_value(declared) =>
        {
            Err(Message::concat(&[
                "`",
                field.name,
                "` is required, and objects of the hub do not have it: add `default = ...`",
            ]))
        }
        _ => Ok(()),
    }
}

/// Checks that the required fields of the hub are set by a field, a default, or an empty value.
pub const fn hub_fields(conversion: &ObjectConversion) -> Result<(), Message> {
    if conversion.is_partial { Ok(()) } else { in_hub(conversion, conversion.hub, &[]) }
}

/// Checks an object of the hub, and the objects in it that the spoke sets in part.
const fn in_hub(conversion: &ObjectConversion, hub: &'static Schema, prefix: &[&str]) -> Result<(), Message> {
    let Shape::Object(fields) = strip_newtypes(hub).shape else {
        return Ok(());
    };
    let mut at = 0;
    while at < fields.len() {
        let field = &fields[at];
        let checked = match (field.flatten, conversion.path_through(prefix, field.name)) {
            (true, _) => in_hub(conversion, field.schema, prefix),
            (false, Some(path)) => in_hub(conversion, field.schema, path.split_at(prefix.len() + 1).0),
            (false, None) => is_set(conversion, hub, field, prefix),
        };
        if checked.is_err() {
            return checked;
        }
        at += 1;
    }
    Ok(())
}

const fn is_set(
    conversion: &ObjectConversion,
    hub: &'static Schema,
    field: &Field,
    prefix: &[&str],
) -> Result<(), Message> {
    let top = if let [top, ..] = prefix { top } else { field.name };
    // Which fields a flattened type has is not known here.
    if !field.is_required()
        || has_empty_value(field)
        || conversion.sets(prefix, field.name, true)
        || has_hub_default(conversion, top)
    {
        return Ok(());
    }
    let name = strip_newtypes(hub).name;
    let mut message = Message::concat(&[
        "`",
        if name.is_empty() { "the variant" } else { name },
        "` of the hub requires `",
        field.name,
        "`, which no field of this version sets: add `#[convert(hub_default(",
        top,
        " = ...))]`, or `to = \"",
    ]);
    let mut at = 0;
    while at < prefix.len() {
        message = message.then(prefix[at]).then(".");
        at += 1;
    }
    Err(message.then(field.name).then("\"` to the field that it was renamed from"))
}

const fn has_hub_default(conversion: &ObjectConversion, name: &str) -> bool {
    let mut at = 0;
    while at < conversion.hub_defaults.len() {
        if let [first, ..] = conversion.hub_defaults[at].path
            && equal(first, name)
        {
            return true;
        }
        at += 1;
    }
    false
}

/// Checks that a path exists in the hub.
pub const fn hub_path(conversion: &ObjectConversion, path: &[&str]) -> Result<(), Message> {
    match resolve(conversion.hub, path) {
        Ok(_) => Ok(()),
        Err(message) => Err(message),
    }
}

/// Returns the value at a path of fields; `None` if it is unknown.
const fn resolve(hub: &'static Schema, path: &[&str]) -> Result<Option<Member>, Message> {
    let mut place = member(&Value::of(hub), path[0]);
    let mut at = 0;
    loop {
        match place {
            Location::At(found) => {
                at += 1;
                if at == path.len() {
                    return Ok(Some(found));
                }
                place = member(&found.value, path[at]);
            }
            Location::Missing(owner) => {
                return Err(Message::concat(&["in the hub, ", missing(owner, path[at]).as_str()]));
            }
            Location::Wrong(kind) if at > 0 => {
                return Err(Message::concat(&[
                    "in the hub, `",
                    path[at - 1],
                    "` is ",
                    kind.noun(),
                    " and has no fields",
                ]));
            }
            _ => return Ok(None),
        }
    }
}

/// Checks that a value of the spoke converts to a value of the hub.
const fn fits(node: &ConversionNode, spoke: &Value, hub: &Value, name: &str) -> Result<(), Message> {
    match ([spoke.kind(), hub.kind()], node) {
        ([Kind::Opaque, _] | [_, Kind::Opaque], _) => Ok(()),
        (_, ConversionNode::Of(node)) => fits(node, spoke, hub, name),
        (_, ConversionNode::Object(conversion)) => is_hub_of(conversion.spoke, conversion.hub, hub, name),
        (_, ConversionNode::Enum(conversion)) => is_hub_of(conversion.spoke, conversion.hub, hub, name),
        ([Kind::List, Kind::List], _) => elements_fit(node, spoke, hub, ElementStep::Items, name),
        ([Kind::Map, Kind::Map], _) => elements_fit(node, spoke, hub, ElementStep::Values, name),
        ([Kind::Object, Kind::Object], _) => have_same_fields(spoke, hub),
        ([one, other], _) if one.is(other) => Ok(()),
        (kinds, _) => Err(differ(kinds, name)),
    }
}

const fn elements_fit(
    node: &ConversionNode,
    spoke: &Value,
    hub: &Value,
    step: ElementStep,
    name: &str,
) -> Result<(), Message> {
    let (spoke, hub) = (spoke.inside(step), hub.inside(step));
    match node {
        ConversionNode::Items(node) | ConversionNode::Values(node) => fits(node, &spoke, &hub, name),
        _ => fits(&ConversionNode::Same, &spoke, &hub, name),
    }
}

const fn differ([spoke, hub]: [Kind; 2], name: &str) -> Message {
    Message::concat(&[
        "this field is ",
        spoke.noun(),
        ", but `",
        name,
        "` of the hub is ",
        hub.noun(),
        ": add `with = ...`, a module with the functions `to_hub` and `from_hub`",
    ])
}

const fn is_hub_of(spoke: &'static Schema, expected: &'static Schema, hub: &Value, name: &str) -> Result<(), Message> {
    let (expected, found) = (strip_newtypes(expected), strip_newtypes(hub.schema));
    if equal(expected.name, found.name) && equal(expected.path, found.path) {
        return Ok(());
    }
    let [before, found, after] = if found.name.is_empty() {
        ["` of the hub is ", hub.kind().noun(), ""]
    } else {
        ["` of the hub is of type `", found.name, "`"]
    };
    Err(Message::concat(&["`", spoke.name, "` converts to `", expected.name, "`, but `", name, before, found, after]))
}

/// Checks that two objects whose types do not convert have the same fields, each of the same kind.
const fn have_same_fields(spoke: &Value, hub: &Value) -> Result<(), Message> {
    let (one, other) = (strip_newtypes(spoke.schema), strip_newtypes(hub.schema));
    if equal(one.name, other.name) && equal(one.path, other.path) && !one.path.is_empty() {
        return Ok(());
    }
    match has_fields_of(spoke, one, hub) {
        Ok(()) => match has_fields_of(hub, other, spoke) {
            Ok(()) => Ok(()),
            Err(field) => Err(only_in(field, "the hub has", one)),
        },
        Err(field) => Err(only_in(field, "the hub does not have", one)),
    }
}

const fn only_in(field: &str, owner: &str, spoke: &Schema) -> Message {
    let name = if spoke.name.is_empty() { "the type" } else { spoke.name };
    Message::concat(&[
        owner,
        " `",
        field,
        "`, or has it with another type: add `#[derive(Convert)]` and `#[convert(hub = ...)]` to `",
        name,
        "`",
    ])
}

/// Checks that each field of an object is also one of another object. Returns the name of one that is not.
const fn has_fields_of(object: &Value, schema: &'static Schema, other: &Value) -> Result<(), &'static str> {
    let Shape::Object(fields) = schema.shape else {
        return Ok(());
    };
    let mut at = 0;
    while at < fields.len() {
        if !fields[at].flatten {
            let name = fields[at].name;
            let fits = match [member(object, name), member(other, name)] {
                [Location::At(one), Location::At(other)] => {
                    fits(&ConversionNode::Same, &one.value, &other.value, name).is_ok()
                }
                [_, Location::Missing(_)] => false,
                _ => true,
            };
            if !fits {
                return Err(name);
            }
        }
        at += 1;
    }
    Ok(())
}
