//! The API server's requirements on structural schemas.

use crdkit_core::literal::numbers::I64_END;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::{
    JSONSchemaProps, JSONSchemaPropsOrArray, JSONSchemaPropsOrBool,
};

use crate::crd::structural::{formats, walk};

/// Panics if the server would reject the node or warn about it.
pub(super) fn check(node: &JSONSchemaProps) {
    let is_int_or_string = node.x_kubernetes_int_or_string == Some(true);
    let is_any = node.x_kubernetes_preserve_unknown_fields == Some(true);
    assert!(node.type_.is_some() || is_int_or_string || is_any, "no type: {node:?}");
    assert!(!(is_int_or_string && (is_any || node.type_.is_some())), "{node:?}");
    assert!(node.nullable.is_none() || node.enum_.is_none(), "null never passes: {node:?}");
    let is_set = node.x_kubernetes_list_type.as_deref() == Some("set");
    if node.type_.as_deref() == Some("array") {
        let Some(JSONSchemaPropsOrArray::Schema(items)) = &node.items else { panic!("no items: {node:?}") };
        assert!(!is_set || items.nullable.is_none(), "{node:?}");
        check(items);
    }
    match &node.additional_properties {
        Some(JSONSchemaPropsOrBool::Schema(values)) => {
            assert!(node.properties.is_none(), "fields and values: {node:?}");
            check(values);
        }
        others => assert_eq!(*others, None),
    }
    node.properties.iter().flatten().for_each(|(_, property)| check(property));
    check_everywhere(node);
    branches(node).for_each(|branch| check_branch(branch, Some(node)));
}

/// Checks that a branch contains only value validation, and only for fields that its node declares.
fn check_branch(branch: &JSONSchemaProps, node: Option<&JSONSchemaProps>) {
    let mut values = branch.clone();
    values.required = None;
    values.properties = None;
    values.items = None;
    assert_eq!(values, crate::crd::structural::disjunction::rest(&values, &JSONSchemaProps::default()));
    for (name, property) in branch.properties.iter().flatten() {
        let known = node.and_then(|node| node.properties.as_ref()?.get(name));
        assert!(known.is_some(), "{name} is no field of {node:?}");
        check_branch(property, known);
    }
    check_everywhere(branch);
    branches(branch).for_each(|inner| check_branch(inner, node));
}

fn check_everywhere(node: &JSONSchemaProps) {
    let mut settled = node.clone();
    formats::normalize(&mut settled);
    assert_eq!(settled.format, node.format, "{node:?}");
    assert!(node.maximum.is_none_or(|bound| bound.abs() < I64_END), "{node:?}");
    assert!(node.minimum.is_none_or(|bound| bound.abs() < I64_END), "{node:?}");
    assert!(node.exclusive_minimum.is_none() || node.minimum.is_some(), "{node:?}");
    assert!(node.exclusive_maximum.is_none() || node.maximum.is_some(), "{node:?}");
    assert!(node.unique_items.is_none(), "{node:?}");
    assert!(node.enum_.as_ref().is_none_or(|values| !values.is_empty()), "{node:?}");
}

/// Whether the schema has `allOf`, `anyOf`, `oneOf` or `not` anywhere.
pub(super) fn has_branches(node: &JSONSchemaProps) -> bool {
    let mut node = node.clone();
    branches(&node).count() > 0 || walk::children(&mut node).any(|child| has_branches(child))
}

fn branches(node: &JSONSchemaProps) -> impl Iterator<Item = &JSONSchemaProps> {
    let lists = [&node.all_of, &node.any_of, &node.one_of];
    lists.into_iter().flatten().flatten().chain(node.not.as_deref())
}
