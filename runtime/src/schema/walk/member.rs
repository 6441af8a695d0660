//! The members of an object, its flattened ones and those of variants included.

use super::{ElementStep, Kind, Place, Value, equal, key_names, kind, peel, variants};
use crate::schema::{Alternative, Field, KubeSchema, Marker, Presence, Role, Schema, Shape, Tagging};

/// A member of an object, or another value.
#[derive(Clone, Copy)]
pub(crate) struct Member {
    pub(crate) value: Value,
    /// The field that it is; none of a tag, of the data of a variant and of an entry of a map.
    pub(crate) field: Option<&'static Field>,
    /// The variants of which it names one.
    pub(crate) tag_of: Option<&'static [Alternative]>,
    /// The enum whose data it is, with the tag beside it; the value is the data of the first variant.
    pub(crate) data_of: Option<&'static Schema>,
    /// The variant that has it, and others may have it, too.
    pub(crate) variant: Option<&'static str>,
    /// The flattened type that it comes from.
    pub(crate) from: Option<&'static Schema>,
    /// Whether it comes from a flattened type that may be absent.
    pub(crate) of_optional: bool,
    /// Whether no expression may change it, and no other variant has another kind of value there.
    pub(crate) is_certain: bool,
}

impl Member {
    pub(crate) const fn of(value: Value) -> Self {
        Self {
            value,
            field: None,
            tag_of: None,
            data_of: None,
            variant: None,
            from: None,
            of_optional: false,
            is_certain: true,
        }
    }

    pub(super) const fn uncertain(mut self) -> Self {
        self.is_certain = false;
        self
    }

    pub(crate) const fn kind(&self) -> Kind {
        match self.data_of {
            Some(schema) => variants::kind_of_data(schema),
            None => self.value.kind(),
        }
    }

    /// Whether it is a field that is marked selectable.
    pub(crate) const fn is_selectable(&self) -> bool {
        match self.field {
            Some(field) => field.is_selectable(),
            None => false,
        }
    }
}

impl Field {
    /// Whether the field is marked selectable.
    pub(crate) const fn is_selectable(&self) -> bool {
        let mut at = 0;
        while at < self.markers.len() {
            if let Marker::Selectable = self.markers[at] {
                return true;
            }
            at += 1;
        }
        false
    }
}

/// What stands under a name in a value that may be an object; none if that has no such member.
pub(crate) const fn find(value: &Value, name: &str) -> Option<Place> {
    let schema = peel(value.schema);
    let place = match schema.shape {
        Shape::Object(fields) => in_fields(fields, name),
        Shape::OneOf(tagging, alternatives) => in_enum(schema, tagging, alternatives, name),
        Shape::Map(_) if key_names(schema).is_some() => entry(value, name),
        _ if value.is_any() => Some(Place::Any),
        _ => Some(Place::Opaque),
    };
    match place {
        Some(Place::At(member)) if value.is_evaluated() => Some(Place::At(member.uncertain())),
        place => place,
    }
}

/// What stands under a name in a field of an object: the field itself, or a field of its type.
pub(crate) const fn beside(field: &'static Field, name: &str) -> Option<Place> {
    let value = Value::field(field);
    if !field.flatten {
        return match equal(field.name, name) {
            true => {
                let mut member = Member::of(value);
                member.field = Some(field);
                Some(Place::At(member))
            }
            false => None,
        };
    }
    match find(&value, name) {
        Some(Place::At(mut member)) => {
            member.from = Some(field.schema);
            member.of_optional =
                member.of_optional || field.schema.optional || matches!(field.presence, Presence::Optional);
            Some(Place::At(member))
        }
        place => place,
    }
}

const fn in_fields(fields: &'static [Field], name: &str) -> Option<Place> {
    let mut found = None;
    let mut at = 0;
    while at < fields.len() {
        match (beside(&fields[at], name), &found) {
            (place @ Some(Place::At(_)), _) => return place,
            (place @ Some(Place::Opaque), _) | (place @ Some(_), None) => found = place,
            _ => {}
        }
        at += 1;
    }
    found
}

/// The entry of a map whose keys have names.
const fn entry(map: &Value, name: &str) -> Option<Place> {
    if let Some(names) = key_names(peel(map.schema)) {
        let mut at = 0;
        while at < names.len() {
            if equal(names[at].name, name) {
                return Some(Place::At(Member::of(map.inside(ElementStep::Values))));
            }
            at += 1;
        }
    }
    None
}

