//! Checks that the keywords of a flattened type can be applied to the enclosing object.

use crdkit_core::schema::{AppliesTo, CountBound, SchemaProps};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::{JSONSchemaProps, ValidationRule};

use crate::{
    crd::{
        crd_accessors::{self, count},
        render::RenderError,
    },
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
        let (name, or_else) = self.name_and_alternative(schema);
        if counts_fields(props) {
            return Err(RenderError::new(format!(
                "{name} restricts its number of fields, which would include the other fields of the object: remove that, or {or_else}"
            )));
        }
        let rules = props.x_kubernetes_validations.as_deref().unwrap_or_default();
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

    /// Checks that nothing is lost. `rest` has the keywords of a type that the enclosing object does not take over.
    pub(super) fn check_rest(&self, schema: &Schema, rest: &JSONSchemaProps) -> Result<(), RenderError> {
        let rest = crd_accessors::read::schema(rest);
        let Some(keyword) = rest.keywords().find(|keyword| !has_no_effect(keyword, &rest)) else {
            return Ok(());
        };
        let (name, or_else) = self.name_and_alternative(schema);
        let instead = match (self, keyword) {
            (_, "default") => "write defaults on its fields",
            (Self::Object, "x-kubernetes-map-type") => "write it on the enclosing struct",
            _ => "remove it",
        };
        Err(RenderError::new(format!(
            "{name} has the keyword `{keyword}`, which the enclosing object cannot take over: {instead}, or {or_else}"
        )))
    }

    fn name_and_alternative(&self, schema: &Schema) -> (String, &'static str) {
        match self {
            Self::Object => (display_name(schema), "do not flatten it"),
            Self::Root => {
                let name = match schema.name {
                    "" => "the spec".to_owned(),
                    name => format!("the spec `{name}`"),
                };
                (name, "remove `no_spec`")
            }
        }
    }
}

/// Whether the server validates and merges the enclosing object in the same way without the keyword. Whether a flattened type
/// can be null, and its undeclared fields, are part of the enclosing object.
fn has_no_effect(keyword: &str, schema: &SchemaProps<'_>) -> bool {
    match keyword {
        "title" | "description" | "externalDocs" | "example" | "type" | "nullable" => true,
        "additionalProperties" | "x-kubernetes-preserve-unknown-fields" => true,
        "x-kubernetes-map-type" => schema.map_type.as_deref() == Some("granular"),
        _ => false,
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
