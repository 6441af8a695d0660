//! Reads objects, page by page.

use std::{
    collections::VecDeque,
    fmt::Display,
    future::{Future, IntoFuture},
    pin::Pin,
};

use futures_util::{Stream, stream};
use kube_core::ListMeta;

use super::{
    decode::{self, ManagedFields},
    dynamic::add_types,
    endpoint::Endpoint,
    error::Error,
    limits::Limit,
    paging::{ObjectId, Page, Paging},
    request::{Query, Request, Verb},
    resources::{Object, Resources},
    scope::Listable,
    selector::Selects,
};

const PAGE_SIZE: u32 = 500;

impl<K: Object, P> Resources<K, P> {
    /// Reads the objects, in pages.
    ///
    /// ```no_run
    /// # use k8s_openapi::api::core::v1::Pod;
    /// # async fn example(client: crdkit::Client) -> Result<(), crdkit::client::Error> {
    /// let pods = client.resources::<Pod>().all_namespaces();
    /// let running = crdkit::selector!(Pod, status.phase == "Running");
    /// for pod in pods.list().labels("app=web").matching(running).await? {
    ///     println!("{:?}", pod.metadata.name);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn list(&self) -> ListRequest<K>
    where
        P: Listable<K>,
    {
        ListRequest::new(self.endpoint.clone())
    }
}

/// Objects, as the API server had them at one time.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct List<K> {
    /// The objects.
    pub items: Vec<K>,
    /// The resourceVersion of the list, and where it goes on if it is cut short.
    pub metadata: ListMeta,
}

impl<K> IntoIterator for List<K> {
    type Item = K;
    type IntoIter = std::vec::IntoIter<K>;

    fn into_iter(self) -> Self::IntoIter {
        self.items.into_iter()
    }
}

impl<'a, K> IntoIterator for &'a List<K> {
    type Item = &'a K;
    type IntoIter = std::slice::Iter<'a, K>;

    fn into_iter(self) -> Self::IntoIter {
        self.items.iter()
    }
}

/// Which objects are to be read, and how. Awaiting it reads them all.
///
/// `metadata.managedFields` is left out unless asked for.
#[derive(Clone)]
#[must_use = "nothing is read until it is awaited"]
pub struct ListRequest<K: Object> {
    endpoint: Endpoint<K>,
    selection: Query,
    version: Query,
    limit: Option<u32>,
    page_size: u32,
    continue_token: Option<String>,
    managed_fields: ManagedFields,
    paging: Paging,
}

impl<K: Object> ListRequest<K> {
    pub(crate) fn new(endpoint: Endpoint<K>) -> Self {
        Self {
            endpoint,
            selection: Query::default(),
            version: Query::default(),
            limit: None,
            page_size: PAGE_SIZE,
            continue_token: None,
            managed_fields: ManagedFields::Dropped,
            paging: Paging::default(),
        }
    }

    /// Only objects whose labels match: [`Labels`](super::Labels), or a text such as `app=web,tier in (front, back)`.
    pub fn labels(mut self, selector: impl Display) -> Self {
        self.selection = self.selection.labels(&selector);
        self
    }

    /// Only objects whose fields match, such as `metadata.name=web`; of custom resources the declared selectable fields.
    pub fn fields(mut self, selector: &str) -> Self {
        self.selection = self.selection.fields(selector);
        self
    }

    /// Only objects that a [`selector!`](crate::selector) means, which is checked while compiling.
    pub fn matching(mut self, selector: impl Selects<K>) -> Self {
        self.selection = self.selection.matching(&selector);
        self
    }

    pub(crate) fn selection(mut self, selection: &Query) -> Self {
        self.selection = selection.clone();
        self
    }

    /// At most so many objects, or all for 0. Where there are more, the list's metadata says where it goes on.
    pub fn limit(mut self, objects: u32) -> Self {
        self.limit = (objects > 0).then_some(objects);
        self
    }

    /// How many objects are read at once: 500 unless set. A list has a million pages at most.
    pub fn page_size(mut self, objects: u32) -> Self {
        self.page_size = objects.max(1);
        self
    }

    /// The objects as they were at a resourceVersion, which must not be older than a few minutes.
    pub fn at(mut self, resource_version: &str) -> Self {
        self.version = version(resource_version, "Exact");
        self
    }

    /// The objects as they were at a resourceVersion or later, which costs the API server less than the newest; `0`
    /// for any time.
    pub fn not_older_than(mut self, resource_version: &str) -> Self {
        self.version = version(resource_version, "NotOlderThan");
        self
    }

    /// Goes on where another list was cut short, by `continue` of its metadata.
    pub fn continue_from(mut self, token: &str) -> Self {
        self.continue_token = Some(token.to_owned());
        self
    }

