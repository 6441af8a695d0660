//! Makes what a field manager has set by updates a part of what it applies.
//!
//! Server-side apply removes a field that the manager no longer applies only if an entry of the operation `Apply` has it. What the same
//! manager has set by a creation, an update or a patch is in an entry of the operation `Update`, and would stay for ever.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{FieldsV1, ManagedFieldsEntry};
use serde_json::{Map, Value, json};

use super::{
    Patch,
    endpoint::Endpoint,
    error::{ApplyError, Error},
    request::{Request, Verb},
    request_future::RequestFuture,
    resources::{Object, Resources},
    scope::SingleObject,
};

/// How often the entries are read again if the object changes meanwhile, as for client-go's `RetryOnConflict`.
const ATTEMPTS: usize = 5;

impl<K: Object, P> Resources<K, P> {
    /// Makes what field managers have set by updates, and what others than the handle's have applied, a part of what the handle's field
    /// manager applies, so that an apply removes the fields that it leaves out. Succeeds if the object does not exist.
    ///
    /// Use it once for objects that were created, updated or patched until now: by the same manager, or by others that give them away, such
    /// as `helm`, `kubectl-client-side-apply` or the former name of this manager. It reads the metadata, and writes only if there is such
    /// an entry. Entries of subresources are left alone. [`apply_owned`](crate::controller::Context::apply_owned) does so by itself.
    ///
    /// ```no_run
    /// # use k8s_openapi::api::core::v1::ConfigMap;
    /// # use serde_json::json;
    /// # async fn example(client: crdkit::Client) -> Result<(), crdkit::client::ApplyError> {
    /// let configs = client.field_manager("scaler").resources::<ConfigMap>().namespace("default");
    /// configs.upgrade_managed_fields("web", &["scaler", "helm"]).await?;
    /// configs.force().apply("web", &json!({ "data": { "size": "3" } })).await?; // removes what they had set beside it
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// [`ApplyError::NoFieldManager`] if no field manager is set, and the errors common to all requests.
    #[doc(alias("csaupgrade", "UpgradeManagedFields"))]
    pub fn upgrade_managed_fields<'a>(
        &'a self,
        name: &'a str,
        managers: &'a [&'a str],
    ) -> RequestFuture<'a, (), ApplyError>
    where
        P: SingleObject<K>,
    {
        Box::pin(self.endpoint.upgrade_managed_fields(name, managers))
    }
}

impl<K: Object> Endpoint<K> {
    /// Turns the entries of some managers into an entry of an apply by the manager of the client.
    pub(crate) async fn upgrade_managed_fields(&self, name: &str, managers: &[&str]) -> Result<(), ApplyError> {
        let Some(manager) = self.client.options.field_manager.as_deref() else {
            let operation = Box::new(self.operation(&Request::object(Verb::Patch, name)));
            return Err(ApplyError::NoFieldManager { operation });
        };
        let metadata = self.any_metadata();
        let mut attempts = 1;
        loop {
            let current = match metadata.get(name).await {
                Err(error) if error.is_not_found() => return Ok(()),
                read => read?.metadata,
            };
            let Some(entries) = upgraded(current.managed_fields.unwrap_or_default(), managers, manager) else {
                return Ok(());
            };
            // The API server compares the version, as for each update that has one.
            let patch = Patch::json(json!([
                { "op": "replace", "path": "/metadata/managedFields", "value": entries },
                { "op": "replace", "path": "/metadata/resourceVersion", "value": current.resource_version },
            ]));
            match metadata.patch(name, None, &patch).await {
                Err(Error::Conflict(_)) if attempts < ATTEMPTS => attempts += 1,
                Err(error) if error.is_not_found() => return Ok(()),
                patched => return Ok(patched.map(drop)?),
            }
        }
    }
}

/// Whether an entry is one of some managers, and not what the manager itself has applied.
pub(crate) fn is_given(entry: &ManagedFieldsEntry, managers: &[&str], manager: &str) -> bool {
    entry.manager.as_deref().is_some_and(|of| managers.contains(&of))
        && is_of_the_object(entry)
        && !is_apply(entry, manager)
}

fn is_apply(entry: &ManagedFieldsEntry, manager: &str) -> bool {
    entry.manager.as_deref() == Some(manager) && entry.operation.as_deref() == Some("Apply") && is_of_the_object(entry)
}

fn is_of_the_object(entry: &ManagedFieldsEntry) -> bool {
    entry.subresource.as_deref().is_none_or(str::is_empty)
}

