//! The target of requests for one kind, independent of the scope's type.

use std::{ops::Deref, sync::Arc};

use kube::client::Body;
use kube_core::{ApiResource, DynamicObject, ObjectMeta, PartialObjectMeta, Resource};
use serde::{Serialize, de::DeserializeOwned};

use super::{
    Client, decode,
    error::{ClientOperation, Error, Excerpt, JsonError},
    limits::Limit,
    request::{Representation, Request, check_name, check_path_part},
    response_kind::{ExpectedTypes, Mismatch},
};
use crate::json::json_value::to_vec;

pub(crate) const JSON: &str = "application/json";

/// The metadata of an object of any kind.
pub(crate) type AnyMetadata = PartialObjectMeta<DynamicObject>;

/// A kind, its namespace if one is chosen, and the client.
pub(crate) struct Endpoint<K: Resource> {
    pub(crate) target: RequestTarget,
    kind: Arc<K::DynamicType>,
}

/// The part of an [`Endpoint`] that does not depend on the type, with all that happens between a request and its response: so it is
/// compiled once, and not for each kind.
#[derive(Clone)]
pub(crate) struct RequestTarget {
    pub(crate) client: Client,
    names: Arc<KindNames>,
    namespace: Option<Arc<str>>,
    /// The path of the collection.
    path: Arc<str>,
}

/// What requests need of a kind.
#[derive(Clone)]
struct KindNames {
    group: String,
    version: String,
    kind: String,
    plural: String,
    expected: ExpectedTypes,
    representation: Representation,
    /// A part of the path that is not a valid path segment, and why.
    invalid_path: Option<(String, &'static str)>,
}

impl KindNames {
    fn of<K: Resource>(kind: &K::DynamicType) -> Self {
        let (group, version, plural) = (K::group(kind), K::version(kind), K::plural(kind));
        Self {
            invalid_path: invalid_path_part(&group, &version, &plural, &K::api_version(kind)),
            group: group.into_owned(),
            version: version.into_owned(),
            kind: K::kind(kind).into_owned(),
            plural: plural.into_owned(),
            expected: ExpectedTypes::of::<K>(kind),
            representation: if K::metadata_api() { Representation::Metadata } else { Representation::Whole },
        }
    }
}

/// Returns the part of a kind's path that is not a valid path segment, and why.
fn invalid_path_part(group: &str, version: &str, plural: &str, api_version: &str) -> Option<(String, &'static str)> {
    // The core group has an empty name.
    let group_part = Some(group).filter(|group| !group.is_empty());
    let mut parts = group_part.into_iter().chain([version, plural]);
    if let Some(odd) = parts.find_map(|part| Some((part.to_owned(), check_path_part(part).err()?))) {
        return Some(odd);
    }
    // The `apiVersion` is part of the path, and a separate field if the kind is specified at run time.
    let is_expected = match api_version.rsplit_once('/') {
        Some((group_part, version_part)) => group_part == group && version_part == version,
        None => group.is_empty() && api_version == version,
    };
    (!is_expected).then(|| (api_version.to_owned(), "the apiVersion must consist of the group and the version"))
}

impl<K: Resource> Endpoint<K> {
    pub(crate) fn new(client: Client, kind: K::DynamicType) -> Self {
        let names = Arc::new(KindNames::of::<K>(&kind));
        let target = RequestTarget { client, names, namespace: None, path: K::url_path(&kind, None).into() };
        Self { kind: Arc::new(kind), target }
    }

    pub(crate) fn at(&self, namespace: Option<&str>) -> Self {
        let path = K::url_path(&self.kind, namespace).into();
        let target = RequestTarget { namespace: namespace.map(Into::into), path, ..self.target.clone() };
        Self { kind: self.kind.clone(), target }
    }

    /// Returns the endpoint that reads and writes only the metadata of the objects.
    pub(crate) fn metadata(&self) -> Endpoint<PartialObjectMeta<K>> {
        Endpoint { kind: self.kind.clone(), target: self.target.metadata::<K>(&self.kind) }
    }

    /// Like [`metadata`](Self::metadata), of a type that does not depend on the kind.
    pub(crate) fn any_metadata(&self) -> Endpoint<AnyMetadata> {
        Endpoint { kind: Arc::new(ApiResource::erase::<K>(&self.kind)), target: self.target.metadata::<K>(&self.kind) }
    }

    /// Returns the same endpoint, whose lists are of this kind.
    pub(crate) fn with_list_kind(&self, list_kind: &str) -> Self {
        let expected = self.expected().with_list_kind(list_kind);
        let names = Arc::new(KindNames { expected, ..KindNames::clone(&self.target.names) });
        Self { kind: self.kind.clone(), target: RequestTarget { names, ..self.target.clone() } }
    }

