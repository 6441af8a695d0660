//! Requests as data, independent of a connection.

use std::fmt;

use bytes::Bytes;
use http::{
    HeaderValue, Method,
    header::{ACCEPT, ACCEPT_ENCODING, CONTENT_TYPE},
    request::Parts,
};
use kube_core::ObjectMeta;

pub(crate) mod query;

use super::{last_read::LastRead, limits::Limit};

pub(crate) use query::Query;

/// The verb of a request, as the API server's authorizer names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Verb {
    /// Reads one object.
    Get,
    /// Lists objects.
    List,
    /// Watches objects.
    Watch,
    /// Creates an object.
    Create,
    /// Replaces an object.
    Update,
    /// Patches or applies an object.
    Patch,
    /// Deletes an object.
    Delete,
    /// Deletes several objects.
    DeleteCollection,
}

impl Verb {
    /// Returns the verb as in an RBAC rule, such as `deletecollection`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Get => "get",
            Self::List => "list",
            Self::Watch => "watch",
            Self::Create => "create",
            Self::Update => "update",
            Self::Patch => "patch",
            Self::Delete => "delete",
            Self::DeleteCollection => "deletecollection",
        }
    }

    /// Returns whether the verb changes objects.
    pub(crate) const fn is_write(self) -> bool {
        !matches!(self, Self::Get | Self::List | Self::Watch)
    }

    /// Returns the limit that applies to the size of the response.
    pub(crate) const fn response_limit(self) -> Limit {
        match self {
            Self::List | Self::DeleteCollection => Limit::Page,
            Self::Watch => Limit::WatchEvent,
            Self::Get | Self::Create | Self::Update | Self::Patch | Self::Delete => Limit::Object,
        }
    }

    fn method(self) -> Method {
        match self {
            Self::Get | Self::List | Self::Watch => Method::GET,
            Self::Create => Method::POST,
            Self::Update => Method::PUT,
            Self::Patch => Method::PATCH,
            Self::Delete | Self::DeleteCollection => Method::DELETE,
        }
    }
}

/// The requested representation of objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Representation {
    Whole,
    Metadata,
}

impl Representation {
    fn media_type(self, verb: Verb) -> &'static str {
        match (self, verb) {
            (Self::Whole, _) => "application/json",
            (Self::Metadata, Verb::List) => "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1",
            (Self::Metadata, _) => "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1",
        }
    }
}

/// A request for objects of one kind, independent of their location.
#[derive(Clone)]
pub(crate) struct Request<'a> {
    pub(crate) verb: Verb,
    pub(crate) name: Option<&'a str>,
    /// The metadata of an object that is created. The path does not have its name.
    pub(crate) created: Option<&'a ObjectMeta>,
    pub(crate) subresource: Option<&'static str>,
    pub(crate) query: Query,
    pub(crate) content: Option<(&'static str, Bytes)>,
    /// The object that a response must have.
    pub(crate) known: LastRead<'a>,
    /// Whether the request is safe to repeat.
    pub(crate) repeatable: bool,
}

impl<'a> Request<'a> {
    /// Creates a request for a collection.
    pub(crate) fn collection(verb: Verb) -> Self {
        Self {
            verb,
            name: None,
            created: None,
            subresource: None,
            query: Query::default(),
            content: None,
            known: LastRead::default(),
            repeatable: matches!(verb, Verb::Get | Verb::List | Verb::Watch),
        }
    }

    /// Creates a request that creates an object.
    pub(crate) fn create(created: &'a ObjectMeta) -> Self {
        Self { created: Some(created), ..Self::collection(Verb::Create) }
    }

    /// Creates a request for one object.
    pub(crate) fn object(verb: Verb, name: &'a str) -> Self {
        Self { name: Some(name), ..Self::collection(verb) }
    }

    pub(crate) fn subresource(mut self, subresource: Option<&'static str>) -> Self {
        self.subresource = subresource;
        self
    }

    pub(crate) fn query(mut self, query: Query) -> Self {
        self.query = query;
        self
    }

    pub(crate) fn content(mut self, media_type: &'static str, body: impl Into<Bytes>) -> Self {
        self.content = Some((media_type, body.into()));
        self
    }

