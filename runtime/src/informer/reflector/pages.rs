//! Lists all objects in pages.

use std::{future::Future, panic::resume_unwind, sync::Arc, time::Duration};

use bytes::Bytes;
use tokio::{task::JoinHandle, time::sleep};

use super::{
    Reflector,
    body::Chunks,
    end_reason::{EndReason, classify_error},
};
use crate::{
    client::{
        backoff_formula::random,
        endless_list::{ObjectId, Page, Paging},
        endpoint::RequestTarget,
        limits::Limit,
        list::PAGE_SIZE,
        request::{Query, Request, Verb},
    },
    informer::{
        decode::{self, Identity},
        error::WatchError,
    },
};

/// Items processed before yielding.
const ITEMS_PER_YIELD: usize = 500;

/// Retries of a page.
const MAX_RETRIES: u32 = 8;

impl Reflector {
    /// Lists all pages, and returns their resourceVersion. The next page is fetched while one is decoded.
    pub(super) async fn read_pages(&mut self, paged: bool) -> Result<String, WatchError> {
        let mut page = self.fetch(paged, None).await?;
        self.gauge().clear_refusal();
        let (mut paging, mut sent) = (Paging::default(), None::<String>);
        // The version of the first page: if later pages are newer, its objects may have changed since.
        let mut version = None;
        loop {
            let parts = parse_page(&self.setup.endpoint, &page)?;
            paging.check(parts.progress(sent.as_deref())?)?;
            sent = parts.continue_token;
            let next = sent.clone().map(|token| Prefetch(tokio::spawn(self.fetch(paged, Some(token)))));
            self.read_items(&parts.items).await?;
            let first = version.unwrap_or(parts.resource_version);
            let (Some(token), Some(next)) = (sent.clone(), next) else {
                return Ok(first);
            };
            version = Some(first);
            page = match next.join().await {
                Ok(page) => page,
                Err(error) => self.fetch_again(paged, token, error).await?,
            };
        }
    }

    /// Processes items, and yields between batches.
    async fn read_items(&mut self, items: &[&str]) -> Result<(), WatchError> {
        for items in items.chunks(ITEMS_PER_YIELD) {
            tokio::task::yield_now().await;
            let setup = self.setup.clone();
            setup.batch_decoder(self.batch.source(), self.shards.clone()).items(items, |changes| {
                for change in changes {
                    let change = change?;
                    self.state.record_listed(change.anchor());
                    self.batch.push_item(change.delta);
                }
                let events = self.batch.commit();
                self.count_events(events);
                Ok(())
            })?;
            self.setup.shared.notify_waiters();
        }
        Ok(())
    }

    /// Retries a page that failed, with growing delays.
    ///
    /// Restarting with the first page would take longer and load the API server more.
    async fn fetch_again(&mut self, paged: bool, token: String, mut error: WatchError) -> Result<Bytes, WatchError> {
        for tries in 0..MAX_RETRIES {
            if error.is_refusal() || classify_error(&error) == EndReason::Expired {
                break;
            }
            let retry_after = match classify_error(&error) {
                EndReason::Unavailable(retry_after) | EndReason::Refused(retry_after) => retry_after,
                _ => None,
            };
            self.report(Arc::new(error));
            sleep(self.state.retry_delay(tries, retry_after, random())).await;
            error = match self.fetch(paged, Some(token.clone())).await {
                Ok(page) => return Ok(page),
                Err(error) => error,
            };
        }
        Err(error)
    }

    /// Requests a page. The returned future does not borrow the reflector.
    fn fetch(
        &self,
        paged: bool,
        token: Option<String>,
    ) -> impl Future<Output = Result<Bytes, WatchError>> + Send + use<> {
        let limit = paged.then(|| PAGE_SIZE.to_string());
        let query = Query::default().optional("limit", limit.as_deref()).optional("continue", token.as_deref());
        let query = self.selection().and(&query);
        fetch(self.setup.endpoint.clone(), query, self.setup.timeouts.response)
    }
}

/// A page of a list that was checked to be of the requested kind.
pub(super) struct CheckedPage<'a> {
    items: Vec<&'a str>,
    continue_token: Option<String>,
    pub(super) resource_version: String,
}

impl CheckedPage<'_> {
    /// Returns the position of the page, for the check that the list makes progress.
    fn progress<'a>(&'a self, sent: Option<&'a str>) -> Result<Page<'a>, WatchError> {
        let first = self.items.first().map(|item| decode::identity(item));
        Ok(Page {
            sent,
            next: self.continue_token.as_deref(),
            items: self.items.len(),
            first: first.transpose()?.map(|first| object_id(&first)),
        })
    }
}

fn object_id(identity: &Identity<'_>) -> ObjectId {
    ObjectId {
        namespace: identity.namespace.as_deref().map(str::to_owned),
        name: identity.name.as_ref().to_owned(),
        uid: identity.uid.as_deref().map(str::to_owned),
    }
}

/// Parses a page, and checks that it is of the requested kind.
pub(super) fn parse_page<'a>(endpoint: &RequestTarget, page: &'a [u8]) -> Result<CheckedPage<'a>, WatchError> {
    let page = decode::page(decode::text(page)?)?;
    let items = || page.items.clone().unwrap_or_default();
    endpoint.expected().check_list(page.header(), items)?;
    let missing = || decode::missing("metadata.resourceVersion");
    Ok(CheckedPage {
        items: page.items.unwrap_or_default(),
        continue_token: non_empty(page.metadata.continue_),
        resource_version: non_empty(page.metadata.resource_version).ok_or_else(missing)?,
    })
}

fn non_empty(text: Option<String>) -> Option<String> {
    text.filter(|text| !text.is_empty())
}

async fn fetch(endpoint: RequestTarget, query: Query, limit: Duration) -> Result<Bytes, WatchError> {
    let request = Request::collection(Verb::List).query(query);
    let chunks = Chunks::open(&endpoint, &request, limit).await?;
    chunks.collect(Limit::Page, limit).await
}

/// A page that is fetched while the one before it is decoded. Dropping it cancels the request.
struct Prefetch(JoinHandle<Result<Bytes, WatchError>>);

impl Prefetch {
    async fn join(mut self) -> Result<Bytes, WatchError> {
        match (&mut self.0).await {
            Ok(page) => page,
            Err(error) => match error.try_into_panic() {
                Ok(panic) => resume_unwind(panic),
                // The runtime shuts down and cancels this task.
                //
                Err(_) => std::future::pending().await,
            },
        }
    }
}

impl Drop for Prefetch {
    fn drop(&mut self) {
        self.0.abort();
    }
}
