//! What a constant schema shows of one value: what its types, its fields and what holds it say of it, merged once.

use crdkit_core::facts::{Facts, Type};

use super::keyword::{Inside, Subject};
use crate::schema::walk::{Kind, has_mistakes, kind};
use crate::schema::{Field, Keyword, Presence, Schema, Shape};

/// The value that keywords are written on.
pub(super) const fn of(subject: Subject) -> Facts<'static> {
    of_path(subject, subject.inside)
}

/// The items of the list that keywords are written on.
pub(super) const fn of_items(subject: Subject) -> Facts<'static> {
    let mut path = [Inside::Items; 16];
    let mut at = 0;
    while at < subject.inside.len() {
        path[at] = subject.inside[at];
        at += 1;
    }
    of_path(subject, path.split_at(at + 1).0)
}

const fn of_path(subject: Subject, path: &[Inside]) -> Facts<'static> {
    with(within(subject.schema, path), subject.keywords, path)
}

/// The value of a field, and whether it is there in every object.
pub(super) const fn of_field(field: &'static Field) -> (Facts<'static>, bool) {
    // Of a field that may be left out, the server drops null.
    let may_be_null = field.schema.optional && matches!(field.presence, Presence::Present);
    let mut facts = within(field.schema, &[]);
    facts.nullable = may_be_null || has_nullable(field.schema);
    (with(facts, field.keywords, &[]), field.is_required())
}

/// What a schema says of the value at the end of a path into it.
const fn within(schema: &'static Schema, path: &[Inside]) -> Facts<'static> {
    let mut facts = match (schema.shape, path) {
        (Shape::Newtype(inner), _) => within(inner, path),
        (Shape::List(items) | Shape::Tuple(&[items, ..]), [Inside::Items, rest @ ..])
        | (Shape::Map(items), [Inside::Values, rest @ ..]) => within(items, rest),
        (_, []) => of_shape(schema),
        _ => Facts::of_type(Type::Unknown),
    };
    if path.is_empty() && schema.optional {
        facts.nullable = true;
    }
    with(facts, schema.keywords, path)
}

const fn of_shape(schema: &'static Schema) -> Facts<'static> {
    let type_ = match (schema.shape, kind(schema)) {
        _ if has_mistakes(schema) => Type::Unknown,
        (Shape::Any, _) | (_, Kind::IntOrString) => Type::Missing,
        (_, Kind::Boolean) => Type::Boolean,
        (_, Kind::Integer) => Type::Integer,
        (_, Kind::Number) => Type::Number,
        (_, Kind::String) => Type::String,
        (_, Kind::List) => Type::Array,
        (_, Kind::Map | Kind::Object) => Type::Object,
        (_, Kind::Opaque) => Type::Unknown,
    };
    let mut facts = Facts::of_type(type_);
    facts.noun = kind(schema).name();
    facts.int_or_string = matches!(kind(schema), Kind::IntOrString);
    facts.preserves_unknown_fields = matches!(schema.shape, Shape::Any);
    facts.has_values = matches!(schema.shape, Shape::Map(_));
    facts.has_items = matches!(schema.shape, Shape::List(_) | Shape::Tuple(_));
    facts.has_properties = match schema.shape {
        Shape::Object(fields) => !fields.is_empty(),
        Shape::OneOf(..) => true,
        _ => false,
    };
    facts
}

/// With what keywords say of the value at the end of a path.
const fn with(
    mut facts: Facts<'static>,
    keywords: &'static [Keyword],
    path: &[Inside],
) -> Facts<'static> {
    let mut at = 0;
    while at < keywords.len() {
        facts = match (keywords[at], path) {
            (keyword, []) => and(facts, keyword),
            (Keyword::Items(keywords), [Inside::Items, rest @ ..])
            | (Keyword::Values(keywords), [Inside::Values, rest @ ..]) => {
                with(facts, keywords, rest)
            }
            // What an expression makes of a list, it may make of the items.
            (Keyword::Extend(_) | Keyword::Patch(_) | Keyword::Transform(_), _) => UNKNOWN,
            _ => facts,
        };
        at += 1;
    }
    facts
}

/// A value that an expression says more of.
const UNKNOWN: Facts<'static> = {
    let mut facts = Facts::of_type(Type::Unknown);
    facts.has_default = true;
    facts.preserves_unknown_fields = true;
    facts
};

