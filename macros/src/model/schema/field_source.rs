//! Where the schema of a field comes from.

use darling::Error;
use proc_macro2::Span;
use serde_derive_internals::ast::Field as SerdeField;
use syn::Type;

use super::{checks, null, reader::Reader, recursion};
use crate::{
    attrs::{
        Errors,
        field::FieldAttrs,
        form::Form,
        keywords::{Inner, KeywordAttrs},
    },
    model::source::Source,
};

impl Reader<'_> {
    pub(super) fn source(&self, field: &SerdeField, attrs: &FieldAttrs, errors: &mut Errors) -> Source {
        if let Some(form) = attrs.form.form() {
            checks::refuse_override(form, &attrs.schemars, errors);
            return optional_as(field.ty, Source::formed(form));
        }
        if attrs.role_is_unreadable {
            return Source::Mistaken;
        }
        let overridden = attrs.schemars.schema.as_ref();
        if attrs.size.is_opaque() {
            return Source::new(field.ty, overridden).opaque();
        }
        if overridden.is_none()
            && let Some((path, span)) = &attrs.serde_with
        {
            return with_type(path, *span, errors);
        }
        let source = Source::new(field.ty, overridden);
        let source = inside(source, &attrs.keywords, errors);
        if !field.attrs.flatten()
            && let Some(error) = source.types().and_then(null::find)
        {
            errors.push(error);
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

/// Puts the forms in place that attributes give to items of lists and values of maps; what has no source has none of them.
pub(super) fn reform(source: Option<&mut Source>, attrs: &KeywordAttrs, errors: &mut Errors) {
    let mut nothing = Source::Mistaken;
    let source = source.unwrap_or(&mut nothing);
    *source = inside(source.clone(), attrs, errors);
}

/// The source, with the forms that attributes give to items of lists and values of maps.
fn inside(source: Source, attrs: &KeywordAttrs, errors: &mut Errors) -> Source {
    match source {
        Source::Optional(value) => Source::Optional(Box::new(inside(*value, attrs, errors))),
        Source::List(items) => Source::List(Box::new(part(*items, attrs.items.as_ref(), errors))),
        Source::Map(keys, values) => {
            let values = part(*values, attrs.values.as_ref(), errors);
            Source::Map(keys, Box::new(values))
        }
        source => {
            let inner = attrs.items.iter().chain(&attrs.values);
            let form = inner.filter_map(|inner| inner.form.form().zip(inner.form.span()));
            for (form, span) in form {
                errors.push(unspelled(form, span));
            }
            source
        }
    }
}

fn part(source: Source, inner: Option<&Inner>, errors: &mut Errors) -> Source {
    let Some(inner) = inner else {
        return source;
    };
    match inner.form.form() {
        Some(form) if source.is_optional() => Source::Optional(Box::new(Source::formed(form))),
        Some(form) => Source::formed(form),
        None => inside(source, &inner.keywords, errors),
    }
}

fn unspelled(form: &Form, span: Span) -> Error {
    Error::custom(format!(
        "`{}` takes the place of a schema that this type does not show: spell the type as `Vec<...>`, \
         `BTreeMap<...>` or `HashMap<...>`",
        form.key()
    ))
    .with_span(&span)
}

/// The source, as an `Option` of it if the field is one.
fn optional_as(ty: &Type, source: Source) -> Source {
    if Source::new(ty, None).is_optional() { Source::Optional(Box::new(source)) } else { source }
}

/// `#[serde(with = "...")]` names a type that stands for the field's, or a module that hides its form.
fn with_type(path: &syn::Path, span: Span, errors: &mut Errors) -> Source {
    let names_a_type =
        path.segments.last().is_some_and(|segment| segment.ident.to_string().starts_with(char::is_uppercase));
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
