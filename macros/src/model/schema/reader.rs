//! Reads the members of a type.

use darling::Error;
use proc_macro2::{Ident, Span};
use serde_derive_internals::{
    Ctxt, Derive,
    ast::{Container, Data, Field as SerdeField, Style},
    attr::{self, Default as SerdeDefault, TagType},
};
use syn::{DeriveInput, ExprPath, Type, TypeTuple};

use super::{Body, Checks, Column, Field, Presence, checks, hidden, recursion};
use crate::{
    attrs::{Errors, field::FieldAttrs},
    model::{
        keyword::{self, Default, DefaultValue, Keyword},
        source::Source,
    },
};

/// What kind of value the type is, by serde's attributes.
pub(super) fn body(
    input: &DeriveInput,
    effective: &DeriveInput,
    checks: &mut Checks,
    errors: &mut Errors,
) -> Body {
    if matches!(input.data, syn::Data::Union(_)) {
        errors.push(
            Error::custom("a union has no JSON form, and so no schema").with_span(&input.ident),
        );
        return Body::Unknown;
    }
    let context = Ctxt::new();
    let private = Ident::new("__private", Span::call_site());
    let container = Container::from_ast(&context, effective, Derive::Deserialize, &private);
    // Serde's own derive reports these.
    let (Ok(()), Some(container)) = (context.check(), container) else {
        return Body::Unknown;
    };
    Reader {
        input,
        container: &container,
    }
    .body(checks, errors)
}

/// The name of the type, as serde's attributes may change it.
pub(super) fn name(effective: &DeriveInput) -> String {
    let context = Ctxt::new();
    let attrs = attr::Container::from_ast(&context, effective);
    let _ = context.check(); // reported by serde
    attrs.name().deserialize_name().value.clone()
}

/// Reads the members of a type, with serde's view beside the user's tokens.
pub(super) struct Reader<'a> {
    pub(super) input: &'a DeriveInput,
    pub(super) container: &'a Container<'a>,
}

