use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::{Instant, Interval, interval_at, sleep_until};

use super::{
    ApiServer, Streaming, lines,
    object::kind,
    request::Request,
    response::ResponseWriter,
    status_error::StatusError,
    storage::{EventType, WatchEvent},
};
use crate::faults::{Broken, FaultKind, Stream};

/// The timeout of a watch whose client requests none.
const DEFAULT_TIMEOUT: Duration = Duration::from_secs(1800);

/// Where a watch starts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Start {
    pub(crate) after: Option<u64>,
    /// Whether a bookmark marks the end of the initial events.
    pub(crate) marks_end: bool,
}

/// A watch, and the version up to which it has sent changes.
pub(crate) struct Watch<'a> {
    pub(crate) server: &'a ApiServer,
    pub(crate) request: &'a Request,
    pub(crate) position: u64,
}

/// Why a watch wakes up.
enum Wake {
    Change,
    Bookmark,
    Timeout,
}

impl ApiServer {
    /// Returns where a requested watch starts.
    pub(crate) fn start(&self, request: &Request) -> Result<Start, StatusError> {
        let requested =
            request.number("resourceVersion").map_err(|error| StatusError::bad_request(format!("{error:#}")))?;
        let version = requested.filter(|version| *version > 0);
        if !request.is("sendInitialEvents") || self.settings.streaming == Streaming::Ignored {
            return Ok(Start { after: version, marks_end: false });
        }
        if self.settings.streaming == Streaming::Refused {
            return Err(StatusError::streaming_disabled());
        }
        if request.get("resourceVersionMatch") != Some("NotOlderThan") {
            let message = "sendInitialEvents requires resourceVersionMatch=NotOlderThan".to_owned();
            return Err(StatusError::bad_request(message));
        }
        Ok(Start { after: None, marks_end: request.is("allowWatchBookmarks") })
    }
}

impl Watch<'_> {
    /// Sends all objects if requested, then each change until the watch ends.
    pub(crate) async fn run<S: Stream>(mut self, start: Start, to: &mut ResponseWriter<'_, S>) -> Result<(), Broken> {
        match start.after {
            Some(after) => self.position = after,
            None if !self.send_initial_events(start.marks_end, to).await? => return Ok(()),
            None => {}
        }
        let mut newest = self.server.storage.subscribe();
        let every = self.server.settings.bookmarks;
        let mut bookmarks = interval_at(Instant::now() + every, every);
        let limit = self.request.number("timeoutSeconds").ok().flatten();
        let end = Instant::now() + limit.map_or(DEFAULT_TIMEOUT, Duration::from_secs);
        loop {
            if !self.send_changes(to).await? {
                return Ok(());
            }
            to.flush().await?;
            let wake = wake(&mut newest, &mut bookmarks, end);
            match to.wire.unless_closed(wake).await? {
                Wake::Change => {}
                Wake::Timeout => return Ok(()),
                Wake::Bookmark if !self.request.is("allowWatchBookmarks") => {}
                // The position is a version that was lost when a backup was restored.
                Wake::Bookmark if self.position > self.server.storage.version() => {}
                Wake::Bookmark => {
                    let event = self.bookmark(false);
                    if !lines::send(&self, &event, to).await? {
                        return Ok(());
                    }
                }
            }
        }
    }

    /// Returns whether the watch continues.
    async fn send_initial_events<S: Stream>(
        &mut self,
        marks_end: bool,
        to: &mut ResponseWriter<'_, S>,
    ) -> Result<bool, Broken> {
        let (version, objects) = self.server.storage.newest();
        to.update(|exchange| exchange.version = Some(version));
        for object in objects.values().filter(|object| self.request.selects(object)) {
            let line = event("ADDED", object.json());
            if !lines::send(self, &line, to).await? {
                return Ok(false);
            }
        }
        self.position = version;
        if !marks_end {
            return Ok(true);
        }
        let continues = lines::send(self, &self.bookmark(true), to).await?;
        to.flush().await?;
        let altered = matches!(
            to.wire.injected_fault(),
            Some(FaultKind::BadJson | FaultKind::BadUtf8 | FaultKind::WrongEvent(_))
        );
        to.update(|exchange| exchange.sent_initial_events = continues && !altered);
        Ok(continues)
    }

    /// Returns whether the watch continues.
    async fn send_changes<S: Stream>(&mut self, to: &mut ResponseWriter<'_, S>) -> Result<bool, Broken> {
        let (changes, version) = self.server.storage.changes_after(self.position);
        for change in changes {
            let event = change.event(self.request.namespace.as_deref(), &self.request.selector);
            self.position = change.version;
            if let Some(event) = event
                && !lines::send(self, &line(&event), to).await?
            {
                return Ok(false);
            }
        }
        self.position = version.max(self.position);
        Ok(true)
    }

    fn bookmark(&self, initial_events_end: bool) -> String {
        let mut metadata = json!({ "resourceVersion": self.position.to_string(), "creationTimestamp": Value::Null });
        if initial_events_end {
            metadata["annotations"] = json!({ "k8s.io/initial-events-end": "true" });
        }
        let object = json!({ "kind": kind::KIND, "apiVersion": kind::api_version(), "metadata": metadata });
        event("BOOKMARK", &object.to_string())
    }
}

async fn wake(newest: &mut tokio::sync::watch::Receiver<u64>, bookmarks: &mut Interval, end: Instant) -> Wake {
    tokio::select! {
        _ = newest.changed() => Wake::Change,
        _ = bookmarks.tick() => Wake::Bookmark,
        () = sleep_until(end) => Wake::Timeout,
    }
}

/// Returns the line of an event.
pub(crate) fn line(watch_event: &WatchEvent) -> String {
    let event_type = match watch_event.event_type {
        EventType::Added => "ADDED",
        EventType::Modified => "MODIFIED",
        EventType::Deleted => "DELETED",
    };
    event(event_type, watch_event.object.json())
}

pub(crate) fn event(event_type: &str, object: &str) -> String {
    format!("{{\"type\":\"{event_type}\",\"object\":{object}}}\n")
}