const fn in_enum(
    schema: &'static Schema,
    tagging: Tagging,
    alternatives: &'static [Alternative],
    name: &str,
) -> Option<Place> {
    if let Tagging::Internal(tag) | Tagging::Adjacent { tag, .. } = tagging
        && equal(tag, name)
        && have_a_tag(alternatives)
    {
        let mut member = Member::of(Value::of(<String as KubeSchema>::PLACE));
        member.tag_of = Some(alternatives);
        return Some(Place::At(member));
    }
    let mut found = None;
    let mut at = 0;
    while at < alternatives.len() {
        found = match (found, in_variant(tagging, &alternatives[at], name)) {
            (None | Some(Place::Opaque | Place::Any), Some(place)) => Some(place),
            (Some(Place::At(one)), Some(Place::At(other))) if !one.value.kind().is(other.value.kind()) => {
                Some(Place::At(one.uncertain()))
            }
            (found, _) => found,
        };
        at += 1;
    }
    match (found, tagging, kind(schema)) {
        (Some(Place::At(mut member)), Tagging::Adjacent { content, .. }, _) if equal(content, name) => {
            member.data_of = Some(schema);
            Some(Place::At(member))
        }
        (Some(Place::At(member)), _, Kind::Opaque) => Some(Place::At(member.uncertain())),
        (found, ..) => found,
    }
}

const fn have_a_tag(variants: &[Alternative]) -> bool {
    let mut at = 0;
    while at < variants.len() {
        if !matches!(variants[at].role, Role::Untagged) {
            return true;
        }
        at += 1;
    }
    false
}

const fn in_variant(tagging: Tagging, variant: &'static Alternative, name: &str) -> Option<Place> {
    let Some(content) = variant.content else {
        return None;
    };
    let found = match variant.tagging(tagging) {
        Tagging::External if equal(variant.name, name) => Some(Place::At(Member::of(Value::of(content)))),
        Tagging::Adjacent { content: field, .. } if equal(field, name) => {
            Some(Place::At(Member::of(Value::of(content))))
        }
        Tagging::Internal(_) | Tagging::Untagged => find(&Value::of(content), name),
        _ => None,
    };
    match found {
        Some(Place::At(mut member)) => {
            member.variant = Some(variant.name);
            Some(Place::At(member))
        }
        place => place,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::Keyword;

    const SIZE: Field = Field::new("size", <u8>::PLACE);
    const DISK: Schema = Schema::object(&[SIZE]).named("Disk");
    const TEXT: Schema = Schema::object(&[Field::new("size", <String>::PLACE)]);
    const DISKS: Alternative = Alternative::new("Disk").with(&DISK);

    #[track_caller]
    fn member(schema: &'static Schema, name: &str) -> Member {
        match find(&Value::of(schema), name) {
            Some(Place::At(member)) => member,
            _ => panic!("no `{name}`"),
        }
    }

    #[test]
    fn of_flattened_types() {
        const MAYBE: Schema = DISK.optional();
        const OWNER: Schema = Schema::object(&[Field::flattened(&MAYBE)]);
        const ANY: Schema = Schema::object(&[Field::flattened(<serde_json::Value>::PLACE)]);
        let size = member(&OWNER, "size");
        assert!(size.of_optional && size.is_certain);
        assert_eq!(size.from.map(|it| it.name), Some("Disk"));
        assert_eq!(size.field.map(|it| it.name), Some("size"));
        assert!(find(&Value::of(&OWNER), "none").is_none());
        assert!(matches!(find(&Value::of(&ANY), "none"), Some(Place::Any)));
    }

    #[test]
    fn of_variants() {
        const TAGGED: Schema = Schema::one_of(Tagging::Internal("type"), &[DISKS]);
        const MIXED: Schema = Schema::one_of(Tagging::Untagged, &[DISKS, Alternative::new("Text").with(&TEXT)]);
        const BESIDE: Schema =
            Schema::one_of(Tagging::Adjacent { tag: "type", content: "data" }, &[Alternative::new("None"), DISKS]);
        assert!(member(&TAGGED, "type").tag_of.is_some());
        let size = member(&TAGGED, "size");
        assert!(size.is_certain && size.variant == Some("Disk"));
        assert!(!member(&MIXED, "size").is_certain);
        let data = member(&BESIDE, "data");
        assert!(data.data_of.is_some() && data.kind().is(Kind::Object));
    }

    #[test]
    fn what_an_expression_may_change_is_not_certain() {
        const PATCHED: Schema = DISK.with(&[Keyword::Patch(|| serde_json::json!({}))]);
        const NEWTYPE: Schema = Schema::newtype(&PATCHED);
        assert!(member(&DISK, "size").is_certain);
        assert!(!member(&NEWTYPE, "size").is_certain);
    }
}
