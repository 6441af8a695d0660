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
    body::{self, BodyError},
    call::Call,
    connection::SendError,
    decode,
    error::{KubeError, Mismatch, Phase, Refusal, Target},
    expected::{Types, described, is_object, no_object},
    limits::Limit,
    request::Verb,
    send::{read_status, retry_after},
};

const CORE: &str = "/api";
const GROUPS: &str = "/apis";
const AGGREGATED: &str = "APIGroupDiscoveryList";

/// All that is served, in two requests where the API server can say it so.
pub(super) async fn fetch(client: &Client) -> Result<Catalog, Error> {
    let core = get(client, CORE, Patience::Patient);
    let groups = get(client, GROUPS, Patience::Patient);
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

/// Whether a request is sent again, as the options of the client say.
#[derive(Clone, Copy)]
pub(super) enum Patience {
    /// What is behind it may be away for long, and others do not wait for it.
    None,
    /// Without it nothing is known.
    Patient,
}

/// Reads a document of discovery.
pub(super) async fn get(client: &Client, path: &str, patience: Patience) -> Result<Bytes, Error> {
    let mut options = client.options.clone();
    if let Patience::None = patience {
        options.max_retries = 0;
        // There has to be time left for the others.
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
    let broken = |source: kube::Error| Error::Transport {
        target: Box::new(Target::discovery(path)),
        source: KubeError::from(source),
    };
    let exceeded = |phase, limit| Error::DeadlineExceeded {
        target: Box::new(Target::discovery(path)),
        phase,
        limit,
    };
    let request = Request::get(path)
        .header(ACCEPT, ACCEPT_AGGREGATED_DISCOVERY_V2)
        .body(Body::empty());
    let request = request.map_err(kube::Error::HttpError).map_err(broken)?;
    let response = client.connection.send(request, call.attempt()).await;
    let (head, body) = response
        .map_err(|error| match error {
            SendError::Elapsed => exceeded(Phase::Answer, call.limit()),
            SendError::Broken(source) => broken(source),
        })?
        .into_parts();
    let limit = match head.status.is_success() {
        true => Limit::Discovery,
        false => Limit::Error,
    };
    let (allowed, stall) = (
        client.options.limits.of(limit),
        client.options.stall_timeout,
    );
    let body = body::collect(body, allowed, stall).await;
    let body = body.map_err(|error| match error {
        BodyError::Broken(source) => broken(source),
        BodyError::Stalled => exceeded(Phase::Body, stall),
        BodyError::TooLarge => Error::TooLarge {
            target: Box::new(Target::discovery(path)),
            limit,
            allowed,
        },
    })?;
    if limit == Limit::Discovery {
        return Ok(body);
    }
    let quotes = client.options.limits.quotes();
    let status = read_status(head.status, &body, quotes);
    Err(Refusal {
        retry_after: retry_after(&head.headers, &status),
        target: Target::discovery(path),
        status,
        quotes,
    }
    .into_error())
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
