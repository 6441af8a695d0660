//! Requests for the newest resourceVersion, from time to time while a watch goes on: once the watch has come that far, the
//! store shows all that had happened when the request was sent.

use std::{future::Future, pin::Pin, sync::Arc, time::Duration};

use tokio::time::{Instant, sleep};

use super::{Setup, body::Chunks, pages::read};
use crate::{
    client::request::{Request, Verb},
    informer::{CacheObject, error::WatchError},
};

/// What the API server answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Check {
    /// When it was requested.
    pub(super) sent: Instant,
    /// Up to where the watch had come then.
    pub(super) position: Option<u64>,
    /// The newest resourceVersion of the collection.
    pub(super) version: String,
}

impl Check {
    /// Whether the API server has gone back to a time before what a watch has told.
    pub(super) fn goes_back(&self) -> Option<(u64, u64)> {
        let newest = self.version.parse().ok()?;
        let position = self.position.filter(|position| newest < *position)?;
        Some((newest, position))
    }
}

impl<T: CacheObject> Setup<T> {
    /// The first check after a while, and whatever comes of it. One that fails shows nothing, so another follows.
    pub(super) fn check_after(self: &Arc<Self>, delay: Duration) -> Pending {
        let setup = self.clone();
        Box::pin(async move {
            sleep(delay).await;
            loop {
                let sent = Instant::now();
                let position = setup.gauge().position();
                match setup.newest().await {
                    Ok(version) => {
                        return Check {
                            sent,
                            position,
                            version,
                        };
                    }
                    Err(error) => tracing::debug!("no newest resourceVersion: {error}"),
                }
                sleep(setup.timeouts.check).await;
            }
        })
    }

    async fn newest(&self) -> Result<String, WatchError> {
        // Labels would make the API server search; without the right fields it may refuse.
        let query = self.selection.without_labels().with("limit", "1");
        let request = Request::collection(Verb::List).query(query);
        let answer = self.timeouts.response;
        let chunks = Chunks::open(&self.endpoint, &request, answer).await?;
        let page = chunks.collect(answer).await?;
        Ok(read(&self.endpoint, &page)?.resource_version)
    }
}

/// A check under way.
pub(super) type Pending = Pin<Box<dyn Future<Output = Check> + Send>>;

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn time_goes_back_if_the_newest_version_is_older_than_the_watch() {
        let check = |position, version: &str| Check {
            sent: Instant::now(),
            position,
            version: version.to_owned(),
        };
        assert_eq!(check(Some(9), "8").goes_back(), Some((8, 9)));
        for (position, version) in [(Some(9), "9"), (Some(9), "10"), (None, "8"), (Some(9), "x")] {
            assert_eq!(check(position, version).goes_back(), None, "{version}");
        }
    }
}
