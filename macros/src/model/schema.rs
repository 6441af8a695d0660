//! A type that has a schema.

use darling::Error;
use proc_macro2::{Ident, Span};
use syn::{DeriveInput, Generics, Type};

use super::{
    conditions::Conditions,
    crates::Crates,
    idents,
    keyword::{self, DefaultValue, Keyword, Words},
    source::Source,
};
use crate::attrs::{
    Errors,
    form::Form,
    keywords::KeywordAttrs,
    printer_column::FieldColumn,
    scale::{FieldScale, ScaleRole},
    schemars::Override,
    serde,
    size::EmbedForm,
    type_attrs::TypeAttrs,
    validation::Demand,
};

mod alternative;
mod checks;
mod column;
mod default;
mod enumeration;
mod field_source;
mod generics;
mod hidden;
mod keywords;
mod names;
mod null;
mod plain;
mod reader;
mod recursion;
mod relations;
mod room;

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
    pub(crate) closed: bool,
    pub(crate) conditions: Option<Conditions>,
    pub(crate) checks: Checks,
}

/// What kind of value the type is.
pub(crate) enum Body {
    Object(Vec<Field>),
    Enum(Vec<Variant>),
    /// One of several variants, some of which may carry data.
    OneOf(Tagging, Vec<Alternative>),
    /// A list with a value of each of these.
    Tuple(Vec<Source>),
    /// The value of another type, with what is said where it stands.
    Newtype(Box<Source>, Vec<Keyword>),
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
    pub(crate) source: Source,
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
pub(crate) struct Variant {
    pub(crate) name: String,
    pub(crate) description: Option<Words>,
}

/// How the JSON of an enum says which variant it is.
pub(crate) enum Tagging {
    External,
    Internal(String),
    Adjacent { tag: String, content: String },
    Untagged,
}

/// A variant of an enum that is more than strings.
pub(crate) struct Alternative {
    pub(crate) name: String,
    /// The name in Rust.
    pub(crate) ident: String,
    pub(crate) description: Option<Words>,
    pub(crate) content: Option<Content>,
    /// What is said of the content where it stands.
    pub(crate) keywords: Vec<Keyword>,
    pub(crate) role: Role,
}

/// What stands for a variant in JSON.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    Named,
    Other,
    Untagged,
}

/// The data of a variant.
pub(crate) enum Content {
    Object(Vec<Field>),
    Tuple(Vec<Source>),
    Value(Box<Source>),
}

/// A type of a field that is embedded, and where it is said how.
pub(crate) struct Embedded {
    pub(crate) ty: Type,
    pub(crate) form: EmbedForm,
    pub(crate) span: Span,
}

/// What is checked while compiling.
#[derive(Default)]
pub(crate) struct Checks {
    pub(crate) of_fields: Vec<Check>,
    /// Types of fields that another schema hides from the resource.
    pub(crate) hidden: Vec<Type>,
    pub(crate) embedded: Vec<Embedded>,
    /// Types of fields that may have no structural form, such as tuples.
    pub(crate) formed: Vec<Type>,
}

/// What is checked about a field's type, or about a variant, while compiling.
pub(crate) struct Check {
    /// The variant that the field is one of.
    pub(crate) variant: Option<usize>,
    pub(crate) field: usize,
    pub(crate) span: Span,
    pub(crate) kind: CheckKind,
}

pub(crate) use keywords::{Asked, KeywordCheck};

/// The demand of an attribute towards its field's type.
pub(crate) enum CheckKind {
    Column,
    Selectable,
    Scale(ScaleRole),
    Validation {
        demand: Demand,
        /// Whether it is written on a type, not on a field.
        of_type: bool,
    },
    Keyword(KeywordCheck),
    /// Whether the field of this name may be left out, as rules see it.
    CanBeUnset(String),
    /// Whether rules see the value of the field.
    FieldIsSeen,
    /// Whether rules see values of the type.
    TypeIsSeen,
    /// The variant, which is what `field` counts here, has a form beside those before it.
    Fits,
    /// All items of the tuple have one form.
    Tuple,
    /// What the type of the field has stands among the fields beside it.
    Flattens,
}

