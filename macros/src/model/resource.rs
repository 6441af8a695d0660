//! A custom resource.

use darling::{Error, util::Override};
use proc_macro2::{Ident, Span};
use syn::{Data, DeriveInput, Meta, Path, Visibility, spanned::Spanned};

use super::{
    crates::Crates,
    keyword::{self, Keyword, Words},
    plural,
};
use crate::attrs::{
    Errors,
    docs::Docs,
    field::FieldAttrs,
    json_path::JsonPath,
    metadata::{Annotation, Label},
    names::is_protected_group,
    printer_column::PrintColumn,
    resource::{ResourceAttrs, SchemaMode},
    scale::Scale,
    serde,
    text::Text,
};

/// A custom resource. Everything has a value, inert where the input has a mistake.
pub(crate) struct Resource {
    pub(crate) vis: Visibility,
    pub(crate) spec: Ident,
    pub(crate) root: Ident,
    pub(crate) doc: String,
    pub(crate) names: Names,
    pub(crate) namespaced: bool,
    pub(crate) no_spec: bool,
    pub(crate) served: bool,
    pub(crate) storage: bool,
    pub(crate) deprecated: Option<Override<Text>>,
    pub(crate) labels: Vec<Label>,
    pub(crate) annotations: Vec<Annotation>,
    pub(crate) schema: SchemaMode,
    pub(crate) keywords: Vec<Keyword>,
    pub(crate) status: Option<Path>,
    pub(crate) scale: Option<Scale>,
    pub(crate) printer_columns: Vec<PrintColumn>,
    pub(crate) selectable: Vec<JsonPath>,
    pub(crate) cel: bool,
    pub(crate) derives: Vec<Path>,
    pub(crate) default: bool,
    pub(crate) attributes: Vec<Meta>,
    pub(crate) crates: Crates,
    pub(crate) decode_any_version: bool,
    pub(crate) test: bool,
    /// Where the fields of the spec carry markers.
    pub(crate) markers: Vec<Span>,
    /// Where the kind is written.
    pub(crate) span: Span,
}

/// The names of a resource.
pub(crate) struct Names {
    pub(crate) group: String,
    pub(crate) version: String,
    pub(crate) kind: String,
    pub(crate) plural: String,
    pub(crate) singular: String,
    pub(crate) list_kind: String,
    pub(crate) short_names: Vec<String>,
    pub(crate) categories: Vec<String>,
    /// Whether the plural was made from a singular that is not the kind.
    pub(crate) plural_from_singular: bool,
}

impl Resource {
    /// Reads a resource; none if not even the name of its root type is known.
    pub(crate) fn resolve(input: &DeriveInput, errors: &mut Errors) -> Option<Self> {
        let attrs = ResourceAttrs::parse(&input.attrs, errors);
        require_identity(&attrs, input, errors);
        check_input(input, attrs.no_spec.is_some_and(|flag| flag.value), errors);
        check_names(&attrs, errors);
        check_metadata(&attrs, errors);
        check_schema_mode(&attrs, errors);
        check_paths(&attrs, errors);
        let root = root(&attrs, input, errors)?;
        Some(Self::new(attrs, root, input))
    }

    fn new(mut attrs: ResourceAttrs, root: Ident, input: &DeriveInput) -> Self {
        let names = Names::new(&attrs);
        let is = |flag: Option<crate::attrs::text::Flag>, default: bool| flag.map_or(default, |flag| flag.value);
        let span = attrs.kind.as_ref().map_or_else(|| input.ident.span(), |kind| kind.span());
        let mut crates = attrs.crates.take().unwrap_or_default();
        crates.crdkit = attrs.crdkit.take();
        let default = attrs.derives.iter().any(|derive| derive.0.is_ident("Default"));
        Self {
            vis: input.vis.clone(),
            spec: input.ident.clone(),
            doc: root_doc(&attrs, input),
            keywords: keywords(&mut attrs, input),
            names,
            root,
            namespaced: is(attrs.namespaced, false),
            no_spec: is(attrs.no_spec, false),
            served: is(attrs.served, true),
            storage: is(attrs.storage, true),
            deprecated: attrs.deprecated.map(|warning| match warning {
                Override::Inherit => Override::Inherit,
                Override::Explicit(warning) => Override::Explicit(warning.0),
            }),
            labels: attrs.labels,
            annotations: attrs.annotations,
            schema: attrs.schema.unwrap_or(SchemaMode::Derived),
            status: attrs.status,
            scale: attrs.scale,
            printer_columns: attrs.printer_columns,
            selectable: attrs.selectable,
            cel: is(attrs.cel, false),
            derives: attrs
                .derives
                .into_iter()
                .map(|derive| derive.0)
                .filter(|derive| !derive.is_ident("Default"))
                .collect(),
            default,
            attributes: attrs.attributes.into_iter().map(|attr| attr.0).collect(),
            crates: Crates::resolve(crates),
            decode_any_version: is(attrs.decode_any_version, false),
            test: is(attrs.test, true),
            markers: markers(input),
            span,
        }
    }
}