impl Reader<'_> {
    fn body(&self, checks: &mut Checks, errors: &mut Errors) -> Body {
        let attrs = &self.container.attrs;
        if let Some(from) = attrs.type_from().or(attrs.type_try_from()) {
            refuse_field_attributes(self.input, errors);
            checks.hidden.extend(hidden::all(self.input));
            return Body::Newtype(Box::new(Source::new(from, None)), Vec::new());
        }
        if let (Data::Struct(..), TagType::Internal { tag }) = (&self.container.data, attrs.tag()) {
            return self.refuse(
                &format!(
                    "serde writes the name of this struct as the field `{tag}`, which is not \
                     supported yet: remove `tag`, and declare the field"
                ),
                errors,
            );
        }
        match &self.container.data {
            Data::Enum(variants) => self.enumeration(variants, errors),
            Data::Struct(Style::Struct, fields) if !attrs.transparent() => {
                self.object(fields, checks, errors)
            }
            Data::Struct(Style::Newtype | Style::Struct, fields) => {
                self.newtype(fields, checks, errors)
            }
            Data::Struct(Style::Tuple, fields) if attrs.transparent() => {
                self.newtype(fields, checks, errors)
            }
            Data::Struct(Style::Tuple, _) => self.refuse(
                "a tuple struct has no structural schema: give the fields names, or write \
                 `#[schemars(with = \"Type\")]` on the type",
                errors,
            ),
            Data::Struct(Style::Unit, _) => self.refuse(
                "a unit struct is `null` in JSON, which has no structural schema: write \
                 `struct Name {}` for an object without fields",
                errors,
            ),
        }
    }

    pub(super) fn refuse(&self, message: &str, errors: &mut Errors) -> Body {
        errors.push(Error::custom(message).with_span(&self.input.ident));
        Body::Unknown
    }

    fn newtype(&self, fields: &[SerdeField], checks: &mut Checks, errors: &mut Errors) -> Body {
        let Some(field) = fields
            .iter()
            .find(|field| field.attrs.transparent())
            .or(fields.first())
        else {
            return Body::Unknown; // serde reports a transparent struct without fields
        };
        let attrs = self.field_attrs(field, errors);
        checks::refuse_markers(&attrs, errors);
        if attrs.schemars.validation.required {
            errors.push(
                Error::custom("`required` is for fields that have a name: here, write the type inside of the `Option`")
                    .with_span(field.ty),
            );
        }
        let source = self.source(field, &attrs, errors);
        checks.hidden.extend(self.hidden(field, &attrs));
        let (mut keywords, late) = value_keywords(attrs);
        keywords.extend(late);
        Body::Newtype(Box::new(source), keywords)
    }

    fn object(&self, fields: &[SerdeField], checks: &mut Checks, errors: &mut Errors) -> Body {
        let mut resolved: Vec<Field> = Vec::new();
        for field in fields {
            let attrs = self.field_attrs(field, errors);
            if field.attrs.skip_deserializing() {
                checks::refuse_all(&attrs, errors);
                continue;
            }
            let index = resolved.len();
            let new = self.field(field, attrs, index, checks, errors);
            let name = new.name.as_ref();
            if name.is_some() && resolved.iter().any(|other| other.name.as_ref() == name) {
                errors.push(repeated(field));
            }
            resolved.push(new);
        }
        if self.depends_on_arguments() {
            checks.of_fields.clear(); // left to the generated test of the resource, which knows the arguments
        }
        Body::Object(resolved)
    }

    /// Whether the type has parameters other than lifetimes.
    fn depends_on_arguments(&self) -> bool {
        let lifetimes = self.input.generics.lifetimes().count();
        self.input.generics.params.len() > lifetimes
    }

    /// The attributes of a field as the user wrote them.
    fn field_attrs(&self, field: &SerdeField, errors: &mut Errors) -> FieldAttrs {
        FieldAttrs::parse(self.original(field), errors)
    }

    fn original(&self, field: &SerdeField) -> &syn::Field {
        let syn::Data::Struct(data) = &self.input.data else {
            unreachable!("only structs have fields that are read");
        };
        data.fields
            .members()
            .zip(&data.fields)
            .find(|(member, _)| *member == field.member)
            .map(|(_, field)| field)
            .expect("serde sees the same fields")
    }

    fn field(
        &self,
        field: &SerdeField,
        attrs: FieldAttrs,
        index: usize,
        checks: &mut Checks,
        errors: &mut Errors,
    ) -> Field {
        let source = self.source(field, &attrs, errors);
        checks.hidden.extend(self.hidden(field, &attrs));
        if field.attrs.flatten() {
            checks::refuse_own(&attrs, errors);
        } else {
            checks::refuse_odd_names(&attrs, &json_name(field), errors);
            checks.of_fields.extend(checks::of_field(&attrs, index));
        }
        let presence = self.presence(field, &attrs);
        let columns = attrs
            .columns
            .iter()
            .map(|column| Column::new(column, field))
            .collect();
        let (selectable, scale) = (attrs.selectable.is_some(), attrs.scale.clone());
        Field {
            name: (!field.attrs.flatten()).then(|| json_name(field)),
            source,
            presence,
            keywords: self.field_keywords(field, attrs),
            columns,
            selectable,
            scale,
        }
    }

    fn source(&self, field: &SerdeField, attrs: &FieldAttrs, errors: &mut Errors) -> Source {
        if attrs.preserves_unknown_fields() {
            checks::refuse_override(attrs, errors);
            return opaque(field.ty);
        }
        if attrs.role_is_unreadable {
            return Source::Mistaken;
        }
        let overridden = attrs.schemars.schema.as_ref();
        if overridden.is_none()
            && let Some((path, span)) = &attrs.serde_with
        {
            return with_type(path, *span, errors);
        }
        let source = Source::new(field.ty, overridden);
        if let Some(Type::Tuple(ty)) = source.types() {
            errors.push(tuple(ty));
            return Source::Mistaken;
        }
        if let Some(ty) = source.types()
            && let Some(mention) = recursion::find(self.input, ty)
        {
            errors.push(recursion::error(self.input, mention));
            return Source::Mistaken;
        }
        source
    }

    fn hidden(&self, field: &SerdeField, attrs: &FieldAttrs) -> Option<Type> {
        let is_hidden = attrs.has_another_schema();
        is_hidden.then(|| hidden::leaf(self.input, field.ty))?
    }

    fn presence(&self, field: &SerdeField, attrs: &FieldAttrs) -> Presence {
        let has_default =
            !self.container.attrs.default().is_none() || !field.attrs.default().is_none();
        if has_default {
            Presence::Optional
        } else if attrs.schemars.validation.required {
            Presence::Required
        } else if field.attrs.deserialize_with().is_some() {
            Presence::Present // serde lets `Option` be left out only where it reads it itself
        } else {
            Presence::Inferred
        }
    }

    fn field_keywords(&self, field: &SerdeField, attrs: FieldAttrs) -> Vec<Keyword> {
        let (mut keywords, late) = value_keywords(attrs);
        keywords.extend(self.default(field).map(Keyword::Default));
        keywords.extend(late);
        keywords
    }

    fn default(&self, field: &SerdeField) -> Option<Default> {
        if field.attrs.skip_serializing() || field.attrs.flatten() {
            return None;
        }
        let value = self.default_value(field)?;
        let skip_if = field.attrs.skip_serializing_if();
        if matches!(value, DefaultValue::Type(_)) && skip_if.is_some_and(is_emptiness) {
            return None;
        }
        Some(Default {
            value,
            skip_if: skip_if.cloned(),
            serialize_with: field.attrs.serialize_with().cloned(),
        })
    }

    fn default_value(&self, field: &SerdeField) -> Option<DefaultValue> {
        let member = |container: Option<ExprPath>| DefaultValue::Member {
            container,
            member: field.member.clone(),
        };
        match (field.attrs.default(), self.container.attrs.default()) {
            (SerdeDefault::Path(path), _) => Some(DefaultValue::Function(path.clone())),
            (SerdeDefault::Default, _) => Some(DefaultValue::Type(field.ty.clone())),
            (SerdeDefault::None, SerdeDefault::Path(path)) => Some(member(Some(path.clone()))),
            (SerdeDefault::None, SerdeDefault::Default) => Some(member(None)),
            (SerdeDefault::None, SerdeDefault::None) => None,
        }
    }
}

