//! Managed fields and server-side apply.
//!
//! | at | the server calls |
//! |---|---|
//! | a create, an update, a patch | [`track_update`], before admission |
//! | an apply | [`apply`], before defaults and admission |
//! | a write of a scale | the functions of [`scale`] |
//! | each write of an object that exists | [`keep_times`], before validation |

mod apply;
mod compare;
mod conflict_error;
mod entries;
mod field_set;
mod merge;
mod owned;
mod path_element;
mod reconcile;
pub(super) mod scale;
#[cfg(test)]
mod tests;
mod topology;
mod update;
mod validate;
mod values;

use serde_json::{Map, Value, json};

use self::{entries::ManagedFields, update::Write};

pub(super) use topology::Topology;
pub(super) use update::describe;

/// The request that writes an object, as an entry of `metadata.managedFields` records it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Writer<'a> {
    /// The query parameter `fieldManager`, or the user agent up to the first `/`.
    pub(super) manager: &'a str,
    /// The `group/version` in the path of the request.
    pub(super) api_version: &'a str,
    /// `status`, `scale` or `finalize`; empty for the object itself.
    pub(super) subresource: &'a str,
    /// The time of the request, as `2026-01-31T12:30:00Z`.
    pub(super) time: &'a str,
}

/// Paths of fields, as lists of names.
pub(super) type FieldPaths = &'static [&'static [&'static str]];

/// The versions of a resource. Objects of other versions are converted to compare what their managers own.
pub(super) trait Versions {
    /// Returns the kind of the objects.
    fn kind(&self) -> &str;

    /// Returns the topology of the objects of an `apiVersion`, if it is one of the resource.
    fn topology(&self, api_version: &str) -> Option<&Topology>;

    /// Whether the objects of an `apiVersion` have the subresource `status`.
    fn has_status(&self, api_version: &str) -> bool;

    /// Returns the paths of the fields that a write of the object itself cannot change, if it has a status.
    fn fields_beside_object(&self) -> FieldPaths {
        &[&["status"]]
    }

    /// Returns the paths of the fields that a write of the status cannot change.
    fn fields_beside_status(&self) -> FieldPaths {
        &[&["metadata"], &["spec"]]
    }

    /// Converts an object to an `apiVersion` of the resource.
    fn convert(&self, object: &Value, api_version: &str) -> Value;
}

/// Why a configuration cannot be applied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ApplyError {
    /// Other managers own fields with other values: code 409, reason `Conflict`.
    Conflict {
        /// The message of the status.
        message: String,
        /// The causes in the details of the status.
        causes: Vec<ConflictCause>,
    },
    /// Code 400, reason `BadRequest`.
    BadRequest(String),
    /// Code 500, without a reason.
    Internal(String),
}

/// A cause of a conflict, with the reason `FieldManagerConflict`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ConflictCause {
    /// `conflict with "manager" using example.com/v1`.
    pub(super) message: String,
    /// The path of the field, such as `.spec.size`.
    pub(super) field: String,
}

/// Sets `metadata.managedFields` of an object that a create, an update or a patch writes. Both objects are of the version of
/// the request.
pub(super) fn track_update<V: Versions>(versions: &V, live: Option<&Value>, new: &mut Value, writer: &Writer<'_>) {
    let given = take_managed_fields(new);
    let entries = updated(versions, live, new, given.as_ref(), writer);
    set_managed_fields(new, entries);
}

fn updated<V: Versions>(
    versions: &V,
    live: Option<&Value>,
    new: &Value,
    given: Option<&Value>,
    writer: &Writer<'_>,
) -> Option<Value> {
    let known = live.and_then(managed_fields);
    let given = given.filter(|_| writer.subresource.is_empty());
    let managed = match ManagedFields::decode(given) {
        _ if given.is_some_and(is_reset) => ManagedFields::default(),
        Some(given) if !given.entries.is_empty() => given,
        // A client that does not know managed fields keeps them.
        _ => ManagedFields::decode_stored(known).unwrap_or_default(),
    };
    let is_tracked = !managed.entries.is_empty() || !live.is_some_and(is_stored);
    let write = Write::new(versions, writer).filter(|_| is_tracked)?;
    match write.update(writer.manager, live, new, managed) {
        Ok(managed) => managed.encode(),
        Err(_) => known.cloned(),
    }
}

