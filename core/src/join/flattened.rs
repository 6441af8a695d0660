//! Messages about a field of a flattened type that conflicts with another field of the same name.

use super::{Difference, Kind};
use crate::{Message, Text};

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

const ADVICE: &str = "rename one, give the flattened field `#[crd(preserve_unknown_fields)]` or `#[crd(schema = \
                      ...)]`, or remove its `flatten`";

/// Returns the message about a flattened type without fields. `type_` is empty if the type has no name.
pub const fn not_flattenable(type_: &str, kind: Kind, is_enum: bool) -> Message {
    let name = match type_.is_empty() {
        true => Message::concat(&["this"]),
        false => Message::concat(&["`", type_, "`"]),
    };
    let advice = match is_enum {
        true => "write `#[serde(tag = \"...\")]` on the enum, or ",
        false => "",
    };
    Text::format(
        "{} is {} in JSON, but only an object or a map can be flattened: {}remove `#[serde(flatten)]`",
        [name.as_str(), kind.name(), advice],
    )
    .message()
}

/// Returns the message about a difference between two fields with the same name.
pub const fn message(path: &str, owners: [&FieldOrigin<'_>; 2], difference: &Difference<'_>) -> Message {
    let names = [owners[0].name(), owners[1].name()];
    let names = [names[0].as_str(), names[1].as_str()];
    let [one, other] = names;
    match difference {
        Difference::Kinds([a, b]) => Text::format(
            "`{}` is {} in {} and {} in {}, and no object can have both: {}",
            [path, a.name(), one, b.name(), other, ADVICE],
        ),
        Difference::RuleMessage(rule) => {
            return Text::format(
                "`{}` has {} with different messages in {} and in {}, and no object can have both: {}",
                [path, rule.name().as_str(), one, other, ADVICE],
            )
            .message();
        }
        Difference::Bounds => Text::format(
            "`{}` has different bounds or formats in {} and in {}, and no object can have both: {}",
            [path, one, other, ADVICE],
        ),
        Difference::Other => {
            Text::format("`{}` differs in {} and in {}, and no object can have both: {}", [path, one, other, ADVICE])
        }
        Difference::Rule(_, side) | Difference::Text(_, side) | Difference::Null(side) | Difference::Field(_, side) => {
            let one_sided = one_sided(difference);
            let [with, without] = side.of(names);
            return Text::format(
                "`{}` {} in {} but not in {}, and no object can have both: {}",
                [path, one_sided.as_str(), with, without, ADVICE],
            )
            .message();
        }
    }
    .message()
}

/// Describes the property that only one of the two fields has.
const fn one_sided(difference: &Difference<'_>) -> Message {
    match difference {
        Difference::Text(None, _) => Message::concat(&["can be any string"]),
        Difference::Text(Some(text), _) => Message::concat(&["can be `", text, "`"]),
        Difference::Field(name, _) => Message::concat(&["has the field `", name, "`"]),
        Difference::Rule(rule, _) => Message::concat(&["has ", rule.name().as_str()]),
        _ => Message::concat(&["can be null"]),
    }
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
    use crate::join::Side;

    #[test]
    fn owners() {
        let own = FieldOrigin { object: "Whole", flattened: None, variant: None };
        let flattened = FieldOrigin { flattened: Some("Part"), variant: Some("Disk"), ..own };
        let unnamed = FieldOrigin { flattened: Some(""), ..own };
        let kinds = Difference::Kinds([Kind::Boolean, Kind::Integer]);
        let text = message("size", [&own, &flattened], &kinds);
        let expected = "`size` is a boolean in `Whole` and an integer in the variant `Disk` of the flattened `Part`, and no \
                        object can have both: rename one, ";
        assert!(text.as_str().starts_with(expected), "{}", text.as_str());
        let text = message("a.b", [&own, &unnamed], &Difference::Text(None, Side::Second));
        let expected = "`a.b` can be any string in a flattened type but not in `Whole`, and no";
        assert!(text.as_str().starts_with(expected), "{}", text.as_str());
    }
}
