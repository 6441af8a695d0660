//! The documents that are no objects of a resource.

use http::{Method, header};
use serde_json::{Value, json};

#[cfg(feature = "signed-tokens")]
use super::tokens::key;
use super::{
    discovery::{self, Discovery},
    failure::Failure,
    negotiation::{self, MediaType},
    openapi::{self, version2},
    request::Request,
    resource::Resource,
    response::{Content, Reply},
};

/// The message for documents that are no objects.
const JSON_ONLY: &str = "406: Not Acceptable\n\nAvailable representations: application/json";

/// Responds to a request of a path that is not below a resource.
pub(super) fn respond<'r>(
    request: &Request,
    path: &str,
    resources: impl Iterator<Item = &'r Resource>,
) -> Result<Reply, Failure> {
    let discovery = Discovery::new(resources);
    let Some(reply) = reply(request, path, &discovery)? else {
        return Ok(Reply::no_such_path());
    };
    if request.method != Method::GET {
        return Err(Failure::method_not_allowed());
    }
    Ok(reply)
}

fn reply(request: &Request, path: &str, discovery: &Discovery<'_>) -> Result<Option<Reply>, Failure> {
    let segments: Vec<_> = path.split('/').skip(1).collect();
    if path == "/openapi/v2" {
        return Ok(Some(version2(request, discovery)));
    }
    if let ["openapi", "v3", rest @ ..] = segments.as_slice() {
        return Ok(openapi(rest, discovery).map(|document| Reply::new(200, Content::Document(document))));
    }
    #[cfg(feature = "signed-tokens")]
    match path {
        key::CONFIGURATION_PATH => return Ok(Some(Reply::new(200, Content::Document(key::configuration(request))))),
        key::KEYS_PATH => return Ok(Some(Reply::new(200, Content::Keys(key::keys())))),
        _ => {}
    }
    let accept = request.header(header::ACCEPT);
    let not_acceptable = |message: &str| Failure::new(406, "NotAcceptable", message);
    let negotiate = || negotiation::discovery(accept).map_err(not_acceptable);
    if let [] | ["" | "version"] = segments.as_slice() {
        negotiate()?;
        if !negotiation::accepts_json(accept) {
            return Err(not_acceptable(JSON_ONLY).about("", "", ""));
        }
        let document = if path == "/version" { discovery::version() } else { paths(discovery) };
        return Ok(Some(Reply::new(200, Content::Document(document))));
    }
    let document = match segments.as_slice() {
        ["api"] => Some(discovery::api_versions()),
        ["apis"] => Some(discovery.group_list()),
        ["apis", "", ..] => None,
        ["apis", group] => discovery.group(group),
        ["api", version] => discovery.resource_list("", version),
        ["apis", group, version] => discovery.resource_list(group, version),
        _ => None,
    };
    // The media type of a path that does not exist does not matter.
    let Some(document) = document else { return Ok(None) };
    let (is_aggregated, media_type) = negotiate()?;
    let content = match segments.as_slice() {
        ["api" | "apis"] if is_aggregated => Content::Discovery(discovery.aggregated(path)),
        _ => Content::Document(document),
    };
    Ok(Some(Reply::new(200, content).in_media_type(media_type)))
}

/// Returns the document of version 2 of OpenAPI in the first representation that a client accepts and the server has.
fn version2(request: &Request, discovery: &Discovery<'_>) -> Reply {
    match negotiation::of_openapi_2(request.header(header::ACCEPT)) {
        Some(MediaType::Json) => Reply::new(200, Content::Document(version2::whole(discovery))),
        #[cfg(feature = "protobuf")]
        Some(MediaType::Protobuf) => {
            let message = version2::message::encode(&version2::whole(discovery));
            Reply::new(200, Content::Bytes(version2::message::MEDIA_TYPE, message.into()))
        }
        _ => Reply::new(406, Content::Text("".into())),
    }
}

fn openapi(segments: &[&str], discovery: &Discovery<'_>) -> Option<Value> {
    match segments {
        [] => Some(openapi::index(discovery)),
        ["api", version] => openapi::document(discovery, "", version),
        ["apis", group, version] => openapi::document(discovery, group, version),
        _ => None,
    }
}

/// Returns the document of `/`.
fn paths(discovery: &Discovery<'_>) -> Value {
    let fixed = ["/api", "/api/v1", "/apis", "/healthz", "/livez", "/openapi/v2", "/openapi/v3", "/readyz", "/version"];
    let of_group = |group| {
        let versions = discovery.versions(group).into_iter().map(move |version| format!("/apis/{group}/{version}"));
        [format!("/apis/{group}")].into_iter().chain(versions)
    };
    let of_groups = discovery.groups().into_iter().flat_map(of_group);
    let mut paths: Vec<_> = fixed.map(str::to_owned).into_iter().chain(of_groups).collect();
    paths.sort_unstable();
    json!({ "paths": paths })
}
