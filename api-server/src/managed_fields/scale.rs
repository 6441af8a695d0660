//! The managers of the replicas of an object, as its scale has them.

use std::{borrow::Cow, sync::LazyLock};

use crdkit_core::schema::SchemaProps;
use serde_json::Value;

use super::{
    ApplyError, Versions, Writer,
    entries::{Entry, ManagedFields, Operation},
    field_set::FieldSet,
    is_equal_without, managed_fields, set_managed_fields, take_managed_fields,
    topology::Topology,
    update::describe,
};

const API_VERSION: &str = "autoscaling/v1";
const REPLICAS: &[&str] = &["spec", "replicas"];

/// The only version of scales.
pub(crate) struct Scales;

static TOPOLOGY: LazyLock<Topology> = LazyLock::new(|| {
    let scalar = |type_: &'static str| SchemaProps { type_: Some(type_.into()), ..SchemaProps::default() };
    let object = |fields: Vec<(&'static str, SchemaProps<'static>)>| SchemaProps {
        type_: Some("object".into()),
        properties: Some(fields.into_iter().map(|(name, field)| (Cow::Borrowed(name), field)).collect()),
        ..SchemaProps::default()
    };
    let spec = object(vec![("replicas", scalar("integer"))]);
    let status = object(vec![("replicas", scalar("integer")), ("selector", scalar("string"))]);
    Topology::of_schema(&object(vec![("spec", spec), ("status", status)]))
});

impl Versions for Scales {
    fn kind(&self) -> &'static str {
        "Scale"
    }

    fn topology(&self, api_version: &str) -> Option<&Topology> {
        (api_version == API_VERSION).then(|| &*TOPOLOGY)
    }

    fn has_status(&self, _: &str) -> bool {
        false
    }

    fn convert(&self, object: &Value, _: &str) -> Value {
        object.clone()
    }
}

/// Returns the scale of a built-in kind with the fields of a configuration, and its new `metadata.managedFields`.
///
/// # Errors
///
/// As for [`super::apply`].
pub(crate) fn apply(
    scale: &Value,
    configuration: &Value,
    writer: &Writer<'_>,
    force: bool,
) -> Result<Value, ApplyError> {
    super::apply(&Scales, Some(scale), configuration, writer, force)
}

/// As [`apply`], for the scale of a custom resource.
///
/// # Errors
///
/// Also if the configuration changes the scale: the server cannot convert scales of custom resources.
pub(crate) fn apply_custom(
    scale: &Value,
    configuration: &Value,
    writer: &Writer<'_>,
    force: bool,
) -> Result<Value, ApplyError> {
    const PROBLEM: &str = "request to convert CR to an invalid group/version: autoscaling/v1";
    if managed_fields(scale).is_none() {
        return Err(ApplyError::Internal(format!(
            "failed to create manager for existing fields: failed to convert live object (/; autoscaling/v1, Kind=Scale) to \
             proper version: {PROBLEM}"
        )));
    }
    let applied = apply(scale, configuration, writer, force)?;
    if is_equal_without(scale, &applied, &["metadata", "managedFields"]) {
        return Ok(applied);
    }
    Err(ApplyError::Internal(format!(
        "failed to convert new object ({}) to proper version: {PROBLEM}",
        describe(configuration)
    )))
}

/// Returns the path of the replicas in the objects of an `apiVersion`, if they have a scale.
pub(crate) type ReplicasPath<'a> = &'a dyn Fn(&str) -> Option<Vec<String>>;

/// Sets `metadata.managedFields` of the scale of an object: the managers of its replicas.
pub(crate) fn track_scale(object: &Value, path: ReplicasPath<'_>, scale: &mut Value) {
    let managed = ManagedFields::decode(managed_fields(object)).unwrap_or_default();
    let entries = managed
        .entries
        .into_iter()
        .filter(|entry| owns(entry, path))
        .map(|entry| entry.in_version(API_VERSION).with_fields(FieldSet::of_path(REPLICAS)));
    let entries = ManagedFields { entries: entries.collect() }.encode();
    set_managed_fields(scale, entries);
}