impl SchemaType {
    /// Reads a type; mistakes are in `errors`, and what could not be read is left out.
    pub(crate) fn resolve(input: &DeriveInput, errors: &mut Errors) -> Self {
        let mut attrs = TypeAttrs::parse(input, errors);
        let effective = serde::effective(input, errors);
        let mut checks = Checks::default();
        let opens = opens(&attrs, input);
        let is_transformed = !attrs.schemars.annotations.transforms.is_empty();
        let mut body = match attrs.replacement(opens, errors) {
            Some(source) => {
                checks::refuse_all_fields(input, errors);
                checks.hidden.extend(hidden::all(input));
                checks.formed.extend(source.may_lack_form());
                Body::Newtype(Box::new(source), Vec::new())
            }
            None => reader::body(input, &effective, is_transformed, &mut checks, errors),
        };
        if attrs.keywords.form_inside().is_some() {
            body.reform(&attrs.keywords, errors);
            checks.hidden.extend(hidden::all(input));
        }
        refuse_cel(attrs.cel, input, errors);
        let sets = relations::of_type(&attrs.relations, &body, &mut checks, errors);
        if generics::depends_on_arguments(input) {
            // Left to the generated test of the resource, which knows the arguments.
            checks.of_fields.clear();
        } else {
            checks.of_fields.extend(keywords::checks_of_type(&attrs.keywords, &attrs.rules));
        }
        // Some types cannot be named outside of the type that is derived.
        let is_generic = !input.generics.params.is_empty();
        checks.formed.retain(|ty| !is_generic && !idents::mentions_self(ty));
        let patch = attrs.keywords.patch.take();
        let (early, late) = keyword::annotations(attrs.schemars.annotations);
        let mut keywords = body.keywords();
        keywords.extend(opens.then_some(Keyword::PreserveUnknownFields));
        keywords.extend(early);
        keywords.extend(keyword::given(attrs.keywords));
        keywords.extend(attrs.rules.into_iter().map(keyword::rule));
        keywords.extend(sets);
        keywords.extend(late);
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
            mentions_self: names_self(input) || body.has_default_of_container(),
            body,
            keywords,
            immutable: attrs.relations.immutable.is_some(),
            closed: container.deny_unknown_fields(),
            conditions: Conditions::resolve(input, errors),
            checks,
        }
    }
}

impl Checks {
    /// Whether the derive reports all that has no structural form in the type.
    pub(crate) fn report_forms(&self) -> bool {
        let mut of_fields = self.of_fields.iter();
        !self.formed.is_empty() || of_fields.any(|check| matches!(check.kind, CheckKind::Tuple))
    }
}

impl Body {
    /// Whether the default of a field is that of the type's own default.
    fn has_default_of_container(&self) -> bool {
        generics::defaults(self).any(|value| matches!(value, DefaultValue::Member { .. }))
    }

    /// Puts the forms in place that the type gives to items of lists and values of maps.
    fn reform(&mut self, keywords: &KeywordAttrs, errors: &mut Errors) {
        let source = match self {
            Self::Newtype(source, _) => Some(&mut **source),
            _ => None,
        };
        field_source::reform(source, keywords, errors);
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
fn refuse_cel(cel: Option<Span>, input: &DeriveInput, errors: &mut Errors) {
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
    fn replacement(&self, opens: bool, errors: &mut Errors) -> Option<Source> {
        let form = self.form.form().filter(|_| !opens);
        if let Some(form) = form {
            checks::refuse_override(form, &self.schemars, errors);
        }
        let schemars = self.schemars.schema.as_ref();
        form.map(Source::formed).or(schemars.map(overridden))
    }
}

/// Whether the type keeps its fields and lets others in.
fn opens(attrs: &TypeAttrs, input: &DeriveInput) -> bool {
    let has_fields = matches!(&input.data, syn::Data::Struct(data) if matches!(data.fields, syn::Fields::Named(_)));
    has_fields && matches!(attrs.form.form(), Some(Form::Any))
}

impl Check {
    fn of_field(field: usize, span: Span, kind: CheckKind) -> Self {
        Self { variant: None, field, span, kind }
    }
}

fn overridden(schema: &Override) -> Source {
    match schema {
        Override::Type(ty) => Source::new(ty, None),
        Override::Function(function) => Source::Function(function.clone()),
    }
}

/// Whether the type names itself `Self`, in types of fields or in attributes.
fn names_self(input: &DeriveInput) -> bool {
    let fields = written_fields(input);
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
fn written_fields(input: &DeriveInput) -> Vec<&syn::Field> {
    match &input.data {
        syn::Data::Struct(data) => data.fields.iter().collect(),
        syn::Data::Enum(data) => data.variants.iter().flat_map(|it| &it.fields).collect(),
        syn::Data::Union(_) => Vec::new(),
    }
}
