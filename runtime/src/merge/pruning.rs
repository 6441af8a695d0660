//! Which fields objects lose between versions without a conversion.

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::{
    CustomResourceValidation, JSONSchemaPropsOrArray, JSONSchemaPropsOrBool,
};

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::JSONSchemaProps as Props;

use super::Warning;
use super::versions::{Version, VersionList};

/// Every object passes through the storage version, so what all others share with it is kept.
pub(super) fn warnings(versions: &VersionList) -> Vec<Warning> {
    let Some(storage) = versions.storage() else {
        return Vec::new();
    };
    let others = versions.served_not_stored();
    others.filter_map(|other| warning(storage, other)).collect()
}

fn warning(storage: &Version, other: &Version) -> Option<Warning> {
    let (stored, written) = (schema(storage)?, schema(other)?);
    let only_storage = only_first(stored, written);
    let only_other = only_first(written, stored);
    let differ = !only_storage.is_empty() || !only_other.is_empty();
    differ.then(|| Warning::Pruning {
        storage: storage.type_name.clone(),
        other: other.type_name.clone(),
        only_storage,
        only_other,
    })
}

fn schema(version: &Version) -> Option<&Props> {
    let CustomResourceValidation { open_api_v3_schema } = version.said.schema.as_ref()?;
    open_api_v3_schema.as_ref()
}

/// The paths that the first root keeps and the second one prunes.
fn only_first(first: &Props, second: &Props) -> Vec<String> {
    let mut paths = Vec::new();
    pruned(first, second, true, "", &mut paths);
    paths
}

/// Whether a node is a whole object, of which the server keeps type and metadata.
fn is_object(props: &Props) -> bool {
    props.x_kubernetes_embedded_resource == Some(true)
}

fn pruned(first: &Props, second: &Props, root: bool, path: &str, paths: &mut Vec<String>) {
    let kept: &[_] = match root || is_object(second) {
        true => &["apiVersion", "kind", "metadata"],
        false => &[],
    };
    for (name, property) in first.properties.iter().flatten() {
        if !kept.contains(&name.as_str()) {
            pruned_property(name, property, second, path, paths);
        }
    }
    if let (Some(first), Some(second)) = (items(first), items(second)) {
        pruned(first, second, false, &format!("{path}[*]"), paths);
    }
    pruned_unknown(first, second, path, paths);
}

fn pruned_property(
    name: &str,
    property: &Props,
    second: &Props,
    path: &str,
    paths: &mut Vec<String>,
) {
    let path = format!("{path}.{name}");
    let declared = second
        .properties
        .as_ref()
        .and_then(|properties| properties.get(name));
    match declared.map_or_else(|| values(second), Values::Schema) {
        Values::Schema(other) => pruned(property, other, false, &path, paths),
        Values::Any => {}
        Values::Pruned => paths.push(path),
    }
}

/// Fields that have no name in the first schema: those of maps, and unknown ones that are kept.
fn pruned_unknown(first: &Props, second: &Props, path: &str, paths: &mut Vec<String>) {
    let path = format!("{path}.*");
    match (values(first), values(second)) {
        (Values::Schema(first), Values::Schema(second)) => {
            pruned(first, second, false, &path, paths)
        }
        (Values::Schema(_) | Values::Any, Values::Pruned) => paths.push(path),
        (Values::Pruned, _) | (_, Values::Any) | (Values::Any, Values::Schema(_)) => {}
    }
}

/// What happens to the values of fields that have no name in a schema.
enum Values<'a> {
    Schema(&'a Props),
    Any,
    Pruned,
}

fn values(props: &Props) -> Values<'_> {
    match &props.additional_properties {
        Some(JSONSchemaPropsOrBool::Schema(values)) => Values::Schema(values),
        Some(JSONSchemaPropsOrBool::Bool(true)) => Values::Any,
        _ if props.x_kubernetes_preserve_unknown_fields == Some(true) => Values::Any,
        _ => Values::Pruned,
    }
}

fn items(props: &Props) -> Option<&Props> {
    match props.items.as_ref()? {
        JSONSchemaPropsOrArray::Schema(items) => Some(items),
        JSONSchemaPropsOrArray::Schemas(_) => None,
    }
}
