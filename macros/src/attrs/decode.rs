//! `#[crd(decode)]`, which `CustomResource` and `KubeSchema` both read.

use darling::Error;
use syn::Attribute;

use super::{items, value::Flag};

/// Whether the type has a decoder. Errors are reported where the whole attribute is parsed.
pub(crate) fn is_enabled(attrs: &[Attribute]) -> bool {
    let mut ignored = Error::accumulator();
    let mut decode: Option<Flag> = None;
    for item in &items::parse_attribute(attrs, "crd", &mut ignored) {
        if item.path().is_ident("decode") {
            items::parse_once(&mut decode, item, &mut ignored);
        }
    }
    drop(ignored.into_inner());
    decode.is_some_and(|flag| flag.value)
}
