//! Asks an API server what it serves.

use http::{Request, header::ACCEPT};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{APIGroupList, APIVersions};
use kube::client::Body;
use kube_core::discovery::v2::{ACCEPT_AGGREGATED_DISCOVERY_V2, APIGroupDiscoveryList};
use serde::de::DeserializeOwned;

use super::{Catalog, legacy};
use crate::client::{
    Client, Error, decode,
    error::{KubeError, Mismatch, Refusal, Target},
    expected::{Types, described, is_object, no_object},
    request::Verb,
    retry,
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
pub(super) async fn get(client: &Client, path: &str, patience: Patience) -> Result<Vec<u8>, Error> {
    let max_retries = match patience {
        Patience::None => 0,
        Patience::Patient => client.options.max_retries,
    };
    let mut retries = 0;
    loop {
        let error = match try_get(client, path).await {
            Ok(body) => return Ok(body),
            Err(error) => error,
        };
        match retry::delay(&error, true, retries).filter(|_| retries < max_retries) {
            Some(delay) => tokio::time::sleep(delay).await,
            None => return Err(error),
        }
        retries += 1;
    }
}

async fn try_get(client: &Client, path: &str) -> Result<Vec<u8>, Error> {
    let broken = |source: kube::Error| Error::Transport {
        target: Box::new(target(path)),
        source: KubeError::from(source),
    };
    let request = Request::get(path)
        .header(ACCEPT, ACCEPT_AGGREGATED_DISCOVERY_V2)
        .body(Body::empty());
    let request = request.map_err(kube::Error::HttpError).map_err(broken)?;
    let (head, body) = client
        .connection
        .send(request)
        .await
        .map_err(broken)?
        .into_parts();
    let body = body.collect_bytes().await.map_err(broken)?;
    if head.status.is_success() {
        return Ok(body.into());
    }
    let status = read_status(head.status, &body);
    Err(Refusal {
        retry_after: retry_after(&head.headers, &status),
        target: target(path),
        status,
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
    decode::object(body).map_err(|failure| failure.into_error(target(path)))
}

/// The error of a group or version that cannot stand in a path.
pub(super) fn invalid_part(path: &str, part: &str, reason: &'static str) -> Error {
    Error::InvalidName {
        target: Box::new(target(path)),
        name: part.to_owned(),
        reason,
    }
}

/// The error of a document that is not what was asked for.
pub(super) fn unexpected(path: &str, expected: String, found: String) -> Error {
    Error::Unexpected {
        target: Box::new(target(path)),
        mismatch: Box::new(Mismatch::new(expected, found)),
    }
}

fn target(path: &str) -> Target {
    Target {
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
