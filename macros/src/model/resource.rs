//! A custom resource.

use darling::{Error, util::Override};
use proc_macro2::{Ident, Span};
use syn::{Data, DeriveInput, Meta, Path, Visibility, ext::IdentExt, spanned::Spanned};

use crdkit_core::rules::selectable;

use super::{
    crates::Crates,
    keyword::{self, DocText, Keyword},
};
use crate::attrs::{
    Errors,
    docs::Docs,
    field::FieldAttrs,
    field_path::FieldPath,
    json_path::JsonPath,
    metadata::{Annotation, Label},
    printer_column::PrintColumn,
    resource::{ResourceAttrs, SchemaMode},
    rule::{Rule, RuleTypeCheck},
    scale::Scale,
    schema_size::Descriptions,
    text::Text,
};

mod checks;
mod names;
mod spec_type;

/// A custom resource. What has an error is replaced by a value that causes no other errors.
pub(crate) struct Resource {
    pub(crate) vis: Visibility,
    pub(crate) spec: Ident,
    pub(crate) root: Ident,
    pub(crate) doc: String,
    pub(crate) names: Names,
    pub(crate) namespaced: bool,
    pub(crate) no_spec: bool,
    /// Whether an `Option` may be null, too.
    pub(crate) nullable: bool,
    pub(crate) served: bool,
    pub(crate) storage: bool,
    pub(crate) deprecated: Option<Override<Text>>,
    pub(crate) labels: Vec<Label>,
    pub(crate) annotations: Vec<Annotation>,
    pub(crate) schema: SchemaMode,
    pub(crate) descriptions: Option<Descriptions>,
    pub(crate) keywords: Vec<Keyword>,
    pub(crate) status: Option<Path>,
    pub(crate) scale: Option<Scale>,
    pub(crate) printer_columns: Vec<PrintColumn>,
    pub(crate) selectable: Vec<JsonPath>,
    /// The span of `cel`.
    pub(crate) cel: Option<Span>,
    pub(crate) derives: Vec<Path>,
    pub(crate) default: bool,
    pub(crate) attributes: Vec<Meta>,
    pub(crate) crates: Crates,
    pub(crate) decode_any_version: bool,
    pub(crate) test: bool,
    pub(crate) installed_elsewhere: bool,
    /// The spans of keys in `#[crd(...)]` that apply to the schema of the spec.
    pub(crate) spec_schema_spans: Vec<Span>,
    /// The span of the first selectable field above the maximum.
    pub(crate) excess_selectable_field: Option<Span>,
    /// The field paths of the resource's rules.
    pub(crate) field_paths: Vec<FieldPath>,
    /// The checks of the types in the resource's rules.
    pub(crate) rule_checks: Vec<RuleTypeCheck>,
    /// The flattened fields of a `no_spec` struct: indexes and spans.
    pub(crate) flattened: Vec<(usize, Span)>,
    /// The fields of the spec whose types may have markers: indexes and spans of the types.
    pub(crate) nested: Vec<(usize, Span)>,
    /// The items of `#[crd(...)]` on the fields of the spec.
    pub(crate) field_items: Vec<FieldItem>,
    /// The span of the kind.
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
    /// Whether the plural was derived from a `singular` other than the kind.
    pub(crate) plural_from_singular: bool,
}

/// An item of `#[crd(...)]` on a field of the spec.
pub(crate) struct FieldItem {
    pub(crate) span: Span,
    /// Whether it is a marker, which makes the field part of the resource's definition.
    pub(crate) is_marker: bool,
}

impl Resource {
    /// Resolves a resource; none if no root type can be generated.
    pub(crate) fn resolve(input: &DeriveInput, errors: &mut Errors) -> Option<Self> {
        let mut attrs = ResourceAttrs::parse(input, errors);
        checks::require_identity(&attrs, input, errors);
        spec_type::check(input, attrs.no_spec.is_some_and(|flag| flag.value), errors);
        checks::check_names(&attrs, errors);
        checks::check_metadata(&attrs, errors);
        checks::check_schema_mode(&attrs, errors);
        checks::check_spec_items(&attrs, errors);
        checks::check_scale(&attrs, errors);
        checks::check_columns(&attrs, errors);
        checks::check_paths(&attrs, errors);
        checks::reject_rules_about_other_fields(&mut attrs, errors);
        let root = root(&attrs, input, errors)?;
        let has_a_root = input.generics.params.is_empty() && !matches!(input.data, Data::Union(_));
        has_a_root.then(|| Self::new(attrs, root, input))
    }

