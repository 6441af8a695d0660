//! Keywords of schemas in `#[crd(...)]`, under their names in a CustomResourceDefinition.

use crdkit_core::{
    rules::value_constraints::enum_is_not_nullable,
    schema::{CountBound, NumberBound},
};
use darling::{Error, FromMeta, Result};
use proc_macro2::{Delimiter, Span, TokenStream, TokenTree};
use syn::{Expr, Meta, spanned::Spanned};

use super::{
    Errors,
    formats::Format,
    items,
    key::{Key, keys},
    merge_strategy::MergeStrategy,
    regex::Regex,
    rule::LiteralRule,
    schema_override::SchemaOverride,
    schema_patch,
    schemars::{AnnotationKey, SchemarsAttrs},
    topology::{TopologyAttrs, TopologyKey},
    value::{BareKey, Flag},
};

mod element;
mod enum_values;
mod external_docs;
mod number;

pub(crate) use element::ElementAttrs;
pub(crate) use enum_values::{EnumValue, Scalar, finite_f64, scalar};
pub(crate) use external_docs::ExternalDocs;
pub(crate) use number::OUT_OF_RANGE;
use number::{count, number};

/// The keywords of a value, of its items and of its entries.
#[derive(Default)]
pub(crate) struct KeywordAttrs {
    pub(crate) keywords: Vec<KeywordAttr>,
    pub(crate) items: Option<ElementAttrs>,
    pub(crate) values: Option<ElementAttrs>,
    /// How server-side apply merges the value, with the span.
    pub(crate) merge_strategy: Option<(MergeStrategy, Span)>,
    /// JSON that is merged into the rendered schema, with the span.
    pub(crate) schema_patch: Option<(TokenStream, Span)>,
    topology: TopologyAttrs,
}

/// A keyword with its value.
pub(crate) struct KeywordAttr {
    pub(crate) key: &'static str,
    pub(crate) span: Span,
    pub(crate) value: KeywordValue,
}

/// The value of a keyword.
pub(crate) enum KeywordValue {
    /// A number: a literal or a constant expression.
    Number(NumberBound, Expr),
    /// A number of characters, items or entries.
    Count(CountBound, Expr),
    Pattern(Regex),
    /// The rule that the keys of a map match a regular expression.
    KeyPattern(LiteralRule),
    Format(Format),
    Enum(Vec<EnumValue>),
    Nullable(bool),
    Title(Expr),
    Description(Expr),
    Example(Expr),
    ExternalDocs(ExternalDocs),
    EmbeddedResource,
}

keys! {
    KeywordKey {
        Number(NumberBound),
        Count(CountBound),
        Pattern = "pattern",
        KeyPattern = "key_pattern",
        Format = "format",
        Items = "items",
        Inner = "inner",
        Values = "values",
        UniqueItems = "unique_items",
        Enum = "enum_values",
        Nullable = "nullable",
        Title = "title",
        Description = "description",
        Example = "example",
        ExternalDocs = "external_docs",
        EmbeddedResource = "embedded_resource",
        SchemaPatch = "schema_patch",
        Topology(TopologyKey),
    }
}

impl KeywordAttrs {
    pub(crate) fn parse_item(&mut self, key: KeywordKey, item: &Meta, errors: &mut Errors) {
        let read = self.parse_keyword(key, item, errors);
        errors.handle(read);
    }

    /// Parses `merge_strategy`.
    pub(crate) fn parse_merge_strategy(&mut self, item: &Meta, errors: &mut Errors) {
        if self.merge_strategy.is_some() {
            return errors.push(items::duplicate(item));
        }
        let strategy = errors.handle(MergeStrategy::from_meta(item));
        let value = item.require_name_value().ok().map(|item| item.value.span());
        self.merge_strategy = strategy.zip(value);
    }

    /// Checks and combines the items after all have been parsed.
    pub(crate) fn finish(&mut self, errors: &mut Errors) {
        self.reject_null_in_enum(errors);
        let topology = std::mem::take(&mut self.topology).strategy(errors);
        match (topology, &self.merge_strategy) {
            (Some((_, span)), Some(_)) => {
                errors.push(Error::custom("conflicts with `merge_strategy`; remove one").with_span(&span));
            }
            (merge @ Some(_), None) => self.merge_strategy = merge,
            (None, _) => {}
        }
    }

    fn reject_null_in_enum(&self, errors: &mut Errors) {
        let nullable = self.keywords.iter().find(|it| matches!(it.value, KeywordValue::Nullable(true)));
        let has_enum = self.keywords.iter().any(|it| matches!(it.value, KeywordValue::Enum(_)));
        if let Some(keyword) = nullable
            && let Err(violation) = enum_is_not_nullable(true, has_enum)
        {
            errors.push(Error::custom(violation.message).with_span(&keyword.span));
        }
    }

    /// Reports keywords that `#[schemars(...)]` sets too.
    pub(crate) fn reject_schemars_duplicates(&self, schemars: &SchemarsAttrs, errors: &mut Errors) {
        for keyword in &self.keywords {
            let key = keyword.key;
            let repeats = |item: &Meta| AnnotationKey::is(key) && item.path().is_ident(key);
            if schemars.items.iter().any(repeats) {
                let message = format!("duplicates `#[schemars({key} = ...)]`; remove one");
                errors.push(Error::custom(message).with_span(&keyword.span));
            }
        }
    }

