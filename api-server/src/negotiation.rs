//! Negotiation of the representation of a response, by the headers `Accept` and `Accept-Encoding`.
//!
//! Responses are JSON or YAML, and protobuf for what has a form in it.

use http::header::ACCEPT;
#[cfg(feature = "gzip")]
use http::header::ACCEPT_ENCODING;

#[cfg(feature = "protobuf")]
use super::openapi::version2::message::SUBTYPES;
use super::request::Request;

/// The media type of a response.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum MediaType {
    #[default]
    Json,
    Yaml,
    #[cfg(feature = "protobuf")]
    Protobuf,
}

impl MediaType {
    const fn is_text(self) -> bool {
        matches!(self, Self::Json | Self::Yaml)
    }
}

/// What a client accepts besides the representation of objects.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Accepted {
    /// The media type of failures.
    pub(super) of_failures: MediaType,
    #[cfg(feature = "gzip")]
    pub(super) is_gzip: bool,
}

impl Accepted {
    pub(super) fn of(request: &Request) -> Self {
        Self {
            of_failures: of_failure(request.header(ACCEPT)),
            // The real server ignores an encoding with a quality.
            #[cfg(feature = "gzip")]
            is_gzip: request.header(ACCEPT_ENCODING).split(',').any(|encoding| encoding.trim() == "gzip"),
        }
    }
}

/// The representation of an object or a list that a client requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Projection {
    /// The object or the list itself.
    Whole,
    Table(MetaVersion),
    /// Only the metadata of an object.
    Metadata(MetaVersion),
    /// Only the metadata of each object of a list.
    MetadataList(MetaVersion),
}

/// A version of the group `meta.k8s.io`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MetaVersion {
    V1,
    V1Beta1,
}

impl MetaVersion {
    pub(super) const fn api_version(self) -> &'static str {
        match self {
            Self::V1 => "meta.k8s.io/v1",
            Self::V1Beta1 => "meta.k8s.io/v1beta1",
        }
    }
}

/// The message of a response with the status 406.
pub(super) const NOT_ACCEPTABLE: &str = "only the following media types are accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf";

/// The message for built-in resources and documents, whose media types are checked before.
pub(super) const NO_REPRESENTATION: &str = "406: Not Acceptable\n\nAvailable representations: application/json, application/yaml, application/vnd.kubernetes.protobuf";

/// The message for watches in a media type without a form for streams.
pub(super) const NO_STREAM: &str = "only the following media types are accepted: application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch";

/// Returns the representation of an object, a list or a watch. The error is the message of a response with the status 406. Whole
/// objects of custom resources have no form in protobuf, and their scales are not written in it either.
pub(super) fn projection(accept: &str, is_custom: bool) -> Result<(Projection, MediaType), &'static str> {
    if accept.is_empty() {
        return Ok((Projection::Whole, MediaType::default()));
    }
    let clauses = clauses(accept);
    // The routes of built-in resources accept no ranges of media types but `*/*`.
    let candidates: Vec<_> = clauses
        .iter()
        .filter(|clause| is_custom || clause.type_ == "*" || clause.subtype != "*")
        .filter_map(|clause| Some((clause, clause.media_type()?)))
        .collect();
    if candidates.is_empty() {
        return Err(if is_custom { NOT_ACCEPTABLE } else { NO_REPRESENTATION });
    }
    let negotiated = candidates.into_iter().find_map(|(clause, media_type)| {
        let projection = clause.projection()?;
        let is_in_text_only = match projection {
            Projection::Whole => is_custom,
            Projection::Table(_) => true,
            Projection::Metadata(_) | Projection::MetadataList(_) => false,
        };
        (media_type.is_text() || !is_in_text_only).then_some((projection, media_type))
    });
    negotiated.ok_or(NOT_ACCEPTABLE)
}

/// Returns the media type of a failure: JSON if none is acceptable.
fn of_failure(accept: &str) -> MediaType {
    let clauses = clauses(accept);
    let mut whole = clauses.iter().filter(|clause| clause.projection() == Some(Projection::Whole));
    whole.find_map(Clause::media_type).unwrap_or_default()
}

/// Returns whether the client accepts JSON.
pub(super) fn accepts_json(accept: &str) -> bool {
    accept.is_empty() || clauses(accept).iter().any(Clause::includes_json)
}

/// Returns the media type of the document of OpenAPI 2 for a client, JSON or protobuf; `None` if it accepts neither.
pub(super) fn of_openapi_2(accept: &str) -> Option<MediaType> {
    if accept.is_empty() {
        return Some(MediaType::Json);
    }
    let form = |clause: &Clause<'_>| match (clause.type_, clause.subtype) {
        ("application" | "*", "json" | "*") => Some(MediaType::Json),
        #[cfg(feature = "protobuf")]
        ("application" | "*", subtype) if SUBTYPES.contains(&subtype) => Some(MediaType::Protobuf),
        _ => None,
    };
    clauses(accept).iter().find_map(form)
}

