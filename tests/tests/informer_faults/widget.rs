use crdkit::{CustomResource, KubeSchema};
use crdkit_tests::apiserver::Object;
use serde::{Deserialize, Serialize};

/// The resource of the API server in these tests.
#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
#[crd(group = "faults.example.com", version = "v1", kind = "Widget")]
#[crd(namespaced, derive = "PartialEq")]
pub(crate) struct WidgetSpec {
    pub(crate) size: i64,
    pub(crate) note: String,
}

/// The expected state in an informer: without `managedFields`.
pub(crate) fn expected(object: &Object) -> Widget {
    let mut widget: Widget = serde_json::from_str(object.json()).expect("the API server sends widgets");
    widget.metadata.managed_fields = None;
    widget
}

/// The version of the object's state.
pub(crate) fn version(widget: &Widget) -> u64 {
    let version = widget.metadata.resource_version.as_deref().and_then(|version| version.parse().ok());
    version.expect("the API server sends versions that are numbers")
}

pub(crate) fn key(widget: &Widget) -> (String, String) {
    let metadata = &widget.metadata;
    (metadata.namespace.clone().unwrap_or_default(), metadata.name.clone().unwrap_or_default())
}

/// A short description of the state for messages.
pub(crate) fn brief(widget: &Widget) -> String {
    let (namespace, name) = key(widget);
    let whole = widget.metadata.uid.as_deref().unwrap_or_default();
    let uid = whole.get(..8).unwrap_or(whole);
    let labels = widget.metadata.labels.as_ref();
    let tier = labels.and_then(|labels| labels.get("tier"));
    let size = widget.spec.size;
    format!("{namespace}/{name} {} (uid {uid}, tier {tier:?}, size {size})", version(widget))
}
