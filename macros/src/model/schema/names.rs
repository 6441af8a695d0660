//! The JSON names of fields and variants.

use darling::Error;
use serde_derive_internals::ast::{Field as SerdeField, Variant as SerdeVariant};
use syn::{Attribute, Data, Meta, ext::IdentExt};

use super::resolver::Resolver;
use crate::attrs::{Errors, serde};

/// The two names of a field or variant.
struct Names<'a> {
    serialized: &'a str,
    deserialized: &'a str,
    attrs: &'a [Attribute],
}

impl Resolver<'_> {
    pub(super) fn check_field_names(&self, fields: &[SerdeField], errors: &mut Errors) {
        let named = fields.iter().filter(|field| {
            let attrs = &field.attrs;
            !attrs.skip_deserializing() && !attrs.skip_serializing() && !attrs.flatten()
        });
        let names = named.map(|field| Names {
            serialized: &field.attrs.name().serialize_name().value,
            deserialized: &field.attrs.name().deserialize_name().value,
            attrs: &self.original(field).attrs,
        });
        self.check_names(names, errors);
    }

    pub(super) fn check_variant_names(&self, variants: &[SerdeVariant], errors: &mut Errors) {
        let named =
            variants.iter().filter(|variant| !variant.attrs.skip_deserializing() && !variant.attrs.skip_serializing());
        let names = named.map(|variant| Names {
            serialized: &variant.attrs.name().serialize_name().value,
            deserialized: &variant.attrs.name().deserialize_name().value,
            attrs: &self.original_variant(variant).attrs,
        });
        self.check_names(names, errors);
    }

    /// Reports names that differ between serialization and deserialization: the schema has only one, so the other is
    /// lost.
    fn check_names<'n>(&self, names: impl Iterator<Item = Names<'n>>, errors: &mut Errors) {
        let mut renamed_by_type = None;
        for names in names.filter(|names| names.serialized != names.deserialized) {
            match serde::find(names.attrs, "rename") {
                Some(item) => errors.push(different_names_error(&names, &item)),
                None => renamed_by_type = renamed_by_type.or(Some(names)),
            }
        }
        if let Some(names) = renamed_by_type
            && let Some(item) = self.rename_all_item()
        {
            errors.push(different_names_error(&names, &item));
        }
    }

    /// The item that renames all fields or variants: on the enclosing variant, or on the type.
    fn rename_all_item(&self) -> Option<Meta> {
        let attrs = &self.input.attrs;
        let variant = match &self.input.data {
            Data::Enum(data) => data.variants.iter().find(|it| std::ptr::eq(&raw const it.fields, self.fields)),
            _ => None,
        };
        match variant {
            Some(variant) => {
                serde::find(&variant.attrs, "rename_all").or_else(|| serde::find(attrs, "rename_all_fields"))
            }
            None => serde::find(attrs, "rename_all"),
        }
    }
}

fn different_names_error(names: &Names, item: &Meta) -> Error {
    Error::custom(format!(
        "serialized as `{}` and deserialized as `{}`, but the schema, and so the API server, has only the latter: use \
         one name for both",
        names.serialized, names.deserialized,
    ))
    .with_span(item)
}

pub(super) fn duplicate_name(field: &SerdeField) -> Error {
    Error::custom(format!(
        "another field of this struct has the JSON name `{}`, too: rename one of them",
        json_name(field)
    ))
    .with_span(&field.original.ident)
}

pub(super) fn json_name(field: &SerdeField) -> String {
    field.attrs.name().deserialize_name().value.clone()
}

/// The Rust name; empty if the field has none.
pub(super) fn rust_name(field: &SerdeField) -> String {
    let ident = field.original.ident.as_ref();
    ident.map_or_else(String::new, |ident| ident.unraw().to_string())
}
