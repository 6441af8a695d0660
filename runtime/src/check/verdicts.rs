//! What is refused while compiling is refused where it is rendered.

use proptest::{
    collection::vec,
    option,
    prelude::*,
    sample::{select, subsequence},
};

use super::{alternatives, flatten};
use crate::{
    render::render_schema,
    schema::{
        Alternative, Field, ForeignSchema, Keyword, KubeSchema, Literal, Rule, Schema, Shape,
        Tagging, Variant,
    },
};

type Known = &'static Schema;

/// Nobody frees what a schema refers to.
fn kept(schema: Schema) -> Known {
    Box::leak(Box::new(schema))
}

fn keywords(from: &'static [Keyword]) -> impl Strategy<Value = &'static [Keyword]> {
    prop_oneof![
        4 => Just([].as_slice()),
        1 => vec(select(from), 1..3).prop_map(|keywords| &*keywords.leak()),
    ]
}

const RULE: Keyword = Keyword::Rule(Rule::new("self == self"));
const TOLD: Keyword = Keyword::Rule(Rule::new("self == self").message("it is itself"));
const FROZEN: Keyword = Keyword::Rule(Rule::new("self == oldSelf"));

const OF_VALUES: &[Keyword] = &[
    RULE,
    TOLD,
    FROZEN,
    Keyword::RuleValue(|| serde_json::json!({ "rule": "self == self" })),
    Keyword::Nullable(true),
    Keyword::Description("What it is."),
    Keyword::PreserveUnknownFields,
    Keyword::Patch(|| serde_json::json!({ "x-kubernetes-validations": null })),
    Keyword::Extend(|| serde_json::json!({ "x-kubernetes-preserve-unknown-fields": true })),
];
const OF_NUMBERS: &[Keyword] = &[
    Keyword::Minimum(1.0),
    Keyword::Maximum(9.0),
    Keyword::Format("int64"),
    RULE,
];
const OF_TEXTS: &[Keyword] = &[Keyword::MinLength(1), Keyword::Pattern("a"), RULE];
const OF_LISTS: &[Keyword] = &[
    Keyword::MinItems(1),
    Keyword::Items(&[RULE]),
    Keyword::Items(&[Keyword::Description("One of them.")]),
];
const OF_OBJECTS: &[Keyword] = &[Keyword::AtMostOneOf(&["a", "b"]), RULE, FROZEN];

const AB: &[Variant] = &[Variant::new("a"), Variant::new("b")];
const BC: &[Variant] = &[Variant::new("b"), Variant::new("c")];
const BA: &[Variant] = &[Variant::new("b"), Variant::new("a")];

fn scalar() -> impl Strategy<Value = Known> {
    let number = select(vec![<u8>::PLACE, <i32>::PLACE, <i64>::PLACE, <f64>::PLACE]);
    let number =
        (number, keywords(OF_NUMBERS)).prop_map(|(of, with)| kept(Schema::newtype(of).with(with)));
    let text = keywords(OF_TEXTS).prop_map(|with| kept(Schema::string().with(with)));
    let names = select(vec![AB, BC, BA]).prop_map(|names| kept(Schema::enumeration(names)));
    prop_oneof![
        4 => number,
        2 => text,
        2 => names,
        1 => Just(<bool>::PLACE),
        1 => Just(<serde_json::Value>::PLACE),
        1 => Just(kept(Schema::foreign(ForeignSchema::of::<u8>()))),
    ]
}

fn said(value: impl Strategy<Value = Known>) -> impl Strategy<Value = Known> {
    let form = (any::<bool>(), 0..8, 0..8, keywords(OF_VALUES));
    (value, form).prop_map(|(value, (is_newtype, optional, immutable, with))| {
        let mut schema = match is_newtype {
            true => Schema::newtype(value).with(with),
            false => *value,
        };
        if optional == 0 {
            schema = schema.optional();
        }
        if immutable == 0 {
            schema = schema.immutable();
        }
        kept(schema)
    })
}

fn field(name: &'static str, value: impl Strategy<Value = Known>) -> impl Strategy<Value = Field> {
    (value, 0..6, 0..6, keywords(OF_VALUES)).prop_map(move |(value, presence, immutable, with)| {
        let field = Field::new(name, value).with(with);
        let field = match presence {
            0 => field.optional(),
            1 => field.present(),
            2 => field.required(),
            3 => field
                .defaulted()
                .with(&[Keyword::DefaultLiteral(Literal::Integer(1))]),
            _ => field,
        };
        match immutable {
            0 => field.immutable(),
            _ => field,
        }
    })
}

fn fields(
    value: impl Strategy<Value = Known> + Clone + 'static,
) -> impl Strategy<Value = Vec<Field>> {
    let named = |name| option::of(field(name, value.clone()));
    let all = (named("a"), named("b"), named("c"));
    all.prop_map(|(a, b, c)| [a, b, c].into_iter().flatten().collect())
}

fn object(value: impl Strategy<Value = Known> + Clone + 'static) -> impl Strategy<Value = Known> {
    (fields(value), keywords(OF_OBJECTS))
        .prop_map(|(fields, with)| kept(Schema::object(fields.leak()).named("Object").with(with)))
}

fn tagging() -> impl Strategy<Value = Tagging> {
    let content = "d";
    select(vec![
        Tagging::External,
        Tagging::Internal("a"),
        Tagging::Internal("t"),
        Tagging::Adjacent { tag: "t", content },
        Tagging::Untagged,
    ])
}

fn choice(value: impl Strategy<Value = Known> + Clone + 'static) -> impl Strategy<Value = Known> {
    let content = prop_oneof![3 => object(value.clone()), 1 => value];
    let variant = (content, 0..6).prop_map(|(content, role)| match role {
        0 => Alternative::new("").with(content).untagged(),
        1 => Alternative::new(""),
        _ => Alternative::new("").with(content),
    });
    let names = subsequence(vec!["X", "Y", "Z"], 1..=3);
    (tagging(), vec(variant, 3), names).prop_map(|(tagging, variants, names)| {
        let named = names.into_iter().zip(variants);
        let named = named.map(|(name, variant)| Alternative { name, ..variant });
        let alternatives: Vec<_> = named.collect();
        kept(Schema::one_of(tagging, alternatives.leak()).named("Choice"))
    })
}

fn value() -> impl Strategy<Value = Known> + Clone {
    let leaf = said(scalar()).boxed();
    leaf.prop_recursive(2, 8, 3, |inner| {
        let list = (inner.clone(), keywords(OF_LISTS))
            .prop_map(|(items, with)| kept(Schema::list(items).with(with)));
        let map = inner.clone().prop_map(|values| kept(Schema::map(values)));
        let keyed = inner
            .clone()
            .prop_map(|values| kept(Schema::map(values).keyed_by(kept(Schema::enumeration(AB)))));
        let all = prop_oneof![
            list,
            map,
            keyed,
            object(inner.clone()),
            choice(inner.clone()),
        ];
        said(all).boxed()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn of_variants(schema in choice(value())) {
        let Shape::OneOf(tagging, all) = schema.shape else { unreachable!() };
        for at in 0..all.len() {
            let first: Known = kept(Schema::one_of(tagging, &all[..=at]));
            if let Err(message) = alternatives::fits(first, at)
                && message.as_str().contains("` and not in `")
            {
                let rendered = render_schema(first);
                prop_assert!(rendered.is_err(), "{}: {}", message.as_str(), serde_json::json!(rendered.ok()));
            }
        }
    }

    #[test]
    fn of_flattened_fields(
        own in fields(value()),
        flattened in vec(prop_oneof![said(object(value())), said(choice(value())), value()], 1..3),
    ) {
        let flattened = flattened.into_iter().map(Field::flattened);
        let fields: Vec<_> = own.into_iter().chain(flattened).collect();
        let schema: Known = kept(Schema::object(fields.leak()).named("Struct"));
        let Shape::Object(fields) = schema.shape else { unreachable!() };
        for at in (0..fields.len()).filter(|at| fields[*at].flatten) {
            if let Err(message) = flatten::fits(schema, at) {
                let rendered = render_schema(schema);
                prop_assert!(rendered.is_err(), "{}: {}", message.as_str(), serde_json::json!(rendered.ok()));
            }
        }
    }
}