fn require_identity(attrs: &ResourceAttrs, input: &DeriveInput, errors: &mut Errors) {
    for (key, example) in [
        ("group", "group = \"example.com\""),
        ("version", "version = \"v1\""),
        ("kind", "kind = \"VirtualMachine\""),
    ] {
        if !attrs.wrote(key) {
            errors.push(
                Error::custom(format!("`{key}` is missing: write `#[crd({example})]`"))
                    .with_span(&input.ident),
            );
        }
    }
}

fn check_input(input: &DeriveInput, no_spec: bool, errors: &mut Errors) {
    if matches!(input.data, Data::Union(_)) {
        errors.push(Error::custom("a union cannot be a spec").with_span(&input.ident));
    }
    if !input.generics.params.is_empty() {
        errors.push(
            Error::custom(
                "a spec cannot be generic: a CustomResourceDefinition has one schema for each \
                 version. Types that are used in it may be",
            )
            .with_span(&input.generics.params),
        );
    }
    if no_spec {
        check_flattened(input, errors);
    }
}

/// The fields of the root, beside which those of a `no_spec` struct stand.
const ROOT_FIELDS: &[&str] = &["apiVersion", "kind", "metadata", "status"];

fn check_flattened(input: &DeriveInput, errors: &mut Errors) {
    let Data::Struct(data) = &input.data else {
        errors.push(no_fields(input));
        return;
    };
    if !matches!(data.fields, syn::Fields::Named(_)) {
        errors.push(no_fields(input));
        return;
    }
    for (field, name) in data.fields.iter().zip(json_names(input)) {
        if ROOT_FIELDS.contains(&name.as_str()) {
            errors.push(
                Error::custom(format!(
                    "with `no_spec` this field stands beside the root's own `{name}`: rename it"
                ))
                .with_span(&field.ident),
            );
        }
    }
}

fn no_fields(input: &DeriveInput) -> Error {
    Error::custom("`no_spec` puts the fields of a struct in place of `spec`: this type has none")
        .with_span(&input.ident)
}

/// The names of the fields as serde writes them, in order.
fn json_names(input: &DeriveInput) -> Vec<String> {
    use serde_derive_internals::{Ctxt, Derive, ast::Container};
    let mut ignored = Error::accumulator();
    let effective = serde::effective(input, &mut ignored);
    drop(ignored.into_inner());
    let context = Ctxt::new();
    let private = Ident::new("__private", Span::call_site());
    let container = Container::from_ast(&context, &effective, Derive::Deserialize, &private);
    let _ = context.check(); // reported by serde
    container
        .iter()
        .flat_map(|container| container.data.all_fields())
        .map(|field| field.attrs.name().deserialize_name().value.clone())
        .collect()
}

fn check_names(attrs: &ResourceAttrs, errors: &mut Errors) {
    let names = Names::new(attrs);
    if let Some(kind) = &attrs.kind {
        let default_is_long = attrs.list_kind.is_none() && names.list_kind.len() > 63;
        if default_is_long {
            errors.push(
                Error::custom(format!(
                    "with `List` behind it, the kind `{}` has more than 63 characters: give \
                     another `list_kind`",
                    kind.as_str()
                ))
                .with_span(&kind.span()),
            );
        }
    }
    if let Some(list_kind) = attrs.list_kind.as_ref().filter(|kind| kind.as_str() == names.kind) {
        errors.push(
            Error::custom("the kind of lists cannot be the kind itself").with_span(&list_kind.span()),
        );
    }
    check_derived_labels(attrs, &names, errors);
    check_repeats("short name", attrs.short_names.iter().map(|name| &**name), errors);
    check_repeats("category", attrs.categories.iter().map(|name| &**name), errors);
}