/// The schema is that of another type, so nothing reads what the fields and variants say.
pub(super) fn refuse_field_attributes(input: &DeriveInput, errors: &mut Errors) {
    let mut refuse = |fields: &syn::Fields| {
        for field in fields {
            checks::refuse_all(&FieldAttrs::parse(field, errors), errors);
        }
    };
    match &input.data {
        syn::Data::Struct(data) => refuse(&data.fields),
        syn::Data::Enum(data) => data.variants.iter().for_each(|it| refuse(&it.fields)),
        syn::Data::Union(_) => {}
    }
}

/// What is said about the value of a field; what comes last apart.
fn value_keywords(attrs: FieldAttrs) -> (Vec<Keyword>, Vec<Keyword>) {
    let preserves_unknown_fields = attrs.preserves_unknown_fields();
    let (mut keywords, late) = keyword::annotations(attrs.schemars.annotations);
    if preserves_unknown_fields {
        keywords.push(Keyword::Word("PreserveUnknownFields"));
    }
    keywords.extend(keyword::validation(attrs.schemars.validation));
    if let Some(strategy) = attrs.merge_strategy {
        keywords.extend(keyword::merge_strategy(strategy));
    }
    keywords.extend(attrs.rules.into_iter().map(keyword::rule));
    (keywords, late)
}

fn repeated(field: &SerdeField) -> Error {
    Error::custom(format!(
        "another field of this struct is called `{}` in JSON too: rename one of them",
        json_name(field)
    ))
    .with_span(&field.original.ident)
}

fn json_name(field: &SerdeField) -> String {
    field.attrs.name().deserialize_name().value.clone()
}

/// Whether a predicate of the standard library says that a value is its type's default.
///
/// Such a default is never written, so it is none: said here, it costs no code that could write it.
fn is_emptiness(predicate: &ExprPath) -> bool {
    const EMPTY: &[&str] = &[
        "Vec", "String", "BTreeMap", "HashMap", "BTreeSet", "HashSet",
    ];
    let path = &predicate.path;
    match path.segments.iter().collect::<Vec<_>>()[..] {
        [ty, function] if predicate.qself.is_none() && path.leading_colon.is_none() => {
            function.ident == "is_empty" && EMPTY.iter().any(|name| ty.ident == name)
                || function.ident == "is_none" && ty.ident == "Option"
        }
        _ => false,
    }
}

/// Any value, but none if the field may be left out.
fn opaque(ty: &Type) -> Source {
    if Source::new(ty, None).is_optional() {
        Source::Optional(Box::new(Source::Any))
    } else {
        Source::Any
    }
}

/// `#[serde(with = "...")]` names a type that stands for the field's, or a module that hides its form.
fn with_type(path: &syn::Path, span: Span, errors: &mut Errors) -> Source {
    let names_a_type = path
        .segments
        .last()
        .is_some_and(|segment| segment.ident.to_string().starts_with(char::is_uppercase));
    if names_a_type {
        return Source::Type(syn::parse_quote!(#path));
    }
    errors.push(
        Error::custom(
            "the functions of this module decide what the field looks like in JSON: say it with \
             `#[schemars(with = \"Type\")]` or `#[schemars(schema_with = \"function\")]`",
        )
        .with_span(&span),
    );
    Source::Any
}

fn tuple(ty: &TypeTuple) -> Error {
    let in_json = if ty.elems.is_empty() {
        "`()` is `null` in JSON"
    } else {
        "a tuple is a list whose items differ"
    };
    Error::custom(format!(
        "{in_json}, which no structural schema can say: use a struct, or write \
         `#[schemars(with = \"Type\")]` on the field"
    ))
    .with_span(ty)
}
