//! Parses the lines of a watch.

use std::fmt;

use serde::{Deserialize, de::Error as _};
use serde_json::value::RawValue;

use crate::client::decode::text;

/// The event of a line, with the text of its object.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Line<'a> {
    Added(&'a str),
    Modified(&'a str),
    Deleted(&'a str),
    Bookmark(&'a str),
    Error(&'a str),
}

impl fmt::Debug for Line<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, object) = match self {
            Self::Added(object) => ("Added", object),
            Self::Modified(object) => ("Modified", object),
            Self::Deleted(object) => ("Deleted", object),
            Self::Bookmark(object) => ("Bookmark", object),
            Self::Error(object) => ("Error", object),
        };
        write!(f, "{name}({} bytes)", object.len())
    }
}

#[derive(Deserialize)]
struct Envelope<'a> {
    #[serde(rename = "type")]
    kind: Type,
    #[serde(borrow)]
    object: &'a RawValue,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
enum Type {
    Added,
    Modified,
    Deleted,
    Bookmark,
    Error,
}

/// Parses a line, without its object.
///
/// The API server writes the type, the object and nothing else. Other orders, spaces and fields are accepted too.
pub(crate) fn line(line: &[u8]) -> Result<Line<'_>, serde_json::Error> {
    let text = text(line)?;
    match parse_fast(text) {
        Some(line) => Ok(line),
        None => parse_with_serde(text),
    }
}

/// The prefixes of lines that the API server writes.
const BEGINNINGS: [(&str, Type); 5] = [
    (r#"{"type":"MODIFIED","object":"#, Type::Modified),
    (r#"{"type":"ADDED","object":"#, Type::Added),
    (r#"{"type":"DELETED","object":"#, Type::Deleted),
    (r#"{"type":"BOOKMARK","object":"#, Type::Bookmark),
    (r#"{"type":"ERROR","object":"#, Type::Error),
];

fn parse_fast(line: &str) -> Option<Line<'_>> {
    let line = line.strip_suffix('}')?;
    let mut lines = BEGINNINGS.into_iter().filter_map(|(beginning, kind)| {
        let object = line.strip_prefix(beginning)?;
        Some((kind, object))
    });
    let (kind, object) = lines.next()?;
    // This is the end of an object. Only another object could follow it.
    object.ends_with('}').then(|| kind.of(object))
}

fn parse_with_serde(line: &str) -> Result<Line<'_>, serde_json::Error> {
    let envelope: Envelope<'_> = serde_json::from_str(line)?;
    Ok(envelope.kind.of(envelope.object.get()))
}

impl Type {
    fn of(self, object: &str) -> Line<'_> {
        match self {
            Self::Added => Line::Added(object),
            Self::Modified => Line::Modified(object),
            Self::Deleted => Line::Deleted(object),
            Self::Bookmark => Line::Bookmark(object),
            Self::Error => Line::Error(object),
        }
    }
}

/// The content of a [`Line::Bookmark`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Bookmark {
    /// The resourceVersion from which another watch can continue.
    pub(crate) resource_version: String,
    /// Whether all initial objects have been sent.
    pub(crate) initial_events_end: bool,
}

impl Bookmark {
    /// Decodes the object of a bookmark.
    pub(crate) fn read(object: &str) -> Result<Self, serde_json::Error> {
        #[derive(Deserialize)]
        struct Object {
            metadata: Metadata,
        }
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Metadata {
            resource_version: String,
            #[serde(default)]
            annotations: Option<Annotations>,
        }
        #[derive(Deserialize)]
        struct Annotations {
            #[serde(rename = "k8s.io/initial-events-end")]
            initial_events_end: Option<String>,
        }
        let Object { metadata } = serde_json::from_str(object)?;
        if metadata.resource_version.is_empty() {
            return Err(serde_json::Error::missing_field("metadata.resourceVersion"));
        }
        let end = metadata.annotations.and_then(|annotations| annotations.initial_events_end);
        Ok(Self { resource_version: metadata.resource_version, initial_events_end: end.as_deref() == Some("true") })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_the_api_server_are_parsed() {
        let object = r#"{"metadata":{"name":"a"}}"#;
        let lines = [
            ("ADDED", Line::Added(object)),
            ("MODIFIED", Line::Modified(object)),
            ("DELETED", Line::Deleted(object)),
            ("BOOKMARK", Line::Bookmark(object)),
            ("ERROR", Line::Error(object)),
        ];
        for (name, line) in lines {
            let written = format!(r#"{{"type":"{name}","object":{object}}}"#);
            assert_eq!(parse_fast(&written), Some(line));
            assert_eq!(parse_with_serde(&written).unwrap(), line);
        }
    }

    #[test]
    fn lines_in_other_forms_are_parsed() {
        for other in [
            r#"{"object":{"a":1},"type":"ADDED"}"#,
            r#" { "type" : "ADDED" , "object" : {"a":1} } "#,
            r#"{"type":"ADDED","object":{"a":1},"more":"x"}"#,
            r#"{"more":[],"type":"ADDED","object":{"a":1}}"#,
            r#"{"type":"\u0041DDED","object":{"a":1}}"#,
        ] {
            assert_eq!(line(other.as_bytes()).unwrap(), Line::Added(r#"{"a":1}"#));
        }
    }

    #[test]
    fn invalid_event_is_rejected() {
        for odd in [
            "",
            "{}",
            r#"{"type":"ADDED"}"#,
            r#"{"type":"RENAMED","object":{}}"#,
            r#"{"type":"ADDED","object":{"a":1}"#,
            r#"{"type":"ADDED","object":{},"type":"ADDED"}"#,
        ] {
            assert!(line(odd.as_bytes()).is_err(), "{odd}");
        }
        assert!(line(b"{\"type\":\"ADDED\",\"object\":{\"a\":\"\xff\"}}").is_err());
    }

    #[test]
    fn bookmarks_contain_the_version_and_the_end_of_initial_events() {
        let read = |object| Bookmark::read(object).unwrap();
        let bookmark = read(r#"{"kind":"A","metadata":{"resourceVersion":"7","creationTimestamp":null}}"#);
        assert_eq!(bookmark.resource_version, "7");
        assert!(!bookmark.initial_events_end);
        let end = r#"{"metadata":{"annotations":{"k8s.io/initial-events-end":"true"},"resourceVersion":"8"}}"#;
        assert!(read(end).initial_events_end);
        assert!(Bookmark::read("{}").is_err());
        assert!(Bookmark::read(r#"{"metadata":{"resourceVersion":""}}"#).is_err());
    }
}
