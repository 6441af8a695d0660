//! Attributes of the derive `Resource`.

use darling::Error;
use syn::{DeriveInput, Path};

use super::{
    Errors,
    crates::Crates,
    items,
    key::{Key, keys},
    value::PathValue,
};

/// `#[resource(...)]`.
#[derive(Default)]
pub(crate) struct InheritAttrs {
    pub(crate) inherit: Option<Path>,
    pub(crate) crates: Crates,
}

keys! {
    InheritKey { Inherit = "inherit", Crates = "crates" }
}

impl InheritAttrs {
    pub(crate) fn parse(input: &DeriveInput, errors: &mut Errors) -> Self {
        let mut inherit = None::<PathValue>;
        let mut has_inherit = false;
        let mut crates = None;
        for item in &items::parse_attribute(&input.attrs, "resource", errors) {
            match InheritKey::of(item) {
                Some(InheritKey::Inherit) => {
                    has_inherit = true;
                    items::parse_once(&mut inherit, item, errors);
                }
                Some(InheritKey::Crates) => items::parse_once(&mut crates, item, errors),
                None => errors.push(items::unknown(item, &InheritKey::names())),
            }
        }
        if !has_inherit && items::no_errors(errors) {
            errors.push(
                Error::custom("`inherit` is missing: write `#[resource(inherit = \"ConfigMap\")]`")
                    .with_span(&input.ident),
            );
        }
        Self { inherit: inherit.map(|path| path.0), crates: crates.unwrap_or_default() }
    }
}
