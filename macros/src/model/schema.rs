//! A type that has a schema.

use darling::Error;
use proc_macro2::{Ident, Span};
use syn::{DeriveInput, Generics, Type};

use super::{
    conditions::Conditions,
    crates::Crates,
    idents,
    keyword::{self, DefaultValue, DocText, Keyword},
    schema_source::SchemaSource,
};
use crate::attrs::{
    Errors,
    keywords::KeywordAttrs,
    printer_column::FieldColumn,
    scale::{FieldScale, ScaleRole},
    schema_override::SchemaOverride,
    schema_size::EmbedForm,
    schemars::SchemarsOverride,
    serde,
    type_attrs::TypeAttrs,
    validation::ValidationTarget,
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
mod names;
mod null_types;
mod reader;
mod recursion;
mod relations;
mod variant;
mod variant_placement;

/// A type that has a schema.
pub(crate) struct SchemaType {
    pub(crate) ident: Ident,
    /// The name that schemars is told.
    pub(crate) name: String,
    pub(crate) generics: Generics,
    /// The generics without the bounds of the schema, where arguments decide whether there is one.
    pub(crate) declared: Option<Generics>,
    pub(crate) crates: Crates,
    /// Where it is said that the type is the spec of a resource.
    pub(crate) resource: Option<Span>,
    pub(crate) cel: Option<Span>,
    pub(crate) body: Body,
    pub(crate) keywords: Vec<Keyword>,
    /// Whether the schema means something only within an implementation of the type.
    pub(crate) mentions_self: bool,
    /// Whether values of the type cannot change.
    pub(crate) immutable: bool,
    /// Whether serde reads no fields of the type but those it knows.
    pub(crate) deny_unknown_fields: bool,
    pub(crate) conditions: Option<Conditions>,
    pub(crate) checks: ConstChecks,
}

/// What kind of value the type is.
pub(crate) enum Body {
    Object(Vec<Field>),
    StringEnum(Vec<UnitVariant>),
    /// One of several variants, some of which may carry data.
    DataEnum(Tagging, Vec<Variant>),
    /// A list with a value of each of these.
    Tuple(Vec<SchemaSource>),
    /// The value of another type, with what is said where it stands.
    Newtype(Box<SchemaSource>, Vec<Keyword>),
    /// Null, which has no form: a mistake where it is written.
    Null,
    /// Nothing that could be read: errors were reported.
    Unknown,
}

/// A field of an object.
pub(crate) struct Field {
    /// The name in JSON; none where the field's own fields take its place.
    pub(crate) name: Option<String>,
    /// The name in Rust; empty if there is none.
    pub(crate) ident: String,
    pub(crate) source: SchemaSource,
    pub(crate) presence: Presence,
    pub(crate) immutable: bool,
    pub(crate) keywords: Vec<Keyword>,
    pub(crate) columns: Vec<Column>,
    pub(crate) selectable: bool,
    pub(crate) scale: Vec<FieldScale>,
}

/// Whether a field must be there.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Presence {
    Inferred,
    Optional,
    /// May be left out, as the server fills in what serde would miss.
    Defaulted,
    /// Must be there, and may be null.
    Present,
    Required,
}

/// A column with the name that the field gives it.
pub(crate) struct Column {
    pub(crate) name: String,
    pub(crate) attrs: FieldColumn,
}

/// A string that an enum may be.
pub(crate) struct UnitVariant {
    pub(crate) name: String,
    pub(crate) description: Option<DocText>,
}

/// How the JSON of an enum says which variant it is.
pub(crate) enum Tagging {
    External,
    Internal(String),
    Adjacent { tag: String, content: String },
    Untagged,
}

/// A variant of an enum that is more than strings.
pub(crate) struct Variant {
    pub(crate) name: String,
    /// The name in Rust.
    pub(crate) ident: String,
    pub(crate) description: Option<DocText>,
    pub(crate) content: Option<Content>,
    /// What is said of the content where it stands.
    pub(crate) keywords: Vec<Keyword>,
    pub(crate) kind: VariantKind,
}

/// What stands for a variant in JSON.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum VariantKind {
    Tagged,
    Other,
    Untagged,
}

/// The data of a variant.
pub(crate) enum Content {
    Object(Vec<Field>),
    Tuple(Vec<SchemaSource>),
    Value(Box<SchemaSource>),
}

/// A type of a field that is embedded, and where it is said how.
pub(crate) struct Embedded {
    pub(crate) ty: Type,
    pub(crate) form: EmbedForm,
    pub(crate) span: Span,
}

/// What is checked while compiling.
#[derive(Default)]
pub(crate) struct ConstChecks {
    pub(crate) attr_checks: Vec<Check>,
    /// Types of fields that another schema hides from the resource.
    pub(crate) hidden_types: Vec<Type>,
    pub(crate) embedded_types: Vec<Embedded>,
    /// Types of fields that may have no structural form, such as tuples.
    pub(crate) structural_types: Vec<Type>,
}

/// What is checked about a field's type, or about a variant, while compiling.
pub(crate) struct Check {
    /// The variant that the field is one of.
    pub(crate) variant: Option<usize>,
    pub(crate) field: usize,
    pub(crate) span: Span,
    pub(crate) kind: CheckKind,
}

pub(crate) use keyword_checks::{KeywordCheck, KeywordCheckKind};

