//! What is validated of the workloads of Kubernetes, since an apply that changes the strategy of a Deployment can break it.

use crdkit_core::{ErrorType, object_processing::FieldError};
use serde_json::Value;

use crate::resource::Resource;

/// Returns the errors of an object.
pub(crate) fn errors(resource: &Resource, object: &Value) -> Vec<FieldError> {
    let strategy = &object["spec"]["strategy"];
    let is_deployment = !resource.is_custom && resource.names.kind == "Deployment";
    if !is_deployment || strategy["type"] != "Recreate" || strategy["rollingUpdate"].is_null() {
        return Vec::new();
    }
    vec![FieldError {
        place: ".spec.strategy.rollingUpdate".to_owned(),
        kind: ErrorType::Forbidden,
        value: None,
        detail: "may not be specified when strategy `type` is 'Recreate'".to_owned(),
    }]
}
