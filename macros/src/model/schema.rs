//! A type that has a schema.

use darling::Error;
use proc_macro2::{Ident, Span};
use syn::{DeriveInput, Generics};

use super::{
    conditions::Conditions,
    crates::Crates,
    idents,
    keyword::{self, DefaultValue, DocText, Evaluated, Keyword},
    schema_source::SchemaSource,
};
use crate::attrs::{
    Errors, keywords::KeywordAttrs, printer_column::FieldColumn, scale::FieldScale, schema_override::SchemaOverride,
    schemars::SchemarsOverride, serde_or_schemars, type_attrs::TypeAttrs,
};

mod checks;
mod column;
mod default;
mod enumeration;
mod field_source;
mod generics;
mod hidden;
mod keyword_checks;
mod known_type;
mod misplaced_attributes;
mod names;
mod null_types;
mod own_fields;
mod recursion;
mod relations;
mod resolver;
mod variant;
mod variant_placement;

pub(crate) use checks::{Check, CheckKind, ConstChecks, Embedded};
pub(crate) use keyword_checks::{KeywordCheck, KeywordCheckKind};

/// A type that has a schema.
pub(crate) struct SchemaType {
    pub(crate) ident: Ident,
    /// The name for schemars.
    pub(crate) name: String,
    pub(crate) generics: Generics,
    /// The declared generics without inferred bounds, if the type has a schema only for some arguments.
    pub(crate) declared: Option<Generics>,
    pub(crate) crates: Crates,
    /// The span of the key that makes the type the spec of a resource.
    pub(crate) resource: Option<Span>,
    pub(crate) cel: Option<Span>,
    pub(crate) body: Body,
    pub(crate) keywords: Vec<Keyword>,
    /// Whether the schema mentions `Self`.
    pub(crate) mentions_self: bool,
    /// Whether the type is `immutable`.
    pub(crate) immutable: bool,
    /// Whether serde rejects unknown fields of the type.
    pub(crate) deny_unknown_fields: bool,
    pub(crate) conditions: Option<Conditions>,
    pub(crate) checks: ConstChecks,
}

/// The form of the type's schema.
pub(crate) enum Body {
    Object(Vec<SchemaField>),
    StringEnum(Vec<UnitVariant>),
    /// An enum with variants that contain data.
    DataEnum(Tagging, Vec<Variant>),
    /// A list with one item of each of these.
    Tuple(Vec<SchemaSource>),
    /// The value of another type, with the keywords of the field.
    Newtype(Box<SchemaSource>, Vec<Keyword>),
    /// Null, which has no structural schema: an error wherever the type is used.
    Null,
    /// A type whose errors have been reported.
    Unknown,
}

/// A field of an object.
pub(crate) struct SchemaField {
    /// The JSON name; none if the field is flattened.
    pub(crate) name: Option<String>,
    /// The Rust name; empty if the field has none.
    pub(crate) ident: String,
    pub(crate) source: SchemaSource,
    pub(crate) presence: Presence,
    /// The other names that serde accepts for the field.
    pub(crate) aliases: Vec<String>,
    /// Whether deserialization fills in the default of the schema.
    pub(crate) filled_in: bool,
    pub(crate) immutable: bool,
    pub(crate) keywords: Vec<Keyword>,
    pub(crate) columns: Vec<Column>,
    pub(crate) selectable: bool,
    pub(crate) scale: Vec<FieldScale>,
}

/// Whether a field may be omitted.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Presence {
    Inferred,
    Optional,
    /// May be omitted, since the API server sets the default, although serde requires the field.
    Defaulted,
    /// Must be present, and may be null.
    Present,
    Required,
}

/// A printer column of a field.
pub(crate) struct Column {
    pub(crate) name: String,
    pub(crate) attrs: FieldColumn,
}

/// A variant without data, which is a string in JSON.
pub(crate) struct UnitVariant {
    pub(crate) name: String,
    pub(crate) description: Option<DocText>,
}

