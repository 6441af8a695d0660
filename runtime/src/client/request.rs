//! Requests as data, before there is a connection.

use std::fmt;

use bytes::Bytes;
use http::{
    HeaderValue, Method,
    header::{ACCEPT, ACCEPT_ENCODING, CONTENT_TYPE},
    request::Parts,
};

mod query;

use super::limits::Limit;

pub(crate) use query::Query;

/// What the API server's authoriser calls what a request does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Verb {
    /// Reads one object.
    Get,
    /// Reads objects.
    List,
    /// Follows changes of objects.
    Watch,
    /// Creates an object.
    Create,
    /// Replaces an object.
    Update,
    /// Changes an object by a patch, or applies it.
    Patch,
    /// Deletes an object.
    Delete,
    /// Deletes objects.
    DeleteCollection,
}

impl Verb {
    /// The verb as it stands in a rule of RBAC, such as `deletecollection`.
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

    /// Whether a request changes something.
    pub(crate) const fn is_write(self) -> bool {
        !matches!(self, Self::Get | Self::List | Self::Watch)
    }

    /// What is limited in size of the answer.
    pub(crate) const fn answered_by(self) -> Limit {
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

/// In which form the answer is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    Whole,
    Metadata,
}

impl Form {
    fn media_type(self, verb: Verb) -> &'static str {
        match (self, verb) {
            (Self::Whole, _) => "application/json",
            (Self::Metadata, Verb::List) => {
                "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"
            }
            (Self::Metadata, _) => "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1",
        }
    }
}

/// A request for objects of one kind, wherever they are.
#[derive(Clone)]
pub(crate) struct Request<'a> {
    pub(crate) verb: Verb,
    pub(crate) name: Option<&'a str>,
    pub(crate) subresource: Option<&'static str>,
    pub(crate) query: Query,
    pub(crate) content: Option<(&'static str, Bytes)>,
    /// Whether the request does no harm if it is served twice.
    pub(crate) repeatable: bool,
}

impl<'a> Request<'a> {
    /// A request for a collection.
    pub(crate) fn collection(verb: Verb) -> Self {
        Self {
            verb,
            name: None,
            subresource: None,
            query: Query::default(),
            content: None,
            repeatable: matches!(verb, Verb::Get | Verb::List | Verb::Watch),
        }
    }

    /// A request for one object.
    pub(crate) fn object(verb: Verb, name: &'a str) -> Self {
        Self {
            name: Some(name),
            ..Self::collection(verb)
        }
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

    pub(crate) fn repeatable(mut self) -> Self {
        self.repeatable = true;
        self
    }

    /// The head of the request to the collection at `path`.
    pub(crate) fn head(&self, path: &str, form: Form) -> Result<Parts, http::Error> {
        let mut request = http::Request::builder()
            .method(self.verb.method())
            .uri(self.uri(path))
            .header(ACCEPT, HeaderValue::from_static(form.media_type(self.verb)));
        if let Some((media_type, _)) = &self.content {
            request = request.header(CONTENT_TYPE, HeaderValue::from_static(media_type));
        }
        if self.verb == Verb::Watch {
            // Servers compress each event for itself, which decoders of one compressed body do not understand.
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

/// Why a name cannot stand in a path, if it cannot.
pub(crate) fn check_name(name: &str) -> Result<(), &'static str> {
    const BESIDE_LETTERS: &str = "-._~:@!$&'()*+,;=";
    let fits = |c: char| c.is_ascii_alphanumeric() || BESIDE_LETTERS.contains(c);
    match name {
        "" => Err("it is empty"),
        "." | ".." => Err("it means another place in a path"),
        _ if !name.chars().all(fits) => {
            Err("names of objects have letters, digits, `-` and `.`, and nothing that ends a path")
        }
        _ => Ok(()),
    }
}

/// Why a group, a version or a plural cannot stand in a path, if it cannot.
pub(crate) fn check_path_part(part: &str) -> Result<(), &'static str> {
    check_name(part).map_err(|reason| match part {
        "" => "a version or a plural is empty",
        "." | ".." => reason,
        _ => "groups, versions and plurals have letters, digits, `-` and `.`, and nothing that ends a path",
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATH: &str = "/api/v1/namespaces/default/pods";

    #[test]
    fn paths_name_the_object_and_its_part() {
        let status = Request::object(Verb::Get, "web").subresource(Some("status"));
        assert_eq!(status.uri(PATH), format!("{PATH}/web/status"));
        assert_eq!(Request::collection(Verb::List).uri(PATH), PATH);
    }

    #[test]
    fn heads_say_what_is_sent_and_wanted() {
        let request =
            Request::object(Verb::Patch, "web").content("application/merge-patch+json", "{}");
        let head = request.head(PATH, Form::Metadata).unwrap();
        assert_eq!(head.method, Method::PATCH);
        assert_eq!(head.uri.path(), format!("{PATH}/web"));
        assert_eq!(head.headers[CONTENT_TYPE], "application/merge-patch+json");
        assert!(
            head.headers[ACCEPT]
                .to_str()
                .unwrap()
                .contains("as=Partial")
        );
        assert!(!head.headers.contains_key(ACCEPT_ENCODING));
    }

    #[test]
    fn watches_are_not_compressed() {
        let head = Request::collection(Verb::Watch)
            .head(PATH, Form::Whole)
            .unwrap();
        assert_eq!(head.headers[ACCEPT_ENCODING], "identity");
    }

    #[test]
    fn names_that_would_change_the_path_are_refused() {
        for name in [
            "", ".", "..", "a/b", "a?b", "a#b", "a%2f", "a b", "é", "a\n",
        ] {
            assert!(check_name(name).is_err(), "{name:?}");
        }
        for name in ["web", "a.example.com", "system:node", "web-0"] {
            assert_eq!(check_name(name), Ok(()), "{name:?}");
        }
    }
}
