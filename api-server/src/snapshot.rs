//! Snapshots of the objects as YAML.

use std::fmt;

use crdkit::__internal::yaml::{diff::unified, order::Order, write::document};
use crdkit_core::literal::times::unix_time;
use kube::core::Resource;
use serde_json::Value;

use super::{ApiServer, store::Key, value::text};

/// Replaces times, which differ between runs.
pub(super) const TIME: &str = "<time>";

/// The objects of an [`ApiServer`], as YAML documents in the order of their kinds, namespaces and names.
///
/// What differs between runs is left out: UIDs, versions, generations, creation times and managed fields; other times in the
/// metadata and in the status are `<time>`. The objects that the server has from the start are left out too, unless they have
/// changed: four namespaces, and the definitions of derived types.
///
/// ```
/// # use crdkit_api_server::ApiServer;
/// # use k8s_openapi::api::core::v1::ConfigMap;
/// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
/// let server = ApiServer::new();
/// let configs = server.client().resources::<ConfigMap>().namespace("default");
/// let config = serde_json::json!({ "metadata": { "name": "web" }, "data": { "size": "big" } });
/// configs.create(&serde_json::from_value(config)?).await?;
///
/// server.snapshot().of::<ConfigMap>().assert_yaml("\
/// apiVersion: v1
/// data:
///   size: big
/// kind: ConfigMap
/// metadata:
///   name: web
///   namespace: default
/// ");
///
/// let copy = ApiServer::new().with_objects(&server.snapshot().to_string());
/// assert_eq!(copy.snapshot().to_string(), server.snapshot().to_string());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct ServerSnapshot {
    items: Vec<Item>,
    /// The qualified names of the resources that are shown; all of them if there are none.
    resources: Vec<String>,
    namespace: Option<String>,
    with_initial: bool,
    with_uids: bool,
    with_versions: bool,
    with_times: bool,
    with_managed_fields: bool,
}

#[derive(Clone, Debug)]
struct Item {
    resource: String,
    key: Key,
    object: Value,
    is_initial: bool,
}

impl ApiServer {
    /// Returns a snapshot of the objects.
    ///
    /// # Panics
    ///
    /// If the definition of a type is invalid.
    pub fn snapshot(&self) -> ServerSnapshot {
        self.install_types();
        let items = self.state(|state| {
            let initial = &state.initial;
            let mut items: Vec<Item> = state
                .store
                .collections()
                .flat_map(|(resource, collection)| {
                    collection.objects().map(move |(key, stored)| Item {
                        resource: resource.to_owned(),
                        key: key.clone(),
                        object: stored.value(),
                        is_initial: initial.contains(&stored.revision),
                    })
                })
                .collect();
            items.sort_by_cached_key(|it| (text(&it.object, "kind").to_owned(), it.key.clone(), it.resource.clone()));
            items
        });
        ServerSnapshot {
            items,
            resources: Vec::new(),
            namespace: None,
            with_initial: false,
            with_uids: false,
            with_versions: false,
            with_times: false,
            with_managed_fields: false,
        }
    }
}

impl ServerSnapshot {
    /// Keeps the objects of this kind, and of other kinds that are selected.
    pub fn of<K: Resource<DynamicType = ()>>(self) -> Self {
        self.of_resource(&K::group(&()), &K::plural(&()))
    }

    /// Keeps the objects of a resource by its group, which is empty for the core group, and its plural name.
    pub fn of_resource(mut self, group: &str, plural: &str) -> Self {
        self.resources.push(match group {
            "" => plural.to_owned(),
            group => format!("{plural}.{group}"),
        });
        self
    }

    /// Keeps the objects of a namespace.
    pub fn namespace(mut self, namespace: &str) -> Self {
        self.namespace = Some(namespace.to_owned());
        self
    }

    /// Shows UIDs.
    pub fn with_uids(mut self) -> Self {
        self.with_uids = true;
        self
    }

    /// Shows resource versions and generations.
    pub fn with_versions(mut self) -> Self {
        self.with_versions = true;
        self
    }

    /// Shows times.
    pub fn with_times(mut self) -> Self {
        self.with_times = true;
        self
    }

    /// Shows managed fields.
    pub fn with_managed_fields(mut self) -> Self {
        self.with_managed_fields = true;
        self
    }

    /// Shows the objects that the server has from the start.
    pub fn with_initial_objects(mut self) -> Self {
        self.with_initial = true;
        self
    }

    /// Returns the objects.
    pub fn objects(&self) -> Vec<Value> {
        let shown = self.items.iter().filter(|item| self.shows(item));
        shown.map(|item| self.normalized(item.object.clone())).collect()
    }

    /// Panics unless the YAML is this. The message has the difference.
    #[track_caller]
    pub fn assert_yaml(&self, expected: &str) {
        let actual = self.to_string();
        assert!(actual == expected, "the objects differ\n{}", unified("snapshot", &actual, expected));
    }

    fn shows(&self, item: &Item) -> bool {
        (self.with_initial || !item.is_initial)
            && (self.resources.is_empty() || self.resources.contains(&item.resource))
            && self.namespace.as_ref().is_none_or(|namespace| *namespace == item.key.namespace)
    }

    fn normalized(&self, mut object: Value) -> Value {
        if let Some(Value::Object(metadata)) = object.get_mut("metadata") {
            let hidden = [
                ("uid", self.with_uids),
                ("resourceVersion", self.with_versions),
                ("generation", self.with_versions),
                ("creationTimestamp", self.with_times),
                ("managedFields", self.with_managed_fields),
            ];
            for (name, _) in hidden.into_iter().filter(|(_, is_shown)| !is_shown) {
                metadata.remove(name);
            }
            let owners = metadata.get_mut("ownerReferences").and_then(Value::as_array_mut);
            for owner in owners.into_iter().flatten().filter_map(Value::as_object_mut).filter(|_| !self.with_uids) {
                owner.remove("uid");
            }
        }
        if !self.with_times {
            for part in ["metadata", "status"] {
                object.get_mut(part).into_iter().for_each(hide_times);
            }
        }
        object
    }
}

impl fmt::Display for ServerSnapshot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let documents: Vec<String> = self.objects().iter().map(|object| document(object, Order::Sorted)).collect();
        f.write_str(&documents.join("---\n"))
    }
}

/// Replaces all times.
fn hide_times(value: &mut Value) {
    match value {
        Value::Object(members) => members.values_mut().for_each(hide_times),
        Value::Array(items) => items.iter_mut().for_each(hide_times),
        Value::String(text) if unix_time(text).is_some() => *value = TIME.into(),
        _ => {}
    }
}
