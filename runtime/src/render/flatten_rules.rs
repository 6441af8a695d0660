//! Checks that the keywords of a flattened type can be applied to the enclosing object.

use crdkit_core::schema::{AppliesTo, CountBound};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::{JSONSchemaProps, ValidationRule};

use super::RenderError;
use crate::{
    props::count,
    schema::{IMMUTABLE, Schema, Shape, Tagging},
};

/// Returns the name of a flattened type in messages.
pub(super) fn display_name(schema: &Schema) -> String {
    match schema.name {
        "" => "a flattened type".to_owned(),
        name => format!("the flattened `{name}`"),
    }
}

/// The object that a type is flattened into.
pub(super) enum FlattenTarget {
    Object,
    /// The root, which has the fields of the spec.
    Root,
}

impl FlattenTarget {
    /// Checks that the keywords of a type as a whole can be applied to the enclosing object.
    pub(super) fn check(&self, schema: &Schema, props: &JSONSchemaProps, is_option: bool) -> Result<(), RenderError> {
        let (name, or_else) = match self {
            Self::Object => (display_name(schema), "do not flatten it"),
            Self::Root => (format!("the spec `{}`", schema.name), "remove `no_spec`"),
        };
        if counts_fields(props) {
            return Err(RenderError::new(format!(
                "{name} restricts its number of fields, which would include the other fields of the object: remove that, or {or_else}"
            )));
        }
        let rules = props.x_kubernetes_validations.as_deref();
        let rules = rules.unwrap_or_default();
        let freezes_all = |rule: &ValidationRule| rule.rule == IMMUTABLE;
        if is_immutable(schema) || is_option && rules.iter().any(freezes_all) {
            return Err(RenderError::new(format!(
                "{name} is immutable as a whole, which would include the other fields of the object: write `immutable` on \
                 its fields, or {or_else}"
            )));
        }
        if let ([ValidationRule { rule, .. }, ..], Some(_)) = (rules, &props.additional_properties) {
            return Err(RenderError::new(format!(
                "{name} is a map, but its rule `{rule}` cannot see its entries among other fields: remove the rule, or \
                 {or_else}"
            )));
        }
        Ok(())
    }
}

fn counts_fields(props: &JSONSchemaProps) -> bool {
    let branches = [&props.all_of, &props.any_of, &props.one_of];
    CountBound::applying_to(AppliesTo::Objects).any(|bound| count(props, bound).is_some())
        || branches.into_iter().flatten().flatten().any(counts_fields)
}

fn is_immutable(schema: &Schema) -> bool {
    match schema.shape {
        _ if schema.immutable => true,
        Shape::Newtype(inner) => is_immutable(inner),
        // The data of these variants is part of the object itself.
        Shape::OneOf(Tagging::Internal(_) | Tagging::Untagged, variants) => {
            variants.iter().filter_map(|variant| variant.content).any(is_immutable)
        }
        _ => false,
    }
}
