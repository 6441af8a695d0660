use std::time::Duration;

use bytes::Bytes;
use futures_util::{Stream, StreamExt, stream};
use kube_core::Resource;

use super::{
    line::{Bookmark, Line, line},
    lines::{LineTooLong, LinesError},
};
use crate::client::{
    decode,
    endpoint::{Endpoint, RequestTarget},
    error::{Error, Mismatch, TimeoutPhase},
    error_response::from_event,
    limits::Limit,
    request::{Request, Verb},
    resources::Object,
    response_kind::{ExpectedTypes, NotExpected},
};

/// A change of an object.
#[derive(Clone, Debug, PartialEq)]
pub enum WatchEvent<K> {
    /// The object was created, or now matches the selectors.
    Added(K),
    /// The object was modified.
    Modified(K),
    /// The object was deleted, or no longer matches the selectors. This is its last state.
    Deleted(K),
    /// The watch has progressed to this version.
    Bookmark {
        /// The resourceVersion from which another watch can continue.
        resource_version: String,
        /// Whether all initial objects have been sent.
        initial_events_end: bool,
    },
}

impl<K: Resource> WatchEvent<K> {
    /// Returns the object, unless this is a bookmark.
    pub fn object(&self) -> Option<&K> {
        match self {
            Self::Added(object) | Self::Modified(object) | Self::Deleted(object) => Some(object),
            Self::Bookmark { .. } => None,
        }
    }

    /// Returns the resourceVersion from which another watch can continue.
    pub fn resource_version(&self) -> Option<&str> {
        match self {
            Self::Bookmark { resource_version, .. } => Some(resource_version),
            _ => self.object()?.meta().resource_version.as_deref(),
        }
    }
}

/// Decodes the events, up to the first error that does not concern a single object.
pub(super) fn read<K: Object>(
    endpoint: Endpoint<K>,
    lines: impl Stream<Item = Result<Bytes, LinesError>> + Send,
    limit: Duration,
) -> impl Stream<Item = Result<WatchEvent<K>, Error>> + Send {
    let events = lines.map(move |line| {
        let request = Request::collection(Verb::Watch);
        match line {
            Ok(line) => endpoint.read_event(&request, &line),
            Err(LinesError::Broken(source)) => {
                Err(Error::Transport { operation: Box::new(endpoint.operation(&request)), source: source.into() })
            }
            Err(LinesError::Elapsed) => Err(endpoint.exceeded(&request, TimeoutPhase::Watch, limit)),
            Err(LinesError::TooLong(LineTooLong)) => Err(endpoint.too_large(&request, Limit::WatchEvent)),
        }
    });
    stream::unfold(Some(Box::pin(events)), |events| async {
        let mut events = events?;
        let event = events.next().await?;
        let has_next = event.as_ref().map_or_else(is_about_one_object, |_| true);
        Some((event, has_next.then_some(events)))
    })
}

/// Returns whether an error concerns a single object, so that the watch continues.
fn is_about_one_object(error: &Error) -> bool {
    matches!(error, Error::Decode(_) | Error::TooLarge { limit: Limit::Depth, .. })
}

impl<K: Object> Endpoint<K> {
    fn read_event(&self, request: &Request<'_>, text: &[u8]) -> Result<WatchEvent<K>, Error> {
        let line = line(text).map_err(|_| self.invalid_event(request, "an invalid line"))?;
        let object = |json: &str| {
            decode::typed_object(self.expected(), json.as_bytes(), self.limit(Limit::Depth))
                .map_err(|failure| failure.into_error(self.operation(request)))
        };
        match line {
            Line::Added(json) => object(json).map(WatchEvent::Added),
            Line::Modified(json) => object(json).map(WatchEvent::Modified),
            Line::Deleted(json) => object(json).map(WatchEvent::Deleted),
            Line::Bookmark(json) => self.read_bookmark(request, json).map(WatchEvent::from),
            Line::Error(json) => Err(self.ended(request, json.as_bytes())),
        }
    }
}

impl RequestTarget {
    fn read_bookmark(&self, request: &Request<'_>, json: &str) -> Result<Bookmark, Error> {
        match self.expected().check_text(json) {
            Err(NotExpected::Mismatch(mismatch)) => return Err(self.unexpected(request, mismatch)),
            Err(NotExpected::Malformed(_)) | Ok(()) => {}
        }
        let bookmark = Bookmark::read(json).ok();
        bookmark.ok_or_else(|| self.invalid_event(request, "a bookmark without a resourceVersion"))
    }

    fn invalid_event(&self, request: &Request<'_>, found: &str) -> Error {
        self.unexpected(request, Mismatch::new("a watch event", found))
    }

    /// Returns the error for the Status with which a watch ended.
    pub(crate) fn ended(&self, request: &Request<'_>, status: &[u8]) -> Error {
        const STATUS: ExpectedTypes = ExpectedTypes::for_objects("v1", "Status");
        let limit = self.client.options.limits.error_bytes();
        let start = &status[..status.len().min(limit)];
        let text = String::from_utf8_lossy(start);
        if let Err(NotExpected::Mismatch(mismatch)) = STATUS.check_text(&text) {
            return self.unexpected(request, mismatch);
        }
        from_event(self.operation(request), start, self.quote_limit())
    }
}