/// Returns whether the client requests aggregated discovery, and the media type.
///
/// # Errors
///
/// The message of a response with the status 406.
pub(super) fn discovery(accept: &str) -> Result<(bool, MediaType), &'static str> {
    if accept.is_empty() {
        return Ok((false, MediaType::default()));
    }
    let clauses = clauses(accept);
    let acceptable: Vec<_> = clauses.iter().filter_map(|clause| Some((clause, clause.media_type()?))).collect();
    if acceptable.is_empty() {
        return Err(NO_REPRESENTATION);
    }
    let negotiated = |(clause, media_type): (&Clause<'_>, MediaType)| match clause.target() {
        None => Some((false, media_type)),
        Some(("APIGroupDiscoveryList", "apidiscovery.k8s.io", "v2")) => Some((true, media_type)),
        Some(_) => None,
    };
    acceptable.into_iter().find_map(negotiated).ok_or(NOT_ACCEPTABLE)
}

const YAML: &str = "yaml";

/// A media type of the header, with its parameters.
struct Clause<'a> {
    type_: &'a str,
    subtype: &'a str,
    quality: f32,
    parameters: Vec<(&'a str, &'a str)>,
}

/// Returns the media types in the order of preference.
fn clauses(accept: &str) -> Vec<Clause<'_>> {
    let mut clauses: Vec<_> = accept.split(',').filter_map(Clause::parse).collect();
    clauses.sort_by(|one, other| other.quality.total_cmp(&one.quality));
    clauses
}

impl<'a> Clause<'a> {
    fn parse(text: &'a str) -> Option<Self> {
        let mut parts = text.trim_matches(' ').split(';');
        let (type_, subtype) = parts.next()?.split_once('/').unwrap_or(("*", "*"));
        let trim = |text: &'a str| text.trim_matches(' ');
        let mut clause = Clause { type_: trim(type_), subtype: trim(subtype), quality: 1.0, parameters: Vec::new() };
        if !text.contains('/') && trim(text.split(';').next()?) != "*" {
            return None;
        }
        for (name, value) in parts.filter_map(|part| part.split_once('=')) {
            match trim(name) {
                "q" => clause.quality = trim(value).parse().unwrap_or(0.0),
                name => clause.parameters.push((name, trim(value))),
            }
        }
        Some(clause)
    }

    fn includes_json(&self) -> bool {
        matches!((self.type_, self.subtype), ("application", "json" | "*") | ("*", "*"))
    }

    fn media_type(&self) -> Option<MediaType> {
        match (self.type_, self.subtype) {
            ("application", YAML) => Some(MediaType::Yaml),
            #[cfg(feature = "protobuf")]
            ("application", "vnd.kubernetes.protobuf") => Some(MediaType::Protobuf),
            _ => self.includes_json().then_some(MediaType::Json),
        }
    }