    pub(crate) fn known(mut self, known: LastRead<'a>) -> Self {
        self.known = known;
        self
    }

    pub(crate) fn repeatable(mut self) -> Self {
        self.repeatable = true;
        self
    }

    /// Returns the head of the request for the collection at `path`.
    pub(crate) fn head(&self, path: &str, representation: Representation) -> Result<Parts, http::Error> {
        let mut request = http::Request::builder()
            .method(self.verb.method())
            .uri(self.uri(path))
            .header(ACCEPT, HeaderValue::from_static(representation.media_type(self.verb)));
        if let Some((media_type, _)) = &self.content {
            request = request.header(CONTENT_TYPE, HeaderValue::from_static(media_type));
        }
        if self.verb == Verb::Watch {
            // Servers compress each watch event separately, which decoders of a single compressed body do not support.
            request = request.header(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
        }
        Ok(request.body(())?.into_parts().0)
    }

    fn uri(&self, path: &str) -> String {
        let parts = self.name.into_iter().chain(self.subresource);
        let mut uri = parts.fold(path.to_owned(), |mut uri, part| {
            uri.push('/');
            uri.push_str(part);
            uri
        });
        self.query.append_to(&mut uri);
        uri
    }
}

impl fmt::Debug for Request<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let content = self.content.as_ref();
        f.debug_struct("Request")
            .field("verb", &self.verb)
            .field("name", &self.name)
            .field("subresource", &self.subresource)
            .field("content", &content.map(|(kind, body)| (kind, body.len())))
            .field("repeatable", &self.repeatable)
            .finish_non_exhaustive()
    }
}

/// Checks that a name is a valid path segment, and returns why not.
pub(crate) fn check_name(name: &str) -> Result<(), &'static str> {
    const ALLOWED_PUNCTUATION: &str = "-._~:@!$&'()*+,;=";
    let fits = |c: char| c.is_ascii_alphanumeric() || ALLOWED_PUNCTUATION.contains(c);
    match name {
        "" => Err("it is empty"),
        "." | ".." => Err("it refers to another path"),
        _ if !name.chars().all(fits) => Err("object names contain letters, digits, `-` and `.`, and no URL delimiter"),
        _ => Ok(()),
    }
}

/// Checks that a group, a version or a plural is a valid path segment, and returns why not.
pub(crate) fn check_path_part(part: &str) -> Result<(), &'static str> {
    check_name(part).map_err(|reason| match part {
        "" => "the version or the plural is empty",
        "." | ".." => reason,
        _ => "groups, versions and plurals contain letters, digits, `-` and `.`, and no URL delimiter",
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATH: &str = "/api/v1/namespaces/default/pods";

    #[test]
    fn paths_contain_the_object_and_the_subresource() {
        let status = Request::object(Verb::Get, "web").subresource(Some("status"));
        assert_eq!(status.uri(PATH), format!("{PATH}/web/status"));
        assert_eq!(Request::collection(Verb::List).uri(PATH), PATH);
    }

    #[test]
    fn heads_contain_content_type_and_accept() {
        let request = Request::object(Verb::Patch, "web").content("application/merge-patch+json", "{}");
        let head = request.head(PATH, Representation::Metadata).unwrap();
        assert_eq!(head.method, Method::PATCH);
        assert_eq!(head.uri.path(), format!("{PATH}/web"));
        assert_eq!(head.headers[CONTENT_TYPE], "application/merge-patch+json");
        assert!(head.headers[ACCEPT].to_str().unwrap().contains("as=Partial"));
        assert!(!head.headers.contains_key(ACCEPT_ENCODING));
    }

    #[test]
    fn watches_are_not_compressed() {
        let head = Request::collection(Verb::Watch).head(PATH, Representation::Whole).unwrap();
        assert_eq!(head.headers[ACCEPT_ENCODING], "identity");
    }

    #[test]
    fn names_with_url_delimiters_are_rejected() {
        for name in ["", ".", "..", "a/b", "a?b", "a#b", "a%2f", "a b", "é", "a\n"] {
            assert!(check_name(name).is_err(), "{name:?}");
        }
        for name in ["web", "a.example.com", "system:node", "web-0"] {
            assert_eq!(check_name(name), Ok(()), "{name:?}");
        }
    }
}
