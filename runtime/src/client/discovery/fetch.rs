//! Requests the discovery documents.

use std::collections::BTreeMap;

use bytes::Bytes;
use http::{Request, header::ACCEPT};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{APIGroupList, APIVersions};
use kube::client::Body;
use kube_core::discovery::v2::{ACCEPT_AGGREGATED_DISCOVERY_V2, APIGroupDiscovery, APIGroupDiscoveryList};
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

use super::{ApiResources, legacy};
use crate::{
    client::{
        Client, Error,
        body::collect,
        call::Attempts,
        decode,
        error::{ClientOperation, Excerpt, Mismatch},
        error_response::read_error_response,
        limits::Limit,
        request::Verb,
        response_kind::{Types, describe, describe_non_object, is_object},
    },
    json::cow_str::CowStr,
};

/// Maximum number of groups, of versions and of resources in a document: far more than any cluster has.
const MAX_ITEMS: usize = 10_000;
/// Maximum number of JSON objects in a document: resources and subresources consist of several.
const MAX_OBJECTS: usize = 20 * MAX_ITEMS;

const CORE: &str = "/api";
const GROUPS: &str = "/apis";

/// A type of discovery document.
pub(super) struct Document {
    kind: &'static str,
    /// The prefix of its `apiVersion`, if it has one.
    version: &'static str,
    /// The list field, which is present even if the list is empty.
    member: &'static str,
}

const AGGREGATED: Document =
    Document { kind: "APIGroupDiscoveryList", version: "apidiscovery.k8s.io/", member: "items" };
const VERSIONS: Document = Document { kind: "APIVersions", version: "v1", member: "versions" };
const GROUP_LIST: Document = Document { kind: "APIGroupList", version: "v1", member: "groups" };
pub(super) const RESOURCES: Document = Document { kind: "APIResourceList", version: "v1", member: "resources" };

/// Requests all resources, in two requests if the API server supports aggregated discovery.
pub(super) async fn fetch(client: &Client) -> Result<ApiResources, Error> {
    let core = get(client, CORE, Level::Root);
    let groups = get(client, GROUPS, Level::Root);
    let (core, groups) = futures_util::future::try_join(core, groups).await?;
    let mut api_resources = ApiResources::default();
    if is_aggregated(&core) {
        api_resources.add_aggregated(aggregated(CORE, &core)?);
    } else {
        let versions: APIVersions = read(CORE, &core, &VERSIONS)?;
        check_number(CORE, "versions", versions.versions.len())?;
        api_resources.add_versions(client, legacy::core_group(versions)).await;
    }
    if is_aggregated(&groups) {
        api_resources.add_aggregated(aggregated(GROUPS, &groups)?);
    } else {
        let list: APIGroupList = read(GROUPS, &groups, &GROUP_LIST)?;
        let versions = list.groups.iter().map(|group| group.versions.len());
        check_number(GROUPS, "groups", list.groups.len())?;
        check_number(GROUPS, "versions", versions.sum())?;
        api_resources.add_versions(client, legacy::groups(list)).await;
    }
    Ok(api_resources)
}

/// Returns the groups of a document. The core group has no name and is the only one of its document.
fn aggregated(path: &str, body: &[u8]) -> Result<Vec<APIGroupDiscovery>, Error> {
    let list: APIGroupDiscoveryList = read(path, body, &AGGREGATED)?;
    let is_core = |group: &APIGroupDiscovery| {
        let metadata = group.metadata.as_ref();
        let name = metadata.and_then(|metadata| metadata.name.as_deref());
        name.is_none_or(str::is_empty)
    };
    let is_alone = path != CORE || list.items.len() <= 1;
    let mut groups = list.items.iter();
    if is_alone && groups.all(|group| is_core(group) == (path == CORE)) {
        let versions = list.items.iter().flat_map(|group| &group.versions);
        let resources = versions.clone().map(|version| version.resources.len());
        check_number(path, "groups", list.items.len())?;
        check_number(path, "versions", versions.count())?;
        check_number(path, "resources", resources.sum())?;
        return Ok(list.items);
    }
    let (expected, found) = match path {
        CORE => ("the core group", "a list with other groups or several"),
        _ => ("a list of named groups", "a list with the core group"),
    };
    Err(unexpected(path, expected.to_owned(), found.to_owned()))
}

fn is_aggregated(body: &[u8]) -> bool {
    let text = std::str::from_utf8(body).unwrap_or_default();
    Types::read(text).is_ok_and(|types| types.kind() == Some(AGGREGATED.kind))
}

/// The level of a discovery document, which determines what is missing without it.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Level {
    /// All groups. Failures are retried according to the client's options.
    Root,
    /// One version of a group. Its service may be unavailable for a long time, and the other versions do not wait for
    /// it.
    Version,
}

