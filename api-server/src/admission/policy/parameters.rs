//! The parameters of policies.

use serde_json::Value;

use super::Policy;
use crate::{
    admission::attributes::Attributes,
    failure::Failure,
    selector::labels::LabelSelector,
    state::State,
    store::{Collection, Key},
    value::text,
    webhook_calls::Stop,
};

/// Returns the objects that a binding refers to, each of which a policy runs with; null without parameters.
pub(super) fn parameters(
    state: &State,
    policy: &Policy,
    reference: &Value,
    attributes: &Attributes<'_>,
) -> Result<Vec<Value>, Stop> {
    let Some((api_version, kind)) = policy.parameter_kind.as_ref().filter(|_| reference.is_object()) else {
        return Ok(vec![Value::Null]);
    };
    let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
    let found = state.resources.iter().find(|it| it.group == group && it.names.kind == *kind).cloned();
    let served = found.and_then(|resource| {
        let version = resource.served_version(version)?;
        Some((resource, version))
    });
    let Some((resource, version)) = served else {
        let problem = format!("failed to find resource referenced by paramKind: '{group}/{version}, Kind={kind}'");
        return Err(Failure::internal(problem).into());
    };
    let own = text(reference, "namespace");
    let namespace = match (resource.is_namespaced, own, attributes.namespace()) {
        (false, "", _) => String::new(),
        (false, ..) => {
            let problem = "paramRef.namespace must not be provided for a cluster-scoped `paramKind`";
            return Err(Failure::internal(problem).into());
        }
        (true, "", "") => {
            let problem = "cannot use namespaced paramRef in policy binding that matches cluster-scoped resources";
            return Err(Failure::internal(problem).into());
        }
        (true, "", namespace) | (true, namespace, _) => namespace.to_owned(),
    };
    let qualified = resource.collection();
    let stored: Vec<_> = match text(reference, "name") {
        "" => {
            let selector = LabelSelector::of_object(&reference["selector"]);
            let objects = state
                .store
                .find_collection(&qualified)
                .into_iter()
                .flat_map(Collection::objects)
                .filter(|(key, _)| key.namespace == namespace)
                .map(|(_, stored)| stored.clone());
            objects.filter(|stored| selector.matches(&stored.value())).collect()
        }
        name => {
            let found = state.store.get(&qualified, &Key::new(&namespace, name));
            found.cloned().into_iter().collect()
        }
    };
    if stored.is_empty() && text(reference, "parameterNotFoundAction") == "Deny" {
        let problem = "no params found for policy binding with `Deny` parameterNotFoundAction";
        return Err(Failure::internal(problem).into());
    }
    stored.iter().map(|stored| resource.decode(&attributes.call.external, stored, version)).collect()
}
