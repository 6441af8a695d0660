//! Types whose value is always null in JSON.

use darling::Error;
use syn::Type;

use crate::model::schema_source::{as_path, element_type, is_std};

/// The error for a type that is null in JSON, also within a container of the standard library.
pub(super) fn null_type_error(ty: &Type) -> Option<Error> {
    if let Some(element_type) = element_type(ty) {
        return null_type_error(element_type);
    }
    let advice = match ty {
        Type::Tuple(tuple) if tuple.elems.is_empty() => {
            "`()` is `null` in JSON, which no structural schema can express: use a struct, or add `#[schemars(with = \
             \"Type\")]` to the field"
        }
        ty if is_phantom(ty) => {
            "`PhantomData` is `null` in JSON, which no structural schema can express: omit the field with \
             `#[serde(skip)]`"
        }
        _ => return None,
    };
    Some(Error::custom(advice).with_span(ty))
}

fn is_phantom(ty: &Type) -> bool {
    as_path(ty).is_some_and(|ty| {
        let last = ty.path.segments.last();
        is_std(&ty.path) && last.is_some_and(|last| last.ident == "PhantomData")
    })
}