    fn new(mut attrs: ResourceAttrs, root: Ident, input: &DeriveInput) -> Self {
        let names = Names::new(&attrs);
        let is = |flag: Option<crate::attrs::value::Flag>, default: bool| flag.map_or(default, |flag| flag.value);
        let span = attrs.kind.as_ref().map_or_else(|| input.ident.span(), |kind| kind.span());
        let mut crates = attrs.crates.take().unwrap_or_default();
        crates.crdkit = attrs.crdkit.take().map(|path| path.0);
        let default = attrs.derives.iter().any(|derive| derive.0.is_ident("Default"));
        Self {
            vis: input.vis.clone(),
            spec: input.ident.clone(),
            doc: root_doc(&attrs, input),
            flattened: if is(attrs.no_spec, false) { spec_type::flattened_fields(input) } else { Vec::new() },
            excess_selectable_field: excess_selectable_field(input, &attrs.selectable),
            rule_checks: attrs.rules.iter().flat_map(Rule::type_checks).collect(),
            field_paths: attrs.rules.iter().filter_map(Rule::field_path).collect(),
            keywords: keywords(&mut attrs, input),
            names,
            root,
            namespaced: is(attrs.namespaced, false),
            no_spec: is(attrs.no_spec, false),
            nullable: is(attrs.nullable, true),
            served: is(attrs.served, true),
            storage: is(attrs.storage, true),
            deprecated: attrs.deprecated.map(|deprecated| deprecated.0),
            labels: attrs.labels,
            annotations: attrs.annotations,
            schema: attrs.schema.unwrap_or(SchemaMode::Derived),
            descriptions: attrs.descriptions,
            status: attrs.status.map(|status| status.0),
            scale: attrs.scale,
            printer_columns: attrs.printer_columns,
            selectable: attrs.selectable,
            cel: attrs.cel.filter(|cel| cel.value).map(|cel| cel.span),
            derives: attrs
                .derives
                .into_iter()
                .map(|derive| derive.0)
                .filter(|derive| !derive.is_ident("Default"))
                .collect(),
            default,
            attributes: attrs.attributes.into_iter().map(|attr| attr.0).collect(),
            crates: Crates::of_resource(crates),
            decode_any_version: is(attrs.decode_any_version, false),
            test: is(attrs.test, true),
            installed_elsewhere: is(attrs.installed_elsewhere, false),
            spec_schema_spans: attrs.spec_schema_spans.into_iter().chain(attrs.field_group_spans).collect(),
            nested: spec_type::nested_fields(input),
            field_items: field_items(input),
            span,
        }
    }
}

/// The name of the root type. Without one, nothing can be generated.
fn root(attrs: &ResourceAttrs, input: &DeriveInput, errors: &mut Errors) -> Option<Ident> {
    let root = match (&attrs.root, &attrs.raw_kind) {
        (Some(root), _) => root.0.clone(),
        (None, Some(kind)) => match syn::parse_str::<Ident>(kind) {
            Ok(mut root) => {
                root.set_span(kind.span().resolved_at(Span::call_site()));
                root
            }
            Err(_) if attrs.kind.is_none() => return None, // an invalid kind, which has been reported
            Err(_) => {
                errors.push(
                    Error::custom(format!(
                        "the root type has the name of its kind, and `{}` is not the name of a Rust type: add `root = \
                         \"...\"`",
                        kind.as_str()
                    ))
                    .with_span(&kind.span()),
                );
                return None;
            }
        },
        (None, None) => return None,
    };
    if root.unraw() == input.ident.unraw() {
        errors.push(
            Error::custom(format!(
                "the generated root type has the name `{root}`, too: rename this struct, for instance to `{root}Spec`"
            ))
            .with_span(&input.ident),
        );
        return None;
    }
    Some(root)
}

/// The Rust documentation of the root type.
fn root_doc(attrs: &ResourceAttrs, input: &DeriveInput) -> String {
    match &attrs.doc {
        Some(doc) => doc.as_str().to_owned(),
        None => format!(" The custom resource whose spec is [`{}`].", input.ident),
    }
}

/// The keywords of the root. Without `doc`, it has the description of the spec.
fn keywords(attrs: &mut ResourceAttrs, input: &DeriveInput) -> Vec<Keyword> {
    let mut keywords: Vec<Keyword> = description(attrs, input).into_iter().collect();
    keywords.extend(std::mem::take(&mut attrs.rules).into_iter().map(keyword::rule));
    keywords
}

fn description(attrs: &ResourceAttrs, input: &DeriveInput) -> Option<Keyword> {
    if let Some(doc) = &attrs.doc {
        return Some(Keyword::Description(DocText::Text(doc.trim().to_owned())));
    }
    match Docs::from_attrs(&input.attrs) {
        Docs::Text { description, .. } if description.is_empty() => None,
        Docs::Text { description, .. } => Some(Keyword::Description(DocText::Text(description))),
        Docs::Lines(lines) => Some(Keyword::Description(DocText::Docs(lines))),
    }
}

fn excess_selectable_field(input: &DeriveInput, paths: &[JsonPath]) -> Option<Span> {
    let Data::Struct(data) = &input.data else {
        return None;
    };
    let fields = data.fields.iter();
    let items = fields.flat_map(|field| FieldAttrs::items(&field.attrs));
    let marked = items.filter(|item| item.path().is_ident("selectable"));
    let spans = marked.map(|item| item.path().span());
    spans.chain(paths.iter().map(JsonPath::span)).nth(selectable::MAX)
}

fn field_items(input: &DeriveInput) -> Vec<FieldItem> {
    let Data::Struct(data) = &input.data else {
        return Vec::new();
    };
    data.fields
        .iter()
        .flat_map(|field| FieldAttrs::items(&field.attrs))
        .map(|item| FieldItem { span: item.path().span(), is_marker: FieldAttrs::is_marker(&item) })
        .collect()
}
