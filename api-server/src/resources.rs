//! The resources that the server serves, by their names.

use std::{collections::HashMap, sync::Arc};

use serde_json::Value;

use super::{
    failure::{Failure, qualified_kind},
    resource::Resource,
    route::Target,
    value::text,
};

/// Resources by their groups and plural names.
#[derive(Clone, Default)]
pub(super) struct Resources(HashMap<String, HashMap<String, Arc<Resource>>>);

impl Resources {
    pub(super) fn serve(&mut self, resource: Arc<Resource>) {
        let group = self.0.entry(resource.group.clone()).or_default();
        group.insert(resource.names.plural.clone(), resource);
    }

    pub(super) fn stop_serving(&mut self, group: &str, plural: &str) {
        if let Some(resources) = self.0.get_mut(group) {
            resources.remove(plural);
        }
    }

    pub(super) fn get(&self, group: &str, plural: &str) -> Option<&Arc<Resource>> {
        self.0.get(group)?.get(plural)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Arc<Resource>> {
        self.0.values().flat_map(HashMap::values)
    }

    /// Returns the resource of a path, and the index of its version.
    pub(super) fn resolve(&self, target: &Target) -> Option<(Arc<Resource>, usize)> {
        let resource = self.get(&target.group, &target.plural)?;
        let version = resource.served_version(&target.version)?;
        if target.namespace.is_some() && !resource.is_namespaced
            || target.namespace.is_none() && target.name.is_some() && resource.is_namespaced
        {
            return None;
        }
        Some((resource.clone(), version))
    }

    /// Returns the resource of the `apiVersion` and the `kind` of an object, or of a reference to one.
    pub(super) fn of_type(&self, typed: &Value) -> Result<&Arc<Resource>, Failure> {
        let (api_version, kind) = (text(typed, "apiVersion"), text(typed, "kind"));
        let group = api_version.split_once('/').map_or("", |(group, _)| group);
        let found = self.iter().find(|it| it.group == group && it.names.kind == kind);
        let is_served = |it: &&Arc<Resource>| it.by_api_version(api_version).is_some_and(|(_, it)| it.spec.served);
        found.filter(is_served).ok_or_else(|| {
            let qualified = qualified_kind(group, kind);
            Failure::new(404, "NotFound", format!("no resource is served for {qualified} in {api_version}"))
        })
    }
}