    /// Objects keep their `metadata.managedFields`.
    pub fn keep_managed_fields(mut self) -> Self {
        self.managed_fields = ManagedFields::Kept;
        self
    }

    /// The pages, each read when it is wanted.
    ///
    /// After an error the stream ends. [`Error::Expired`] means that so much time has passed between two pages that
    /// the API server forgot the first.
    pub fn pages(self) -> impl Stream<Item = Result<List<K>, Error>> + Send + use<K> {
        stream::unfold(Some(self), |request| async {
            match request?.next_page().await {
                Ok((page, rest)) => Some((Ok(page), rest)),
                Err(error) => Some((Err(error), None)),
            }
        })
    }

    /// The objects, page by page, each page read when it is wanted.
    pub fn stream(self) -> impl Stream<Item = Result<K, Error>> + Send + use<K> {
        let start = (VecDeque::new(), Some(self));
        stream::try_unfold(start, |(mut items, mut request)| async move {
            loop {
                if let Some(item) = items.pop_front() {
                    return Ok(Some((item, (items, request))));
                }
                let Some(next) = request else { return Ok(None) };
                let (page, rest) = next.next_page().await?;
                (items, request) = (page.items.into(), rest);
            }
        })
    }

    /// Reads a page, and says how to read on if there is more to read.
    async fn next_page(mut self) -> Result<(List<K>, Option<Self>), Error> {
        let request = Request::collection(Verb::List).query(self.query());
        let answer = self.endpoint.fetch(&request).await?;
        let (expected, depth) = (self.endpoint.expected(), self.endpoint.limit(Limit::Depth));
        let page = decode::page(&answer.body, expected, self.managed_fields, depth);
        drop(answer);
        let page = page.map_err(|failure| failure.into_error(self.endpoint.operation(&request)))?;
        let (mut items, metadata) = (page.items, page.metadata);
        let next = metadata.continue_.clone().filter(|token| !token.is_empty());
        self.check_progress(&request, &items, next.as_deref())?;
        for item in &mut items {
            add_types::<K, K>(item, self.endpoint.kind());
        }
        let read = u32::try_from(items.len()).unwrap_or(u32::MAX);
        self.limit = self.limit.map(|limit| limit.saturating_sub(read));
        self.continue_token = next;
        let more = self.continue_token.is_some() && self.limit != Some(0);
        Ok((List { items, metadata }, more.then_some(self)))
    }

    fn check_progress(
        &mut self,
        request: &Request<'_>,
        items: &[K],
        next: Option<&str>,
    ) -> Result<(), Error> {
        let page = Page {
            sent: self.continue_token.as_deref(),
            next,
            items: items.len(),
            first: items.first().and_then(ObjectId::of),
        };
        let checked = self.paging.check(page);
        checked.map_err(|mismatch| self.endpoint.unexpected(request, mismatch))
    }

    fn query(&self) -> Query {
        let page = self
            .limit
            .map_or(self.page_size, |limit| limit.min(self.page_size));
        let query = self.selection.clone().with("limit", page.to_string());
        match &self.continue_token {
            // A page is of the version of the first.
            Some(token) => query.with("continue", token.clone()),
            None => query.and(&self.version),
        }
    }

    /// Reads all pages, or one large page if the API server forgets the first before the last is read.
    async fn collect(self) -> Result<List<K>, Error> {
        match self.clone().collect_pages().await {
            Err(error) if error.is_expired() && self.is_of_any_time() => {
                let at_once = self.page_size(u32::MAX);
                at_once.collect_pages().await
            }
            result => result,
        }
    }

    fn is_of_any_time(&self) -> bool {
        self.continue_token.is_none() && self.version == Query::default()
    }

    async fn collect_pages(self) -> Result<List<K>, Error> {
        let (mut list, mut rest) = self.next_page().await?;
        if rest.is_some() {
            list.items.reserve_exact(room_for_more(&list));
        }
        while let Some(request) = rest {
            let page;
            (page, rest) = request.next_page().await?;
            list.items.extend(page.items);
            list.metadata = page.metadata;
        }
        Ok(list)
    }
}

/// For how many objects room is made: those that are to come, but no more pages than were read, whatever the API server says.
fn room_for_more<K>(list: &List<K>) -> usize {
    let more = list.metadata.remaining_item_count.unwrap_or_default();
    let more = usize::try_from(more).unwrap_or_default();
    more.min(2 * list.items.len())
}

fn version(resource_version: &str, rule: &'static str) -> Query {
    Query::default()
        .with("resourceVersion", resource_version.to_owned())
        .with("resourceVersionMatch", rule)
}

impl<K: Object> IntoFuture for ListRequest<K> {
    type Output = Result<List<K>, Error>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.collect())
    }
}

#[cfg(test)]
mod tests;
