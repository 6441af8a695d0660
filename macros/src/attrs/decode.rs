//! `#[crd(decode)]`, which `CustomResource` and `KubeSchema` both read, and what decoders read of other keys.

use darling::Error;
use syn::{Attribute, Meta};

use super::{items, value::Flag};

/// Whether the type has a decoder. Errors are reported where the whole attribute is parsed.
pub(crate) fn is_enabled(attrs: &[Attribute]) -> bool {
    let mut ignored = Error::accumulator();
    let mut decode: Option<Flag> = None;
    for item in &items(attrs) {
        if item.path().is_ident("decode") {
            items::parse_once(&mut decode, item, &mut ignored);
        }
    }
    drop(ignored.into_inner());
    decode.is_some_and(|flag| flag.value)
}

/// Whether a field has a default of the schema.
pub(crate) fn has_schema_default(attrs: &[Attribute]) -> bool {
    items(attrs).iter().any(|item| item.path().is_ident("default"))
}

fn items(attrs: &[Attribute]) -> Vec<Meta> {
    let mut ignored = Error::accumulator();
    let items = items::parse_attribute(attrs, "crd", &mut ignored);
    drop(ignored.into_inner());
    items
}
