//! Attributes of the variants of enums.

use darling::Error;
use syn::{Meta, Variant};

use super::{
    Errors,
    form::{self, FormAttrs},
    items,
    schemars::{Place, SchemarsAttrs},
};

/// What a variant says of its schema.
pub(crate) struct VariantAttrs {
    /// What stands in place of the schema of its data.
    pub(crate) form: FormAttrs,
    pub(crate) schemars: SchemarsAttrs,
}

const PLACE: Place = Place {
    keys: &[],
    validates: false,
};

/// Keys that a type has, and a variant has no room for. Unknown ones are reported where they are read.
const OF_TYPES: &[&str] = &["title", "example", "extend", "transform"];
/// Keys about data.
const OF_DATA: &[&str] = &["with", "schema_with"];

impl VariantAttrs {
    /// The attributes of a variant without data.
    pub(crate) fn of_unit(variant: &Variant, errors: &mut Errors) -> Self {
        Self::parse(variant, &[OF_TYPES, OF_DATA].concat(), &[], errors)
    }

    /// The attributes of a variant with data.
    pub(crate) fn of_data(variant: &Variant, errors: &mut Errors) -> Self {
        Self::parse(variant, OF_TYPES, form::KEYS, errors)
    }

    fn parse(variant: &Variant, meaningless: &[&str], forms: &[&str], errors: &mut Errors) -> Self {
        let is_string = forms.is_empty();
        let mut parsed = Self {
            form: FormAttrs::default(),
            schemars: SchemarsAttrs::parse(&variant.attrs, &PLACE, errors),
        };
        for item in &items::of_attribute(&variant.attrs, "x_kube", errors) {
            errors.push(refused(item, is_string));
        }
        for item in &items::of_attribute(&variant.attrs, "crd", errors) {
            match forms.contains(&items::name(item).as_str()) {
                true => parsed.form.read(item, errors),
                false => errors.push(refused(item, is_string)),
            }
        }
        for item in &parsed.schemars.written {
            if meaningless.iter().any(|key| item.path().is_ident(key)) {
                errors.push(refused(item, is_string));
            }
        }
        parsed
    }
}

fn refused(item: &Meta, is_string: bool) -> Error {
    let name = items::name(item);
    let message = match is_string {
        true => format!("`{name}` has no meaning on a variant without data"),
        false => format!(
            "`{name}` has no place on a variant: write it on the type, or on a field of the variant"
        ),
    };
    Error::custom(message).with_span(item)
}