impl<K> From<Bookmark> for WatchEvent<K> {
    fn from(bookmark: Bookmark) -> Self {
        Self::Bookmark { resource_version: bookmark.resource_version, initial_events_end: bookmark.initial_events_end }
    }
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::core::v1::ConfigMap;
    use serde_json::{Value, json};

    use super::*;
    use crate::client::mock::{Mock, Reply};

    fn config(name: &str, version: &str) -> Value {
        json!({ "metadata": { "name": name, "resourceVersion": version } })
    }

    async fn watched(events: impl IntoIterator<Item = Value>) -> (Vec<Result<WatchEvent<ConfigMap>, Error>>, String) {
        let mock = Mock::new([Reply::lines(events)]);
        let configs = mock.client().resources::<ConfigMap>().namespace("prod");
        let events = configs.watch().after("5").labels("a=b").await.unwrap();
        (events.collect().await, mock.lines().remove(0))
    }

    #[tokio::test]
    async fn changes_are_streamed() {
        let end = json!({ "k8s.io/initial-events-end": "true" });
        let bookmark = json!({ "kind": "ConfigMap", "metadata": { "resourceVersion": "9", "annotations": end } });
        let (events, line) = watched([
            json!({ "type": "ADDED", "object": config("a", "6") }),
            json!({ "type": "MODIFIED", "object": config("a", "7") }),
            json!({ "type": "DELETED", "object": config("a", "8") }),
            json!({ "type": "BOOKMARK", "object": bookmark }),
        ])
        .await;
        let events: Vec<_> = events.into_iter().map(Result::unwrap).collect();
        let versions: Vec<_> = events.iter().map(|event| event.resource_version().unwrap()).collect();
        assert_eq!(versions, ["6", "7", "8", "9"]);
        assert!(matches!(events[0], WatchEvent::Added(_)));
        assert!(matches!(events[1], WatchEvent::Modified(_)));
        assert!(matches!(events[2], WatchEvent::Deleted(_)));
        assert!(matches!(events[3], WatchEvent::Bookmark { initial_events_end: true, .. }));
        let query = "allowWatchBookmarks=true&resourceVersion=5&labelSelector=a%3Db&watch=true&timeoutSeconds=225";
        assert_eq!(line, format!("GET /api/v1/namespaces/prod/configmaps?{query}"));
    }

    #[tokio::test]
    async fn error_ends_the_watch_with_its_code() {
        let status = json!({ "kind": "Status", "code": 410, "reason": "Expired", "message": "too old" });
        let (events, _) = watched([
            json!({ "type": "ERROR", "object": status }),
            json!({ "type": "ADDED", "object": config("a", "6") }),
        ])
        .await;
        let [Err(error)] = &events[..] else {
            panic!("{events:?}");
        };
        assert!(error.is_expired(), "{error}");
    }

    #[tokio::test]
    async fn error_of_any_size_has_its_code() {
        let mut status = json!({ "apiVersion": "v1", "code": 410, "kind": "Status", "reason": "Expired" });
        status["zzz"] = json!("ä".repeat(1 << 20));
        let (events, _) = watched([json!({ "type": "ERROR", "object": status })]).await;
        let [Err(error)] = &events[..] else {
            panic!("{} events", events.len());
        };
        assert!(error.is_expired(), "{error}");
    }

    #[tokio::test]
    async fn object_of_another_kind_ends_the_watch() {
        let secret =
            json!({ "apiVersion": "v1", "kind": "Secret", "metadata": { "name": "a", "resourceVersion": "6" } });
        for odd in [
            json!({ "type": "ADDED", "object": secret }),
            json!({ "type": "BOOKMARK", "object": secret }),
            json!({ "type": "ERROR", "object": secret }),
            json!({ "type": "ERROR", "object": { "kind": "ConfigMap" } }),
            json!({ "type": "BOOKMARK", "object": { "metadata": {} } }),
            json!({ "status": "ok" }),
        ] {
            let (events, _) = watched([odd, json!({ "type": "ADDED", "object": config("a", "7") })]).await;
            let [Err(error)] = &events[..] else {
                panic!("{events:?}");
            };
            assert!(matches!(error, Error::Unexpected { .. }), "{error}");
        }
        let types = [json!({}), json!({ "kind": "ConfigMap" })];
        for object in types {
            let mock = Mock::new([Reply::text(200, &format!("{{\"type\":\"ADDED\",\"object\":{object}}}\n"))]);
            let configs = mock.client().resources::<ConfigMap>().namespace("prod");
            let events: Vec<_> = configs.watch().await.unwrap().collect().await;
            assert!(matches!(events[..], [Err(Error::Unexpected { .. })]), "{events:?}");
        }
    }

    #[tokio::test]
    async fn mismatched_object_does_not_end_the_watch() {
        let mut odd = config("odd", "6");
        odd["data"] = json!({ "size": 1 });
        let (events, _) = watched([
            json!({ "type": "ADDED", "object": odd }),
            json!({ "type": "ADDED", "object": config("a", "7") }),
        ])
        .await;
        let message = events[0].as_ref().unwrap_err().to_string();
        assert!(message.contains("`odd`") && message.contains("`data.size`"), "{message}");
        assert!(events[1].is_ok());
    }
}
