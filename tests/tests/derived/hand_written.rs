//! Hand-written schemas, which no derive has checked.

use crdkit::schema::{
    EnumValue, Field, Keyword, ListType, Literal, MapType, Rule, Schema, Tagging, UnitVariant, Variant,
};
use serde_json::json;

use crate::{Case, Expected, with_spec};

/// A field of each schema, a line for each.
macro_rules! hand_written {
    ($($expected:ident { $($name:ident: $schema:expr;)* })*) => {
        pub(crate) const CASES: &[Case] = &[$($({
            const FIELDS: &[Field] = &[Field::new("v", &$schema)];
            const SPEC: Schema = Schema::object(FIELDS);
            Case {
                name: std::borrow::Cow::Borrowed(concat!("hand_written::", stringify!($name))),
                entry_point: stringify!($schema),
                expected: Expected::of(stringify!($expected)),
                definition: with_spec(&SPEC),
            }
        }),*),*];
    };
}

const TEXT: Schema = Schema::string();
const NUMBER: Schema = Schema::integer();
const LIST: Schema = Schema::list(&TEXT);
const MAP: Schema = Schema::map(&TEXT);
const NULLABLE: Schema = Schema::string().with(&[Keyword::Nullable(true)]);
const SET: Schema = Schema::list(&TEXT).with(&[Keyword::ListType(ListType::Set)]);
const PART: Schema = Schema::object(&[
    Field::new("k", &TEXT),
    Field::new("o", &OPTIONAL),
    Field::new("n", &NULLABLE),
    Field::new("l", &LIST),
    Field::new("p", &OPTIONAL),
]);
const OTHER: Schema = Schema::object(&[Field::new("z", &NUMBER)]);
const OPTIONAL: Schema = Schema::string().optional();
const NUMBERED: Schema = Schema::object(&[Field::new("k", &NUMBER)]);
const EMPTY: Schema = Schema::object(&[]);
const KIND_OF_NUMBER: Schema = Schema::object(&[Field::new("kind", &NUMBER)]);
const METADATA: Schema = Schema::object(&[Field::new("labels", &LABELS)]);
const LABELS: Schema = Schema::map(&DEFAULTED);
const DEFAULTED: Schema = Schema::string().with(&[Keyword::DefaultLiteral(Literal::Text("a"))]);
const WITH_METADATA: Schema = Schema::object(&[Field::new("metadata", &METADATA)]);
const RESOURCE: Schema = Schema::any().with(&[Keyword::EmbeddedResource]);
const NESTED: Schema = Schema::object(&[Field::new("metadata", &WITH_RESOURCE)]);
const WITH_RESOURCE: Schema = Schema::object(&[Field::new("r", &RESOURCE)]);
const VARIANTS: &[UnitVariant] = &[UnitVariant::new("a"), UnitVariant::new("b")];
const TWICE: &[UnitVariant] = &[UnitVariant::new("a"), UnitVariant::new("a")];
const RULED: Schema = PART.with(&[Keyword::Rule(Rule::new("self.k != ''"))]);