/// Names that are made from others may become too long.
fn check_derived_labels(attrs: &ResourceAttrs, names: &Names, errors: &mut Errors) {
    let Some(kind) = &attrs.kind else { return };
    if attrs.plural.is_none() && names.plural.len() > 63 {
        errors.push(
            Error::custom(format!(
                "the plural `{}` has more than 63 characters: give another `plural`",
                names.plural
            ))
            .with_span(&kind.span()),
        );
    }
    if let Some(group) = &attrs.group
        && names.plural.len() + 1 + group.len() > 253
    {
        errors.push(
            Error::custom(format!(
                "the name of the definition, `{}.{}`, has more than 253 characters",
                names.plural, names.group
            ))
            .with_span(&group.span()),
        );
    }
}

fn check_repeats<'a>(what: &str, texts: impl Iterator<Item = &'a Text>, errors: &mut Errors) {
    let mut seen: Vec<&str> = Vec::new();
    for text in texts {
        if seen.contains(&text.as_str()) {
            errors.push(
                Error::custom(format!("the {what} `{}` is given twice", text.as_str()))
                    .with_span(&text.span()),
            );
        }
        seen.push(text.as_str());
    }
}

fn check_metadata(attrs: &ResourceAttrs, errors: &mut Errors) {
    check_repeats("label", attrs.labels.iter().map(|label| &label.key), errors);
    check_repeats("annotation", attrs.annotations.iter().map(|annotation| &annotation.key), errors);
    let approval = attrs
        .annotations
        .iter()
        .find(|annotation| annotation.key.as_str() == APPROVAL);
    match (&attrs.group, approval) {
        (Some(group), None) if is_protected_group(group) => errors.push(
            Error::custom(format!(
                "groups that end in `k8s.io` or `kubernetes.io` belong to Kubernetes: add \
                 `annotation(\"{APPROVAL}\", \"...\")` with the URL of the approval, or a text \
                 that starts with `unapproved`"
            ))
            .with_span(&group.span()),
        ),
        (Some(group), Some(annotation)) if is_protected_group(group) && !is_approval(&annotation.value) => {
            errors.push(
                Error::custom("expected a URL, or a text that starts with `unapproved`")
                    .with_span(&annotation.value.span()),
            );
        }
        _ => {}
    }
}

const APPROVAL: &str = "api-approved.kubernetes.io";

fn is_approval(value: &str) -> bool {
    let is_url = value
        .split_once("://")
        .is_some_and(|(scheme, rest)| !scheme.is_empty() && !rest.is_empty() && !rest.starts_with('/'));
    is_url || value.starts_with("unapproved")
}

fn check_schema_mode(attrs: &ResourceAttrs, errors: &mut Errors) {
    let mode = attrs.schema.unwrap_or(SchemaMode::Derived);
    if mode == SchemaMode::Derived {
        return;
    }
    if attrs.cel.is_some_and(|flag| flag.value) {
        errors.push(Error::custom(
            "`cel` runs the rules of a derived schema: it cannot stand beside another `schema`",
        ));
    }
    for rule in &attrs.rules {
        errors.push(
            Error::custom("a rule is part of a derived schema: it cannot stand beside another `schema`")
                .with_span(&rule.span()),
        );
    }
    if let Some(Scale::Fields(span)) = &attrs.scale {
        errors.push(
            Error::custom(
                "without a derived schema no field can be marked: write the paths, \
                 `scale(spec_replicas_path = \"...\", status_replicas_path = \"...\")`",
            )
            .with_span(span),
        );
    }
}

