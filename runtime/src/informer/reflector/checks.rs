//! Periodic requests for the newest resourceVersion while a watch runs.
//!
//! Once the watch has reached it, the store contains all changes up to the time of the request.

use std::{future::Future, pin::Pin, sync::Arc, time::Duration};

use tokio::time::{Instant, sleep};

use super::{Setup, body::Chunks, pages::parse_page};
use crate::{
    client::{
        limits::Limit,
        request::{Request, Verb},
    },
    informer::error::WatchError,
};

/// The result of a check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Check {
    /// When the request was sent.
    pub(super) sent: Instant,
    /// The resourceVersion that the watch had reached then.
    pub(super) position: Option<u64>,
    /// The newest resourceVersion of the collection.
    pub(super) version: String,
}

impl Check {
    /// Returns the newest version and that of the watch if the history was rolled back to before the watch.
    pub(super) fn rollback(&self) -> Option<(u64, u64)> {
        let newest = self.version.parse().ok()?;
        let position = self.position.filter(|position| newest < *position)?;
        Some((newest, position))
    }
}

impl Setup {
    /// Runs a check after a delay. A check that fails is repeated.
    pub(super) fn check_after(self: &Arc<Self>, delay: Duration) -> PendingCheck {
        let setup = self.clone();
        Box::pin(async move {
            sleep(delay).await;
            loop {
                match setup.check().await {
                    Ok(check) => return check,
                    Err(error) => {
                        tracing::debug!("failed to request the newest resourceVersion: {error}");
                    }
                }
                sleep(setup.timeouts.check).await;
            }
        })
    }

    pub(super) async fn check(&self) -> Result<Check, WatchError> {
        let sent = Instant::now();
        let position = self.gauge().position();
        let version = self.fetch_newest_version().await?;
        Ok(Check { sent, position, version })
    }

    async fn fetch_newest_version(&self) -> Result<String, WatchError> {
        // Label selectors make the API server filter. Field selectors may be required for access.
        let query = self.selection.without_labels().with("limit", "1");
        let request = Request::collection(Verb::List).query(query);
        let answer = self.timeouts.response;
        let chunks = Chunks::open(&self.endpoint, &request, answer).await?;
        // There is one object in the page. A server that ignores the limit is not read to the end in each check.
        let page = chunks.collect(Limit::Object, answer).await?;
        Ok(parse_page(&self.endpoint, &page)?.resource_version)
    }
}

/// A running check.
pub(super) type PendingCheck = Pin<Box<dyn Future<Output = Check> + Send>>;

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_newest_version_older_than_the_watch_is_a_rollback() {
        let check = |position, version: &str| Check { sent: Instant::now(), position, version: version.to_owned() };
        assert_eq!(check(Some(9), "8").rollback(), Some((8, 9)));
        for (position, version) in [(Some(9), "9"), (Some(9), "10"), (None, "8"), (Some(9), "x")] {
            assert_eq!(check(position, version).rollback(), None, "{version}");
        }
    }
}
