//! Nested schemas.

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::{
    JSONSchemaProps, JSONSchemaPropsOrArray, JSONSchemaPropsOrBool,
};

/// Returns the schemas of properties, items and values.
pub(super) fn children(props: &mut JSONSchemaProps) -> impl Iterator<Item = &mut JSONSchemaProps> {
    let properties = props.properties.iter_mut().flat_map(|all| all.values_mut());
    let items = match &mut props.items {
        Some(JSONSchemaPropsOrArray::Schema(items)) => Some(&mut **items),
        _ => None,
    };
    let values = match &mut props.additional_properties {
        Some(JSONSchemaPropsOrBool::Schema(values)) => Some(&mut **values),
        _ => None,
    };
    properties.chain(items).chain(values)
}