/// Sets `metadata.managedFields` of an object whose scale was written in `api_version`.
pub(crate) fn track_scaled<V: Versions>(
    versions: &V,
    object: &mut Value,
    path: ReplicasPath<'_>,
    scale: &Value,
    api_version: &str,
) {
    let old = take_managed_fields(object);
    let parent = ManagedFields::decode(old.as_ref()).unwrap_or_default();
    let mut scale = ManagedFields::decode(managed_fields(scale)).unwrap_or_default();
    let mut managed = ManagedFields::default();
    for mut entry in parent.entries.clone() {
        if versions.topology(&entry.api_version).is_none() {
            continue;
        }
        if owns(&entry, path) {
            match scale.take(&entry) {
                Some(_) => {}
                None => {
                    let fields = without(entry.take_fields(), &path(&entry.api_version).unwrap_or_default());
                    entry.set_fields(fields);
                }
            }
        }
        managed.entries.push(entry);
    }
    managed.remove_empty();
    let path = path(api_version).unwrap_or_default();
    for entry in scale.entries.into_iter().filter(|entry| entry.fields().contains(REPLICAS)) {
        let time =
            parent.entries.iter().find(|known| known.is_same_manager(&entry)).and_then(|known| known.time.clone());
        let fields = of_path(&path);
        let mut entry = entry.in_version(api_version).with_fields(fields);
        entry.time = time;
        match entry.operation {
            Operation::Apply => managed.set(entry),
            // The server identifies updates of the scale and those of the object by different versions.
            Operation::Update => managed.entries.push(entry),
        }
    }
    let entries = managed.encode();
    set_managed_fields(object, entries);
}

/// Whether a manager owns the replicas of an object.
fn owns(entry: &Entry<'_>, path: ReplicasPath<'_>) -> bool {
    path(&entry.api_version).is_some_and(|path| entry.fields().contains(&names(&path)))
}

fn without<'a>(fields: FieldSet<'a>, path: &[String]) -> FieldSet<'a> {
    fields.difference(&of_path(path))
}

fn of_path(path: &[String]) -> FieldSet<'_> {
    FieldSet::of_path(&names(path))
}

fn names(path: &[String]) -> Vec<&str> {
    path.iter().map(String::as_str).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::managed_fields::track_update;

    struct Foos(Topology);

    impl Versions for Foos {
        fn kind(&self) -> &'static str {
            "Foo"
        }

        fn topology(&self, api_version: &str) -> Option<&Topology> {
            (api_version == "example.com/v1").then_some(&self.0)
        }

        fn has_status(&self, _: &str) -> bool {
            false
        }

        fn convert(&self, object: &Value, _: &str) -> Value {
            object.clone()
        }
    }

    #[test]
    fn a_scale_takes_the_replicas_from_their_manager() {
        let path = |_: &str| Some(vec!["spec".to_owned(), "size".to_owned()]);
        let mut object = json!({
            "apiVersion": "example.com/v1", "kind": "Foo", "spec": {"size": 1, "name": "a"},
            "metadata": {"uid": "1", "managedFields": [
                {"manager": "a", "operation": "Apply", "apiVersion": "example.com/v1", "time": "2026-01-01T00:00:00Z",
                 "fieldsType": "FieldsV1", "fieldsV1": {"f:spec": {"f:size": {}, "f:name": {}}}},
                {"manager": "b", "operation": "Update", "apiVersion": "example.com/v1", "time": "2026-01-01T00:00:00Z",
                 "fieldsType": "FieldsV1", "fieldsV1": {"f:spec": {"f:name": {}}}},
            ]},
        });
        let mut old =
            json!({"apiVersion": "autoscaling/v1", "kind": "Scale", "metadata": {"uid": "1"}, "spec": {"replicas": 1}});
        track_scale(&object, &path, &mut old);
        assert_eq!(
            old["metadata"]["managedFields"],
            json!([{"manager": "a", "operation": "Apply", "apiVersion": "autoscaling/v1", "time": "2026-01-01T00:00:00Z",
                "fieldsType": "FieldsV1", "fieldsV1": {"f:spec": {"f:replicas": {}}}}])
        );
        let mut new = old.clone();
        new["spec"]["replicas"] = 2.into();
        let writer =
            Writer { manager: "c", api_version: API_VERSION, subresource: "scale", time: "2026-01-01T00:00:01Z" };
        track_update(&Scales, Some(&old), &mut new, &writer);
        object["spec"]["size"] = 2.into();
        track_scaled(&Foos(Topology::deduced()), &mut object, &path, &new, "example.com/v1");
        assert_eq!(
            object["metadata"]["managedFields"],
            json!([
                {"manager": "a", "operation": "Apply", "apiVersion": "example.com/v1", "time": "2026-01-01T00:00:00Z",
                 "fieldsType": "FieldsV1", "fieldsV1": {"f:spec": {"f:name": {}}}},
                {"manager": "c", "operation": "Update", "apiVersion": "example.com/v1", "subresource": "scale",
                 "fieldsType": "FieldsV1", "fieldsV1": {"f:spec": {"f:size": {}}}},
                {"manager": "b", "operation": "Update", "apiVersion": "example.com/v1", "time": "2026-01-01T00:00:00Z",
                 "fieldsType": "FieldsV1", "fieldsV1": {"f:spec": {"f:name": {}}}},
            ])
        );
    }
}
