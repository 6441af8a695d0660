//! Watches.

use std::{
    collections::VecDeque,
    mem,
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};

use bytes::Bytes;
use crdkit_core::ErrorType;
use futures_util::Stream;
use http::Method;
use serde_json::{Value, json};
use tokio::{sync::watch, time::Sleep};

use super::{
    failure::Failure,
    json_text, kinds,
    list::{revision, too_large},
    observed_requests::ReceivedRequest,
    projection::View,
    request::ResourceRequest,
    resource::Resource,
    response::{Content, Reply},
    route::Route,
    selection::Selection,
    state::{SharedState, State},
    store::{Change, Stored},
    webhook_calls::{self, Answers, Stop},
};

pub(super) mod event;

use event::event;

/// The time between bookmarks.
const BOOKMARK_INTERVAL: Duration = Duration::from_secs(60);

/// The seconds before the end of a watch at which it has a bookmark.
const BOOKMARK_BEFORE_END: u64 = 2;

/// A watch, as a stream of lines.
pub(super) struct Watch {
    state: SharedState,
    call: ResourceRequest,
    selection: Selection,
    /// The revision up to which all changes are sent or queued.
    revision: u64,
    /// Whether the watch began after a revision that the server did not have. It has no bookmarks before later changes.
    is_ahead: bool,
    lines: VecDeque<Bytes>,
    changed: Pin<Box<dyn Future<Output = Option<watch::Receiver<u64>>> + Send>>,
    bookmark: Option<Pin<Box<Sleep>>>,
    end: Option<Pin<Box<Sleep>>>,
    is_over: bool,
    view: View,
    has_headers: bool,
    /// The changes that wait for a conversion.
    queue: VecDeque<Change>,
    answers: Option<Pin<Box<dyn Future<Output = Answers> + Send>>>,
}

fn unwatchable(resource: &Resource) -> Failure {
    if !resource.is_component_status() {
        return resource.method_not_allowed(&Method::GET);
    }
    let plural = &resource.names.plural;
    let message = format!("watch is not supported on resources of kind \"{plural}\"");
    Failure::new(405, "MethodNotAllowed", message).about("", plural, "")
}

pub(super) fn watch(state: &mut State, shared: SharedState, call: ResourceRequest, view: View) -> Result<Reply, Stop> {
    if !call.resource.is_stored() {
        return Err(unwatchable(&call.resource).into());
    }
    let selection = Selection::parse(&call, state.has_shards)?;
    let query = &call.query;
    let now = state.store.revision();
    let text = query.get("resourceVersion");
    let from = match text {
        "" => 0,
        text => revision(text).map_err(|error| Failure::internal(error.to_string()))?,
    };
    let is_streaming = query.flag("sendInitialEvents");
    // Other watches begin, and are silent until there are later versions.
    if from > now && is_streaming {
        return Err(too_large(from, now).into());
    }
    check_initial_events(&call)?;
    let with_bookmarks = query.flag("allowWatchBookmarks");
    let mut lines = VecDeque::new();
    let mut has_headers = false;
    let begins_with_objects = is_streaming || from == 0 && !query.has("sendInitialEvents");
    let collection = state.store.collection(&call.resource.collection());
    let mut revision = from;
    if begins_with_objects {
        let namespace = call.target.namespace.as_deref();
        for (_, stored) in collection.range(namespace, None) {
            if selection.selects(&call, stored)? {
                lines.push_back(line("ADDED", &call, stored, view, &mut has_headers)?);
            }
        }
        revision = now;
        if with_bookmarks {
            lines.push_back(bookmark(&call, now, true, view, &mut has_headers));
        }
    } else if from == 0 {
        revision = now;
    }
    let mut changes = Vec::new();
    let mut is_over = false;
    if !begins_with_objects {
        match collection.changes_after(revision) {
            Ok(found) => changes = found.cloned().collect(),
            // The watch begins, and ends with this event.
            Err(_) => {
                lines.push_back(too_old(from, now));
                is_over = true;
            }
        }
    }
    let receiver = collection.subscribe();
    let timeout = query.number::<u64>("timeoutSeconds")?.filter(|seconds| *seconds > 0);
    let mut watch = Watch {
        state: shared,
        selection,
        revision,
        is_ahead: from > now,
        lines,
        changed: wait(receiver),
        bookmark: with_bookmarks.then(|| Box::pin(tokio::time::sleep(first_bookmark(timeout)))),
        end: timeout.map(|seconds| Box::pin(tokio::time::sleep(Duration::from_secs(seconds)))),
        is_over,
        view,
        has_headers,
        call,
        queue: VecDeque::new(),
        answers: None,
    };
    watch.add(changes);
    let request = ReceivedRequest::new(&watch.call.request, &Route::Resource(watch.call.target.clone()));
    Ok(Reply::new(200, Content::Watch(state.watches.add(request, Box::pin(watch)))))
}

