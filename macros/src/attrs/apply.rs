//! `#[apply(...)]`, and what else of a type's attributes matters where it is applied.

use darling::Error;
use syn::{Attribute, Data, DeriveInput, Field, Fields, Ident, Path};

use super::{
    Errors,
    crates::Crates,
    field::FieldAttrs,
    items,
    merge_strategy::{ListMerge, MergeStrategy},
    resource::{self, ResourceAttrs},
    serde,
    text::Word,
    type_attrs::TypeAttrs,
};

/// The resource whose spec the type is.
pub(crate) struct RootAttrs {
    pub(crate) root: Ident,
    pub(crate) no_spec: bool,
    pub(crate) status: Option<Path>,
}

/// The resource that the attributes describe, if they do; its mistakes are reported by `CustomResource`.
pub(crate) fn root(input: &DeriveInput) -> Option<RootAttrs> {
    let attrs = resource_attrs(input)?;
    let root = match (attrs.root, attrs.written_kind) {
        (Some(root), _) => root.0,
        (None, kind) => syn::parse_str(kind?.as_str()).ok()?,
    };
    Some(RootAttrs {
        root,
        no_spec: attrs.no_spec.is_some_and(|flag| flag.value),
        status: attrs.status.map(|status| status.0),
    })
}

/// The crates that generated code names.
pub(crate) fn crates(input: &DeriveInput) -> Crates {
    let mut ignored = Error::accumulator();
    let mut crates = match resource_attrs(input) {
        Some(attrs) => attrs.crates.unwrap_or_default(),
        None => Crates::default(),
    };
    crates.crdkit = TypeAttrs::parse(input, &mut ignored).crates.crdkit;
    drop(ignored.into_inner());
    crates
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

/// Whether a field tells items of a list apart.
pub(crate) fn is_key(field: &Field, errors: &mut Errors) -> bool {
    let mut key: Option<Word> = None;
    for item in &items::of_attribute(&field.attrs, "apply", errors) {
        match items::name(item).as_str() {
            "key" => items::once(&mut key, item, errors),
            _ => errors.push(items::unknown(item, &["key"])),
        }
    }
    key.is_some()
}

/// Refuses what only fields take.
pub(crate) fn refuse_on_a_type(attrs: &[Attribute], errors: &mut Errors) {
    for attr in attrs.iter().filter(|attr| attr.path().is_ident("apply")) {
        let message = "`#[apply(key)]` says something about a field, and belongs on one";
        errors.push(Error::custom(message).with_span(&attr.meta));
    }
}

/// The names in JSON of what tells the items of a list apart.
pub(crate) fn list_keys(field: &Field) -> Vec<String> {
    let mut ignored = Error::accumulator();
    let attrs = FieldAttrs::parse(field, &mut ignored);
    drop(ignored.into_inner());
    match attrs.keywords.merge {
        Some((MergeStrategy::List(ListMerge::Map(keys)), _)) => {
            keys.iter().map(|key| key.as_str().to_owned()).collect()
        }
        _ => Vec::new(),
    }
}

/// The type with nothing but the attributes of serde that its JSON form goes by.
pub(crate) fn as_serde_sees_it(input: &DeriveInput) -> DeriveInput {
    let mut input = input.clone();
    forget_schemars(&mut input);
    let mut ignored = Error::accumulator();
    let effective = serde::effective(&input, &mut ignored);
    drop(ignored.into_inner());
    effective
}

fn forget_schemars(input: &mut DeriveInput) {
    let forget = |attrs: &mut Vec<Attribute>| attrs.retain(|attr| !attr.path().is_ident("schemars"));
    let forget_in = |fields: &mut Fields| fields.iter_mut().for_each(|it| forget(&mut it.attrs));
    match &mut input.data {
        Data::Struct(data) => forget_in(&mut data.fields),
        Data::Enum(data) => {
            for variant in &mut data.variants {
                forget(&mut variant.attrs);
                forget_in(&mut variant.fields);
            }
        }
        Data::Union(_) => {}
    }
    forget(&mut input.attrs);
}
