//! Reads the members of a type.

use std::collections::HashMap;

use darling::Error;
use proc_macro2::{Ident, Span};
use serde_derive_internals::{
    Ctxt, Derive,
    ast::{Container, Data, Field as SerdeField, Style},
    attr::{self, TagType},
};
use syn::{DeriveInput, Type};

use super::{
    Body, Checks, Column, Field, Presence, checks, hidden,
    names::{json_name, repeated},
};
use crate::{
    attrs::{Errors, field::FieldAttrs},
    model::{
        keyword::{self, Keyword},
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
        let mut spans = HashMap::new();
        for field in fields {
            let attrs = self.field_attrs(field, errors);
            if field.attrs.skip_deserializing() {
                checks::refuse_all(&attrs, errors);
                continue;
            }
            let index = resolved.len();
            let mut new = self.field(field, attrs, index, checks, errors);
            new.source.share_span(&mut spans);
            let name = new.name.as_ref();
            if name.is_some() && resolved.iter().any(|other| other.name.as_ref() == name) {
                errors.push(repeated(field));
            }
            resolved.push(new);
        }
        self.check_field_names(fields, errors);
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

    pub(super) fn original(&self, field: &SerdeField) -> &syn::Field {
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
            checks
                .of_fields
                .extend(checks::of_field(&attrs, &source, index));
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
        keywords.push(Keyword::PreserveUnknownFields);
    }
    keywords.extend(keyword::validation(attrs.schemars.validation));
    keywords.extend(attrs.merge_strategy.map(keyword::merge_strategy));
    keywords.extend(attrs.rules.into_iter().map(keyword::rule));
    (keywords, late)
}
