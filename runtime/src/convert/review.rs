//! Conversion reviews: the requests of the API server to a conversion webhook.

use serde_json::{Map, Value, json};

use super::{ConvertError, Converter};

pub(super) const API_VERSION: &str = "apiextensions.k8s.io/v1";
pub(super) const KIND: &str = "ConversionReview";

/// Why a request is no conversion review.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ReviewError {
    /// It is not a `ConversionReview` of `apiextensions.k8s.io/v1`.
    #[error("expected a ConversionReview of apiextensions.k8s.io/v1")]
    NotAReview,
    /// It has no `request` with `uid`, `desiredAPIVersion` and `objects`.
    #[error("the ConversionReview has no `{0}`")]
    Missing(&'static str),
}

impl Converter {
    /// Answers a `ConversionReview` of the API server. If an object cannot be converted, the answer is a failure that names the
    /// object.
    ///
    /// # Errors
    ///
    /// If the request is no conversion review; the API server never sends such a request.
    pub fn review(&self, mut review: Value) -> Result<Value, ReviewError> {
        let member = |name| review.get(name).and_then(Value::as_str);
        if member("apiVersion") != Some(API_VERSION) || member("kind") != Some(KIND) {
            return Err(ReviewError::NotAReview);
        }
        let Some(Value::Object(mut request)) = review.get_mut("request").map(Value::take) else {
            return Err(ReviewError::Missing("request"));
        };
        let uid = text(&mut request, "uid")?;
        let desired = text(&mut request, "desiredAPIVersion")?;
        let Some(Value::Array(objects)) = request.remove("objects") else {
            return Err(ReviewError::Missing("request.objects"));
        };
        let response = match self.convert_all(objects, &desired) {
            Ok(converted) => json!({
                "uid": uid,
                "convertedObjects": converted,
                "result": { "status": "Success" },
            }),
            Err(message) => json!({
                "uid": uid,
                "result": { "status": "Failure", "message": message },
            }),
        };
        Ok(json!({ "apiVersion": API_VERSION, "kind": KIND, "response": response }))
    }

    fn convert_all(&self, objects: Vec<Value>, desired: &str) -> Result<Vec<Value>, String> {
        let version = self.version_in(desired).map_err(|error| error.to_string())?;
        objects.into_iter().map(|object| self.convert_named(object, version)).collect()
    }

    /// Converts an object; a failure names it.
    fn convert_named(&self, object: Value, version: &str) -> Result<Value, String> {
        if !object["metadata"].is_object() {
            return Err(ConvertError::NoMetadata.to_string());
        }
        let name = |field| object["metadata"][field].as_str().unwrap_or_default().to_owned();
        let (namespace, name) = (name("namespace"), name("name"));
        self.convert(object, version).map_err(|error: ConvertError| {
            if namespace.is_empty() { format!("{name}: {error}") } else { format!("{namespace}/{name}: {error}") }
        })
    }
}

fn text(request: &mut Map<String, Value>, name: &'static str) -> Result<String, ReviewError> {
    match request.remove(name) {
        Some(Value::String(text)) => Ok(text),
        _ => Err(ReviewError::Missing(name)),
    }
}
