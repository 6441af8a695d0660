//! Validation of the fields behind the scale subresource.

use crdkit_core::{ErrorType, object_processing::FieldError};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceSubresourceScale;
use serde_json::Value;

use super::WrittenPart;
use crate::scale::path;

pub(super) fn errors(scale: &CustomResourceSubresourceScale, part: WrittenPart, object: &Value) -> Vec<FieldError> {
    let spec = (part == WrittenPart::Main).then_some(&scale.spec_replicas_path);
    let replicas = spec.into_iter().chain([&scale.status_replicas_path]);
    let mut errors: Vec<_> = replicas.filter_map(|path| replicas_error(path, object)).collect();
    errors.extend(scale.label_selector_path.as_deref().and_then(|path| selector_error(path, object)));
    errors
}

fn replicas_error(path: &str, object: &Value) -> Option<FieldError> {
    let value = at(path, object)?;
    let Some(number) = value.as_i64() else {
        return Some(mismatch(path, "0", value, "int64"));
    };
    let detail = match number {
        ..0 => "should be a non-negative integer".to_owned(),
        _ if number > i64::from(i32::MAX) => format!("should be less than or equal to {}", i32::MAX),
        _ => return None,
    };
    Some(invalid(path, &number.to_string(), detail))
}

fn selector_error(path: &str, object: &Value) -> Option<FieldError> {
    let value = at(path, object)?;
    (!value.is_string()).then(|| mismatch(path, "\"\"", value, "string"))
}

fn at<'v>(path: &str, object: &'v Value) -> Option<&'v Value> {
    path::at(path::names(path), object)
}

/// A value of another type, which the server reads as the zero of the expected one.
fn mismatch(path: &str, zero: &str, value: &Value, expected: &str) -> FieldError {
    let (text, type_) = match value {
        Value::Null => ("<nil>".to_owned(), "<nil>"),
        Value::Bool(value) => (value.to_string(), "bool"),
        Value::Number(number) if number.is_f64() => (number.to_string(), "float64"),
        Value::Number(number) => (number.to_string(), "int64"),
        Value::String(text) => (text.clone(), "string"),
        Value::Array(_) => (go_text(value), "[]interface {}"),
        Value::Object(_) => (go_text(value), "map[string]interface {}"),
    };
    invalid(path, zero, format!("{path} accessor error: {text} is of the type {type_}, expected {expected}"))
}

/// Formats a value as Go's `%v`.
pub(crate) fn go_text(value: &Value) -> String {
    match value {
        Value::Null => "<nil>".to_owned(),
        Value::String(text) => text.clone(),
        Value::Array(items) => format!("[{}]", items.iter().map(go_text).collect::<Vec<_>>().join(" ")),
        Value::Object(members) => {
            let members: Vec<_> = members.iter().map(|(name, value)| format!("{name}:{}", go_text(value))).collect();
            format!("map[{}]", members.join(" "))
        }
        scalar => scalar.to_string(),
    }
}

/// The server reports these errors at the path of the definition, which starts with a dot.
fn invalid(path: &str, value: &str, detail: String) -> FieldError {
    FieldError { place: format!(".{path}"), kind: ErrorType::Invalid, value: Some(value.to_owned()), detail }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn replicas_fit_into_32_bits() {
        let scale = CustomResourceSubresourceScale {
            spec_replicas_path: ".spec.replicas".into(),
            status_replicas_path: ".status.replicas".into(),
            label_selector_path: None,
        };
        let object = json!({ "spec": { "replicas": -1 }, "status": { "replicas": 1_i64 << 31 } });
        let texts = |part| errors(&scale, part, &object).iter().map(ToString::to_string).collect::<Vec<_>>();
        let status =
            ".status.replicas: Invalid value: 2147483648: should be less than or equal to 2147483647".to_owned();
        assert_eq!(texts(WrittenPart::Status), std::slice::from_ref(&status));
        let spec = ".spec.replicas: Invalid value: -1: should be a non-negative integer".to_owned();
        assert_eq!(texts(WrittenPart::Main), [spec, status]);
        assert_eq!(errors(&scale, WrittenPart::Main, &json!({})), []);
    }
}