fn check_paths(attrs: &ResourceAttrs, errors: &mut Errors) {
    let mut seen: Vec<&str> = Vec::new();
    for path in &attrs.selectable {
        let error = |message: String| Error::custom(message).with_span(&path.span());
        if !path.is_plain() {
            errors.push(error(format!(
                "`{}` is more than names of fields: a selectable field is reached by nothing else",
                path.as_str()
            )));
        }
        if path.is_below("metadata") {
            errors.push(error(
                "fields of `metadata` cannot be declared selectable: name and namespace always are".to_owned(),
            ));
        }
        if seen.contains(&path.as_str()) {
            errors.push(error(format!("the path `{}` is given twice", path.as_str())));
        }
        seen.push(path.as_str());
    }
    if let Some(path) = attrs.selectable.get(MAX_SELECTABLE) {
        errors.push(
            Error::custom(format!("a version has at most {MAX_SELECTABLE} selectable fields"))
                .with_span(&path.span()),
        );
    }
}

const MAX_SELECTABLE: usize = 8;

/// The name of the root type: a resource without one has nothing that could be generated.
fn root(attrs: &ResourceAttrs, input: &DeriveInput, errors: &mut Errors) -> Option<Ident> {
    let root = match (&attrs.root, &attrs.kind) {
        (Some(root), _) => root.0.clone(),
        (None, Some(kind)) => match syn::parse_str::<Ident>(kind) {
            Ok(_) => Ident::new(kind, kind.span().resolved_at(Span::call_site())),
            Err(_) => {
                errors.push(
                    Error::custom(format!(
                        "the root type is named after its kind, and `{}` is not the name of a \
                         Rust type: add `root = \"...\"`",
                        kind.as_str()
                    ))
                    .with_span(&kind.span()),
                );
                return None;
            }
        },
        (None, None) => return None,
    };
    if root == input.ident {
        errors.push(
            Error::custom(format!(
                "the root type takes the name `{root}`, which this struct has: rename the struct, \
                 for instance to `{root}Spec`"
            ))
            .with_span(&input.ident),
        );
        return None;
    }
    Some(root)
}

impl Names {
    fn new(attrs: &ResourceAttrs) -> Self {
        let text = |text: Option<&Text>| text.map(|text| text.as_str().to_owned());
        let kind = text(attrs.kind.as_deref()).unwrap_or_default();
        let default_singular = kind.to_ascii_lowercase();
        let singular = text(attrs.singular.as_deref()).unwrap_or_else(|| default_singular.clone());
        Self {
            group: text(attrs.group.as_deref()).unwrap_or_default(),
            version: text(attrs.version.as_deref()).unwrap_or_default(),
            plural: text(attrs.plural.as_deref()).unwrap_or_else(|| plural::of(&singular)),
            list_kind: text(attrs.list_kind.as_deref()).unwrap_or_else(|| format!("{kind}List")),
            short_names: attrs.short_names.iter().map(|name| name.to_string()).collect(),
            categories: attrs.categories.iter().map(|name| name.to_string()).collect(),
            plural_from_singular: attrs.plural.is_none() && singular != default_singular,
            singular,
            kind,
        }
    }
}

/// The documentation of the root type in Rust.
fn root_doc(attrs: &ResourceAttrs, input: &DeriveInput) -> String {
    match &attrs.doc {
        Some(doc) => doc.as_str().to_owned(),
        None => format!(" The custom resource whose spec is [`{}`].", input.ident),
    }
}

/// The root's own keywords: its description is that of the spec unless it has one.
fn keywords(attrs: &mut ResourceAttrs, input: &DeriveInput) -> Vec<Keyword> {
    let mut keywords: Vec<Keyword> = description(attrs, input).into_iter().collect();
    keywords.extend(std::mem::take(&mut attrs.rules).into_iter().map(keyword::rule));
    keywords
}

fn description(attrs: &ResourceAttrs, input: &DeriveInput) -> Option<Keyword> {
    if let Some(doc) = &attrs.doc {
        return Some(Keyword::Description(Words::Text(doc.trim().to_owned())));
    }
    match Docs::of(&input.attrs) {
        Docs::Text { description, .. } if description.is_empty() => None,
        Docs::Text { description, .. } => Some(Keyword::Description(Words::Text(description))),
        Docs::Lines(lines) => Some(Keyword::Description(Words::Docs(lines))),
    }
}

/// Where fields of the spec ask the resource to read them.
fn markers(input: &DeriveInput) -> Vec<Span> {
    let Data::Struct(data) = &input.data else {
        return Vec::new();
    };
    data.fields
        .iter()
        .flat_map(|field| FieldAttrs::markers(&field.attrs))
        .map(|item| item.path().span())
        .collect()
}

