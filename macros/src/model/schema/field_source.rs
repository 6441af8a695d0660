//! Where the schema of a field comes from.

use darling::Error;
use proc_macro2::Span;
use serde_derive_internals::ast::Field as SerdeField;
use syn::{Type, TypeTuple};

use super::{checks, reader::Reader, recursion};
use crate::{
    attrs::{Errors, field::FieldAttrs},
    model::source::Source,
};

impl Reader<'_> {
    pub(super) fn source(
        &self,
        field: &SerdeField,
        attrs: &FieldAttrs,
        errors: &mut Errors,
    ) -> Source {
        if let Some(form) = attrs.form.form() {
            checks::refuse_override(form, &attrs.schemars, errors);
            return optional_as(field.ty, Source::formed(form));
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
        if let Some(Type::Tuple(ty)) = source.types()
            && ty.elems.is_empty()
        {
            errors.push(unit(ty));
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
}

/// The source, as an `Option` of it if the field is one.
fn optional_as(ty: &Type, source: Source) -> Source {
    if Source::new(ty, None).is_optional() {
        Source::Optional(Box::new(source))
    } else {
        source
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

fn unit(ty: &TypeTuple) -> Error {
    Error::custom(
        "`()` is `null` in JSON, which no structural schema can say: use a struct, or write \
         `#[schemars(with = \"Type\")]` on the field",
    )
    .with_span(ty)
}