    fn parameter(&self, name: &str) -> Option<&'a str> {
        self.parameters.iter().rev().find(|(other, _)| *other == name).map(|(_, value)| *value)
    }

    /// Returns the kind, the group and the version of the requested representation.
    fn target(&self) -> Option<(&'a str, &'a str, &'a str)> {
        let parts = ["as", "g", "v"].map(|name| self.parameter(name));
        let is_requested = parts.iter().any(Option::is_some);
        let [kind, group, version] = parts.map(Option::unwrap_or_default);
        is_requested.then_some((kind, group, version))
    }

    fn projection(&self) -> Option<Projection> {
        let has_stream = |stream: &str| stream.is_empty() || (stream == "watch" && self.subtype != YAML);
        if self.parameter("stream").is_some_and(|stream| !has_stream(stream)) {
            return None;
        }
        let Some((kind, group, version)) = self.target() else {
            return Some(Projection::Whole);
        };
        let version = match (group, version) {
            ("meta.k8s.io", "v1") => MetaVersion::V1,
            ("meta.k8s.io", "v1beta1") => MetaVersion::V1Beta1,
            _ => return None,
        };
        match kind {
            "Table" => Some(Projection::Table(version)),
            "PartialObjectMetadata" => Some(Projection::Metadata(version)),
            "PartialObjectMetadataList" => Some(Projection::MetadataList(version)),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn projections() {
        const TABLE: &str = "application/json;as=Table;v=v1;g=meta.k8s.io";
        for (accept, expected) in [
            ("", Ok(Projection::Whole)),
            ("application/json", Ok(Projection::Whole)),
            ("*/*", Ok(Projection::Whole)),
            ("*", Ok(Projection::Whole)),
            ("application/*;q=0.1,text/plain", Ok(Projection::Whole)),
            ("application/json;foo=bar;stream=watch;sv=v1", Ok(Projection::Whole)),
            ("application/vnd.kubernetes.protobuf,application/json", Ok(Projection::Whole)),
            ("application/vnd.kubernetes.protobuf", Err(NOT_ACCEPTABLE)),
            ("application/cbor, application/json;q=0.5", Ok(Projection::Whole)),
            (TABLE, Ok(Projection::Table(MetaVersion::V1))),
            (&format!("{TABLE},application/json"), Ok(Projection::Table(MetaVersion::V1))),
            (&format!("{TABLE};q=0.5, application/json"), Ok(Projection::Whole)),
            ("application/json; as = Table ; v=v1beta1;g=meta.k8s.io", Ok(Projection::Table(MetaVersion::V1Beta1))),
            ("application/json;as=Table;v=v9;g=meta.k8s.io,application/json", Ok(Projection::Whole)),
            ("application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io", Ok(Projection::Metadata(MetaVersion::V1))),
            (
                "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io",
                Ok(Projection::MetadataList(MetaVersion::V1)),
            ),
            ("application/json;as=Table", Err(NOT_ACCEPTABLE)),
            ("application/json;as=Foo;v=v1;g=meta.k8s.io", Err(NOT_ACCEPTABLE)),
            ("application/json;stream=x", Err(NOT_ACCEPTABLE)),
            ("text/html", Err(NOT_ACCEPTABLE)),
            ("json", Err(NOT_ACCEPTABLE)),
        ] {
            let expected = expected.map(|projection| (projection, MediaType::Json));
            assert_eq!(projection(accept, true), expected, "{accept}");
        }
        assert_eq!(projection("text/html", false), Err(NO_REPRESENTATION));
    }

    #[test]
    fn yaml() {
        const TABLE: &str = "application/yaml;as=Table;v=v1;g=meta.k8s.io";
        for (accept, expected) in [
            ("application/yaml", Ok((Projection::Whole, MediaType::Yaml))),
            ("application/json,application/yaml", Ok((Projection::Whole, MediaType::Json))),
            ("application/json;q=0.5,application/yaml", Ok((Projection::Whole, MediaType::Yaml))),
            (TABLE, Ok((Projection::Table(MetaVersion::V1), MediaType::Yaml))),
            ("application/yaml;stream=watch", Err(NOT_ACCEPTABLE)),
            ("application/yaml;stream=watch,application/json", Ok((Projection::Whole, MediaType::Json))),
            ("text/yaml", Err(NOT_ACCEPTABLE)),
        ] {
            assert_eq!(projection(accept, true), expected, "{accept}");
        }
        assert_eq!(of_failure("application/yaml"), MediaType::Yaml);
        assert_eq!(of_failure(TABLE), MediaType::Json);
    }

    #[cfg(feature = "protobuf")]
    #[test]
    fn media_types() {
        const PROTOBUF: &str = "application/vnd.kubernetes.protobuf";
        const METADATA: &str = "application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;v=v1;g=meta.k8s.io";
        let media_type = |accept: &str, is_custom| projection(accept, is_custom).map(|(_, it)| it);
        for (accept, of_custom, of_own) in [
            (PROTOBUF, Err(NOT_ACCEPTABLE), Ok(MediaType::Protobuf)),
            (&format!("{PROTOBUF},application/json"), Ok(MediaType::Json), Ok(MediaType::Protobuf)),
            (&format!("{PROTOBUF};q=0.5,application/json"), Ok(MediaType::Json), Ok(MediaType::Json)),
            (&format!("{PROTOBUF};stream=watch"), Err(NOT_ACCEPTABLE), Ok(MediaType::Protobuf)),
            (METADATA, Ok(MediaType::Protobuf), Ok(MediaType::Protobuf)),
            (&METADATA.replace("PartialObjectMetadata", "Table"), Err(NOT_ACCEPTABLE), Err(NOT_ACCEPTABLE)),
        ] {
            assert_eq!(media_type(accept, true), of_custom, "{accept}");
            assert_eq!(media_type(accept, false), of_own, "{accept}");
        }
        for (accept, expected) in [
            (PROTOBUF, MediaType::Protobuf),
            (METADATA, MediaType::Json),
            ("text/html", MediaType::Json),
            ("", MediaType::Json),
        ] {
            assert_eq!(of_failure(accept), expected, "{accept}");
        }
    }

    #[test]
    fn discovery_documents() {
        const AGGREGATED: &str = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
        for (accept, expected) in [
            (AGGREGATED, Ok(true)),
            (&format!("{AGGREGATED};profile=nopeer,application/json"), Ok(true)),
            ("application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json", Ok(false)),
            ("application/json;g=apidiscovery.k8s.io;v=v9;as=APIGroupDiscoveryList", Err(NOT_ACCEPTABLE)),
            ("application/json", Ok(false)),
            ("", Ok(false)),
        ] {
            assert_eq!(discovery(accept), expected.map(|is_aggregated| (is_aggregated, MediaType::Json)), "{accept}");
        }
    }
}
