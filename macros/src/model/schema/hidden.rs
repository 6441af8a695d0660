//! Types whose schema is not used, so that no resource reads what their fields ask of it.

use syn::{DeriveInput, Type};

use super::all_fields;
use crate::model::{idents, schema_source::SchemaSource};

/// The type in that of a field that stands in `input`, where another schema takes its place.
///
/// A type that contains itself is no mistake: its markers are read where it stands first. The types of generic ones
/// cannot be named outside of them.
pub(super) fn hidden_type(input: &DeriveInput, ty: &Type) -> Option<Type> {
    let source = SchemaSource::new(ty, None);
    let ty = source.leaf_type()?;
    let is_its_own = idents::collect(ty).iter().any(|ident| *ident == input.ident || ident == "Self");
    (input.generics.params.is_empty() && !is_its_own).then(|| ty.clone())
}

/// The types of all fields of `input`, which has the schema of another type.
pub(super) fn hidden_types(input: &DeriveInput) -> impl Iterator<Item = Type> {
    all_fields(input).into_iter().filter_map(|field| hidden_type(input, &field.ty))
}
