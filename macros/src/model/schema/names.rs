//! The JSON names of fields and variants.

use std::{
    collections::{BTreeSet, HashMap},
    ptr,
};

use darling::Error;
use proc_macro2::{Ident, Span};
use serde_derive_internals::{
    ast::{Field as SerdeField, Variant as SerdeVariant},
    attr::TagType,
    name::Name,
};
use syn::{Attribute, Data, Expr, ExprLit, Lit, Meta, ext::IdentExt, spanned::Spanned};

use super::resolver::Resolver;
use crate::attrs::{Errors, serde_or_schemars};

/// The names of a field or variant.
struct Names<'a> {
    serialized: &'a str,
    deserialized: &'a str,
    /// All names under which it is deserialized; none if it is not.
    read: Vec<&'a str>,
    is_written: bool,
    ident: Ident,
    attrs: &'a [Attribute],
}

impl Resolver<'_> {
    pub(super) fn check_field_names(&self, fields: &[SerdeField], errors: &mut Errors) {
        let named = fields.iter().filter(|field| !field.attrs.flatten());
        let names: Vec<_> = named.map(|field| self.names_of_field(field)).collect();
        self.check_names(&names, errors);
        errors.extend(shared_names(&names, FIELD).into_iter().map(|(_, error)| error));
        if let (Some(tag), true) = (self.struct_tag(), self.is_struct()) {
            errors.extend(names.iter().filter(|names| names.has(tag)).map(|names| same_as_tag(tag, &names.ident)));
        }
    }

    /// Reports variants that serde cannot tell apart, and returns the others.
    pub(super) fn check_variant_names<'v>(
        &self,
        variants: &'v [SerdeVariant<'v>],
        errors: &mut Errors,
    ) -> Vec<&'v SerdeVariant<'v>> {
        let names: Vec<_> = variants.iter().map(|variant| self.names_of_variant(variant)).collect();
        self.check_names(&names, errors);
        let mut distinct: Vec<_> = variants.iter().collect();
        if let TagType::None = self.container.attrs.tag() {
            return distinct;
        }
        let tagged: Vec<_> = variants.iter().filter(|variant| !variant.attrs.untagged()).collect();
        let names: Vec<_> = tagged.iter().map(|variant| self.names_of_variant(variant)).collect();
        for (at, error) in shared_names(&names, VARIANT) {
            errors.push(error);
            distinct.retain(|variant| !ptr::eq(*variant, tagged[at]));
        }
        distinct
    }

    fn names_of_field<'n>(&'n self, field: &'n SerdeField) -> Names<'n> {
        let attrs = &field.attrs;
        let original = self.original(field);
        Names {
            serialized: &attrs.name().serialize_name().value,
            deserialized: &attrs.name().deserialize_name().value,
            read: read_names(attrs.aliases(), attrs.skip_deserializing()),
            is_written: !attrs.skip_serializing(),
            ident: original.ident.clone().expect("only fields of structs have names in JSON"),
            attrs: &original.attrs,
        }
    }

    fn names_of_variant<'n>(&'n self, variant: &'n SerdeVariant) -> Names<'n> {
        let attrs = &variant.attrs;
        Names {
            serialized: &attrs.name().serialize_name().value,
            deserialized: &attrs.name().deserialize_name().value,
            read: read_names(attrs.aliases(), attrs.skip_deserializing()),
            is_written: !attrs.skip_serializing(),
            ident: variant.ident.clone(),
            attrs: &self.original_variant(variant).attrs,
        }
    }

    /// The tag that serde writes among the fields of a struct.
    fn struct_tag(&self) -> Option<&str> {
        match self.container.attrs.tag() {
            TagType::Internal { tag } => Some(tag),
            _ => None,
        }
    }

    fn is_struct(&self) -> bool {
        matches!(self.input.data, Data::Struct(_))
    }

    /// Reports names that differ between serialization and deserialization: the schema has only one, so the other is
    /// lost.
    fn check_names(&self, names: &[Names<'_>], errors: &mut Errors) {
        let mut renamed_by_type = None;
        let both = names.iter().filter(|names| names.is_written && !names.read.is_empty());
        for names in both.filter(|names| names.serialized != names.deserialized) {
            match serde_or_schemars::find(names.attrs, "rename") {
                Some(item) => errors.push(different_names_error(names, &item)),
                None => renamed_by_type = renamed_by_type.or(Some(names)),
            }
        }
        if let Some(names) = renamed_by_type
            && let Some(item) = self.rename_all_item()
        {
            errors.push(different_names_error(names, &item));
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
            Some(variant) => serde_or_schemars::find(&variant.attrs, "rename_all")
                .or_else(|| serde_or_schemars::find(attrs, "rename_all_fields")),
            None => serde_or_schemars::find(attrs, "rename_all"),
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

fn read_names(names: &BTreeSet<Name>, is_skipped: bool) -> Vec<&str> {
    if is_skipped {
        return Vec::new();
    }
    names.iter().map(|name| name.value.as_str()).collect()
}

impl Names<'_> {
    /// Whether an object that serde writes or reads has this key because of the field.
    fn has(&self, key: &str) -> bool {
        self.is_written && self.serialized == key || self.read.contains(&key)
    }

    /// The attribute with an alias, if the name is one.
    fn alias_item(&self, name: &str) -> Option<Meta> {
        if name == self.deserialized {
            return None;
        }
        serde_or_schemars::find_all(self.attrs, "alias").into_iter().find(|item| match item {
            Meta::NameValue(value) => {
                matches!(&value.value, Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) if text.value() == name)
            }
            _ => false,
        })
    }

    /// The tokens that give the field or variant this name.
    fn span_of(&self, name: &str) -> Span {
        self.alias_item(name).map_or_else(|| self.ident.span(), |item| item.span())
    }
}

const FIELD: &str = "field";
const VARIANT: &str = "variant";

/// Finds the fields or variants that have a name of an earlier one, and returns the error for each.
fn shared_names(all: &[Names<'_>], noun: &str) -> Vec<(usize, Error)> {
    let mut found = Vec::new();
    let (mut readers, mut writers) = (HashMap::new(), HashMap::new());
    for (at, names) in all.iter().enumerate() {
        let read_by_another = names.read.iter().find_map(|name| Some((*name, *readers.get(name)?)));
        if let Some((name, first)) = read_by_another {
            found.push((at, shared_name_error(&all[first], names, name, noun)));
            continue;
        }
        readers.extend(names.read.iter().map(|name| (*name, at)));
        // A variant that is only written may have the name of the one that it is read as.
        if noun == FIELD && names.is_written && writers.insert(names.serialized, at).is_some() {
            found.push((at, same_name_error(names, names.serialized, noun)));
        }
    }
    if noun == FIELD && found.is_empty() {
        found.extend(written_under_aliases(all, &readers));
    }
    found
}

/// Finds fields that are only written, under an alias of another field that is written, too: serde then reads two values
/// for that one.
fn written_under_aliases(all: &[Names<'_>], readers: &HashMap<&str, usize>) -> Vec<(usize, Error)> {
    let only_written = all.iter().enumerate().filter(|(_, names)| names.is_written && names.read.is_empty());
    let read = only_written.filter_map(|(at, names)| {
        let owner = &all[*readers.get(names.serialized)?];
        let is_alias = owner.is_written && owner.serialized != names.serialized;
        is_alias.then(|| (at, alias_of_error(owner, names.serialized, names.ident.span(), FIELD)))
    });
    read.collect()
}

/// The error for a name under which serde reads the first of two fields or variants, and never the second.
fn shared_name_error(first: &Names<'_>, second: &Names<'_>, name: &str, noun: &str) -> Error {
    let span = second.span_of(name);
    let is_alias = second.alias_item(name).is_some();
    if first.alias_item(name).is_some() && !is_alias {
        return alias_of_error(first, name, span, noun);
    }
    if !is_alias {
        return same_name_error(second, name, noun);
    }
    let owner = &first.ident;
    Error::custom(format!("serde already reads `{name}` as the {noun} `{owner}`: remove the alias")).with_span(&span)
}

fn alias_of_error(owner: &Names<'_>, name: &str, span: Span, noun: &str) -> Error {
    let owner = &owner.ident;
    Error::custom(format!(
        "serde reads `{name}` as the {noun} `{owner}`, of which it is an alias: remove that alias, or rename this {noun}"
    ))
    .with_span(&span)
}

fn same_name_error(names: &Names<'_>, name: &str, noun: &str) -> Error {
    let owner = if noun == FIELD { "struct" } else { "enum" };
    let message = format!("another {noun} of this {owner} has the JSON name `{name}`, too: rename one of them");
    Error::custom(message).with_span(&names.ident)
}

fn same_as_tag(tag: &str, ident: &Ident) -> Error {
    Error::custom(format!("`{tag}` is also the tag of this struct: rename one of them")).with_span(ident)
}

pub(super) fn json_name(field: &SerdeField) -> String {
    field.attrs.name().deserialize_name().value.clone()
}

/// The Rust name; empty if the field has none.
pub(super) fn rust_name(field: &SerdeField) -> String {
    let ident = field.original.ident.as_ref();
    ident.map_or_else(String::new, |ident| ident.unraw().to_string())
}