const fn and(mut facts: Facts<'static>, keyword: Keyword) -> Facts<'static> {
    match keyword {
        Keyword::Nullable(nullable) => facts.nullable = nullable,
        Keyword::Format(format) => facts.format = Some(format),
        Keyword::NoFormat => facts.format = None,
        Keyword::Default(_) | Keyword::DefaultLiteral(_) => facts.has_default = true,
        Keyword::PreserveUnknownFields => {
            facts.preserves_unknown_fields = true;
            if !matches!(facts.type_, Type::Object) {
                facts.type_ = Type::Unknown;
            }
        }
        Keyword::EmbeddedResource => facts.embedded_resource = true,
        Keyword::ListType(list_type) => facts.list_type = Some(list_type.as_str()),
        Keyword::MapType(map_type) => facts.map_type = Some(map_type.as_str()),
        Keyword::Extend(_) | Keyword::Patch(_) | Keyword::Transform(_) => return UNKNOWN,
        _ => {}
    }
    facts
}

/// Whether a type asks to be nullable, whatever field it is of.
const fn has_nullable(schema: &Schema) -> bool {
    let mut nullable = match schema.shape {
        Shape::Newtype(inner) => has_nullable(inner),
        _ => false,
    };
    let mut at = 0;
    while at < schema.keywords.len() {
        if let Keyword::Nullable(asked) = schema.keywords[at] {
            nullable = asked;
        }
        at += 1;
    }
    nullable
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::{ListType, MapType};

    const ATOMIC: Schema = Schema::object(&[]).with(&[Keyword::MapType(MapType::Atomic)]);

    #[test]
    fn what_is_said_last_counts() {
        const INNER: Schema = Schema::string().with(&[Keyword::Format("date")]);
        const OUTER: Schema = Schema::newtype(&INNER).with(&[Keyword::NoFormat]);
        const LIST: Schema = Schema::list(&OUTER).with(&[Keyword::Items(&[
            Keyword::Nullable(true),
            Keyword::Format("email"),
        ])]);
        let outer = of(Subject::of_type(&OUTER, &[]));
        assert_eq!((outer.type_, outer.format), (Type::String, None));
        let items = of_items(Subject::of_type(&LIST, &[]));
        assert_eq!(items.format, Some("email"));
        assert!(items.nullable);
        assert_eq!(of(Subject::of_type(&LIST, &[])).type_, Type::Array);
    }

    #[test]
    fn items_within_items() {
        const LISTS: Schema =
            Schema::list(&Schema::list(&ATOMIC).with(&[Keyword::ListType(ListType::Set)]));
        let inner = Subject::of_type(&LISTS, &[Inside::Items]);
        assert_eq!(of(inner).list_type, Some("set"));
        assert_eq!(of_items(inner).map_type, Some("atomic"));
    }

    #[test]
    fn what_an_expression_says_is_open() {
        const PATCHED: Schema = ATOMIC.with(&[Keyword::Patch(|| serde_json::json!({}))]);
        let facts = of(Subject::of_type(&PATCHED, &[]));
        assert_eq!(facts.type_, Type::Unknown);
        assert!(facts.has_default);
    }

    #[test]
    fn fields() {
        const TEXT: Schema = Schema::string().optional();
        const LEFT_OUT: Field = Field::new("a", &TEXT);
        const PRESENT: Field = Field::new("a", &TEXT).present();
        let (facts, is_required) = of_field(&LEFT_OUT);
        assert!(!facts.nullable && !is_required);
        let (facts, is_required) = of_field(&PRESENT);
        assert!(facts.nullable && is_required);
    }
}
