//! What follows from a write: definitions are served, namespaces are emptied.

use std::sync::Arc;

use serde_json::Value;

use super::{definitions, failure::Failure, resource::Resource, state::State, value::text};

pub(super) fn after_write(state: &mut State, resource: &Arc<Resource>, object: &Value) -> Result<(), Failure> {
    if resource.is_definition() {
        definitions::define(state, object)?;
        let spec = &object["spec"];
        definitions::clean_up(state, text(spec, "group"), text(&spec["names"], "plural"));
    }
    state.authorization.notice(&mut state.store, resource);
    state.admission.notice(resource);
    Ok(())
}

pub(super) fn after_removal(state: &mut State, resource: &Arc<Resource>, object: &Value) {
    if resource.is_definition() {
        let spec = &object["spec"];
        definitions::undefine(state, text(spec, "group"), text(&spec["names"], "plural"));
    }
    if resource.is_custom {
        definitions::clean_up(state, &resource.group, &resource.names.plural);
    }
    state.authorization.notice(&mut state.store, resource);
    state.admission.notice(resource);
}
