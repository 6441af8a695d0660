//! Attributes of the variants of enums.

use darling::Error;
use syn::{Meta, Variant};

use super::{
    Errors,
    field::FieldKey,
    items,
    key::{Key, keys},
    keywords::{KeywordAttrs, KeywordKey},
    resource,
    rule::{Rule, reject_duplicate_rules},
    schema_override::{OverrideKey, SchemaOverrideAttrs},
    schemars::{SchemarsAttrs, SchemarsTarget},
    type_attrs::TypeKey,
};

/// The attributes of a variant, which apply to its data.
pub(crate) struct VariantAttrs {
    pub(crate) rules: Vec<Rule>,
    /// The schema that replaces that of its data.
    pub(crate) schema_override: SchemaOverrideAttrs,
    pub(crate) keywords: KeywordAttrs,
    pub(crate) schemars: SchemarsAttrs,
}

keys! {
    VariantKey { Validation = "validation", Override(OverrideKey), Keyword(KeywordKey) }
}

const TARGET: SchemarsTarget = SchemarsTarget { keys: &[], allows_validation: true, reads_validator_attrs: false };

impl VariantAttrs {
    pub(crate) fn parse(variant: &Variant, errors: &mut Errors) -> Self {
        let attrs = &variant.attrs;
        let mut parsed = Self {
            rules: Vec::new(),
            schema_override: SchemaOverrideAttrs::default(),
            keywords: KeywordAttrs::default(),
            schemars: SchemarsAttrs::parse(attrs, &TARGET, errors),
        };
        for item in &items::parse_attribute(attrs, "x_kube", errors) {
            errors.push(x_kube_key_on_variant(item));
        }
        for item in &items::parse_attribute(attrs, "crd", errors) {
            parsed.parse_item(item, errors);
        }
        parsed.keywords.finish(errors);
        parsed.keywords.reject_schemars_duplicates(&parsed.schemars, errors);
        reject_duplicate_rules(&parsed.rules, errors);
        parsed
    }

    fn parse_item(&mut self, item: &Meta, errors: &mut Errors) {
        match VariantKey::of(item) {
            Some(VariantKey::Validation) => items::parse_repeated(&mut self.rules, item, errors),
            Some(VariantKey::Override(key)) => self.schema_override.parse_item(key, item, errors),
            Some(VariantKey::Keyword(key)) => self.keywords.parse_item(key, item, errors),
            None => errors.push(key_not_on_variants(item)),
        }
    }
}

fn x_kube_key_on_variant(item: &Meta) -> Error {
    match VariantKey::of(item) {
        Some(key) => Error::custom(format!("on a variant, `{}` belongs in `#[crd(...)]`", key.name())).with_span(item),
        None => key_not_on_variants(item),
    }
}

/// The error for a key that variants do not take.
fn key_not_on_variants(item: &Meta) -> Error {
    let key = items::name(item);
    let message = if FieldKey::is(&key) {
        format!("`{key}` does not apply to variants: write it on a field, which may be one of a variant")
    } else if TypeKey::is(&key) || resource::is_key(&key) {
        format!("`{key}` does not apply to variants: write it on a type")
    } else {
        return items::unknown(item, &VariantKey::names());
    };
    Error::custom(message).with_span(item)
}
