//! Attributes of the variants of enums.

use darling::Error;
use syn::{Meta, Variant};

use super::{
    Errors, field,
    form::{self, FormAttrs},
    items,
    keywords::{self, KeywordAttrs},
    relations, resource,
    rule::{Rule, check_repeats},
    schemars::{Place, SchemarsAttrs},
    type_attrs,
};

/// What a variant says of its data, and of itself.
pub(crate) struct VariantAttrs {
    pub(crate) rules: Vec<Rule>,
    /// What stands in place of the schema of its data.
    pub(crate) form: FormAttrs,
    pub(crate) keywords: KeywordAttrs,
    pub(crate) schemars: SchemarsAttrs,
}

const CRD_KEYS: &[&str] = &["validation", "preserve_unknown_fields", "int_or_string", "schema"];
const SCHEMA_REF: Place = Place { keys: &[], validates: true, has_kin: false };

impl VariantAttrs {
    pub(crate) fn parse(variant: &Variant, errors: &mut Errors) -> Self {
        let attrs = &variant.attrs;
        let mut parsed = Self {
            rules: Vec::new(),
            form: FormAttrs::default(),
            keywords: KeywordAttrs::default(),
            schemars: SchemarsAttrs::parse(attrs, &SCHEMA_REF, errors),
        };
        for item in &items::of_attribute(attrs, "x_kube", errors) {
            errors.push(of_x_kube(item));
        }
        for item in &items::of_attribute(attrs, "crd", errors) {
            parsed.read(item, errors);
        }
        parsed.keywords.finish(errors);
        parsed.keywords.check_beside(&parsed.schemars, errors);
        check_repeats(&parsed.rules, errors);
        parsed
    }

    fn read(&mut self, item: &Meta, errors: &mut Errors) {
        match items::name(item).as_str() {
            "validation" => items::many(&mut self.rules, item, errors),
            key if form::KEYS.contains(&key) => self.form.read(item, errors),
            _ if self.keywords.read(item, errors) => {}
            key => errors.push(misplaced(item, key)),
        }
    }
}

fn all_keys() -> Vec<&'static str> {
    [CRD_KEYS, &keywords::known()].concat()
}

fn of_x_kube(item: &Meta) -> Error {
    let key = items::name(item);
    match all_keys().contains(&key.as_str()) {
        true => {
            Error::custom(format!("`{key}` belongs to `#[crd(...)]`, where it stands on a variant")).with_span(item)
        }
        false => misplaced(item, &key),
    }
}

/// A key that no variant takes.
fn misplaced(item: &Meta, key: &str) -> Error {
    let message = if field::is_key(key) {
        format!("`{key}` has no place on a variant: it stands on fields, also on those of variants")
    } else if is_of_types(key) {
        format!("`{key}` has no place on a variant: it stands on types")
    } else {
        return items::unknown(item, &all_keys());
    };
    Error::custom(message).with_span(item)
}

fn is_of_types(key: &str) -> bool {
    relations::TYPE_KEYS.contains(&key) || type_attrs::is_key(key) || resource::is_key(key)
}
