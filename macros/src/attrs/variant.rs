//! Attributes of the variants of enums.

use darling::Error;
use syn::{Meta, Variant};

use super::{
    Errors, field, items,
    keywords::{self, KeywordAttrs},
    relations, resource,
    rule::{Rule, reject_duplicate_rules},
    schema_override::{self, SchemaOverrideAttrs},
    schemars::{SchemarsAttrs, SchemarsTarget},
    type_attrs,
};

/// The attributes of a variant, which apply to its data.
pub(crate) struct VariantAttrs {
    pub(crate) rules: Vec<Rule>,
    /// The schema that replaces that of its data.
    pub(crate) schema_override: SchemaOverrideAttrs,
    pub(crate) keywords: KeywordAttrs,
    pub(crate) schemars: SchemarsAttrs,
}

const CRD_KEYS: &[&str] = &["validation", "preserve_unknown_fields", "int_or_string", "schema"];
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
        match items::name(item).as_str() {
            "validation" => items::parse_repeated(&mut self.rules, item, errors),
            key if schema_override::KEYS.contains(&key) => self.schema_override.parse_item(item, errors),
            _ if self.keywords.parse_item(item, errors) => {}
            key => errors.push(key_not_on_variants(item, key)),
        }
    }
}

fn all_keys() -> Vec<&'static str> {
    [CRD_KEYS, &keywords::all_keys()].concat()
}

fn x_kube_key_on_variant(item: &Meta) -> Error {
    let key = items::name(item);
    if all_keys().contains(&key.as_str()) {
        Error::custom(format!("on a variant, `{key}` belongs in `#[crd(...)]`")).with_span(item)
    } else {
        key_not_on_variants(item, &key)
    }
}

/// The error for a key that variants do not take.
fn key_not_on_variants(item: &Meta, key: &str) -> Error {
    let message = if field::is_key(key) {
        format!("`{key}` does not apply to variants: write it on a field, which may be one of a variant")
    } else if is_type_key(key) {
        format!("`{key}` does not apply to variants: write it on a type")
    } else {
        return items::unknown(item, &all_keys());
    };
    Error::custom(message).with_span(item)
}

fn is_type_key(key: &str) -> bool {
    relations::TYPE_KEYS.contains(&key) || type_attrs::is_key(key) || resource::is_key(key)
}