/// How serde tags the variants of an enum.
pub(crate) enum Tagging {
    External,
    Internal(String),
    Adjacent { tag: String, content: String },
    Untagged,
}

/// A variant of an enum with data.
pub(crate) struct Variant {
    pub(crate) name: String,
    /// The Rust name.
    pub(crate) ident: String,
    pub(crate) description: Option<DocText>,
    pub(crate) content: Option<Content>,
    /// The keywords of the content.
    pub(crate) keywords: Vec<Keyword>,
    pub(crate) kind: VariantKind,
}

/// How a variant is identified, by the attributes of serde.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum VariantKind {
    Tagged,
    Other,
    Untagged,
}

/// The data of a variant.
pub(crate) enum Content {
    Object(Vec<SchemaField>),
    Tuple(Vec<SchemaSource>),
    Value(Box<SchemaSource>),
}

impl SchemaType {
    /// Resolves a type. Reports errors, and leaves out what has one.
    pub(crate) fn resolve(input: &DeriveInput, errors: &mut Errors) -> Self {
        let mut attrs = TypeAttrs::parse(input, errors);
        let effective = serde_or_schemars::effective_input(input, errors);
        let mut checks = ConstChecks::default();
        let keeps_unknown_fields = keeps_unknown_fields(&attrs, input);
        let is_transformed = !attrs.schemars.annotations.transforms.is_empty();
        let mut body = match attrs.replacement(keeps_unknown_fields, errors) {
            Some(source) => {
                misplaced_attributes::all_fields(input, errors);
                checks.hidden_types.extend(hidden::hidden_types(input));
                checks.structural_types.extend(source.possibly_non_structural());
                Body::Newtype(Box::new(source), Vec::new())
            }
            None => resolver::body(input, &effective, is_transformed, &mut checks, errors),
        };
        if attrs.keywords.nested_override().is_some() {
            body.apply_nested_overrides(&attrs.keywords, errors);
            checks.hidden_types.extend(hidden::hidden_types(input));
        }
        reject_generic_cel(attrs.cel, input, errors);
        own_fields::reject_rules_about_others(input, &mut attrs, &body, errors);
        let field_groups = relations::field_group_keywords(&attrs.relations, &body, &mut checks, errors);
        if generics::depends_on_arguments(input) {
            // Left to the generated test of the resource, where the arguments are known.
            checks.attr_checks.clear();
        } else {
            checks.attr_checks.extend(keyword_checks::type_checks(&attrs.keywords, &attrs.rules));
        }
        own_fields::leave_to_the_test(input, &attrs, &mut checks);
        // Some types cannot be named outside of the derived type.
        let is_generic = !input.generics.params.is_empty();
        checks.structural_types.retain(|ty| !is_generic && !idents::mentions_self(ty));
        let patch = attrs.keywords.schema_patch.take();
        let (early, patches) = keyword::annotations(attrs.schemars.annotations);
        let mut keywords = body.keywords();
        keywords.extend(keeps_unknown_fields.then_some(Keyword::PreserveUnknownFields));
        keywords.extend(early);
        keywords.extend(keyword::from_attrs(attrs.keywords));
        keywords.extend(attrs.rules.into_iter().map(keyword::rule));
        keywords.extend(field_groups);
        keywords.extend(patches);
        keywords.extend(patch.map(|(patch, _)| Keyword::Evaluated(Evaluated::Patch(patch))));
        let container = resolver::container(&effective);
        let mut crates = Crates::resolve(attrs.crates);
        Self {
            ident: input.ident.clone(),
            name: container.name().deserialize_name().value.clone(),
            generics: generics::bounded(input, &body, attrs.bound, &mut crates.unused),
            declared: generics::depends_on_arguments(input).then(|| generics::declared(input)),
            crates,
            resource: attrs.resource.filter(|_| !is_generic),
            cel: attrs.cel,
            mentions_self: mentions_self(input) || body.has_container_default(),
            body,
            keywords,
            immutable: attrs.relations.immutable.is_some(),
            deny_unknown_fields: container.deny_unknown_fields(),
            conditions: Conditions::resolve(input, errors),
            checks,
        }
    }
}

