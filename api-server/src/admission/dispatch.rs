//! Calls of webhooks, in their order.

use std::{collections::HashSet, sync::Arc};

use futures_util::{FutureExt, future::BoxFuture};
use serde_json::{Value, json};

use super::{
    attributes::Attributes,
    conditions,
    matching::select,
    response::{self, Response},
    webhook::{Handler, Webhook},
};
use crate::{
    failure::Failure,
    patch::json,
    store::Store,
    webhook_calls::{self, Answer, Stop},
};

/// Which webhooks are called again, because a later one changed the object.
#[derive(Default)]
struct Reinvocation {
    /// Those that were called since the last change, and want to be called again after the next one.
    called: HashSet<usize>,
    /// Those that are called again.
    wanted: HashSet<usize>,
    /// Whether any webhook changed the object.
    is_needed: bool,
}

/// Calls mutating webhooks one after the other, and returns the object; null for a deletion.
pub(super) fn call_mutating(
    store: &Store,
    webhooks: &[Arc<Webhook>],
    mut attributes: Attributes<'_>,
) -> Result<Value, Stop> {
    let mut reinvocation = Reinvocation::default();
    mutating_round(store, webhooks, &mut attributes, &mut reinvocation, false)?;
    if reinvocation.is_needed {
        mutating_round(store, webhooks, &mut attributes, &mut reinvocation, true)?;
    }
    Ok(attributes.object.unwrap_or_default())
}

fn mutating_round(
    store: &Store,
    webhooks: &[Arc<Webhook>],
    attributes: &mut Attributes<'_>,
    reinvocation: &mut Reinvocation,
    is_again: bool,
) -> Result<(), Stop> {
    for (index, webhook) in webhooks.iter().enumerate() {
        let Some(version) = matched_version(store, webhook, attributes)? else { continue };
        if is_again && !reinvocation.wanted.remove(&index) {
            continue;
        }
        let is_changed = match ask(webhook, attributes, version, is_again)? {
            Some(response) => apply_patch(webhook, attributes, version, &response)?,
            None => false,
        };
        if is_changed {
            reinvocation.wanted.extend(reinvocation.called.drain());
            reinvocation.is_needed = true;
        }
        if webhook.is_reinvoked {
            reinvocation.called.insert(index);
        }
    }
    Ok(())
}

/// Returns the version of the objects for a webhook; `None` if it is not called.
fn matched_version(store: &Store, webhook: &Webhook, attributes: &Attributes<'_>) -> Result<Option<usize>, Stop> {
    let Some(version) = select(store, &webhook.selection, attributes)? else { return Ok(None) };
    let is_matched = webhook.conditions.is_empty()
        || conditions::are_met(&webhook.conditions, webhook.ignores_failures, attributes, version)?;
    Ok(is_matched.then_some(version))
}

/// Calls validating webhooks at the same time.
pub(super) fn call_validating(
    store: &Store,
    webhooks: &[Arc<Webhook>],
    attributes: &Attributes<'_>,
) -> Result<(), Stop> {
    let mut matched = Vec::new();
    for webhook in webhooks {
        if let Some(version) = matched_version(store, webhook, attributes)? {
            matched.push((webhook, version));
        }
    }
    let outcomes = matched.into_iter().map(|(webhook, version)| ask(webhook, attributes, version, false));
    for outcome in webhook_calls::all(outcomes)? {
        outcome?;
    }
    Ok(())
}

/// Returns the response of a webhook that allows the request; `None` if the call failed, which the webhook ignores.
fn ask(
    webhook: &Webhook,
    attributes: &Attributes<'_>,
    version: usize,
    is_again: bool,
) -> Result<Option<Response>, Stop> {
    let call = attributes.call;
    if call.is_dry_run() && !webhook.supports_dry_run {
        let message = format!("admission webhook \"{}\" does not support dry run", webhook.name);
        return Err(Failure::bad_request(message).into());
    }
    let request = attributes.request(version)?;
    let (configuration, name, is_mutating) = (&webhook.configuration, &webhook.name, webhook.is_mutating);
    let question = format!("{configuration}/{name}/{is_mutating}/{is_again} {request}");
    let answer = call.external.answer(question, || start(webhook, request))?;
    let response = match answer {
        Ok(response) => Response(response),
        Err(reason) => {
            fail_unless_ignored(webhook, &reason)?;
            return Ok(None);
        }
    };
    response.warnings().for_each(|warning| call.warn(warning));
    if response.is_allowed() { Ok(Some(response)) } else { Err(response.denial(name).into()) }
}

/// Returns the failure of a call, unless the webhook ignores it.
fn fail_unless_ignored(webhook: &Webhook, reason: &str) -> Result<(), Failure> {
    if webhook.ignores_failures {
        return Ok(());
    }
    Err(Failure::internal_error(&format!("failed calling webhook \"{}\": {reason}", webhook.name)))
}

/// Starts a call, whose answer is the checked `response` of the review.
fn start(webhook: &Webhook, mut request: Value) -> BoxFuture<'static, Answer> {
    let Some(version) = webhook.review_version else {
        let reason =
            "could not create admission objects: webhook does not accept known AdmissionReview versions (v1, v1beta1)";
        return std::future::ready(Err(reason.to_owned())).boxed();
    };
    let uid = response::new_uid();
    request["uid"] = uid.as_str().into();
    let api_version = format!("admission.k8s.io/{version}");
    let review = json!({ "kind": "AdmissionReview", "apiVersion": api_version, "request": request });
    let is_mutating = webhook.is_mutating;
    let answer = match &webhook.handler {
        Handler::Closure(closure) => closure(review),
        Handler::Client(address) => address.clone().post(review, webhook.timeout).boxed(),
    };
    async move { response::check(answer.await?, &uid, version, is_mutating) }.boxed()
}

/// Applies the patch of a response, and returns whether it changed the object.
fn apply_patch(
    webhook: &Webhook,
    attributes: &mut Attributes<'_>,
    version: usize,
    response: &Response,
) -> Result<bool, Stop> {
    let operations = match response.patch() {
        Ok(Some(operations)) => operations,
        Ok(None) => return Ok(false),
        Err(reason) => {
            fail_unless_ignored(webhook, &reason)?;
            return Ok(false);
        }
    };
    let Some(before) = attributes.in_version(attributes.object.as_ref(), version)? else {
        return Err(Failure::internal_error(&format!(
            "admission webhook \"{}\" attempted to modify the object, which is not supported for this operation",
            webhook.name
        ))
        .into());
    };
    let mut object = before.clone();
    json::apply(&mut object, operations).map_err(|error| Failure::internal_error(&error))?;
    if let Some(schema) = &attributes.call.resource.versions[version].schema {
        schema.prune_and_default(&mut object);
    }
    let read = attributes.call.resource.read(version, &mut object);
    read.map_err(|error| Failure::internal_error(&error.message))?;
    if !attributes.call.resource.is_custom {
        attributes.call.resource.set_defaults(&mut object);
    }
    let is_changed = object != before;
    if is_changed {
        let requested = attributes.call.version;
        attributes.object = if version == requested {
            Some(object)
        } else {
            Some(attributes.call.resource.convert(&attributes.call.external, object, requested)?)
        };
    }
    Ok(is_changed)
}