hand_written! {
    Accepted {
        text: TEXT.with(&[Keyword::min_length(1), Keyword::max_length(5), Keyword::Pattern("^a"), Keyword::Format("uuid")]);
        number: NUMBER.with(&[Keyword::minimum(1.0), Keyword::exclusive_maximum(5.0), Keyword::multiple_of(2.0)]);
        size_of_text: TEXT.with(&[Keyword::MinSize(1), Keyword::MaxSize(5)]);
        size_of_a_list: LIST.with(&[Keyword::MinSize(1), Keyword::EvaluatedSize(|| (Some(1), Some(5)))]);
        list: LIST.with(&[Keyword::min_items(1), Keyword::max_items(5), Keyword::Items(&[Keyword::min_length(1)])]);
        map: MAP.with(&[Keyword::min_properties(1), Keyword::max_properties(5), Keyword::Values(&[Keyword::min_length(1)])]);
        words: TEXT.with(&[Keyword::Enum(&[EnumValue::Text("a"), EnumValue::Text("b")])]);
        numbers: NUMBER.with(&[Keyword::Enum(&[EnumValue::Integer(1), EnumValue::Integer(2)])]);
        fractions: Schema::number().with(&[Keyword::Enum(&[EnumValue::Number(0.5), EnumValue::Integer(2)])]);
        variants: Schema::enumeration(VARIANTS);
        nullable: NULLABLE;
        docs: TEXT.with(&[Keyword::Title("A"), Keyword::Description("B"), Keyword::ExternalDocs { url: "https://example.com", description: "" },
            Keyword::Example(|| Ok("a".into()))]);
        default: DEFAULTED;
        default_of_a_function: NUMBER.with(&[Keyword::Default(|| Ok(Some(json!(5))))]);
        default_of_a_list: LIST.with(&[Keyword::DefaultLiteral(Literal::List(&[Literal::Text("a")]))]);
        no_default: NUMBER.with(&[Keyword::Default(|| Ok(None))]);
        resource: RESOURCE;
        set: SET;
        keyed: Schema::list(&PART).with(&[Keyword::ListType(ListType::Map), Keyword::ListMapKeys(&["k"])]);
        atomic: PART.with(&[Keyword::MapType(MapType::Atomic)]);
        one_of: PART.with(&[Keyword::AtMostOneOf(&["o", "p"])]);
        tuple: Schema::tuple(&[&TEXT, &TEXT]);
        keyed_by_words: Schema::map(&TEXT).keyed_by(&Schema::enumeration(VARIANTS));
        immutable: TEXT.immutable();
        external: Schema::one_of(Tagging::External, &[Variant::new("a").with(&TEXT), Variant::new("b").with(&NUMBER)]);
        internal: Schema::one_of(Tagging::Internal("t"), &[Variant::new("a").with(&PART), Variant::new("b")]);
        adjacent: Schema::one_of(Tagging::Adjacent { tag: "t", content: "c" }, &[Variant::new("a").with(&PART), Variant::new("b")]);
        untagged: Schema::one_of(Tagging::Untagged, &[Variant::new("a").with(&PART), Variant::new("b").with(&OTHER)]);
        of_one_name: Schema::enumeration(TWICE);
        variants_of_one_name: Schema::one_of(Tagging::External, &[Variant::new("a").with(&TEXT), Variant::new("a").with(&TEXT)]);
        variants_with_a_rule: Schema::one_of(Tagging::External, &[Variant::new("a").with(&RULED), Variant::new("b").with(&TEXT)]);
        variants_with_a_default: Schema::one_of(Tagging::External, &[Variant::new("a").with(&DEFAULTED), Variant::new("b").with(&TEXT)]);
        variants_with_null: Schema::one_of(Tagging::External, &[Variant::new("a").with(&NULLABLE), Variant::new("b").with(&TEXT)]);
        variants_with_a_set: Schema::one_of(Tagging::External, &[Variant::new("a").with(&SET), Variant::new("b").with(&TEXT)]);
        variants_with_a_resource: Schema::one_of(Tagging::External, &[Variant::new("a").with(&RESOURCE), Variant::new("b").with(&TEXT)]);
        variants_with_metadata: Schema::one_of(Tagging::Internal("t"), &[Variant::new("a").with(&WITH_METADATA), Variant::new("b")]);
        variants_called_metadata: Schema::one_of(Tagging::External, &[Variant::new("metadata").with(&PART), Variant::new("b").with(&TEXT)]);
        preserved: PART.with(&[Keyword::PreserveUnknownFields]);
        preserved_text: TEXT.with(&[Keyword::PreserveUnknownFields]);
        evaluated: TEXT.with(&[Keyword::Evaluated(|| json!({ "maxLength": 5 }))]);
        // The server accepts no null beside an enum, so it is not declared.
        enum_or_null: TEXT.with(&[Keyword::Enum(&[EnumValue::Text("a")]), Keyword::Nullable(true)]);
        // Bounds that no integer reaches are left out.
        beyond: NUMBER.with(&[Keyword::maximum(1e30), Keyword::minimum(-1e30)]);
        // An empty text counts as none.
        empty_texts: TEXT.with(&[Keyword::Rule(Rule::new("true").message("").message_expression("").field_path(""))]);
        one_of_one: PART.with(&[Keyword::OneOf(&["o", "p"])]);
        no_format: TEXT.with(&[Keyword::Format("foo"), Keyword::NoFormat]);
    }
    W1 {
        format: TEXT.with(&[Keyword::Format("foo")]);
        format_of_a_number: NUMBER.with(&[Keyword::Format("uuid")]);
        format_of_a_flag: Schema::boolean().with(&[Keyword::Format("date")]);
    }
    O10 {
        pattern: TEXT.with(&[Keyword::Pattern("(a")]);
        two_patterns: TEXT.with(&[Keyword::Pattern("^a"), Keyword::Pattern("b++")]);
        pattern_of_items: LIST.with(&[Keyword::Items(&[Keyword::Pattern("(a")])]);
        pattern_of_values: MAP.with(&[Keyword::Values(&[Keyword::Pattern("(a")])]);
        pattern_evaluated: TEXT.with(&[Keyword::Evaluated(|| json!({ "pattern": "(a" }))]);
    }
    X2 {
        words_of_a_number: NUMBER.with(&[Keyword::Enum(&[EnumValue::Text("a")])]);
    }
    X4 {
        fraction: NUMBER.with(&[Keyword::multiple_of(0.5)]);
    }
    X18 {
        fraction_of_a_number: Schema::number().with(&[Keyword::exclusive_maximum(2.5)]);
        factor_of_a_number: Schema::number().with(&[Keyword::multiple_of(0.5)]);
        beyond_integers: Schema::number().with(&[Keyword::maximum(1e20)]);
    }
    X5 {
        crossed: NUMBER.with(&[Keyword::minimum(5.0), Keyword::maximum(1.0)]);
        crossed_by_a_point: Schema::number().with(&[Keyword::exclusive_minimum(5.0), Keyword::maximum(5.0)]);
    }
    X6 {
        lengths: TEXT.with(&[Keyword::min_length(5), Keyword::max_length(1)]);
        items: LIST.with(&[Keyword::min_items(5), Keyword::max_items(1)]);
        properties: MAP.with(&[Keyword::min_properties(5), Keyword::max_properties(1)]);
        sizes: LIST.with(&[Keyword::EvaluatedSize(|| (Some(5), Some(1)))]);
    }
    X7 {
        multiple: NUMBER.with(&[Keyword::multiple_of(0.0)]);
        multiple_of_less: NUMBER.with(&[Keyword::multiple_of(-1.0)]);
    }
    X8 {
        length_of_a_number: NUMBER.with(&[Keyword::max_length(5)]);
        bound_of_text: TEXT.with(&[Keyword::minimum(5.0)]);
        items_of_text: TEXT.with(&[Keyword::max_items(5)]);
        properties_of_a_list: LIST.with(&[Keyword::max_properties(5)]);
        pattern_of_a_number: NUMBER.with(&[Keyword::Pattern("^a")]);
    }
    CrdkitOnly {
        size_of_a_number: NUMBER.with(&[Keyword::MaxSize(5)]);
        items_of_no_list: TEXT.with(&[Keyword::Items(&[Keyword::min_length(1)])]);
        values_of_no_map: TEXT.with(&[Keyword::Values(&[Keyword::min_length(1)])]);
        one_of_no_field: PART.with(&[Keyword::OneOf(&["a", "b"])]);
        one_of_text: TEXT.with(&[Keyword::OneOf(&["a", "b"])]);
        tuple_of_two_types: Schema::tuple(&[&TEXT, &NUMBER]);
        flattened_text: Schema::object(&[Field::flattened(&TEXT)]);
        no_alternatives: Schema::one_of(Tagging::External, &[]);
        internal_text: Schema::one_of(Tagging::Internal("t"), &[Variant::new("a").with(&TEXT), Variant::new("b")]);
        typo: TEXT.with(&[Keyword::Extend(|| json!({ "maxlength": 5 }))]);
        typo_in_a_patch: TEXT.with(&[Keyword::Patch(|| json!({ "maxlength": 5 }))]);
        fields_of_one_name: Schema::object(&[Field::new("a", &TEXT), Field::new("a", &NUMBER)]);
    }
    L1 {
        list_type: TEXT.with(&[Keyword::ListType(ListType::Set)]);
        list_type_of_a_map: MAP.with(&[Keyword::ListType(ListType::Atomic)]);
    }
    L3 {
        keys: LIST.with(&[Keyword::ListMapKeys(&["k"])]);
        keys_of_a_set: LIST.with(&[Keyword::ListMapKeys(&["k"]), Keyword::ListType(ListType::Atomic), Keyword::ListMapKeys(&["k"])]);
    }
    L4 {
        no_keys: Schema::list(&PART).with(&[Keyword::ListType(ListType::Map)]);
        empty_keys: Schema::list(&PART).with(&[Keyword::ListType(ListType::Map), Keyword::ListMapKeys(&[])]);
    }
    L5 {
        map_of_texts: LIST.with(&[Keyword::ListType(ListType::Map), Keyword::ListMapKeys(&["k"])]);
    }
    L6 {
        missing_key: Schema::list(&PART).with(&[Keyword::ListType(ListType::Map), Keyword::ListMapKeys(&["j"])]);
        missing_key_in_list: Schema::list(&IN_LIST);
    }
    L7 {
        list_as_key: Schema::list(&PART).with(&[Keyword::ListType(ListType::Map), Keyword::ListMapKeys(&["l"])]);
    }
    L8 {
        key_twice: Schema::list(&PART).with(&[Keyword::ListType(ListType::Map), Keyword::ListMapKeys(&["k", "k"])]);
    }
    L9 {
        optional_key: Schema::list(&PART).with(&[Keyword::ListType(ListType::Map), Keyword::ListMapKeys(&["o"])]);
    }
    L10 {
        nullable_key: Schema::list(&PART).with(&[Keyword::ListType(ListType::Map), Keyword::ListMapKeys(&["n"])]);
    }
    L11 {
        set_of_nulls: Schema::list(&NULLABLE).with(&[Keyword::ListType(ListType::Set)]);
        set_made_nullable: LIST.with(&[Keyword::ListType(ListType::Set), Keyword::Items(&[Keyword::Nullable(true)])]);
    }
    L12 {
        set_of_objects: Schema::list(&PART).with(&[Keyword::ListType(ListType::Set)]);
    }
    L13 {
        set_of_sets: Schema::list(&SET).with(&[Keyword::ListType(ListType::Set)]);
    }
    L14 {
        map_type: TEXT.with(&[Keyword::MapType(MapType::Atomic)]);
        map_type_of_a_list: LIST.with(&[Keyword::MapType(MapType::Granular)]);
    }
    E4 {
        default_of_more: NUMBERED.with(&[Keyword::Default(|| Ok(Some(json!({ "k": 1, "z": 1 }))))]);
    }
    E5 {
        default_of_another_type: NUMBER.with(&[Keyword::DefaultLiteral(Literal::Text("a"))]);
        default_below: NUMBER.with(&[Keyword::minimum(5.0), Keyword::DefaultLiteral(Literal::Integer(1))]);
        default_of_less: NUMBERED.with(&[Keyword::DefaultLiteral(Literal::Object)]);
        default_of_no_word: TEXT.with(&[Keyword::Enum(&[EnumValue::Text("a")]), Keyword::DefaultLiteral(Literal::Text("b"))]);
    }
    E7 {
        default_against_a_rule: NUMBER.with(&[Keyword::Rule(Rule::new("self > 5")), Keyword::DefaultLiteral(Literal::Integer(1))]);
    }
    E2 {
        default_of_a_label: WITH_METADATA.with(&[Keyword::EmbeddedResource]);
    }
    S5 {
        resource_of_text: TEXT.with(&[Keyword::EmbeddedResource]);
    }
    S6 {
        resource_of_a_map: MAP.with(&[Keyword::EmbeddedResource]);
    }
    S7 {
        resource_of_nothing: EMPTY.with(&[Keyword::EmbeddedResource]);
    }
    S8 {
        resource_of_a_kind: KIND_OF_NUMBER.with(&[Keyword::EmbeddedResource]);
    }
    O9 {
        resource_in_metadata: NESTED.with(&[Keyword::EmbeddedResource]);
    }
    C1 {
        rule: TEXT.with(&[Keyword::Rule(Rule::new(""))]);
    }
    C2 {
        message: TEXT.with(&[Keyword::Rule(Rule::new("true").message(" "))]);
    }
    C4 {
        lines: TEXT.with(&[Keyword::Rule(Rule::new("true ||\nfalse"))]);
    }
    C5 {
        expression: TEXT.with(&[Keyword::Rule(Rule::new("true").message_expression(" "))]);
    }
    C6 {
        reason: TEXT.with(&[Keyword::EvaluatedRule(|| json!({ "rule": "true", "reason": "Foo" }))]);
    }
    C7 {
        path: TEXT.with(&[Keyword::Rule(Rule::new("true").field_path(" "))]);
    }
    C8 {
        path_to_nothing: PART.with(&[Keyword::Rule(Rule::new("true").field_path(".none"))]);
    }
    C9 {
        rule_with_and_without: TEXT.with(&[Keyword::Rule(Rule::new("self != '' || oldSelf == ''").optional_old_self(false)), Keyword::Rule(Rule::new("self != '' || oldSelf == ''"))]);
    }
    C10 {
        unknown: PART.with(&[Keyword::Rule(Rule::new("self.none"))]);
        unknown_within: LIST.with(&[Keyword::max_items(5), Keyword::Items(&[Keyword::Rule(Rule::new("self > 5"))])]);
    }
    C11 {
        no_boolean: TEXT.with(&[Keyword::Rule(Rule::new("self"))]);
    }
    C13 {
        rule_on_any: Schema::any().with(&[Keyword::Rule(Rule::new("true"))]);
        rule_on_a_list_of_any: Schema::list(&ANY).with(&[Keyword::Rule(Rule::new("true"))]);
    }
    C14 {
        immutable_below: Schema::map(&IMMUTABLE);
    }
    C17 {
        immutable_items: Schema::list(&IMMUTABLE);
        transition_of_items: LIST.with(&[Keyword::max_items(5), Keyword::Items(&[Keyword::Rule(Rule::new("self == oldSelf"))])]);
    }
    C18 {
        optional: TEXT.with(&[Keyword::Rule(Rule::new("true").optional_old_self(false))]);
    }
}

const ANY: Schema = Schema::any();
const IMMUTABLE: Schema = Schema::string().immutable();
const IN_LIST: Schema = PART.in_list(&[Keyword::ListType(ListType::Map), Keyword::ListMapKeys(&["j"])]);
