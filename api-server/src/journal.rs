//! The journal of requests.

use std::{collections::VecDeque, fmt, sync::Arc};

use crdkit::__internal::yaml::diff::unified;

use super::{
    observed_requests::{ReceivedRequest, Requests},
    store::Write,
};

/// The requests that are kept, unless `ApiServer::keep_requests` sets another number.
const LIMIT: usize = 10_000;
/// The bytes of bodies that are kept.
const BODY_LIMIT: usize = 64 << 20;

/// Requests to an [`ApiServer`](crate::ApiServer), in the order in which they were processed.
///
/// It has the last 10,000 requests, unless [`keep_requests`](crate::ApiServer::keep_requests) sets another number; early ones are
/// left out too if their bodies have more than 64 MiB. Writes of the server's own controllers are not requests.
///
/// ```
/// # use crdkit_api_server::{ApiServer, Requests};
/// # use k8s_openapi::api::core::v1::ConfigMap;
/// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
/// let server = ApiServer::new();
/// let configs = server.client().resources::<ConfigMap>().namespace("default");
/// let config = serde_json::from_value(serde_json::json!({ "metadata": { "name": "web" } }))?;
/// configs.create(&config).await?;
/// configs.get("web").await?;
/// configs.create(&config).await.unwrap_err();
/// configs.delete("web").await?;
///
/// server.journal().writes().assert_lines(&[
///     "create configmaps default/web",
///     "create configmaps default/web: 409 Conflict",
///     "delete configmaps default/web",
/// ]);
/// let deletions = server.journal().only(Requests::delete().of::<ConfigMap>());
/// assert_eq!(deletions.iter().next().unwrap().changes()[0].name(), "web");
///
/// server.clear_journal();
/// assert!(server.journal().is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct Journal(Vec<Arc<JournalEntry>>);

/// A request with its result.
#[derive(Debug)]
pub struct JournalEntry {
    request: ReceivedRequest,
    code: Option<u16>,
    changes: Vec<ObjectChange>,
    is_fault: bool,
}

/// A change of an object by a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObjectChange {
    resource: String,
    namespace: String,
    name: String,
    kind: ObjectChangeKind,
}

/// What a request did to an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum ObjectChangeKind {
    Created,
    Modified,
    Deleted,
}

impl ObjectChange {
    fn new(write: &Write) -> Self {
        let kind = match (&write.change.before, write.change.is_deletion) {
            (_, true) => ObjectChangeKind::Deleted,
            (None, _) => ObjectChangeKind::Created,
            (Some(_), _) => ObjectChangeKind::Modified,
        };
        let key = &write.change.key;
        Self { resource: write.resource.clone(), namespace: key.namespace.clone(), name: key.name.clone(), kind }
    }

    /// The resource, as `plural.group`, or `plural` in the core group.
    pub fn resource(&self) -> &str {
        &self.resource
    }

    /// The namespace; empty for objects of the cluster.
    pub fn namespace(&self) -> &str {
        &self.namespace
    }

    /// The name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What happened to the object.
    pub fn kind(&self) -> ObjectChangeKind {
        self.kind
    }
}

impl JournalEntry {
    /// The request.
    pub fn request(&self) -> &ReceivedRequest {
        &self.request
    }

    /// The status code of the response; `None` if the client got no response.
    pub fn code(&self) -> Option<u16> {
        self.code
    }

    /// The objects that the request changed, without what controllers did in consequence.
    pub fn changes(&self) -> &[ObjectChange] {
        &self.changes
    }

    /// Whether a [fault](super::Faults) determined the result.
    pub fn is_fault(&self) -> bool {
        self.is_fault
    }
}

/// `update virtualmachines.infra.example.com/status default/web: 409 Conflict`.
impl fmt::Display for JournalEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let changed = self.changes.first().map(ObjectChange::name);
        f.write_str(&self.request.describe(changed))?;
        match self.code {
            Some(200..300) => Ok(()),
            Some(code) => match http::StatusCode::from_u16(code) {
                Ok(status) => write!(f, ": {status}"),
                Err(_) => write!(f, ": {code}"),
            },
            None => f.write_str(": no response"),
        }
    }
}

impl Journal {
    /// Returns the requests and their results.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &JournalEntry> {
        self.0.iter().map(AsRef::as_ref)
    }

    /// Returns the number of requests.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns whether there are no requests.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Keeps the selected requests.
    pub fn only(mut self, requests: Requests) -> Self {
        self.0.retain(|entry| requests.matches(&entry.request));
        self
    }

    /// Keeps the requests that get, list and watch nothing.
    pub fn writes(self) -> Self {
        self.only(Requests::writes())
    }

    /// Keeps the requests that changed objects.
    pub fn changes(mut self) -> Self {
        self.0.retain(|entry| !entry.changes.is_empty());
        self
    }

    /// Panics unless the requests are these, one line each, as the journal formats them. The message has the difference.
    #[track_caller]
    pub fn assert_lines(&self, expected: &[&str]) {
        let expected: String = expected.iter().flat_map(|line| [*line, "\n"]).collect();
        let actual = self.to_string();
        assert!(actual == expected, "the requests differ\n{}", unified("requests", &actual, &expected));
    }
}

/// One line for each request.
impl fmt::Display for Journal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.iter().try_for_each(|entry| writeln!(f, "{entry}"))
    }
}

/// The last requests.
pub(super) struct Log {
    entries: VecDeque<Arc<JournalEntry>>,
    limit: usize,
    /// The bytes of all bodies.
    size: usize,
}

impl Default for Log {
    fn default() -> Self {
        Self { entries: VecDeque::new(), limit: LIMIT, size: 0 }
    }
}

impl Log {
    pub(super) fn journal(&self) -> Journal {
        Journal(self.entries.iter().cloned().collect())
    }

    /// Adds a request and its result.
    pub(super) fn record(&mut self, request: ReceivedRequest, code: Option<u16>, writes: &[Write], is_fault: bool) {
        if self.limit == 0 {
            return;
        }
        let changes = writes.iter().map(ObjectChange::new).collect();
        self.size += request.body_size();
        self.entries.push_back(Arc::new(JournalEntry { request, code, changes, is_fault }));
        self.shrink();
    }

    pub(super) fn limit(&mut self, limit: usize) {
        self.limit = limit;
        self.shrink();
    }

    pub(super) fn clear(&mut self) {
        self.entries.clear();
        self.size = 0;
    }

    fn shrink(&mut self) {
        while self.entries.len() > self.limit || self.size > BODY_LIMIT {
            match self.entries.pop_front() {
                Some(entry) => self.size -= entry.request.body_size(),
                None => return,
            }
        }
    }
}
