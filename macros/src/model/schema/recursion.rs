//! Types that contain themselves.

use darling::Error;
use syn::{DeriveInput, Type};

use crate::model::schema_source::element_type;

/// The mention of `input` in the type of one of its fields, within any containers of the standard library.
pub(super) fn find<'a>(input: &DeriveInput, ty: &'a Type) -> Option<&'a Type> {
    match element_type(ty) {
        Some(element_type) => find(input, element_type),
        None => is_itself(input, ty).then_some(ty),
    }
}

fn is_itself(input: &DeriveInput, ty: &Type) -> bool {
    let Type::Path(path) = ty else { return false };
    let segments: Vec<_> = path.path.segments.iter().map(|it| &it.ident).collect();
    match segments[..] {
        [name] => *name == input.ident || name == "Self",
        [module, name] => module == "self" && *name == input.ident,
        _ => false,
    }
}

pub(super) fn error(input: &DeriveInput, mention: &Type) -> Error {
    Error::custom(format!(
        "`{}` contains itself, which no structural schema can express: add `#[crd(preserve_unknown_fields)]` to this \
         field to accept any value",
        input.ident
    ))
    .with_span(mention)
}