/// Returns an object with the fields of a configuration, and its new `metadata.managedFields`. The object is of the version of
/// the request; it is created if there is none.
///
/// # Errors
///
/// If the configuration is invalid, or, without `force`, other managers own its fields with other values.
pub(super) fn apply<V: Versions>(
    versions: &V,
    live: Option<&Value>,
    configuration: &Value,
    writer: &Writer<'_>,
    force: bool,
) -> Result<Value, ApplyError> {
    let text = |name| configuration.get(name).and_then(Value::as_str).unwrap_or_default();
    let write = Write::new(versions, writer)
        .filter(|_| (text("apiVersion"), text("kind")) == (writer.api_version, versions.kind()));
    let Some(write) = write else {
        let kind = group_version_kind(text("apiVersion"), text("kind"));
        return Err(ApplyError::BadRequest(format!("invalid object type: {kind}")));
    };
    let empty = json!({"apiVersion": writer.api_version, "kind": versions.kind()});
    let live = live.unwrap_or(&empty);
    let managed = ManagedFields::decode_stored(managed_fields(live))
        .ok_or_else(|| ApplyError::Internal("failed to decode managed fields".to_owned()))?;
    let (mut new, entries) = write.apply(live, configuration, managed, force)?;
    set_managed_fields(&mut new, entries);
    Ok(new)
}

/// Restores the times of the entries of an object that a write does not change otherwise.
pub(super) fn keep_times(live: &Value, new: &mut Value) {
    let (Some(Value::Array(old_entries)), Some(Value::Array(new_entries))) =
        (managed_fields(live), managed_fields(new))
    else {
        return;
    };
    let is_same = |(one, other): (&Value, &Value)| is_equal_without(one, other, &["time"]);
    let is_unchanged = old_entries.len() == new_entries.len()
        && old_entries.iter().zip(new_entries).all(is_same)
        && is_equal_without(live, new, &["metadata", "managedFields"]);
    if is_unchanged {
        set_managed_fields(new, managed_fields(live).cloned());
    }
}

/// Whether two objects are equal, apart from the value at a path.
fn is_equal_without(one: &Value, other: &Value, path: &[&str]) -> bool {
    let Some((first, rest)) = path.split_first() else {
        return true;
    };
    let (Some(one), Some(other)) = (one.as_object(), other.as_object()) else {
        return true;
    };
    let others = |fields: &Map<String, Value>| fields.keys().filter(|name| name != first).count();
    others(one) == others(other)
        && one.iter().all(|(name, value)| match other.get(name) {
            Some(other) if name == first => is_equal_without(value, other, rest),
            None if name == first => rest.is_empty(),
            other => other == Some(value),
        })
}

fn managed_fields(object: &Value) -> Option<&Value> {
    object.get("metadata")?.get("managedFields")
}

fn take_managed_fields(object: &mut Value) -> Option<Value> {
    object.get_mut("metadata")?.as_object_mut()?.remove("managedFields")
}

fn set_managed_fields(object: &mut Value, entries: Option<Value>) {
    match (entries, object.get_mut("metadata")) {
        (Some(entries), Some(Value::Object(metadata))) => drop(metadata.insert("managedFields".to_owned(), entries)),
        (None, Some(Value::Object(metadata))) => drop(metadata.remove("managedFields")),
        _ => {}
    }
}

/// Whether the entries of a request reset managed fields: an empty list, or one empty entry.
fn is_reset(entries: &Value) -> bool {
    match entries.as_array().map(Vec::as_slice) {
        Some([]) => true,
        Some([Value::Object(entry)]) => entry.values().all(|value| value.is_null() || value == ""),
        _ => false,
    }
}

/// Whether an object is from the store.
fn is_stored(object: &Value) -> bool {
    object.pointer("/metadata/uid").is_some()
}

/// Formats a kind as errors name it.
fn group_version_kind(api_version: &str, kind: &str) -> String {
    let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
    format!("{group}/{version}, Kind={kind}")
}
