//! Admission: webhooks, closures and policies that change or refuse what a request writes.

use serde_json::Value;

use super::{request::ResourceRequest, state::State, webhook_calls::Stop};
use attributes::{Attributes, Operation};
use policy::run;

mod attributes;
pub(super) mod client;
mod closures;
mod conditions;
pub(super) mod configuration;
mod dispatch;
mod expression;
#[cfg(feature = "webhook")]
mod in_process;
pub(super) mod limit_ranger;
mod matching;
mod policy;
pub(super) mod priority;
pub(super) mod registered;
pub(super) mod response;
mod webhook;

/// Lets webhooks change an object that is to be written.
pub(super) fn mutate(
    state: &mut State,
    call: &ResourceRequest,
    old: Option<&Value>,
    object: Value,
) -> Result<Value, Stop> {
    let webhooks = state.admission.webhooks(&state.store, call);
    if webhooks.mutating.is_empty() {
        return Ok(object);
    }
    let operation = if old.is_none() { Operation::Create } else { Operation::Update };
    let authorizer = state.authorization.authorizer(&state.store);
    let attributes = Attributes::new(call, operation, Some(object), old.cloned(), authorizer);
    dispatch::call_mutating(&state.store, &webhooks.mutating, attributes)
}

/// Lets webhooks refuse an object that is to be written.
pub(super) fn check(state: &mut State, call: &ResourceRequest, old: Option<&Value>, new: &Value) -> Result<(), Stop> {
    let operation = if old.is_none() { Operation::Create } else { Operation::Update };
    let webhooks = state.admission.webhooks(&state.store, call);
    if webhooks.validating.is_empty() && webhooks.policies.is_empty() {
        return Ok(());
    }
    let authorizer = state.authorization.authorizer(&state.store);
    let attributes = Attributes::new(call, operation, Some(new.clone()), old.cloned(), authorizer);
    run::check(state, &webhooks.policies, &attributes)?;
    dispatch::call_validating(&state.store, &webhooks.validating, &attributes)
}

/// Lets webhooks refuse the deletion of an object.
pub(super) fn check_deletion(state: &mut State, call: &ResourceRequest, old: &Value) -> Result<(), Stop> {
    let webhooks = state.admission.webhooks(&state.store, call);
    if webhooks.mutating.is_empty() && webhooks.validating.is_empty() && webhooks.policies.is_empty() {
        return Ok(());
    }
    let authorizer = state.authorization.authorizer(&state.store);
    let attributes = || Attributes::new(call, Operation::Delete, None, Some(old.clone()), authorizer.clone());
    dispatch::call_mutating(&state.store, &webhooks.mutating, attributes())?;
    run::check(state, &webhooks.policies, &attributes())?;
    dispatch::call_validating(&state.store, &webhooks.validating, &attributes())
}
