//! Rules between fields: `one_of`, `at_most_one_of`, `at_least_one_of` and `requires`. Rules on updates: `immutable`.

use darling::{Error, FromMeta, Result, ast::NestedMeta};
use proc_macro2::Span;
use syn::{Expr, Meta, spanned::Spanned};

use super::{
    Errors, items,
    key::{Key, keys},
    text::Text,
    value::BareKey,
};

keys! {
    /// How many fields of a group must be set.
    #[allow(clippy::enum_variant_names)] // as the keys
    FieldGroupKey { OneOf = "one_of", AtMostOneOf = "at_most_one_of", AtLeastOneOf = "at_least_one_of" }

    TypeRelationKey { Group(FieldGroupKey), Immutable = "immutable" }

    FieldRelationKey { Immutable = "immutable", Requires = "requires" }
}

/// The rules of a type on its fields.
#[derive(Default)]
pub(crate) struct TypeRelations {
    pub(crate) field_groups: Vec<FieldGroup>,
    /// The span of `immutable`.
    pub(crate) immutable: Option<Span>,
}

/// Fields of which a certain number must be set.
pub(crate) struct FieldGroup {
    pub(crate) key: FieldGroupKey,
    pub(crate) span: Span,
    pub(crate) names: Vec<Text>,
}

/// The rules of a field on other fields and on updates.
#[derive(Default)]
pub(crate) struct FieldRelations {
    /// The span of `immutable`.
    pub(crate) immutable: Option<Span>,
    pub(crate) requires: Option<Requires>,
}

/// The fields that must be set if this one is.
pub(crate) struct Requires {
    pub(crate) span: Span,
    pub(crate) names: Vec<Text>,
}

impl TypeRelations {
    pub(crate) fn parse_item(&mut self, key: TypeRelationKey, item: &Meta, errors: &mut Errors) {
        match key {
            TypeRelationKey::Group(key) => self.parse_group(key, item, errors),
            TypeRelationKey::Immutable => parse_immutable(&mut self.immutable, item, errors),
        }
    }

    fn parse_group(&mut self, key: FieldGroupKey, item: &Meta, errors: &mut Errors) {
        let example = format!("`{}(\"a\", \"b\")`", key.name());
        let names = errors.handle(names(item, &example).and_then(|names| match names.len() {
            0 | 1 => Err(
                Error::custom(format!("expected the names of at least two fields, as in {example}")).with_span(item),
            ),
            _ => Ok(names),
        }));
        self.field_groups.extend(names.map(|names| FieldGroup { key, span: item.path().span(), names }));
    }
}

impl FieldRelations {
    pub(crate) fn parse_item(&mut self, key: FieldRelationKey, item: &Meta, errors: &mut Errors) {
        match key {
            FieldRelationKey::Immutable => parse_immutable(&mut self.immutable, item, errors),
            FieldRelationKey::Requires => items::parse_once(&mut self.requires, item, errors),
        }
    }

    /// The spans of all rules.
    pub(crate) fn spans(&self) -> impl Iterator<Item = Span> {
        let requires = self.requires.iter().map(|requires| requires.span);
        requires.chain(self.immutable)
    }
}

fn parse_immutable(slot: &mut Option<Span>, item: &Meta, errors: &mut Errors) {
    let mut key = slot.map(|_| BareKey);
    items::parse_once(&mut key, item, errors);
    *slot = slot.or(key.map(|_| item.path().span()));
}

impl FromMeta for Requires {
    fn from_meta(item: &Meta) -> Result<Self> {
        const EXAMPLE: &str = "`requires = \"a\"` or `requires(\"a\", \"b\")`";
        let names = names(item, EXAMPLE)?;
        if names.is_empty() {
            let expected = format!("expected the name of a field, as in {EXAMPLE}");
            return Err(Error::custom(expected).with_span(item));
        }
        let span = item.path().span();
        Ok(Self { span, names })
    }
}

/// The names in `key("a", "b")`, `key = ["a", "b"]` or `key = "a"`.
fn names(item: &Meta, example: &str) -> Result<Vec<Text>> {
    let expected = || Error::custom(format!("expected field names in quotes, as in {example}"));
    match item {
        Meta::Path(_) => Err(expected().with_span(item)),
        Meta::NameValue(named) => match &named.value {
            Expr::Array(array) => {
                let name = |expr| Text::literal(expr).ok_or_else(|| expected().with_span(expr));
                array.elems.iter().map(name).collect()
            }
            value => match Text::literal(value) {
                Some(name) => Ok(vec![name]),
                None => Err(expected().with_span(value)),
            },
        },
        Meta::List(list) => {
            let mut errors = Error::accumulator();
            let mut names = Vec::new();
            for nested in items::parse_nested(&list.tokens, &mut errors) {
                let name = match &nested {
                    NestedMeta::Lit(lit) => Text::from_lit(lit),
                    _ => None,
                };
                names.extend(errors.handle(name.ok_or_else(|| expected().with_span(&nested))));
            }
            errors.finish_with(names)
        }
    }
}