/// Requests a discovery document.
pub(super) async fn get(client: &Client, path: &str, level: Level) -> Result<Bytes, Error> {
    let mut options = client.options.clone();
    if level == Level::Version {
        options.max_retries = 0;
        // Reserve time for the documents that are requested afterwards.
        options.timeout = options.timeout.min(options.deadline.remaining()) / 2;
    }
    let mut call = Attempts::begin(&options, true);
    loop {
        match try_get(client, path, &call).await {
            Ok(body) => return Ok(body),
            Err(error) => call.wait_after(error).await?,
        }
    }
}

async fn try_get(client: &Client, path: &str, call: &Attempts) -> Result<Bytes, Error> {
    let operation = || ClientOperation::discovery(path);
    let options = &client.options;
    let built = Request::get(path).header(ACCEPT, ACCEPT_AGGREGATED_DISCOVERY_V2).body(Body::empty());
    let request = built.map_err(|error| Error::Transport {
        operation: Box::new(operation()),
        source: kube::Error::HttpError(error).into(),
    })?;
    let response =
        client.connection.send(request, call.attempt()).await.map_err(|error| error.into_error(operation(), call))?;
    if !response.status().is_success() {
        return Err(read_error_response(operation(), response, options, call).await);
    }
    let limit = options.limits.of(Limit::Discovery);
    let body = collect(response.into_body(), limit, options.stall_timeout);
    let body = call.within(body).await.map_err(|_| call.exceeded(operation()))?;
    body.map_err(|error| error.into_error(operation(), Limit::Discovery, options))
}

/// Decodes a document. Discovery documents may lack an `apiVersion`.
pub(super) fn read<T: DeserializeOwned>(path: &str, body: &[u8], document: &Document) -> Result<T, Error> {
    let text = std::str::from_utf8(body).unwrap_or_default();
    if let Some(found) = document.mismatch(text) {
        return Err(unexpected(path, format!("`{}`", document.kind), found));
    }
    // Decoding takes many times the memory of the text.
    if decode::depth::has_more_objects(text, MAX_OBJECTS) {
        return Err(too_many(path, "objects", MAX_OBJECTS));
    }
    decode::object(body).map_err(|failure| failure.into_error(ClientOperation::discovery(path)))
}

/// Fails if a document has more elements than any API server serves.
pub(super) fn check_number(path: &str, what: &str, number: usize) -> Result<(), Error> {
    if number > MAX_ITEMS { Err(too_many(path, what, MAX_ITEMS)) } else { Ok(()) }
}

fn too_many(path: &str, what: &str, allowed: usize) -> Error {
    let expected = format!("at most {allowed} {what}");
    unexpected(path, expected, "more".to_owned())
}

impl Document {
    /// Describes the content of a text if it is not the document. Invalid JSON is left to the decoder.
    fn mismatch(&self, text: &str) -> Option<String> {
        let types = match Types::read(text) {
            Ok(types) => types,
            Err(_) if !is_object(text) => return Some(describe_non_object(text)),
            Err(_) => return None,
        };
        let version = types.api_version();
        let is_of_version = version.is_none_or(|version| version.starts_with(self.version));
        if types.kind() != Some(self.kind) || !is_of_version {
            return Some(describe(version, types.kind()));
        }
        let members: BTreeMap<CowStr<'_>, &RawValue> = serde_json::from_str(text).ok()?;
        (!members.contains_key(self.member)).then(|| format!("`{}` without `{}`", self.kind, self.member))
    }
}

/// Returns the error for a group or version that is not a valid path segment.
pub(super) fn invalid_part(path: &str, part: &str, reason: &'static str) -> Error {
    Error::InvalidName {
        operation: Box::new(ClientOperation::discovery(path)),
        name: Excerpt(part).to_string(),
        reason,
    }
}

/// Returns the error for an unexpected document.
pub(super) fn unexpected(path: &str, expected: String, found: String) -> Error {
    Error::Unexpected {
        operation: Box::new(ClientOperation::discovery(path)),
        mismatch: Box::new(Mismatch::new(expected, found)),
    }
}

impl ClientOperation {
    /// The request of a discovery document.
    pub(in crate::client) fn discovery(path: &str) -> Self {
        Self {
            verb: Verb::Get,
            group: String::new(),
            version: String::new(),
            kind: "the discovery document".to_owned(),
            plural: String::new(),
            subresource: None,
            namespace: None,
            name: Some(Excerpt(path).to_string()),
            generate_name: None,
            // Discovery contains no values of objects.
            quotes_values: false,
        }
    }
}
