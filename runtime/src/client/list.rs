//! Lists objects, page by page.

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
    endless_list::{ObjectId, Page, Paging},
    endpoint::Endpoint,
    error::Error,
    limits::Limit,
    request::{Query, Request, Verb},
    resources::{Object, Resources},
    scope::Listable,
    selector::Selects,
};

/// As kubectl's `--chunk-size` and client-go's reflectors.
pub(crate) const PAGE_SIZE: u32 = 500;

impl<K: Object, P> Resources<K, P> {
    /// Lists the objects, in pages.
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

/// A consistent list of objects.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct List<K> {
    /// The objects.
    pub items: Vec<K>,
    /// The resourceVersion of the list, and the `continue` token if it is incomplete.
    pub metadata: ListMeta,
}

impl<K> List<K> {
    /// Returns an iterator over the objects.
    pub fn iter(&self) -> std::slice::Iter<'_, K> {
        self.items.iter()
    }
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

/// A request to list objects. Awaiting it reads all pages.
///
/// `metadata.managedFields` is omitted by default.
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

    /// Selects objects by labels: [`Labels`](super::selector::Labels), or a text such as `app=web,tier in (front, back)`.
    pub fn labels(mut self, selector: impl Display) -> Self {
        self.selection = self.selection.labels(&selector);
        self
    }

    /// Selects objects by fields, such as `metadata.name=web`. Custom resources support the selectable fields of their
    /// definition.
    pub fn fields(mut self, selector: &str) -> Self {
        self.selection = self.selection.fields(selector);
        self
    }

    /// Selects objects with a [`selector!`](crate::selector), which is checked at compile time.
    pub fn matching(mut self, selector: impl Selects<K>) -> Self {
        self.selection = self.selection.matching(&selector);
        self
    }

    pub(crate) fn selection(mut self, selection: &Query) -> Self {
        self.selection = selection.clone();
        self
    }

    /// Sets the maximum number of objects; 0 means all. If there are more, the list's metadata has a `continue` token.
    pub fn limit(mut self, objects: u32) -> Self {
        self.limit = (objects > 0).then_some(objects);
        self
    }

    /// Sets the number of objects per page: 500 by default. A list has at most a million pages.
    pub fn page_size(mut self, objects: u32) -> Self {
        self.page_size = objects.max(1);
        self
    }

    /// Lists the objects at exactly this resourceVersion, which must not be older than a few minutes.
    pub fn at(mut self, resource_version: &str) -> Self {
        self.version = version(resource_version, "Exact");
        self
    }

    /// Lists the objects at this resourceVersion or later, which costs the API server less than the most recent
    /// version; `0` means any version.
    pub fn not_older_than(mut self, resource_version: &str) -> Self {
        self.version = version(resource_version, "NotOlderThan");
        self
    }

    /// Continues an incomplete list, with the `continue` token of its metadata.
    pub fn continue_from(mut self, token: &str) -> Self {
        self.continue_token = Some(token.to_owned());
        self
    }

    /// Preserves `metadata.managedFields` of the objects.
    pub fn keep_managed_fields(mut self) -> Self {
        self.managed_fields = ManagedFields::Retained;
        self
    }

    /// Returns a stream of the pages. Each page is read when it is polled.
    ///
    /// After an error the stream ends. [`Error::Expired`] means that too much time passed between two pages, and the
    /// API server no longer has the version of the first one.
    pub fn pages(self) -> impl Stream<Item = Result<List<K>, Error>> + Send + use<K> {
        stream::unfold(Some(self), |request| async {
            match request?.next_page().await {
                Ok((page, rest)) => Some((Ok(page), rest)),
                Err(error) => Some((Err(error), None)),
            }
        })
    }

    /// Returns a stream of the objects. Each page is read when its first object is polled.
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

    /// Reads a page. Also returns the request for the next page if there is one.
    async fn next_page(mut self) -> Result<(List<K>, Option<Self>), Error> {
        let request = Request::collection(Verb::List).query(self.query());
        let response = self.endpoint.fetch(&request).await?;
        let (expected, depth) = (self.endpoint.expected(), self.endpoint.limit(Limit::Depth));
        let page = decode::page(&response.body, expected, self.managed_fields, depth);
        drop(response);
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

    fn check_progress(&mut self, request: &Request<'_>, items: &[K], next: Option<&str>) -> Result<(), Error> {
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
        let page = self.limit.map_or(self.page_size, |limit| limit.min(self.page_size));
        let query = self.selection.clone().with("limit", page.to_string());
        match &self.continue_token {
            // The version of the first page applies to all pages.
            Some(token) => query.with("continue", token.clone()),
            None => query.and(&self.version),
        }
    }

    /// Reads all pages, or one large page if the `continue` token expires before the last page is read.
    async fn collect(self) -> Result<List<K>, Error> {
        match self.clone().collect_pages().await {
            Err(error) if error.is_expired() && self.is_unversioned() => {
                let at_once = self.page_size(u32::MAX);
                at_once.collect_pages().await
            }
            result => result,
        }
    }

    fn is_unversioned(&self) -> bool {
        self.continue_token.is_none() && self.version == Query::default()
    }

    async fn collect_pages(self) -> Result<List<K>, Error> {
        let (mut list, mut rest) = self.next_page().await?;
        if rest.is_some() {
            list.items.reserve_exact(remaining_capacity(&list));
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

/// Returns the capacity to reserve: the number of remaining objects, but no more than twice the objects that were read,
/// whatever the API server reports.
fn remaining_capacity<K>(list: &List<K>) -> usize {
    let more = list.metadata.remaining_item_count.unwrap_or_default();
    let more = usize::try_from(more).unwrap_or_default();
    more.min(2 * list.items.len())
}

fn version(resource_version: &str, rule: &'static str) -> Query {
    Query::default().with("resourceVersion", resource_version.to_owned()).with("resourceVersionMatch", rule)
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