    pub(crate) fn kind(&self) -> &K::DynamicType {
        &self.kind
    }

    /// Sends a request that is answered with an object of the kind.
    pub(crate) async fn object(&self, request: &Request<'_>) -> Result<K, Error>
    where
        K: DeserializeOwned,
    {
        let response = self.fetch(request).await?;
        self.read(request, &response.body)
    }

    /// Decodes the response to a request for an object of the kind.
    pub(crate) fn read(&self, request: &Request<'_>, body: &[u8]) -> Result<K, Error>
    where
        K: DeserializeOwned,
    {
        self.read_as(self.expected(), request, body)
    }
}

impl<K: Resource> Deref for Endpoint<K> {
    type Target = RequestTarget;

    fn deref(&self) -> &RequestTarget {
        &self.target
    }
}

impl<K: Resource> Clone for Endpoint<K> {
    fn clone(&self) -> Self {
        Self { kind: self.kind.clone(), target: self.target.clone() }
    }
}

impl RequestTarget {
    /// Returns the target of requests for only the metadata of the objects. Their path stays, and so does what is wrong with it.
    fn metadata<K: Resource>(&self, kind: &K::DynamicType) -> Self {
        let names = KindNames {
            expected: ExpectedTypes::of::<PartialObjectMeta<K>>(kind),
            representation: Representation::Metadata,
            ..KindNames::clone(&self.names)
        };
        Self { names: Arc::new(names), ..self.clone() }
    }

    pub(crate) fn with_client(self, client: Client) -> Self {
        Self { client, ..self }
    }

    /// Returns the `apiVersion` and `kind` that responses must have.
    pub(crate) fn expected(&self) -> &ExpectedTypes {
        &self.names.expected
    }

    /// Returns the error for a response that is not what was requested.
    pub(crate) fn unexpected(&self, request: &Request<'_>, mismatch: Mismatch) -> Error {
        Error::Unexpected { operation: Box::new(self.operation(request)), mismatch: Box::new(mismatch) }
    }

    pub(crate) fn namespace(&self) -> Option<&str> {
        self.namespace.as_deref()
    }

    /// Returns the path of the collection.
    pub(crate) fn collection(&self) -> &str {
        &self.path
    }

    /// Describes a request for its errors.
    pub(crate) fn operation(&self, request: &Request<'_>) -> ClientOperation {
        let name = request.name.or(request.created.and_then(|created| non_empty(&created.name)));
        let generate_name = request.created.filter(|_| name.is_none()).and_then(|it| non_empty(&it.generate_name));
        ClientOperation {
            verb: request.verb,
            group: self.names.group.clone(),
            version: self.names.version.clone(),
            kind: self.names.kind.clone(),
            plural: self.names.plural.clone(),
            subresource: request.subresource,
            namespace: self.namespace().map(str::to_owned),
            name: name.map(str::to_owned),
            generate_name: generate_name.map(str::to_owned),
            quotes_values: self.client.options.quotes_values,
        }
    }

    /// Adds an object as JSON to the request.
    pub(crate) fn with_json<'a>(
        &self,
        request: Request<'a>,
        media_type: &'static str,
        content: &impl Serialize,
    ) -> Result<Request<'a>, Error> {
        match to_vec(content) {
            Ok(body) => Ok(request.content(media_type, body)),
            Err(source) => Err(self.encode_error(&request, source)),
        }
    }

    pub(crate) fn encode_error(&self, request: &Request<'_>, source: impl Into<JsonError>) -> Error {
        let operation = self.operation(request);
        let source = source.into().quoting(operation.quotes_values);
        Error::Encode { operation: Box::new(operation), source }
    }

    /// Decodes the response to a request for an object, which may be of another kind than the endpoint's.
    pub(crate) fn read_as<T: Resource + DeserializeOwned>(
        &self,
        expected: &ExpectedTypes,
        request: &Request<'_>,
        body: &[u8],
    ) -> Result<T, Error> {
        let object: T = decode::typed_object(expected, body, self.limit(Limit::Depth))
            .map_err(|failure| failure.into_error(self.operation(request)))?;
        self.check_identity(request, object.meta())?;
        Ok(object)
    }

    /// Decodes the response to a request as any type.
    pub(crate) fn decode<T: DeserializeOwned>(&self, request: &Request<'_>, body: &[u8]) -> Result<T, Error> {
        decode::object(body).map_err(|failure| failure.into_error(self.operation(request)))
    }

