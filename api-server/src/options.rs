//! The checks of a request that do not depend on objects: its size, its media type and its options.

use crdkit_core::{ErrorType, go, object_processing::FieldError};

use super::{
    failure::Failure,
    patch,
    request::{MAX_BODY, MAX_FIELD_MANAGER, ResourceRequest},
};

/// The media types of objects that the real server lists.
const READABLE: [&str; 3] = ["application/json", "application/yaml", PROTOBUF];
/// The media type of what clients in Go send for Kubernetes' own kinds, unless they are configured otherwise.
const PROTOBUF: &str = "application/vnd.kubernetes.protobuf";
/// Clients print this, so it names a way out.
#[cfg(not(feature = "protobuf"))]
const NO_PROTOBUF: &str = "the API server in the process reads protobuf with the feature `protobuf` of crdkit-api-server: \
                           enable it, or send JSON: set `ContentType` of client-go's `rest.Config` to `application/json`";
#[cfg(feature = "protobuf")]
const NO_PROTOBUF: &str = "custom resources have no form in protobuf: send JSON or YAML";

pub(super) fn check(call: &ResourceRequest) -> Result<(), Failure> {
    let method = call.request.method.as_str();
    let kind = match method {
        "POST" => "CreateOptions",
        "PUT" => "UpdateOptions",
        "PATCH" => "PatchOptions",
        "DELETE" => "DeleteOptions",
        _ => return Ok(()),
    };
    if method == "PATCH" {
        patch::check_media_type(call)?;
    }
    if call.request.body.len() > MAX_BODY {
        return Err(Failure::body_too_large(MAX_BODY));
    }
    // The options of deletions have a form in protobuf, and so do scales.
    let is_readable_in_protobuf = !call.resource.is_custom || method == "DELETE" || call.is_scale();
    if call.request.content_type() == PROTOBUF
        && !call.request.body.is_empty()
        && !(cfg!(feature = "protobuf") && is_readable_in_protobuf)
    {
        return Err(Failure::new(415, "UnsupportedMediaType", NO_PROTOBUF));
    }
    let is_readable = READABLE.contains(&call.request.content_type());
    if !is_readable && matches!(method, "POST" | "PUT") {
        return Err(Failure::unsupported_media_type(&READABLE));
    }
    // Deletions check theirs, which may be in the body.
    let errors = if method == "DELETE" { Vec::new() } else { errors(call, kind) };
    if errors.is_empty() { Ok(()) } else { Err(Failure::invalid("meta.k8s.io", kind, "", &errors)) }
}

fn errors(call: &ResourceRequest, options: &str) -> Vec<FieldError> {
    let query = &call.query;
    let mut errors = Vec::new();
    let mut error = |parameter: &str, kind, value: Option<String>, detail: &str| {
        errors.push(FieldError { place: format!(".{parameter}"), kind, value, detail: detail.to_owned() });
    };
    let is_apply = call.request.content_type() == patch::APPLY;
    if options == "PatchOptions" && !is_apply && query.has("force") {
        error("force", ErrorType::Forbidden, None, "may not be specified for non-apply patch");
    }
    let manager = query.get("fieldManager");
    if manager.len() > MAX_FIELD_MANAGER {
        error("fieldManager", ErrorType::TooLong, None, "may not be more than 128 bytes");
    }
    if let Some((at, character)) = manager.char_indices().find(|(_, it)| it.is_control()) {
        let detail = format!("invalid character U+{:04X} (at position {at})", u32::from(character));
        error("fieldManager", ErrorType::Invalid, Some(go::quote(manager)), &detail);
    }
    if let Some(value) = unsupported_dry_run(&query.all("dryRun").collect::<Vec<_>>()) {
        error("dryRun", ErrorType::NotSupported, Some(value), DRY_RUNS);
    }
    let validation = query.get("fieldValidation");
    if !matches!(validation, "" | "Ignore" | "Warn" | "Strict") {
        let detail = "supported values: \"\", \"Ignore\", \"Strict\", \"Warn\"";
        error("fieldValidation", ErrorType::NotSupported, Some(go::quote(validation)), detail);
    }
    errors
}

/// The detail of an error about a dry run.
pub(super) const DRY_RUNS: &str = "supported values: \"All\"";

/// Returns the values of `dryRun` as an error has them, if one is not supported.
pub(super) fn unsupported_dry_run(values: &[&str]) -> Option<String> {
    if values.iter().all(|value| *value == "All") {
        return None;
    }
    let quoted: Vec<_> = values.iter().map(|value| go::quote(value)).collect();
    Some(format!("[{}]", quoted.join(",")))
}