impl Body {
    /// Whether a field has its default from that of the container.
    fn has_container_default(&self) -> bool {
        generics::defaults(self).any(|value| matches!(value, DefaultValue::Member { .. }))
    }

    /// Replaces the schemas of items and values as the attributes of the type require.
    fn apply_nested_overrides(&mut self, keywords: &KeywordAttrs, errors: &mut Errors) {
        let source = match self {
            Self::Newtype(source, _) => Some(&mut **source),
            _ => None,
        };
        field_source::apply_nested_overrides(source, keywords, errors);
    }

    /// Takes the keywords of a newtype's field, which apply to the type.
    fn keywords(&mut self) -> Vec<Keyword> {
        match self {
            Self::Newtype(_, keywords) => std::mem::take(keywords),
            _ => Vec::new(),
        }
    }
}

/// Reports `cel` on a generic type, whose rules depend on the arguments.
fn reject_generic_cel(cel: Option<Span>, input: &DeriveInput, errors: &mut Errors) {
    if let Some(span) = cel
        && !input.generics.params.is_empty()
    {
        errors.push(
            Error::custom(
                "the rules of a generic type cannot run in process: write `cel` on a type that \
                 contains it",
            )
            .with_span(&span),
        );
    }
}

impl TypeAttrs {
    /// The schema that replaces that of the type.
    fn replacement(&self, keeps_unknown_fields: bool, errors: &mut Errors) -> Option<SchemaSource> {
        let schema = self.schema_override.get().filter(|_| !keeps_unknown_fields);
        if let Some(schema) = schema {
            misplaced_attributes::schemars_override(schema, &self.schemars, errors);
        }
        let schemars = self.schemars.schema.as_ref();
        schema.map(SchemaSource::from_override).or(schemars.map(override_source))
    }
}

/// Whether the type has fields and also preserves unknown ones.
fn keeps_unknown_fields(attrs: &TypeAttrs, input: &DeriveInput) -> bool {
    let has_fields = matches!(&input.data, syn::Data::Struct(data) if matches!(data.fields, syn::Fields::Named(_)));
    has_fields && matches!(attrs.schema_override.get(), Some(SchemaOverride::PreserveUnknownFields))
}

fn override_source(schema: &SchemarsOverride) -> SchemaSource {
    match schema {
        SchemarsOverride::Type(ty) => SchemaSource::new(ty, None),
        SchemarsOverride::Function(function) => SchemaSource::Function(function.clone()),
    }
}

/// Whether types of fields or attributes mention `Self`.
fn mentions_self(input: &DeriveInput) -> bool {
    let fields = all_fields(input);
    let variants = match &input.data {
        syn::Data::Enum(data) => data.variants.iter().map(|it| &it.attrs).collect(),
        _ => Vec::new(),
    };
    let of_fields = fields.iter().map(|field| &field.attrs);
    let attrs = of_fields.chain(variants).chain([&input.attrs]).flatten();
    let is_text = |attr: &syn::Attribute| match &attr.meta {
        syn::Meta::NameValue(meta) => matches!(meta.value, syn::Expr::Lit(_)),
        _ => false,
    };
    let mut attrs = attrs.filter(|attr| !is_text(attr));
    fields.iter().any(|field| idents::mentions_self(&field.ty))
        || attrs.any(|attr| idents::may_mention_self(&attr.meta))
}

/// The fields of a struct, or of all variants of an enum, with all attributes.
fn all_fields(input: &DeriveInput) -> Vec<&syn::Field> {
    match &input.data {
        syn::Data::Struct(data) => data.fields.iter().collect(),
        syn::Data::Enum(data) => data.variants.iter().flat_map(|it| &it.fields).collect(),
        syn::Data::Union(_) => Vec::new(),
    }
}
