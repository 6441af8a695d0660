use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::{Instant, Interval, interval_at, sleep_until};

use super::{
    ApiServer, Streaming,
    answer::Answering,
    lines,
    object::kind,
    refusal::Refusal,
    request::Request,
    storage::{Told, What},
};
use crate::faults::{Broken, Kind, Stream};

/// How long a watch goes on whose client does not say.
const LONGEST: Duration = Duration::from_secs(1800);

/// Where a watch begins.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Start {
    pub(crate) after: Option<u64>,
    /// Whether a bookmark says when all objects have been told.
    pub(crate) says_end: bool,
}

/// A watch, and how far it has come.
pub(crate) struct Watch<'a> {
    pub(crate) server: &'a ApiServer,
    pub(crate) request: &'a Request,
    pub(crate) position: u64,
}

/// What ends a wait of a watch.
enum Wake {
    Change,
    Bookmark,
    Timeout,
}

impl ApiServer {
    /// Where the watch begins that is asked for.
    pub(crate) fn start(&self, request: &Request) -> Result<Start, Refusal> {
        let version = request.number("resourceVersion");
        let version = version.map_err(|error| Refusal::bad_request(format!("{error:#}")))?;
        let version = version.filter(|version| *version > 0);
        if !request.is("sendInitialEvents") || self.settings.streaming == Streaming::Ignored {
            return Ok(Start { after: version, says_end: false });
        }
        if self.settings.streaming == Streaming::Refused {
            return Err(Refusal::of_streaming());
        }
        if request.get("resourceVersionMatch") != Some("NotOlderThan") {
            let message = "sendInitialEvents requires resourceVersionMatch=NotOlderThan".to_owned();
            return Err(Refusal::bad_request(message));
        }
        Ok(Start { after: None, says_end: request.is("allowWatchBookmarks") })
    }
}

impl Watch<'_> {
    /// Tells all objects, then every change, until the client has had enough.
    pub(crate) async fn run<S: Stream>(mut self, start: Start, to: &mut Answering<'_, S>) -> Result<(), Broken> {
        match start.after {
            Some(after) => self.position = after,
            None if !self.tell_all(start.says_end, to).await? => return Ok(()),
            None => {}
        }
        let mut newest = self.server.storage.follow();
        let every = self.server.settings.bookmarks;
        let mut bookmarks = interval_at(Instant::now() + every, every);
        let limit = self.request.number("timeoutSeconds").ok().flatten();
        let end = Instant::now() + limit.map_or(LONGEST, Duration::from_secs);
        loop {
            if !self.tell_changes(to).await? {
                return Ok(());
            }
            to.flush().await?;
            let wake = wake(&mut newest, &mut bookmarks, end);
            match to.wire.unless_closed(wake).await? {
                Wake::Change => {}
                Wake::Timeout => return Ok(()),
                Wake::Bookmark if !self.request.is("allowWatchBookmarks") => {}
                // The version is one of a future that was lost when a backup was restored.
                Wake::Bookmark if self.position > self.server.storage.version() => {}
                Wake::Bookmark => {
                    let told = self.bookmark(false);
                    if !lines::send(&self, &told, to).await? {
                        return Ok(());
                    }
                }
            }
        }
    }

    /// Whether the watch goes on.
    async fn tell_all<S: Stream>(&mut self, says_end: bool, to: &mut Answering<'_, S>) -> Result<bool, Broken> {
        let (version, objects) = self.server.storage.newest();
        to.note(|exchange| exchange.version = Some(version));
        for object in objects.values().filter(|object| self.request.sees(object)) {
            let line = event("ADDED", object.json());
            if !lines::send(self, &line, to).await? {
                return Ok(false);
            }
        }
        self.position = version;
        if !says_end {
            return Ok(true);
        }
        let goes_on = lines::send(self, &self.bookmark(true), to).await?;
        to.flush().await?;
        let altered = matches!(to.wire.struck(), Some(Kind::BadJson | Kind::BadUtf8 | Kind::WrongEvent(_)));
        to.note(|exchange| exchange.told_all = goes_on && !altered);
        Ok(goes_on)
    }

    /// Whether the watch goes on.
    async fn tell_changes<S: Stream>(&mut self, to: &mut Answering<'_, S>) -> Result<bool, Broken> {
        let (changes, version) = self.server.storage.changes_after(self.position);
        for change in changes {
            let told = change.told(self.request.namespace.as_deref(), &self.request.selector);
            self.position = change.version;
            if let Some(told) = told
                && !lines::send(self, &line(&told), to).await?
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

/// The line of a change.
pub(crate) fn line(told: &Told) -> String {
    let what = match told.what {
        What::Added => "ADDED",
        What::Modified => "MODIFIED",
        What::Deleted => "DELETED",
    };
    event(what, told.object.json())
}

pub(crate) fn event(what: &str, object: &str) -> String {
    format!("{{\"type\":\"{what}\",\"object\":{object}}}\n")
}