    /// Checks that the returned object is the requested one.
    pub(crate) fn check_identity(&self, request: &Request<'_>, received: &ObjectMeta) -> Result<(), Error> {
        let Some(name) = request.name else {
            return Ok(());
        };
        let namespace = self.namespace();
        let received_namespace = received.namespace.as_deref().filter(|received| !received.is_empty());
        let is_there = received_namespace.is_none() || received_namespace == namespace;
        if is_there && is_same_name(name, received.name.as_deref()) {
            return request.known.check(received).map_err(|mismatch| self.unexpected(request, mismatch));
        }
        let expected = identity(namespace, Some(name));
        Err(self.unexpected(request, Mismatch::new(expected, describe(received))))
    }

    pub(super) fn prepare(&self, request: &Request<'_>) -> Result<http::Request<Body>, Error> {
        if let Some((part, reason)) = &self.names.invalid_path {
            return Err(self.invalid_name(request, part, reason));
        }
        if self.namespace() == Some("") {
            return Err(self.invalid_name(request, "", "the namespace is empty: objects of this kind have one"));
        }
        for name in self.namespace().into_iter().chain(request.name) {
            check_name(name).map_err(|reason| self.invalid_name(request, name, reason))?;
        }
        if let Some(source) = &request.query.invalid {
            return Err(Error::InvalidSelector {
                operation: Box::new(self.operation(request)),
                source: source.clone(),
            });
        }
        let head = request.head(self.collection(), self.names.representation).map_err(|error| Error::Transport {
            operation: Box::new(self.operation(request)),
            source: kube::Error::HttpError(error).into(),
        })?;
        let content = request.content.as_ref();
        let body = content.map(|(_, body)| body.clone()).unwrap_or_default();
        Ok(http::Request::from_parts(head, Body::from(body)))
    }

    fn invalid_name(&self, request: &Request<'_>, name: &str, reason: &'static str) -> Error {
        Error::InvalidName { operation: Box::new(self.operation(request)), name: name.to_owned(), reason }
    }
}

/// Returns a text of metadata. An empty one is absent, as in Go.
pub(super) fn non_empty(text: &Option<String>) -> Option<&str> {
    text.as_deref().filter(|text| !text.is_empty())
}

/// Returns whether an object with this name may be the response to a request. OpenShift responds to `~` with the
/// current user.
fn is_same_name(expected: &str, received: Option<&str>) -> bool {
    received == Some(expected) || expected == "~"
}

/// Describes an object by its namespace and name.
pub(crate) fn describe(object: &ObjectMeta) -> String {
    identity(object.namespace.as_deref(), object.name.as_deref())
}

fn identity(namespace: Option<&str>, name: Option<&str>) -> String {
    match (namespace, name) {
        (_, None) => "an object without a name".to_owned(),
        (None, Some(name)) => format!("the object `{}`", Excerpt(name)),
        (Some(namespace), Some(name)) => {
            let (namespace, name) = (Excerpt(namespace), Excerpt(name));
            format!("the object `{namespace}/{name}`")
        }
    }
}

#[cfg(test)]
mod tests {
    use kube_core::{ApiResource, DynamicObject, GroupVersionKind};

    use super::Error;
    use crate::client::UpdateError;
    use crate::client::mock::Mock;

    fn disks() -> ApiResource {
        let kind = GroupVersionKind::gvk("example.com", "v1", "Disk");
        ApiResource::from_gvk_with_plural(&kind, "disks")
    }

    #[tokio::test]
    async fn kinds_with_url_delimiters_are_not_requested() {
        let odd = [
            ApiResource { plural: "../../../api/v1/secrets".into(), ..disks() },
            ApiResource { plural: "disks?limit=1".into(), ..disks() },
            ApiResource { plural: "disks/x".into(), ..disks() },
            ApiResource { plural: String::new(), ..disks() },
            ApiResource { version: "..".into(), ..disks() },
            ApiResource { version: String::new(), ..disks() },
            ApiResource { group: "a/b".into(), ..disks() },
            ApiResource { api_version: "../v1".into(), ..disks() },
            ApiResource { api_version: "example.com/v1/x".into(), ..disks() },
        ];
        for kind in odd {
            let mock = Mock::new([]);
            let objects = mock.client().resources_with::<DynamicObject>(kind.clone()).namespace("prod");
            let error = objects.get("web").await.unwrap_err();
            assert!(matches!(error, Error::InvalidName { .. }), "{kind:?}: {error}");
            let error = objects.metadata().list().await.unwrap_err();
            assert!(matches!(error, Error::InvalidName { .. }), "{kind:?}: {error}");
            let error = objects.finalizers().add("web", "example.com/a").await.unwrap_err();
            assert!(matches!(error, UpdateError::Request(Error::InvalidName { .. })), "{kind:?}: {error}");
            assert!(mock.sent().is_empty());
        }
    }
}
