//! Conversion by the functions of a test.

use std::sync::Arc;

use serde_json::Value;

use crate::value::text;

/// Converts an object to an `apiVersion`.
pub(crate) type Convert = dyn Fn(Value, &str) -> Result<Value, String> + Send + Sync;

/// The functions of a test.
#[derive(Clone, Default)]
pub(crate) struct Functions {
    /// Converts between all versions.
    pub(crate) all: Option<Arc<Convert>>,
    /// Converts from one `apiVersion` to another.
    pub(crate) pairs: Vec<(String, String, Arc<Convert>)>,
}

impl Functions {
    pub(super) fn convert(&self, object: Value, api_version: &str) -> Result<Value, String> {
        if let Some(convert) = &self.all {
            return convert(object, api_version);
        }
        let from = text(&object, "apiVersion").to_owned();
        let path =
            self.path(&from, api_version).ok_or_else(|| format!("no function converts {from} to {api_version}"))?;
        path.into_iter().try_fold(object, |object, (to, convert)| convert(object, to))
    }

    /// Returns the function of a converter.
    #[cfg(feature = "convert")]
    pub(crate) fn of_converter(converter: crdkit::convert::Converter) -> Self {
        let convert = move |object, api_version: &str| {
            let version = api_version.rsplit_once('/').map_or(api_version, |(_, version)| version);
            converter.convert(object, version).map_err(|error| error.to_string())
        };
        Self { all: Some(Arc::new(convert)), pairs: Vec::new() }
    }

    /// Returns the shortest sequence of conversions.
    fn path(&self, from: &str, to: &str) -> Option<Vec<(&str, &Convert)>> {
        let mut paths: Vec<(&str, Vec<(&str, &Convert)>)> = vec![(from, Vec::new())];
        let mut at = 0;
        while let Some((version, path)) = paths.get(at).cloned() {
            if version == to {
                return Some(path);
            }
            for (_, next, convert) in self.pairs.iter().filter(|(from, ..)| from == version) {
                if paths.iter().all(|(known, _)| known != next) {
                    paths.push((next, [&path[..], &[(next.as_str(), &**convert)]].concat()));
                }
            }
            at += 1;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn conversions_go_through_other_versions() {
        let step = |from: &str, to: &str| -> (String, String, Arc<Convert>) {
            let convert = |mut object: Value, to: &str| {
                object["path"] = format!("{}>{to}", text(&object, "path")).into();
                object["apiVersion"] = to.into();
                Ok(object)
            };
            (from.to_owned(), to.to_owned(), Arc::new(convert))
        };
        let pairs = vec![step("v1", "v2"), step("v2", "v1"), step("v2", "v3")];
        let functions = Functions { all: None, pairs };
        let converted = functions.convert(json!({ "apiVersion": "v1" }), "v3").unwrap();
        assert_eq!(converted["path"], ">v2>v3");
        let failed = functions.convert(json!({ "apiVersion": "v3" }), "v1").unwrap_err();
        assert_eq!(failed, "no function converts v3 to v1");
    }
}
