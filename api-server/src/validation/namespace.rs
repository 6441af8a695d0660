//! Validation of the finalizers of namespaces, which have a subresource of their own.

use crdkit_core::{ErrorType, go, object_processing::FieldError};
use serde_json::Value;

use crate::{metadata_validation::is_standard_finalizer, request::ResourceRequest};

/// Returns the errors of `spec.finalizers`, if the request writes them.
pub(crate) fn finalizer_errors(call: &ResourceRequest, object: &Value) -> Vec<FieldError> {
    if !call.resource.is_namespace() || call.target.subresource.as_deref() != Some("finalize") {
        return Vec::new();
    }
    let finalizers = object["spec"]["finalizers"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let invalid = finalizers.enumerate().filter(|(_, finalizer)| !is_standard_finalizer(finalizer));
    let error = |(at, finalizer): (usize, &str)| FieldError {
        place: format!(".spec.finalizers[{at}]"),
        kind: ErrorType::Invalid,
        value: Some(go::quote(finalizer)),
        detail: "name is neither a standard finalizer name nor is it fully qualified".to_owned(),
    };
    invalid.map(error).collect()
}
