//! Validation of the fields behind the scale subresource.

use crdkit_core::{ErrorType, admission::FieldError};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceSubresourceScale;
use serde_json::Value;

use super::Part;

pub(super) fn errors(scale: &CustomResourceSubresourceScale, part: Part, object: &Value) -> Vec<FieldError> {
    let spec = (part == Part::Main).then_some(&scale.spec_replicas_path);
    let paths = spec.into_iter().chain([&scale.status_replicas_path]);
    paths.filter_map(|path| replicas_error(path, object)).collect()
}

fn replicas_error(path: &str, object: &Value) -> Option<FieldError> {
    let mut names = path.split('.').filter(|name| !name.is_empty());
    let value = names.try_fold(object, |value, name| value.get(name))?;
    let number = value.as_i64()?;
    let detail = match number {
        ..0 => "should be a non-negative integer".to_owned(),
        _ if number > i64::from(i32::MAX) => format!("should be less than or equal to {}", i32::MAX),
        _ => return None,
    };
    Some(FieldError { place: path.to_owned(), kind: ErrorType::Invalid, value: Some(number.to_string()), detail })
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
            "status.replicas: Invalid value: 2147483648: should be less than or equal to 2147483647".to_owned();
        assert_eq!(texts(Part::Status), [status.clone()]);
        let spec = "spec.replicas: Invalid value: -1: should be a non-negative integer".to_owned();
        assert_eq!(texts(Part::Main), [spec, status]);
        assert_eq!(errors(&scale, Part::Main, &json!({})), []);
    }
}
