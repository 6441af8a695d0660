//! Attributes of the `Resource` derive.

use darling::Error;
use syn::{Attribute, Path};

use super::{Errors, crates::Crates, items};

/// `#[resource(...)]`.
#[derive(Default)]
pub(crate) struct InheritAttrs {
    pub(crate) inherit: Option<Path>,
    pub(crate) crates: Crates,
}

impl InheritAttrs {
    pub(crate) fn parse(attrs: &[Attribute], errors: &mut Errors) -> Self {
        let mut inherit = None;
        let mut crates = None;
        for item in &items::of_attribute(attrs, "resource", errors) {
            match items::name(item).as_str() {
                "inherit" => items::once(&mut inherit, item, errors),
                "crates" => items::once(&mut crates, item, errors),
                _ => errors.push(items::unknown(item, &["inherit", "crates"])),
            }
        }
        if inherit.is_none() && errors_are_empty(attrs) {
            errors.push(Error::custom(
                "`inherit` is missing: write `#[resource(inherit = \"ConfigMap\")]`",
            ));
        }
        Self {
            inherit,
            crates: crates.unwrap_or_default(),
        }
    }
}

/// Whether no `inherit` was written at all, so that its absence is the mistake.
fn errors_are_empty(attrs: &[Attribute]) -> bool {
    let mut ignored = Error::accumulator();
    let items = items::of_attribute(attrs, "resource", &mut ignored);
    drop(ignored.into_inner());
    !items.iter().any(|item| item.path().is_ident("inherit"))
}
