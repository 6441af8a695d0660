//! Changes of one object.

use std::time::Duration;

use futures_util::StreamExt;
use tokio::time::sleep;

use crate::client::{Object, Resources, Watch, WatchEvent, scope::Listable};

/// How long the first event of a watch, or the next attempt after a failed one, may take.
const RETRY_INTERVAL: Duration = Duration::from_secs(5);

/// Notices changes of the object with a name.
///
/// The watch is only a notification: callers read the object again now and then, so that nothing depends on the permission to watch.
pub(super) struct ObjectWatch<K: Object, P> {
    objects: Resources<K, P>,
    name: String,
    events: Option<Watch<K>>,
}

impl<K: Object, P: Listable<K>> ObjectWatch<K, P> {
    pub(super) fn new(objects: Resources<K, P>, name: &str) -> Self {
        Self { objects, name: name.to_owned(), events: None }
    }

    /// Completes when the object has another version than this, or none if it is absent; possibly also if nothing changed.
    ///
    /// Dropping the future loses nothing.
    pub(super) async fn changed(&mut self, known: Option<&str>) {
        loop {
            let events = match &mut self.events {
                Some(events) => events,
                none => match self.objects.watch().fields(&format!("metadata.name={}", self.name)).await {
                    Ok(events) => none.insert(events),
                    Err(_) => {
                        sleep(RETRY_INTERVAL).await;
                        continue;
                    }
                },
            };
            match events.next().await {
                Some(Ok(WatchEvent::Bookmark { .. })) => {}
                Some(Ok(WatchEvent::Added(object) | WatchEvent::Modified(object))) => {
                    if object.meta().resource_version.as_deref() != known {
                        return;
                    }
                }
                Some(Ok(WatchEvent::Deleted(_))) => return,
                Some(Err(_)) | None => {
                    self.events = None;
                    sleep(RETRY_INTERVAL).await;
                }
            }
        }
    }
}