/// Gets the answers of a webhook about the objects that a watch may begin with.
pub(super) fn convert_watched(state: &mut State, call: &ResourceRequest) -> Result<(), Stop> {
    if !call.resource.conversion.is_webhook() {
        return Ok(());
    }
    let objects = state.store.collection(&call.resource.collection()).range(call.target.namespace.as_deref(), None);
    // The watch has the failures.
    let convert = |stored| call.resource.decode(&call.external, stored, call.version).map(drop);
    webhook_calls::all(objects.map(|(_, stored)| convert(stored))).map(drop)
}

/// Returns the time before the first bookmark of a watch that ends after some seconds.
fn first_bookmark(timeout: Option<u64>) -> Duration {
    let before_end = timeout.and_then(|seconds| seconds.checked_sub(BOOKMARK_BEFORE_END)).filter(|it| *it > 0);
    before_end.map_or(BOOKMARK_INTERVAL, |seconds| BOOKMARK_INTERVAL.min(Duration::from_secs(seconds)))
}

fn check_initial_events(call: &ResourceRequest) -> Result<(), Failure> {
    let query = &call.query;
    let matching = query.get("resourceVersionMatch");
    let error = |place, detail| Err(Failure::invalid_option("ListOptions", place, ErrorType::Forbidden, None, detail));
    match (query.has("sendInitialEvents"), matching) {
        (false, "") | (true, "NotOlderThan") => Ok(()),
        (false, _) => error(
            "resourceVersionMatch",
            "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided",
        ),
        (true, "") => {
            error("resourceVersionMatch", "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan")
        }
        (true, _) => {
            error("resourceVersionMatch", "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan")
        }
    }
}

fn wait(mut receiver: watch::Receiver<u64>) -> Pin<Box<dyn Future<Output = Option<watch::Receiver<u64>>> + Send>> {
    Box::pin(async move { receiver.changed().await.ok().map(|()| receiver) })
}

fn line(
    kind: &str,
    call: &ResourceRequest,
    stored: &Stored,
    view: View,
    has_headers: &mut bool,
) -> Result<Bytes, Stop> {
    if view.is_whole() && call.resource.is_current(stored, call.version) {
        return Ok(event(kind, stored.json_value()));
    }
    let object = call.resource.decode(&call.external, stored, call.version)?;
    let shown = view.event(call, object, *has_headers);
    *has_headers = true;
    Ok(event(kind, &json_text::to_bytes(&shown)))
}

/// The event of a watch whose next changes are compacted.
fn too_old(revision: u64, now: u64) -> Bytes {
    let failure = Failure::expired(format!("too old resource version: {revision} ({now})"));
    event("ERROR", &json_text::to_bytes(&failure.to_json()))
}

fn bookmark(call: &ResourceRequest, revision: u64, is_initial: bool, view: View, has_headers: &mut bool) -> Bytes {
    let mut object = json!({
        "kind": call.kind(), "apiVersion": call.api_version(),
        "metadata": { "resourceVersion": revision.to_string() },
    });
    if !call.resource.is_custom
        && let Some(empty) = kinds::empty(&call.resource.group, &call.version().spec.name, call.kind())
        && let Value::Object(members) = &mut object
    {
        members.extend(empty.read.clone());
    }
    if is_initial {
        object["metadata"]["annotations"] = json!({ "k8s.io/initial-events-end": "true" });
    }
    let shown = view.event(call, object, mem::replace(has_headers, true));
    event("BOOKMARK", &json_text::to_bytes(&shown))
}

impl Watch {
    /// Adds the lines of changes since the last ones.
    fn read_changes(&mut self) {
        let (now, time, changes) = self.state.with(|state| {
            let changes = state.store.collection(&self.call.resource.collection()).changes_after(self.revision);
            let changes = changes.map(|changes| changes.cloned().collect::<Vec<Change>>());
            (state.store.revision(), state.clock.now().as_second(), changes)
        });
        self.view = self.view.at(time);
        let Ok(changes) = changes else {
            self.lines.push_back(too_old(self.revision, now));
            self.is_over = true;
            return;
        };
        self.add(changes);
        if !self.is_ahead {
            // Not back to that of an older state that was restored.
            self.revision = self.revision.max(now);
        }
    }