/// Returns the entries in which those of some managers are a part of the one of an apply, as client-go's `csaupgrade` does with updates:
/// entries of other API versions than the apply's are dropped. `None` if there are none of these managers.
fn upgraded(entries: Vec<ManagedFieldsEntry>, managers: &[&str], manager: &str) -> Option<Vec<ManagedFieldsEntry>> {
    let (given, mut others): (Vec<_>, Vec<_>) =
        entries.into_iter().partition(|entry| is_given(entry, managers, manager));
    // The first one is the most recent one.
    let first = given.first()?;
    let index = others.iter().position(|entry| is_apply(entry, manager)).unwrap_or_else(|| {
        let (manager, operation) = (Some(manager.to_owned()), Some("Apply".to_owned()));
        others.insert(0, ManagedFieldsEntry { manager, operation, fields_v1: None, ..first.clone() });
        0
    });
    let apply = &mut others[index];
    let of_version = given.into_iter().filter(|entry| entry.api_version == apply.api_version);
    let sets = of_version.filter_map(|entry| entry.fields_v1).map(|FieldsV1(fields)| fields);
    let own = apply.fields_v1.take().map_or_else(|| json!({}), |FieldsV1(fields)| fields);
    apply.fields_v1 = Some(FieldsV1(sets.fold(own, union_of_children)));
    Some(others)
}

/// Returns the union of two sets of fields. A member without children has itself as the only field, and one with children has itself
/// if there is the member `.`.
fn union(left: Value, right: Value) -> Value {
    let is_leaf = |set: &Value| set.as_object().is_none_or(Map::is_empty);
    let has_one_leaf = is_leaf(&left) != is_leaf(&right);
    let mut all = union_of_children(left, right);
    if has_one_leaf {
        all["."] = json!({});
    }
    all
}

fn union_of_children(left: Value, right: Value) -> Value {
    let (Value::Object(mut left), Value::Object(right)) = (left, right) else {
        return json!({});
    };
    for (name, fields) in right {
        let known = left.remove(&name);
        let both = known.map(|known| union(known, fields.clone()));
        left.insert(name, both.unwrap_or(fields));
    }
    left.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(manager: &str, operation: &str, version: &str, fields: Value) -> ManagedFieldsEntry {
        serde_json::from_value(json!({
            "manager": manager, "operation": operation, "apiVersion": version, "fieldsType": "FieldsV1", "fieldsV1": fields,
        }))
        .unwrap()
    }

    #[test]
    fn entries_of_updates_become_a_part_of_the_apply() {
        let data = |key: &str| json!({ "f:data": { format!("f:{key}"): {} } });
        let status =
            ManagedFieldsEntry { subresource: Some("status".into()), ..entry("me", "Update", "v1", data("s")) };
        let other = entry("other", "Update", "v1", data("o"));
        let entries = vec![
            entry("me", "Update", "v1", data("new")),
            other.clone(),
            entry("me", "Update", "v1beta1", data("beta")),
            status.clone(),
        ];
        let first = entry("me", "Apply", "v1", data("new"));
        assert_eq!(upgraded(entries.clone(), &["me"], "me"), Some(vec![first, other.clone(), status.clone()]));
        let applied = entries.into_iter().chain([entry("me", "Apply", "v1", data("a"))]).collect();
        let both = entry("me", "Apply", "v1", json!({ "f:data": { "f:a": {}, "f:new": {} } }));
        let expected = vec![other.clone(), status.clone(), both];
        assert_eq!(upgraded(applied, &["me"], "me"), Some(expected.clone()));
        assert_eq!(upgraded(expected, &["me"], "me"), None);
        let given = entry("me", "Apply", "v1", data("o"));
        assert_eq!(upgraded(vec![other.clone()], &["other"], "me"), Some(vec![given]));
        assert_eq!(upgraded(vec![other], &["me"], "me"), None);
        let former = [entry("former", "Apply", "v1", data("f")), entry("me", "Apply", "v1", data("a"))];
        let both = entry("me", "Apply", "v1", json!({ "f:data": { "f:a": {}, "f:f": {} } }));
        assert_eq!(upgraded(former.to_vec(), &["former", "me"], "me"), Some(vec![both]));
        assert_eq!(upgraded(former.to_vec(), &["me"], "me"), None);
    }

    #[test]
    fn a_field_that_one_set_has_as_a_whole_stays_one() {
        let parts = json!({ "f:data": { "f:a": { ".": {}, "f:b": {} }, "f:c": {} } });
        let whole = json!({ "f:data": { "f:a": {}, "f:c": { "f:d": {} } } });
        let expected = json!({ "f:data": { "f:a": { ".": {}, "f:b": {} }, "f:c": { ".": {}, "f:d": {} } } });
        assert_eq!(union_of_children(parts.clone(), whole.clone()), expected);
        assert_eq!(union_of_children(whole, parts), expected);
    }
}
