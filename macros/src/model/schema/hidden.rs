//! Types of fields that have another schema, so that the resource does not read the markers in them.

use syn::{DeriveInput, Type};

use super::all_fields;
use crate::model::{idents, schema_source::SchemaSource};

/// The type of a field of `input` that has another schema.
///
/// None for a type that contains itself, whose markers are read at the outer level, and none in generic types, whose
/// parameters cannot be named outside of them.
pub(super) fn hidden_type(input: &DeriveInput, ty: &Type) -> Option<Type> {
    let source = SchemaSource::new(ty, None);
    let ty = source.leaf_type()?;
    let is_its_own = idents::collect(ty).iter().any(|ident| *ident == input.ident || ident == "Self");
    (input.generics.params.is_empty() && !is_its_own).then(|| ty.clone())
}

/// The types of all fields of `input`, which has another schema.
pub(super) fn hidden_types(input: &DeriveInput) -> impl Iterator<Item = Type> {
    all_fields(input).into_iter().filter_map(|field| hidden_type(input, &field.ty))
}
