//! Checks of enums: every variant has a counterpart with data of the same form.

use super::{fits, has_a_value};
use crate::{
    check::Message,
    convert::{ConversionNode, EnumConversion, VariantConversion},
    schema::{
        Schema, Shape, Tagging, Variant,
        walk::{Value, equal, strip_newtypes},
    },
};

/// Returns how JSON identifies the variants of an enum of the hub; as in the spoke if that is unknown.
pub const fn hub_tagging(hub: &'static Schema, spoke: Tagging) -> Tagging {
    match strip_newtypes(hub).shape {
        Shape::OneOf(tagging, _) => tagging,
        Shape::Enum(_) => Tagging::External,
        _ => spoke,
    }
}

/// Whether a variant of the hub has data; as in the spoke if that is unknown.
pub const fn has_data_in_hub(hub: &'static Schema, name: &str, spoke: bool) -> bool {
    match strip_newtypes(hub).shape {
        Shape::Enum(_) | Shape::OneOf(..) => content(hub, name).is_some(),
        _ => spoke,
    }
}

/// Checks that a variant exists in an enum of the hub, with data if this one has data, and that its data converts to it.
pub const fn hub_variant(conversion: &EnumConversion, at: usize) -> Result<(), Message> {
    let (variant, hub) = (&conversion.variants[at], conversion.hub);
    let shape = strip_newtypes(hub).shape;
    if !matches!(shape, Shape::Enum(_) | Shape::OneOf(..)) {
        return Ok(());
    }
    if !has_variant(hub, variant.hub) {
        return Err(Message::concat(&[
            "`",
            hub.name,
            "` of the hub has no variant `",
            variant.hub,
            "`: write `to = \"...\"`, the variant that stands for it",
        ]));
    }
    let [content, hub_content] = [content(conversion.spoke, variant.name), content(hub, variant.hub)];
    match (content, hub_content) {
        (Some(content), Some(hub_content)) => {
            fits(&variant.node, &Value::of(content), &Value::of(hub_content), variant.hub)
        }
        (None, Some(hub_content)) if requires_data(hub_content) => Err(other_form(variant, hub, "no data", "has data")),
        (Some(content), None) if requires_data(content) => Err(other_form(variant, hub, "data", "has none")),
        _ => Ok(()),
    }
}

/// Whether an empty object is not enough.
const fn requires_data(content: &'static Schema) -> bool {
    let Shape::Object(fields) = strip_newtypes(content).shape else { return true };
    let mut at = 0;
    while at < fields.len() {
        if fields[at].is_required() || fields[at].flatten {
            return true;
        }
        at += 1;
    }
    false
}

const fn other_form(variant: &VariantConversion, hub: &Schema, this: &str, other: &str) -> Message {
    Message::concat(&[
        "`",
        variant.name,
        "` has ",
        this,
        ", but `",
        variant.hub,
        "` of `",
        hub.name,
        "` in the hub ",
        other,
        ": convert the fields of this enum with `with = ...`",
    ])
}

/// Checks that every variant of the hub has a variant that stands for it.
pub const fn hub_variants(conversion: &EnumConversion) -> Result<(), Message> {
    let hub = conversion.hub;
    if let Shape::OneOf(Tagging::Untagged, _) = strip_newtypes(hub).shape {
        return Err(Message::concat(&[
            "`",
            hub.name,
            "` of the hub is untagged: convert the fields of this enum with `with = ...`",
        ]));
    }
    let mut at = 0;
    while let Some(name) = variant_name(hub, at) {
        if !is_mapped(conversion, name) {
            return Err(Message::concat(&[
                "`",
                hub.name,
                "` of the hub has the variant `",
                name,
                "`, which this version does not have: add `#[convert(from = \"",
                name,
                "\")]` to the variant that stands for it",
            ]));
        }
        at += 1;
    }
    Ok(())
}

const fn is_mapped(conversion: &EnumConversion, name: &str) -> bool {
    let mut at = 0;
    while at < conversion.variants.len() {
        if equal(conversion.variants[at].hub, name) {
            return true;
        }
        at += 1;
    }
    let mut at = 0;
    while at < conversion.only_in_hub.len() {
        if equal(conversion.only_in_hub[at].0, name) {
            return true;
        }
        at += 1;
    }
    false
}

/// Checks that a variant that stands for others of the hub needs no data of them.
pub const fn stand_in(conversion: &EnumConversion, at: usize) -> Result<(), Message> {
    let variant = &conversion.variants[at];
    if !variant.has_data {
        return Ok(());
    }
    let mut node = variant.node;
    while let ConversionNode::Of(inner) = node {
        node = *inner;
    }
    let ConversionNode::Object(fields) = node else {
        return Err(Message::concat(&[
            "`",
            variant.name,
            "` has data, which other variants of the hub do not have: `from = \"...\"` belongs on a variant without data",
        ]));
    };
    let mut at = 0;
    while at < fields.fields.len() {
        let checked = has_a_value(fields, &fields.fields[at]);
        if checked.is_err() {
            return checked;
        }
        at += 1;
    }
    Ok(())
}

/// Returns the schema of the data of a variant of the hub; of nothing if it has none.
pub const fn hub_content(hub: &'static Schema, name: &str) -> &'static Schema {
    match content(hub, name) {
        Some(content) => content,
        None => const { &Schema::object(&[]) },
    }
}

const fn content(schema: &'static Schema, name: &str) -> Option<&'static Schema> {
    match find(schema, name) {
        Some(variant) => variant.content,
        None => None,
    }
}

const fn find(schema: &'static Schema, name: &str) -> Option<&'static Variant> {
    if let Shape::OneOf(_, variants) = strip_newtypes(schema).shape {
        let mut at = 0;
        while at < variants.len() {
            if equal(variants[at].name, name) {
                return Some(&variants[at]);
            }
            at += 1;
        }
    }
    None
}

const fn has_variant(hub: &Schema, name: &str) -> bool {
    let mut at = 0;
    while let Some(known) = variant_name(hub, at) {
        if equal(known, name) {
            return true;
        }
        at += 1;
    }
    false
}

const fn variant_name(hub: &Schema, at: usize) -> Option<&'static str> {
    match strip_newtypes(hub).shape {
        Shape::Enum(variants) if at < variants.len() => Some(variants[at].name),
        Shape::OneOf(_, variants) if at < variants.len() => Some(variants[at].name),
        _ => None,
    }
}
