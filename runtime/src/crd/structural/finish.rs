//! Keywords that the server requires of each node.

use crdkit_core::schema::Kind;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::{JSON, JSONSchemaProps};
use serde_json::Value;

use crate::crd::structural::{formats, lists, objects, types, walk};

/// Completes a node, bottom-up.
pub(super) fn finish(props: &mut JSONSchemaProps) {
    walk::children(props).for_each(finish);
    infer_type(props);
    formats::normalize(props);
    formats::drop_redundant_bounds(props);
    lists::finish(props);
    objects::finish(props);
    if types::is_int_or_string(props) {
        props.x_kubernetes_preserve_unknown_fields = None;
        props.x_kubernetes_embedded_resource = None;
    } else if props.type_.is_none() {
        if is_unconstrained(props) {
            props.nullable = Some(true);
        }
        props.x_kubernetes_preserve_unknown_fields = Some(true);
    }
}

/// Returns a node that accepts any value. `nullable` is necessary because the server would drop null otherwise.
pub(crate) fn any() -> JSONSchemaProps {
    JSONSchemaProps {
        nullable: Some(true),
        x_kubernetes_preserve_unknown_fields: Some(true),
        ..JSONSchemaProps::default()
    }
}

/// Whether a node accepts any value, regardless of its documentation.
pub(crate) fn is_any(props: &JSONSchemaProps) -> bool {
    types::kind(props) == Kind::Opaque && props.x_kubernetes_preserve_unknown_fields == Some(true)
}

/// Whether a node neither rejects values nor preserves unknown fields, like the schema `true` of schemars.
fn is_unconstrained(props: &JSONSchemaProps) -> bool {
    let junctors = [&props.all_of, &props.any_of, &props.one_of];
    props.x_kubernetes_preserve_unknown_fields.is_none()
        && props.enum_.is_none()
        && props.not.is_none()
        && junctors.iter().all(|branches| branches.is_none())
}

fn infer_type(props: &mut JSONSchemaProps) {
    if types::kind(props) != Kind::Opaque {
        return;
    }
    let has_members = props.properties.is_some()
        || props.additional_properties.is_some()
        || props.x_kubernetes_embedded_resource.is_some();
    let name = match &props.enum_ {
        Some(values) => type_of_all(values),
        None if has_members => Some("object"),
        None if props.items.is_some() => Some("array"),
        None => None,
    };
    props.type_ = name.map(str::to_owned);
}

fn type_of_all(values: &[JSON]) -> Option<&'static str> {
    let is_all = |is: fn(&Value) -> bool| values.iter().all(|value| is(&value.0));
    [
        ("string", is_all(Value::is_string)),
        ("integer", is_all(|value| value.is_i64() || value.is_u64())),
        ("number", is_all(Value::is_number)),
        ("boolean", is_all(Value::is_boolean)),
    ]
    .into_iter()
    .find_map(|(name, is_all)| is_all.then_some(name))
}
