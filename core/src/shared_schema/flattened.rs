//! Messages about a field of a flattened type that conflicts with another field of the same name.

use crate::{Message, Text, schema::Kind};

/// The origin of a field.
#[derive(Clone, Copy, Debug)]
pub struct FieldOrigin<'a> {
    /// The object; empty if it has no name.
    pub object: &'a str,
    /// The flattened type with the field; empty if the type has no name, `None` if the field is the object's own.
    pub flattened: Option<&'a str>,
    /// The variant with the field.
    pub variant: Option<&'a str>,
}

/// Returns the message about a flattened type without fields. `type_` is empty if the type has no name.
pub const fn not_flattenable(type_: &str, kind: Kind, is_enum: bool) -> Message {
    let name = if type_.is_empty() { Message::concat(&["this"]) } else { Message::concat(&["`", type_, "`"]) };
    let advice = if is_enum { "write `#[serde(tag = \"...\")]` on the enum, or " } else { "" };
    Text::format(
        "{} is {} in JSON, but only an object or a map can be flattened: {}remove `#[serde(flatten)]`",
        [name.as_str(), kind.noun(), advice],
    )
    .message()
}

/// Returns the message about two fields with the same name: serde writes both under it, and reads only one.
pub const fn shared_name(name: &str, owners: [&FieldOrigin<'_>; 2]) -> Message {
    Text::format(
        "`{}` is a field of {} and of {}, but an object has only one value of this name: rename one, or remove \
         `#[serde(flatten)]`",
        [name, owners[0].name().as_str(), owners[1].name().as_str()],
    )
    .message()
}

/// Returns the message about a field with the name that is an alias of a field elsewhere in the object, which serde reads
/// instead.
pub const fn shared_alias(name: &str, owner: &FieldOrigin<'_>, owner_of_alias: &FieldOrigin<'_>) -> Message {
    Text::format(
        "`{}` is a field of {}, but serde reads it as a field of {}, of which it is an alias: remove the alias, or \
         rename the field",
        [name, owner.name().as_str(), owner_of_alias.name().as_str()],
    )
    .message()
}

impl FieldOrigin<'_> {
    const fn name(&self) -> Message {
        let message = match self.variant {
            Some(variant) => Message::concat(&["the variant `", variant, "` of "]),
            None => Message::new(),
        };
        let (article, name) = match self.flattened {
            None if self.object.is_empty() => return message.then("the type itself"),
            Some(type_) if type_.is_empty() => return message.then("a flattened type"),
            None => ("", self.object),
            Some(type_) => ("the flattened ", type_),
        };
        message.then(article).then("`").then(name).then("`")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn owners() {
        let own = FieldOrigin { object: "Whole", flattened: None, variant: None };
        let flattened = FieldOrigin { flattened: Some("Part"), variant: Some("Disk"), ..own };
        let unnamed = FieldOrigin { flattened: Some(""), ..own };
        let text = shared_name("size", [&own, &flattened]);
        let expected =
            "`size` is a field of `Whole` and of the variant `Disk` of the flattened `Part`, but an object has";
        assert!(text.as_str().starts_with(expected), "{}", text.as_str());
        let text = shared_alias("size", &unnamed, &own);
        let expected = "`size` is a field of a flattened type, but serde reads it as a field of `Whole`, of which";
        assert!(text.as_str().starts_with(expected), "{}", text.as_str());
    }
}
