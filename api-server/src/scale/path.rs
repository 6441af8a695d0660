//! The paths of a definition to the fields behind the scale subresource, such as `.spec.replicas`.

use serde_json::Value;

/// Returns the names of the fields of a path.
pub(crate) fn names(path: &str) -> impl Iterator<Item = &str> {
    path.split('.').filter(|name| !name.is_empty())
}

/// Returns the value at a path of names.
pub(crate) fn at<'v, 'n>(names: impl IntoIterator<Item = &'n str>, object: &'v Value) -> Option<&'v Value> {
    names.into_iter().try_fold(object, |value, name| value.get(name))
}
