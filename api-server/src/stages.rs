//! What happens to a request, in order.
//!
//! Each stage is a function of the module that it belongs to. A new verb is a line of [`verbs::verb`], a new step of writes one of
//! [`create`] and [`replace`]; deletions have theirs in `delete.rs`.

use std::sync::Arc;

use http::Response;
use serde_json::Value;
use tower::BoxError;

use super::{
    admission::{self, limit_ranger, priority},
    controllers::running,
    documents,
    draft::Draft,
    failure::Failure,
    faults::rules::{Outcome, Plan, refused, reset},
    health,
    managed_fields::keep_times,
    negotiation::Accepted,
    observed_requests::ReceivedRequest,
    options,
    projection::View,
    request::{Request, ResourceRequest},
    resolve::resolve,
    response::{
        Reply, Written,
        encode::{ResponseBody, encode, encode_fault},
    },
    route::Route,
    state::{SharedState, State},
    store::Key,
    tokens,
    user::User,
    validation::WrittenPart,
    value::text,
    verbs, watch,
    webhook_calls::Stop,
    write::{self, Operation},
};

/// How far a request is.
enum Progress {
    Complete(Response<ResponseBody>),
    /// The request needs the answers of webhooks.
    Waiting(Box<ResourceRequest>),
}

/// Everything between a request and its response.
pub(super) async fn exchange(
    shared: &SharedState,
    sender: &Arc<User>,
    request: Request,
) -> Result<Response<ResponseBody>, BoxError> {
    let route = Route::parse(request.uri.path());
    let received = ReceivedRequest::new(&request, &route);
    let Plan { delay, outcome } = if_running(shared, |state| state.faults.plan(&received, &state.resources))?;
    if !delay.is_zero() {
        tokio::time::sleep(delay).await;
        if_running(shared, |_| ())?;
    }
    let is_answered = match outcome {
        Outcome::Process => true,
        Outcome::LoseResponse => false,
        Outcome::Fail(failure, retry_after) => {
            shared.with(|state| state.journal.record(received, Some(failure.code), &[], true));
            return Ok(encode_fault(failure, retry_after));
        }
        Outcome::Disconnect => {
            shared.with(|state| state.journal.record(received, None, &[], true));
            return Err(reset().into());
        }
    };
    let mut received = Some(received);
    let mut finish = |state: &mut State, progress: Progress| {
        if let Progress::Complete(response) = &progress
            && let Some(received) = received.take()
        {
            let code = is_answered.then(|| response.status().as_u16());
            let writes = state.store.take_writes();
            // Before controllers write, so that the journal has only what the request has changed.
            state.journal.record(received, code, &writes, !is_answered);
            running::settle_after(state, writes);
        }
        progress
    };
    let mut progress = shared.with(|state| {
        let progress = respond(state, shared, sender, route, request);
        finish(state, progress)
    });
    let response = loop {
        let mut call = match progress {
            Progress::Complete(response) => break response,
            Progress::Waiting(call) => call,
        };
        // The state is free in the meantime: the webhooks may send requests themselves.
        call.external.wait().await;
        progress = if_running(shared, |state| {
            let progress = process(state, shared, *call);
            finish(state, progress)
        })?;
    };
    if is_answered { Ok(response) } else { Err(reset().into()) }
}

/// Reads or changes the state, unless the server is stopped.
fn if_running<T>(shared: &SharedState, action: impl FnOnce(&mut State) -> T) -> Result<T, BoxError> {
    shared.with(|state| if state.is_stopped { Err(refused().into()) } else { Ok(action(state)) })
}

/// Responds to a request, as far as that is possible without the answers of webhooks.
fn respond(state: &mut State, shared: &SharedState, sender: &Arc<User>, route: Route, request: Request) -> Progress {
    let accepted = Accepted::of(&request);
    let user = match authorize(state, sender, &request, &route) {
        Ok(user) => user,
        Err(failure) => return Progress::Complete(encode(Err(failure), accepted, &[])),
    };
    let reply = match route {
        Route::Health(path) => Ok(health::respond(&request, &path)),
        Route::Document(path) => documents::respond(&request, &path, state.resources.iter().map(AsRef::as_ref)),
        Route::Resource(target) => match resolve(&state.resources, target, request, user) {
            Ok(Some(call)) => return process(state, shared, call),
            Ok(None) => Ok(Reply::no_such_path()),
            Err(failure) => Err(failure),
        },
    };
    Progress::Complete(encode(reply, accepted, &[]))
}

/// Returns the user of a request. It needs only the path, so that a refusal does not depend on which resources there are.
fn authorize(state: &mut State, sender: &Arc<User>, request: &Request, route: &Route) -> Result<Arc<User>, Failure> {
    let account = tokens::sender(state, request)?;
    let sender = account.as_ref().unwrap_or(sender);
    let user = state.authorization.authenticate(&state.store, sender, request)?;
    state.authorization.authorize_request(&state.store, &user, request, route)?;
    Ok(user)
}

