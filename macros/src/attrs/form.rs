//! What stands in place of the schema of a type: `preserve_unknown_fields`, `int_or_string`, `schema = ...`.

use darling::{Error, Result};
use proc_macro2::Span;
use syn::{Expr, Meta, spanned::Spanned};

use super::{
    Errors, items,
    text::{Text, Word},
};

/// A schema that is not that of the type.
#[derive(Clone, Debug)]
pub(crate) enum Form {
    /// Any value.
    Any,
    IntOrString,
    /// An expression of the type `crdkit::schema::Schema`.
    Constant(Expr),
}

pub(crate) const KEYS: &[&str] = &["preserve_unknown_fields", "int_or_string", "schema"];

/// The form that is asked for, and where.
#[derive(Default)]
pub(crate) struct FormAttrs {
    given: Option<(Form, Span)>,
}

impl FormAttrs {
    /// Reads an item; one at most says what stands there.
    pub(crate) fn read(&mut self, item: &Meta, errors: &mut Errors) {
        let key = items::name(item);
        match &self.given {
            Some((given, _)) if given.key() == key => errors.push(items::duplicate(item)),
            Some((given, _)) => errors.push(
                Error::custom(format!("`{key}` and `{}` both say what stands here: keep one of them", given.key()))
                    .with_span(item),
            ),
            None => {
                let form = errors.handle(parse(item));
                self.given = form.map(|form| (form, item.span()));
            }
        }
    }

    pub(crate) fn form(&self) -> Option<&Form> {
        self.given.as_ref().map(|(form, _)| form)
    }

    pub(crate) fn span(&self) -> Option<Span> {
        self.given.as_ref().map(|(_, span)| *span)
    }
}

impl Form {
    pub(crate) fn key(&self) -> &'static str {
        match self {
            Self::Any => "preserve_unknown_fields",
            Self::IntOrString => "int_or_string",
            Self::Constant(_) => "schema",
        }
    }
}

fn parse(item: &Meta) -> Result<Form> {
    use darling::FromMeta;
    match items::name(item).as_str() {
        "preserve_unknown_fields" => Word::from_meta(item).map(|_| Form::Any),
        "int_or_string" => Word::from_meta(item).map(|_| Form::IntOrString),
        _ => constant(item).map(Form::Constant),
    }
}

fn constant(item: &Meta) -> Result<Expr> {
    const EXPECTED: &str = "expected a constant, as in `schema = Schema::string()`: `with = \"Type\"` and \
                            `schema_with = \"function\"` belong to `#[schemars(...)]`";
    match item {
        Meta::NameValue(value) if Text::literal(&value.value).is_none() => Ok(value.value.clone()),
        Meta::NameValue(value) => Err(Error::custom(EXPECTED).with_span(&value.value)),
        _ => Err(Error::custom(EXPECTED).with_span(item)),
    }
}
