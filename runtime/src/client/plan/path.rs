//! The resource and the object of a request, by its path.

use http::{Method, Uri, uri::InvalidUri};
use serde_json::Value;

/// What a request is for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ResourcePath {
    pub(super) group: String,
    pub(super) version: String,
    pub(super) plural: String,
    pub(super) namespace: Option<String>,
    pub(super) name: Option<String>,
    pub(super) subresource: Option<String>,
}

/// What identifies an object, in any version.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Object {
    pub(super) group: String,
    pub(super) plural: String,
    pub(super) namespace: Option<String>,
    pub(super) name: Option<String>,
}

impl ResourcePath {
    /// Returns `None` for a path that is not of a resource, such as that of the discovery.
    pub(super) fn parse(path: &str) -> Option<Self> {
        let mut parts = path.trim_matches('/').split('/').map(str::to_owned);
        let (group, version) = match parts.next()?.as_str() {
            "api" => (String::new(), parts.next()?),
            "apis" => (parts.next()?, parts.next()?),
            _ => return None,
        };
        let mut rest: Vec<_> = parts.collect();
        let mut namespace = None;
        // The namespace itself has subresources, too.
        let is_of_namespace = rest.len() > 2
            && rest[0] == "namespaces"
            && !(group.is_empty() && rest.len() == 3 && ["status", "finalize"].contains(&rest[2].as_str()));
        if is_of_namespace {
            namespace = Some(rest.remove(1));
            rest.remove(0);
        }
        let mut rest = rest.into_iter();
        let plural = rest.next()?;
        let name = rest.next();
        let subresource = rest.next();
        Some(Self { group, version, plural, namespace, name, subresource })
    }

    /// Adds the name of the object in a body that creates it.
    pub(super) fn of_content(self, content: &Value, method: &Method) -> Self {
        if method != Method::POST || self.name.is_some() {
            return self;
        }
        let name = content["metadata"]["name"].as_str().filter(|name| !name.is_empty()).map(str::to_owned);
        Self { name, ..self }
    }

    /// Whether the path is that of a whole object, or of its status, whose response is the whole object.
    pub(super) fn is_of_object(&self) -> bool {
        self.name.is_some() && self.subresource.as_deref().is_none_or(|subresource| subresource == "status")
    }

    pub(super) fn identity(&self) -> Object {
        Object {
            group: self.group.clone(),
            plural: self.plural.clone(),
            namespace: self.namespace.clone(),
            name: self.name.clone(),
        }
    }

    /// Returns the object, unless the request is for a collection.
    pub(super) fn object(&self) -> Option<Object> {
        self.name.is_some().then(|| self.identity())
    }

    /// Returns the path of the object without a subresource.
    pub(super) fn uri_of_object(&self) -> String {
        let mut uri = match self.group.as_str() {
            "" => format!("/api/{}", self.version),
            group => format!("/apis/{group}/{}", self.version),
        };
        if let Some(namespace) = &self.namespace {
            uri += &format!("/namespaces/{namespace}");
        }
        uri += &format!("/{}/{}", self.plural, self.name.as_deref().unwrap_or_default());
        uri
    }
}

/// Adds `dryRun=All` to the query, unless it is there.
pub(super) fn with_dry_run(uri: &Uri) -> Result<Uri, InvalidUri> {
    let kept = uri.query().unwrap_or_default().split('&');
    let kept = kept.filter(|part| !part.is_empty() && !part.starts_with("dryRun="));
    let query: Vec<_> = kept.chain(["dryRun=All"]).collect();
    format!("{}?{}", uri.path(), query.join("&")).parse()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_have_their_objects() {
        for (path, expected) in [
            ("/api/v1/namespaces/a", ["", "namespaces", "-", "a", "-"]),
            ("/api/v1/namespaces/a/status", ["", "namespaces", "-", "a", "status"]),
            ("/api/v1/namespaces/a/pods", ["", "pods", "a", "-", "-"]),
            ("/api/v1/namespaces/a/pods/web/exec", ["", "pods", "a", "web", "exec"]),
            ("/apis/apps/v1/namespaces/a/deployments/web", ["apps", "deployments", "a", "web", "-"]),
            ("/apis/example.com/v1/apps/web/status", ["example.com", "apps", "-", "web", "status"]),
        ] {
            let parsed = ResourcePath::parse(path).unwrap();
            let text = |part: &Option<String>| part.clone().unwrap_or("-".to_owned());
            let found = [
                parsed.group.clone(),
                parsed.plural.clone(),
                text(&parsed.namespace),
                text(&parsed.name),
                text(&parsed.subresource),
            ];
            assert_eq!(found, expected, "{path}");
            if parsed.name.is_some() {
                assert!(path.starts_with(&parsed.uri_of_object()), "{path}");
            }
        }
        for path in ["/api", "/apis/apps/v1", "/version", "/api/v1"] {
            assert_eq!(ResourcePath::parse(path), None, "{path}");
        }
    }

    #[test]
    fn writes_are_dry_runs() {
        for (uri, expected) in [
            ("/api/v1/pods", "/api/v1/pods?dryRun=All"),
            ("/a?force=true&dryRun=", "/a?force=true&dryRun=All"),
            ("/a?dryRun=All&fieldManager=x%26y", "/a?fieldManager=x%26y&dryRun=All"),
        ] {
            assert_eq!(with_dry_run(&uri.parse().unwrap()).unwrap(), expected);
        }
    }
}
