//! `#[apply(...)]`, and the parts of other attributes that the derive `Apply` reads.

use darling::Error;
use proc_macro2::TokenTree;
use syn::{Attribute, Data, DeriveInput, Field, Fields, Ident, Meta, Path};

use super::{
    Errors,
    crates::Crates,
    field::FieldAttrs,
    items,
    merge_strategy::{ListMerge, MergeStrategy},
    resource::{self, ResourceAttrs},
    serde_or_schemars,
    type_attrs::TypeAttrs,
    value::BareKey,
};

/// The resource that has the type as its spec.
pub(crate) struct RootAttrs {
    pub(crate) root: Ident,
    pub(crate) no_spec: bool,
    pub(crate) status: Option<Path>,
    /// Whether tests are generated.
    pub(crate) test: bool,
}

/// The resource that the attributes describe, if any. `CustomResource` reports errors in them.
pub(crate) fn root(input: &DeriveInput) -> Option<RootAttrs> {
    let attrs = resource_attrs(input)?;
    let root = match (attrs.root, attrs.raw_kind) {
        (Some(root), _) => root.0,
        (None, kind) => syn::parse_str(kind?.as_str()).ok()?,
    };
    Some(RootAttrs {
        root,
        no_spec: attrs.no_spec.is_some_and(|flag| flag.value),
        status: attrs.status.map(|status| status.0),
        test: attrs.test.is_none_or(|flag| flag.value),
    })
}

/// The crates that generated code refers to.
pub(crate) fn crates(input: &DeriveInput) -> Crates {
    // Few types name a crate, and parsing all attributes takes a tenth of a derive's time.
    if !input.attrs.iter().any(names_crate) {
        return Crates::default();
    }
    let mut ignored = Error::accumulator();
    let mut crates = match resource_attrs(input) {
        Some(attrs) => attrs.crates.unwrap_or_default(),
        None => Crates::default(),
    };
    crates.crdkit = TypeAttrs::parse(input, &mut ignored).crates.crdkit;
    drop(ignored.into_inner());
    crates
}

fn names_crate(attr: &Attribute) -> bool {
    let Meta::List(list) = &attr.meta else {
        return false;
    };
    let is_key = |token| matches!(token, TokenTree::Ident(ident) if ident == "crate" || ident == "crates");
    list.tokens.clone().into_iter().any(is_key)
}

fn resource_attrs(input: &DeriveInput) -> Option<ResourceAttrs> {
    if !resource::is_resource(&input.attrs) {
        return None;
    }
    let mut ignored = Error::accumulator();
    let attrs = ResourceAttrs::parse(input, &mut ignored);
    drop(ignored.into_inner());
    Some(attrs)
}

/// Whether a field is a key of list items.
pub(crate) fn is_key(field: &Field, errors: &mut Errors) -> bool {
    let mut key: Option<BareKey> = None;
    for item in &items::parse_attribute(&field.attrs, "apply", errors) {
        match items::name(item).as_str() {
            "key" => items::parse_once(&mut key, item, errors),
            _ => errors.push(items::unknown(item, &["key"])),
        }
    }
    key.is_some()
}

/// Reports `#[apply(...)]` on the type.
pub(crate) fn reject_on_type(attrs: &[Attribute], errors: &mut Errors) {
    for attr in attrs.iter().filter(|attr| attr.path().is_ident("apply")) {
        let message = "`#[apply(key)]` applies to fields; move it to a field";
        errors.push(Error::custom(message).with_span(&attr.meta));
    }
}

/// The JSON names of the keys of the field's items.
pub(crate) fn list_keys(field: &Field) -> Vec<String> {
    let mut ignored = Error::accumulator();
    let attrs = FieldAttrs::parse(field, &mut ignored);
    drop(ignored.into_inner());
    match attrs.keywords.merge_strategy {
        Some((MergeStrategy::List(ListMerge::Map(keys)), _)) => {
            keys.iter().map(|key| key.as_str().to_owned()).collect()
        }
        _ => Vec::new(),
    }
}

/// The type with only the serde attributes that decide its JSON form.
pub(crate) fn serde_view(input: &DeriveInput) -> DeriveInput {
    let mut input = input.clone();
    remove_schemars_attrs(&mut input);
    let mut ignored = Error::accumulator();
    let effective = serde_or_schemars::effective_input(&input, &mut ignored);
    drop(ignored.into_inner());
    effective
}

fn remove_schemars_attrs(input: &mut DeriveInput) {
    let remove = |attrs: &mut Vec<Attribute>| attrs.retain(|attr| !attr.path().is_ident("schemars"));
    let remove_from_fields = |fields: &mut Fields| fields.iter_mut().for_each(|it| remove(&mut it.attrs));
    match &mut input.data {
        Data::Struct(data) => remove_from_fields(&mut data.fields),
        Data::Enum(data) => {
            for variant in &mut data.variants {
                remove(&mut variant.attrs);
                remove_from_fields(&mut variant.fields);
            }
        }
        Data::Union(_) => {}
    }
    remove(&mut input.attrs);
}
