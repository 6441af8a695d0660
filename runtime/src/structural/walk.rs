//! Nested schemas.

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::{
    JSONSchemaProps, JSONSchemaPropsOrArray, JSONSchemaPropsOrBool,
};

/// Returns the schemas of properties, items and values.
pub(super) fn children(props: &mut JSONSchemaProps) -> Vec<&mut JSONSchemaProps> {
    let properties = props.properties.iter_mut().flat_map(|all| all.values_mut());
    let mut children: Vec<_> = properties.collect();
    if let Some(JSONSchemaPropsOrArray::Schema(items)) = &mut props.items {
        children.push(items);
    }
    if let Some(JSONSchemaPropsOrBool::Schema(values)) = &mut props.additional_properties {
        children.push(values);
    }
    children
}