    /// Adds a bookmark after all changes. Its revision is that of the server, since lists have it too: an informer compares
    /// them.
    fn add_bookmark(&mut self) {
        self.read_changes();
        if !(self.is_ahead || self.is_over || self.answers.is_some()) {
            let line = bookmark(&self.call, self.revision, false, self.view, &mut self.has_headers);
            self.lines.push_back(line);
        }
    }

    fn add(&mut self, changes: Vec<Change>) {
        if let Some(last) = changes.last() {
            self.revision = last.revision;
            self.is_ahead = false;
        }
        self.queue.extend(changes);
        self.write_queued();
    }

    /// Adds the lines of queued changes, up to one whose object a webhook has to convert.
    fn write_queued(&mut self) {
        while self.answers.is_none()
            && let Some(change) = self.queue.pop_front()
        {
            match self.line_of(&change) {
                Err(Stop::AwaitsWebhooks) => {
                    self.answers = Some(self.call.external.start());
                    self.queue.push_front(change);
                }
                Ok(line) => self.lines.extend(line),
                Err(Stop::Fails(failure)) => {
                    self.lines.push_back(event("ERROR", &json_text::to_bytes(&failure.to_json())));
                }
            }
        }
    }

    /// Returns the event of a change for this watch: an object that begins to match is added, one that ceases is deleted.
    fn line_of(&mut self, change: &Change) -> Result<Option<Bytes>, Stop> {
        let namespace = self.call.target.namespace.as_deref();
        if namespace.is_some_and(|namespace| change.key.namespace != namespace) {
            return Ok(None);
        }
        let was = change.before.as_ref().map_or(Ok(false), |before| self.matches(before));
        let is = if change.is_deletion { Ok(false) } else { self.matches(&change.after) };
        // The questions of both are known.
        match (was?, is?) {
            (false, false) => Ok(None),
            (false, true) => self.line("ADDED", &change.after).map(Some),
            (true, true) => self.line("MODIFIED", &change.after).map(Some),
            (true, false) if change.is_deletion => self.line("DELETED", &change.after).map(Some),
            (true, false) => self.vanished(change).map(Some),
        }
    }

    fn line(&mut self, kind: &str, stored: &Stored) -> Result<Bytes, Stop> {
        line(kind, &self.call, stored, self.view, &mut self.has_headers)
    }

    /// An object that no longer matches is reported as it was, with the version of the change.
    fn vanished(&mut self, change: &Change) -> Result<Bytes, Stop> {
        let before = change.before.as_ref().unwrap_or(&change.after);
        let mut object = self.call.resource.decode(&self.call.external, before, self.call.version)?;
        object["metadata"]["resourceVersion"] = change.revision.to_string().into();
        let shown = self.view.event(&self.call, object, mem::replace(&mut self.has_headers, true));
        Ok(event("DELETED", &json_text::to_bytes(&shown)))
    }

    fn matches(&self, stored: &Stored) -> Result<bool, Stop> {
        self.selection.selects(&self.call, stored)
    }

    fn poll_line(&mut self, cx: &mut Context<'_>) -> Poll<Option<Bytes>> {
        loop {
            if let Some(line) = self.lines.pop_front() {
                return Poll::Ready(Some(line));
            }
            if let Some(answers) = &mut self.answers {
                let Poll::Ready(answers) = answers.as_mut().poll(cx) else { return Poll::Pending };
                self.answers = None;
                self.call.external.replace(answers);
                self.write_queued();
                continue;
            }
            if self.is_over {
                return Poll::Ready(None);
            }
            if self.end.as_mut().is_some_and(|end| end.as_mut().poll(cx).is_ready()) {
                return Poll::Ready(None);
            }
            match self.changed.as_mut().poll(cx) {
                Poll::Ready(Some(receiver)) => {
                    self.changed = wait(receiver);
                    self.read_changes();
                    continue;
                }
                // The resource is no longer served.
                Poll::Ready(None) => return Poll::Ready(None),
                Poll::Pending => {}
            }
            let Some(timer) = &mut self.bookmark else {
                return Poll::Pending;
            };
            if timer.as_mut().poll(cx).is_pending() {
                return Poll::Pending;
            }
            self.bookmark = Some(Box::pin(tokio::time::sleep(BOOKMARK_INTERVAL)));
            self.add_bookmark();
        }
    }
}

impl Stream for Watch {
    type Item = Bytes;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Bytes>> {
        self.poll_line(cx)
    }
}