/// Processes a request for a resource. It starts here again if it waited for webhooks.
fn process(state: &mut State, shared: &SharedState, call: ResourceRequest) -> Progress {
    // The server of custom resources warns about requests that it refuses, too.
    if call.resource.is_custom || call.is_watch() {
        call.warn_about_version();
    }
    if call.is_watch() {
        return begin_watch(state, shared, call);
    }
    let reply = match reply(state, &call) {
        Ok(reply) => Ok(reply),
        Err(Stop::Fails(failure)) => Err(failure),
        Err(Stop::AwaitsWebhooks) => return Progress::Waiting(Box::new(call)),
    };
    let warnings = call.warnings.borrow();
    let accepted = Accepted::of(&call.request);
    Progress::Complete(encode(reply, accepted, &warnings))
}

/// Begins a watch, which keeps the call and shows objects itself.
fn begin_watch(state: &mut State, shared: &SharedState, call: ResourceRequest) -> Progress {
    if watch::convert_watched(state, &call).is_err() {
        return Progress::Waiting(Box::new(call));
    }
    let accepted = Accepted::of(&call.request);
    let warnings = call.warnings.take();
    let reply = View::of(&call, state.clock.now().as_second()).and_then(|view| {
        let reply = watch::watch(state, shared.clone(), call, view).map_err(Stop::into_failure)?;
        view.stream(reply)
    });
    Progress::Complete(encode(reply, accepted, &warnings))
}

fn reply(state: &mut State, call: &ResourceRequest) -> Result<Reply, Stop> {
    let view = View::of(call, state.clock.now().as_second())?;
    let verb = verbs::verb(call)?;
    call.warn_about_version();
    options::check(call)?;
    let reply = verb(state, call)?;
    Ok(view.apply(call, reply)?)
}

/// Writes what a verb has drafted.
pub(super) fn write_object(draft: Draft, state: &mut State, call: &ResourceRequest) -> Result<Written, Stop> {
    let Draft { part, old, new, operation } = draft;
    match old {
        None => create(state, call, new, operation),
        Some(old) => replace(state, call, part, &old, new, operation),
    }
}

/// Creates an object, and returns it.
pub(super) fn create(
    state: &mut State,
    call: &ResourceRequest,
    mut object: Value,
    operation: Operation,
) -> Result<Written, Stop> {
    let has_version = !matches!(text(&object["metadata"], "resourceVersion"), "" | "0");
    write::check_namespace(call, &mut object)?;
    write::wipe_metadata(&mut object);
    call.resource.set_defaults(&mut object);
    // Before admission, because what that changes has no manager.
    if operation == Operation::Update {
        write::track(state, call, None, &mut object)?;
    }
    write::check_not_terminating(call, &object)?;
    write::check_namespace_exists(state, call, &object)?;
    call.resource.admit(&mut object);
    limit_ranger::set_defaults(state, call, &mut object);
    priority::set_priority(state, call, &mut object)?;
    object = admission::mutate(state, call, None, object)?;
    // After webhooks, which may add permissions to a role.
    state.authorization.authorize_write(&state.store, call, None, &object)?;
    // Also after them: they see neither a generated name nor a UID.
    write::fill_metadata(state, call, &mut object);
    write::prepare_create(call, &mut object);
    write::check_object(call, WrittenPart::Main, None, &object)?;
    limit_ranger::check(state, call, &object)?;
    // These webhooks see only valid objects.
    admission::check(state, call, None, &object)?;
    if has_version && !call.is_dry_run() {
        return Err(Failure::internal("resourceVersion should not be set on objects to be created").into());
    }
    let key = Key::new(text(&object["metadata"], "namespace"), text(&object["metadata"], "name"));
    write::check_unused(state, call, &key, &object)?;
    if operation == Operation::Apply {
        write::complete_applied(call, &mut object);
    }
    write::commit(state, call, &key, object)
}

/// Replaces an object, and returns the new one. What a step has in common with one of [`create`] has the same reason for its place.
fn replace(
    state: &mut State,
    call: &ResourceRequest,
    part: WrittenPart,
    old: &Value,
    mut new: Value,
    operation: Operation,
) -> Result<Written, Stop> {
    write::check_namespace(call, &mut new)?;
    call.resource.set_defaults(&mut new);
    if operation == Operation::Update {
        write::track(state, call, Some(old), &mut new)?;
    }
    // Webhooks have changed and allowed a scale already, and not the object that has it.
    if !call.is_scale() {
        call.resource.admit(&mut new);
        new = admission::mutate(state, call, Some(old), new)?;
    }
    state.authorization.authorize_write(&state.store, call, Some(old), &new)?;
    write::check_preconditions(call, old, &new)?;
    write::keep_metadata(old, &mut new);
    write::prepare_update(call, part, old, &mut new);
    write::check_object(call, part, Some(old), &new)?;
    if !call.is_scale() {
        admission::check(state, call, Some(old), &new)?;
    }
    keep_times(old, &mut new);
    if write::is_unchanged(old, &new) && write::is_written_as_read(state, call)? {
        return Ok(old.clone().into());
    }
    if operation == Operation::Apply {
        write::complete_applied(call, &mut new);
    }
    let key = call.key();
    if write::ends_deletion(call, old, &new) {
        return Ok(write::remove(state, call, &key, new).into());
    }
    write::commit(state, call, &key, new)
}
