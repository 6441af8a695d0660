//! The combined keywords of a value in a constant schema, for the rules of `crdkit_core`.

use crdkit_core::{merged_keywords::MergedKeywords, schema::Type};

use crate::schema::{
    Keyword, Presence, Schema, Shape,
    walk::{ElementStep, Kind, Value, kind, references_error, strip_newtypes},
};

/// Returns the facts of a value.
pub(super) const fn of(value: &Value) -> MergedKeywords<'static> {
    if !value.is_known {
        return UNKNOWN;
    }
    let mut facts = of_shape(strip_newtypes(value.schema));
    // The server drops null from optional fields.
    facts.nullable =
        value.schema.optional && (value.step.is_some() || matches!(value.presence, Presence::RequiredNullable));
    let mut at = 0;
    while let Some(keyword) = value.keyword(at) {
        facts = and(facts, *keyword);
        at += 1;
    }
    facts
}

/// Returns the facts of the items of a list.
pub(super) const fn of_items(value: &Value) -> MergedKeywords<'static> {
    of(&value.inside(ElementStep::Items))
}

const fn of_shape(schema: &'static Schema) -> MergedKeywords<'static> {
    let type_ = match (schema.shape, kind(schema)) {
        _ if references_error(schema) => Type::Unknown,
        (Shape::Any, _) | (_, Kind::IntOrString) => Type::Missing,
        (_, Kind::Boolean) => Type::Boolean,
        (_, Kind::Integer) => Type::Integer,
        (_, Kind::Number) => Type::Number,
        (_, Kind::String) => Type::String,
        (_, Kind::List) => Type::Array,
        (_, Kind::Map | Kind::Object) => Type::Object,
        (_, Kind::Opaque) => Type::Unknown,
    };
    let mut facts = MergedKeywords::from_type(type_);
    facts.kind = kind(schema);
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

/// A value with keywords that are known only at run time.
const UNKNOWN: MergedKeywords<'static> = {
    let mut facts = MergedKeywords::from_type(Type::Unknown);
    facts.has_default = true;
    facts.preserves_unknown_fields = true;
    facts
};

const fn and(mut facts: MergedKeywords<'static>, keyword: Keyword) -> MergedKeywords<'static> {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::{Field, ListType, MapType};

    const ATOMIC: Schema = Schema::object(&[]).with(&[Keyword::MapType(MapType::Atomic)]);

    #[test]
    fn the_last_keyword_counts() {
        const INNER: Schema = Schema::string().with(&[Keyword::Format("date")]);
        const OUTER: Schema = Schema::newtype(&INNER).with(&[Keyword::NoFormat]);
        const LIST: Schema =
            Schema::list(&OUTER).with(&[Keyword::Items(&[Keyword::Nullable(true), Keyword::Format("email")])]);
        let outer = of(&Value::of(&OUTER));
        assert_eq!((outer.type_, outer.format), (Type::String, None));
        let items = of_items(&Value::of(&LIST));
        assert_eq!(items.format, Some("email"));
        assert!(items.nullable);
        assert_eq!(of(&Value::of(&LIST)).type_, Type::Array);
    }

    #[test]
    fn items_within_items() {
        const LISTS: Schema = Schema::list(&Schema::list(&ATOMIC).with(&[Keyword::ListType(ListType::Set)]));
        let inner = Value::of_type(&LISTS, &[ElementStep::Items]);
        assert_eq!(of(&inner).list_type, Some("set"));
        assert_eq!(of_items(&inner).map_type, Some("atomic"));
    }

    #[test]
    fn the_value_of_an_expression_is_unknown() {
        const PATCHED: Schema = ATOMIC.with(&[Keyword::Patch(|| serde_json::json!({}))]);
        let facts = of(&Value::of(&PATCHED));
        assert_eq!(facts.type_, Type::Unknown);
        assert!(facts.has_default);
    }

    #[test]
    fn fields() {
        const TEXT: Schema = Schema::string().optional();
        const LEFT_OUT: Field = Field::new("a", &TEXT);
        const PRESENT: Field = Field::new("a", &TEXT).required_nullable();
        assert!(!of(&Value::field(&LEFT_OUT)).nullable);
        assert!(of(&Value::field(&PRESENT)).nullable);
    }
}
