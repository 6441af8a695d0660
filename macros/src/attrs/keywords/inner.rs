//! `items(...)` and `values(...)`.

use darling::{Error, Result};
use proc_macro2::Span;
use syn::{Meta, spanned::Spanned};

use super::{KeywordAttrs, known};
use crate::attrs::{
    Errors,
    default::DefaultAttr,
    form::{self, FormAttrs},
    items,
    rule::{Rule, check_repeats},
    size,
};

/// Keywords of what is in a value.
pub(crate) struct Inner {
    pub(crate) key: &'static str,
    pub(crate) span: Span,
    pub(crate) keywords: Box<KeywordAttrs>,
    /// What stands in place of their schema.
    pub(crate) form: FormAttrs,
    pub(crate) rules: Vec<Rule>,
    /// What the server puts where null stands.
    pub(crate) default: Option<DefaultAttr>,
}

pub(super) fn read(slot: &mut Option<Inner>, key: &'static str, item: &Meta) -> Result<()> {
    if slot.is_some() {
        return Err(Error::custom(format!("`{key}(...)` is given again: write all that is said about them at once"))
            .with_span(item));
    }
    let Meta::List(list) = item else {
        return Err(
            Error::custom(format!("expected the keywords of each, as in `{key}(max_length = 63)`")).with_span(item)
        );
    };
    let mut errors = Error::accumulator();
    let mut inner = Inner {
        key,
        span: item.path().span(),
        keywords: Box::default(),
        form: FormAttrs::default(),
        rules: Vec::new(),
        default: None,
    };
    for nested in &items::of_list(list, &mut errors) {
        inner.read(nested, &mut errors);
    }
    inner.keywords.finish(&mut errors);
    check_repeats(&inner.rules, &mut errors);
    *slot = Some(inner);
    errors.finish()
}

impl Inner {
    fn read(&mut self, item: &Meta, errors: &mut Errors) {
        match items::name(item).as_str() {
            "validation" => items::many(&mut self.rules, item, errors),
            key if form::KEYS.contains(&key) => self.form.read(item, errors),
            key if size::KEYS.contains(&key) => errors.push(size::of_a_whole_field(item)),
            _ if self.keywords.read(item, errors) => {}
            "default" => items::once(&mut self.default, item, errors),
            "immutable" => errors.push(
                Error::custom(
                    "what is in a list or a map has no name to say this of: write `immutable` on \
                     its type, or on the field",
                )
                .with_span(item.path()),
            ),
            _ => {
                let known = [&known(), form::KEYS, &["validation", "default"]].concat();
                errors.push(items::unknown(item, &known));
            }
        }
    }
}
