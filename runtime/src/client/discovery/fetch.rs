//! Asks an API server what it serves.

use bytes::Bytes;
use http::{Request, header::ACCEPT};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{APIGroupList, APIVersions};
use kube::client::Body;
use kube_core::discovery::v2::{ACCEPT_AGGREGATED_DISCOVERY_V2, APIGroupDiscoveryList};
use serde::de::DeserializeOwned;

use super::{Catalog, legacy};
use crate::client::{
    Client, Error,
    body::collect,
    call::Call,
    decode,
    error::{Mismatch, Target},
    expected::{Types, described, is_object, no_object},
    limits::Part,
    refused::refused,
    request::Verb,
};

const CORE: &str = "/api";
const GROUPS: &str = "/apis";
const AGGREGATED: &str = "APIGroupDiscoveryList";

/// All that is served, in two requests where the API server can say it so.
pub(super) async fn fetch(client: &Client) -> Result<Catalog, Error> {
    let core = get(client, CORE, Document::Root);
    let groups = get(client, GROUPS, Document::Root);
    let (core, groups) = futures_util::future::try_join(core, groups).await?;
    let mut catalog = Catalog::default();
    if is_aggregated(&core) {
        let list: APIGroupDiscoveryList = read(CORE, &core, AGGREGATED)?;
        catalog.add_aggregated(list.items);
    } else {
        let versions: APIVersions = read(CORE, &core, "APIVersions")?;
        catalog
            .add_versions(client, legacy::core_group(versions))
            .await;
    }
    if is_aggregated(&groups) {
        let list: APIGroupDiscoveryList = read(GROUPS, &groups, AGGREGATED)?;
        catalog.add_aggregated(list.items);
    } else {
        let list: APIGroupList = read(GROUPS, &groups, "APIGroupList")?;
        catalog.add_versions(client, legacy::groups(list)).await;
    }
    Ok(catalog)
}

fn is_aggregated(body: &[u8]) -> bool {
    let text = std::str::from_utf8(body).unwrap_or_default();
    Types::read(text).is_ok_and(|types| types.kind() == Some(AGGREGATED))
}

/// What is missing without a document.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Document {
    /// Everything, so that it is asked for again, as the options of the client say.
    Root,
    /// One version of a group. What serves it may be away for long, and others do not wait for it.
    Version,
}

/// Reads a document of discovery.
pub(super) async fn get(client: &Client, path: &str, document: Document) -> Result<Bytes, Error> {
    let mut options = client.options.clone();
    if document == Document::Version {
        options.max_retries = 0;
        // There has to be time left for those that are asked for after it.
        options.timeout = options.timeout.min(options.deadline.left()) / 2;
    }
    let mut call = Call::begin(&options, true);
    loop {
        match try_get(client, path, &call).await {
            Ok(body) => return Ok(body),
            Err(error) => call.wait_after(error).await?,
        }
    }
}

async fn try_get(client: &Client, path: &str, call: &Call) -> Result<Bytes, Error> {
    let target = || Target::discovery(path);
    let options = &client.options;
    let request = Request::get(path)
        .header(ACCEPT, ACCEPT_AGGREGATED_DISCOVERY_V2)
        .body(Body::empty());
    let request = request.map_err(|error| Error::Transport {
        target: Box::new(target()),
        source: kube::Error::HttpError(error).into(),
    })?;
    let response = client.connection.send(request, call.attempt()).await;
    let response = response.map_err(|error| error.into_error(target(), call))?;
    if !response.status().is_success() {
        return Err(refused(target(), response, options, call).await);
    }
    let limit = options.limits.of(Part::Discovery);
    let body = collect(response.into_body(), limit, options.stall_timeout);
    let body = call.within(body).await;
    let body = body.map_err(|_| call.exceeded(target()))?;
    body.map_err(|error| error.into_error(target(), Part::Discovery, options))
}

/// Reads a document of a kind. Documents of discovery need not have an apiVersion.
pub(super) fn read<T: DeserializeOwned>(path: &str, body: &[u8], kind: &str) -> Result<T, Error> {
    let text = std::str::from_utf8(body).unwrap_or_default();
    let found = match Types::read(text) {
        Ok(types) if types.kind() == Some(kind) => None,
        Ok(types) => Some(described(types.api_version(), types.kind())),
        Err(_) if !is_object(text) => Some(no_object(text)),
        Err(_) => None,
    };
    if let Some(found) = found {
        return Err(unexpected(path, format!("`{kind}`"), found));
    }
    decode::object(body).map_err(|failure| failure.into_error(Target::discovery(path)))
}

/// The error of a group or version that cannot stand in a path.
pub(super) fn invalid_part(path: &str, part: &str, reason: &'static str) -> Error {
    Error::InvalidName {
        target: Box::new(Target::discovery(path)),
        name: part.to_owned(),
        reason,
    }
}

/// The error of a document that is not what was asked for.
pub(super) fn unexpected(path: &str, expected: String, found: String) -> Error {
    Error::Unexpected {
        target: Box::new(Target::discovery(path)),
        mismatch: Box::new(Mismatch::new(expected, found)),
    }
}

impl Target {
    /// A document of discovery.
    pub(super) fn discovery(path: &str) -> Self {
        Self {
            verb: Verb::Get,
            group: String::new(),
            version: String::new(),
            kind: "the document of discovery".to_owned(),
            plural: String::new(),
            subresource: None,
            namespace: None,
            name: Some(path.to_owned()),
        }
    }
}