    /// The schema that replaces that of the items or of the entries, at any depth.
    pub(crate) fn nested_override(&self) -> Option<&SchemaOverride> {
        let mut inner = self.items.iter().chain(&self.values);
        inner.find_map(|it| it.schema_override.get().or_else(|| it.keywords.nested_override()))
    }

    fn parse_keyword(&mut self, key: KeywordKey, item: &Meta, errors: &mut Errors) -> Result<()> {
        let value = match key {
            KeywordKey::Topology(key) => {
                self.topology.parse_item(key, item, errors);
                return Ok(());
            }
            KeywordKey::Items | KeywordKey::Inner => return element::parse(&mut self.items, key.name(), item),
            KeywordKey::Values => return element::parse(&mut self.values, key.name(), item),
            KeywordKey::UniqueItems => return Err(unique_items_error(item)),
            KeywordKey::SchemaPatch => return self.parse_patch(item),
            KeywordKey::Number(bound) => KeywordValue::Number(bound, number(bound, item)?),
            KeywordKey::Count(bound) => KeywordValue::Count(bound, count(item)?),
            KeywordKey::Pattern => KeywordValue::Pattern(FromMeta::from_meta(item)?),
            KeywordKey::KeyPattern => KeywordValue::KeyPattern(LiteralRule::from_key_pattern(item)?),
            KeywordKey::Format => KeywordValue::Format(FromMeta::from_meta(item)?),
            KeywordKey::Enum => KeywordValue::Enum(enum_values::parse(item)?),
            KeywordKey::Nullable => KeywordValue::Nullable(Flag::from_meta(item)?.value),
            KeywordKey::Title => KeywordValue::Title(value(item, "\"...\"")?),
            KeywordKey::Description => KeywordValue::Description(value(item, "\"...\"")?),
            KeywordKey::Example => KeywordValue::Example(value(item, "...")?),
            KeywordKey::ExternalDocs => KeywordValue::ExternalDocs(ExternalDocs::from_meta(item)?),
            KeywordKey::EmbeddedResource => {
                BareKey::from_meta(item)?;
                KeywordValue::EmbeddedResource
            }
        };
        self.add(key.name(), value, item)
    }

    fn add(&mut self, key: &'static str, value: KeywordValue, item: &Meta) -> Result<()> {
        self.check_conflicts(key, item)?;
        let span = item.path().span();
        self.keywords.push(KeywordAttr { key, span, value });
        Ok(())
    }

    fn parse_patch(&mut self, item: &Meta) -> Result<()> {
        const EXPECTED: &str = "expected JSON, as in `schema_patch({ \"maxItems\": 9 })`";
        if self.schema_patch.is_some() {
            return Err(items::duplicate(item));
        }
        let Meta::List(list) = item else {
            return Err(Error::custom(EXPECTED).with_span(item));
        };
        let mut tokens = list.tokens.clone().into_iter();
        match (tokens.next(), tokens.next()) {
            (Some(TokenTree::Group(group)), None) if group.delimiter() == Delimiter::Brace => {
                let members = TokenTree::Group(group).into();
                let mut errors = Error::accumulator();
                schema_patch::check(&members, &mut errors);
                self.schema_patch = Some((members, item.path().span()));
                errors.finish()
            }
            _ => Err(Error::custom(EXPECTED).with_span(item)),
        }
    }

    /// Reports a keyword that is given twice, and a second lower or upper bound.
    fn check_conflicts(&self, key: &'static str, item: &Meta) -> Result<()> {
        let is_same_bound = |keyword: &&KeywordAttr| match (&keyword.value, NumberBound::from_key(key)) {
            (KeywordValue::Number(bound, _), Some(other)) => bound.side() == other.side(),
            _ => keyword.key == key,
        };
        match self.keywords.iter().find(is_same_bound) {
            None => Ok(()),
            Some(keyword) if keyword.key == key => Err(items::duplicate(item)),
            Some(keyword) => {
                Err(Error::custom(format!("`{key}` and `{}` set the same bound; remove one", keyword.key))
                    .with_span(item))
            }
        }
    }

    /// The spans of all keywords.
    pub(crate) fn spans(&self) -> impl Iterator<Item = Span> {
        let inner = self.items.iter().chain(&self.values);
        let keyword = self.keywords.iter().map(|keyword| keyword.span);
        let patch = self.schema_patch.iter().map(|(_, span)| *span);
        let merge = self.merge_strategy.iter().map(|(_, span)| *span);
        keyword.chain(inner.map(|inner| inner.span)).chain(patch).chain(merge)
    }
}

fn unique_items_error(item: &Meta) -> Error {
    Error::custom("the API server rejects `uniqueItems`: for unique items, write `list_type = \"set\"`").with_span(item)
}

fn value(item: &Meta, example: &str) -> Result<Expr> {
    match item {
        Meta::NameValue(value) => Ok(value.value.clone()),
        _ => {
            let key = items::name(item);
            Err(Error::custom(format!("expected a value, as in `{key} = {example}`")).with_span(item))
        }
    }
}
