//! Members of objects, including those of flattened types and of variants.

use super::{ElementStep, Kind, Location, Value, equal, key_names, kind, strip_newtypes, variants};
use crate::schema::{Field, KubeSchema, Marker, Presence, Schema, Shape, Tagging, Variant, VariantKind};

/// A member of an object, or another value.
#[derive(Clone, Copy)]
pub(crate) struct Member {
    pub(crate) value: Value,
    /// The field; `None` for a tag, the data of a variant, and an entry of a map.
    pub(crate) field: Option<&'static Field>,
    /// The variants that it identifies, if it is a tag.
    pub(crate) tag_of: Option<&'static [Variant]>,
    /// The adjacently tagged enum whose data it is; the value is the data of the first variant.
    pub(crate) data_of: Option<&'static Schema>,
    /// A variant that has it; other variants may have it too.
    pub(crate) variant: Option<&'static str>,
    /// The flattened type that it comes from.
    pub(crate) from: Option<&'static Schema>,
    /// Whether it comes from an optional flattened type.
    pub(crate) of_optional: bool,
    /// Whether no evaluated keyword may change it, and no other variant has another kind of value there.
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

    /// Whether it is a field marked as selectable.
    pub(crate) const fn is_selectable(&self) -> bool {
        match self.field {
            Some(field) => field.is_selectable(),
            None => false,
        }
    }
}

impl Field {
    /// Whether the field is marked as selectable.
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

/// Returns the member with a name in a value that may be an object; `None` if there is none.
pub(crate) const fn find(value: &Value, name: &str) -> Option<Location> {
    let schema = strip_newtypes(value.schema);
    let place = match schema.shape {
        Shape::Object(fields) => in_fields(fields, name),
        Shape::OneOf(tagging, variants) => in_enum(schema, tagging, variants, name),
        Shape::Map(_) if key_names(schema).is_some() => entry(value, name),
        _ if value.is_any() => Some(Location::Any),
        _ => Some(Location::Opaque),
    };
    match place {
        Some(Location::At(member)) if value.is_evaluated() => Some(Location::At(member.uncertain())),
        place => place,
    }
}

/// Returns the member with a name from one field of an object: the field itself, or a field of its flattened type.
pub(crate) const fn beside(field: &'static Field, name: &str) -> Option<Location> {
    let value = Value::field(field);
    if !field.flatten {
        if !equal(field.name, name) {
            return None;
        }
        let mut member = Member::of(value);
        member.field = Some(field);
        return Some(Location::At(member));
    }
    match find(&value, name) {
        Some(Location::At(mut member)) => {
            member.from = Some(field.schema);
            member.of_optional =
                member.of_optional || field.schema.optional || matches!(field.presence, Presence::Optional);
            Some(Location::At(member))
        }
        place => place,
    }
}

const fn in_fields(fields: &'static [Field], name: &str) -> Option<Location> {
    let mut found = None;
    let mut at = 0;
    while at < fields.len() {
        match (beside(&fields[at], name), &found) {
            (place @ Some(Location::At(_)), _) => return place,
            (place @ Some(Location::Opaque), _) | (place @ Some(_), None) => found = place,
            _ => {}
        }
        at += 1;
    }
    found
}

/// Returns an entry of a map with named keys.
const fn entry(map: &Value, name: &str) -> Option<Location> {
    if let Some(names) = key_names(strip_newtypes(map.schema)) {
        let mut at = 0;
        while at < names.len() {
            if equal(names[at].name, name) {
                return Some(Location::At(Member::of(map.inside(ElementStep::Values))));
            }
            at += 1;
        }
    }
    None
}

const fn in_enum(
    schema: &'static Schema,
    tagging: Tagging,
    variants: &'static [Variant],
    name: &str,
) -> Option<Location> {
    if let Tagging::Internal(tag) | Tagging::Adjacent { tag, .. } = tagging
        && equal(tag, name)
        && have_a_tag(variants)
    {
        let mut member = Member::of(Value::of(<String as KubeSchema>::SCHEMA_REF));
        member.tag_of = Some(variants);
        return Some(Location::At(member));
    }
    let mut found = None;
    let mut at = 0;
    while at < variants.len() {
        found = match (found, in_variant(tagging, &variants[at], name)) {
            (None | Some(Location::Opaque | Location::Any), Some(place)) => Some(place),
            (Some(Location::At(one)), Some(Location::At(other))) if !one.value.kind().is(other.value.kind()) => {
                Some(Location::At(one.uncertain()))
            }
            (found, _) => found,
        };
        at += 1;
    }
    match (found, tagging, kind(schema)) {
        (Some(Location::At(mut member)), Tagging::Adjacent { content, .. }, _) if equal(content, name) => {
            member.data_of = Some(schema);
            Some(Location::At(member))
        }
        (Some(Location::At(member)), _, Kind::Opaque) => Some(Location::At(member.uncertain())),
        (found, ..) => found,
    }
}

const fn have_a_tag(variants: &[Variant]) -> bool {
    let mut at = 0;
    while at < variants.len() {
        if !matches!(variants[at].role, VariantKind::Untagged) {
            return true;
        }
        at += 1;
    }
    false
}

const fn in_variant(tagging: Tagging, variant: &'static Variant, name: &str) -> Option<Location> {
    let Some(content) = variant.content else {
        return None;
    };
    let found = match variant.tagging(tagging) {
        Tagging::External if equal(variant.name, name) => Some(Location::At(Member::of(Value::of(content)))),
        Tagging::Adjacent { content: field, .. } if equal(field, name) => {
            Some(Location::At(Member::of(Value::of(content))))
        }
        Tagging::Internal(_) | Tagging::Untagged => find(&Value::of(content), name),
        _ => None,
    };
    match found {
        Some(Location::At(mut member)) => {
            member.variant = Some(variant.name);
            Some(Location::At(member))
        }
        place => place,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::Keyword;

    const SIZE: Field = Field::new("size", <u8>::SCHEMA_REF);
    const DISK: Schema = Schema::object(&[SIZE]).named("Disk");
    const TEXT: Schema = Schema::object(&[Field::new("size", <String>::SCHEMA_REF)]);
    const DISKS: Variant = Variant::new("Disk").with(&DISK);

    #[track_caller]
    fn member(schema: &'static Schema, name: &str) -> Member {
        match find(&Value::of(schema), name) {
            Some(Location::At(member)) => member,
            _ => panic!("no `{name}`"),
        }
    }

    #[test]
    fn of_flattened_types() {
        const MAYBE: Schema = DISK.optional();
        const OWNER: Schema = Schema::object(&[Field::flattened(&MAYBE)]);
        const ANY: Schema = Schema::object(&[Field::flattened(<serde_json::Value>::SCHEMA_REF)]);
        let size = member(&OWNER, "size");
        assert!(size.of_optional && size.is_certain);
        assert_eq!(size.from.map(|it| it.name), Some("Disk"));
        assert_eq!(size.field.map(|it| it.name), Some("size"));
        assert!(find(&Value::of(&OWNER), "none").is_none());
        assert!(matches!(find(&Value::of(&ANY), "none"), Some(Location::Any)));
    }

    #[test]
    fn of_variants() {
        const TAGGED: Schema = Schema::one_of(Tagging::Internal("type"), &[DISKS]);
        const MIXED: Schema = Schema::one_of(Tagging::Untagged, &[DISKS, Variant::new("Text").with(&TEXT)]);
        const BESIDE: Schema =
            Schema::one_of(Tagging::Adjacent { tag: "type", content: "data" }, &[Variant::new("None"), DISKS]);
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