/// The demand of an attribute towards its field's type.
pub(crate) enum CheckKind {
    Column,
    Selectable,
    Scale(ScaleRole),
    Validation {
        target: ValidationTarget,
        /// Whether it is written on a type, not on a field.
        on_type: bool,
    },
    Keyword(KeywordCheck),
    /// Whether the field of this name may be left out, as rules see it.
    CanBeUnset(String),
    /// Whether rules see the value of the field.
    FieldIsVisibleToRules,
    /// Whether rules see values of the type.
    TypeIsVisibleToRules,
    /// The variant, which is what `field` counts here, has a form beside those before it.
    CompatibleVariant,
    /// All items of the tuple have one form.
    Tuple,
    /// What the type of the field has stands among the fields beside it.
    Flattenable,
}

impl SchemaType {
    /// Reads a type; mistakes are in `errors`, and what could not be read is left out.
    pub(crate) fn resolve(input: &DeriveInput, errors: &mut Errors) -> Self {
        let mut attrs = TypeAttrs::parse(input, errors);
        let effective = serde::effective_input(input, errors);
        let mut checks = ConstChecks::default();
        let keeps_unknown_fields = keeps_unknown_fields(&attrs, input);
        let is_transformed = !attrs.schemars.annotations.transforms.is_empty();
        let mut body = match attrs.replacement(keeps_unknown_fields, errors) {
            Some(source) => {
                checks::reject_all_fields(input, errors);
                checks.hidden_types.extend(hidden::hidden_types(input));
                checks.structural_types.extend(source.possibly_non_structural());
                Body::Newtype(Box::new(source), Vec::new())
            }
            None => reader::body(input, &effective, is_transformed, &mut checks, errors),
        };
        if attrs.keywords.nested_override().is_some() {
            body.apply_nested_overrides(&attrs.keywords, errors);
            checks.hidden_types.extend(hidden::hidden_types(input));
        }
        reject_generic_cel(attrs.cel, input, errors);
        let field_groups = relations::field_group_keywords(&attrs.relations, &body, &mut checks, errors);
        if generics::depends_on_arguments(input) {
            // Left to the generated test of the resource, which knows the arguments.
            checks.attr_checks.clear();
        } else {
            checks.attr_checks.extend(keyword_checks::type_checks(&attrs.keywords, &attrs.rules));
        }
        // Some types cannot be named outside of the type that is derived.
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
        keywords.extend(patch.map(|(patch, _)| Keyword::Patch(patch)));
        let container = reader::container(&effective);
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

impl ConstChecks {
    /// Whether the derive reports all that has no structural form in the type.
    pub(crate) fn reports_non_structural(&self) -> bool {
        let mut of_fields = self.attr_checks.iter();
        !self.structural_types.is_empty() || of_fields.any(|check| matches!(check.kind, CheckKind::Tuple))
    }
}

impl Body {
    /// Whether the default of a field is that of the type's own default.
    fn has_container_default(&self) -> bool {
        generics::defaults(self).any(|value| matches!(value, DefaultValue::Member { .. }))
    }

    /// Puts the forms in place that the type gives to items of lists and values of maps.
    fn apply_nested_overrides(&mut self, keywords: &KeywordAttrs, errors: &mut Errors) {
        let source = match self {
            Self::Newtype(source, _) => Some(&mut **source),
            _ => None,
        };
        field_source::apply_nested_overrides(source, keywords, errors);
    }

    /// Takes what is said where a newtype's value stands: it holds for the type.
    fn keywords(&mut self) -> Vec<Keyword> {
        match self {
            Self::Newtype(_, keywords) => std::mem::take(keywords),
            _ => Vec::new(),
        }
    }
}

/// The rules of a generic type say different things for different arguments.
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
    /// What stands in place of the schema of the type.
    fn replacement(&self, keeps_unknown_fields: bool, errors: &mut Errors) -> Option<SchemaSource> {
        let form = self.schema_override.get().filter(|_| !keeps_unknown_fields);
        if let Some(form) = form {
            checks::reject_schemars_override(form, &self.schemars, errors);
        }
        let schemars = self.schemars.schema.as_ref();
        form.map(SchemaSource::from_override).or(schemars.map(override_source))
    }
}

/// Whether the type keeps its fields and lets others in.
fn keeps_unknown_fields(attrs: &TypeAttrs, input: &DeriveInput) -> bool {
    let has_fields = matches!(&input.data, syn::Data::Struct(data) if matches!(data.fields, syn::Fields::Named(_)));
    has_fields && matches!(attrs.schema_override.get(), Some(SchemaOverride::PreserveUnknownFields))
}

impl Check {
    fn new(field: usize, span: Span, kind: CheckKind) -> Self {
        Self { variant: None, field, span, kind }
    }
}

fn override_source(schema: &SchemarsOverride) -> SchemaSource {
    match schema {
        SchemarsOverride::Type(ty) => SchemaSource::new(ty, None),
        SchemarsOverride::Function(function) => SchemaSource::Function(function.clone()),
    }
}

/// Whether the type names itself `Self`, in types of fields or in attributes.
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

/// The fields of a struct, or of all variants of an enum, as the user wrote them.
fn all_fields(input: &DeriveInput) -> Vec<&syn::Field> {
    match &input.data {
        syn::Data::Struct(data) => data.fields.iter().collect(),
        syn::Data::Enum(data) => data.variants.iter().flat_map(|it| &it.fields).collect(),
        syn::Data::Union(_) => Vec::new(),
    }
}
