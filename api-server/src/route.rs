//! The paths of the API.

use percent_encoding::percent_decode_str;

/// What a path refers to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Route {
    /// A collection, an object or a subresource.
    Resource(Target),
    /// `/api`, `/apis`, `/apis/GROUP`, `/apis/GROUP/VERSION`, `/api/v1`, `/version`, `/openapi/…`, and unknown paths.
    Document(String),
    /// `/healthz`, `/livez`, `/readyz`, with their checks.
    Health(String),
}

/// A collection, an object or a subresource, as the path names it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Target {
    pub(super) group: String,
    pub(super) version: String,
    pub(super) namespace: Option<String>,
    pub(super) plural: String,
    pub(super) name: Option<String>,
    pub(super) subresource: Option<String>,
}

impl Route {
    pub(super) fn parse(path: &str) -> Self {
        let segments: Vec<&str> = path.split('/').filter(|segment| !segment.is_empty()).collect();
        match segments[..] {
            ["healthz" | "livez" | "readyz", ..] => Self::Health(path.to_owned()),
            ["api", version, ref rest @ ..] if !rest.is_empty() => Self::resource("", version, rest),
            ["apis", group, version, ref rest @ ..] if !rest.is_empty() => Self::resource(group, version, rest),
            _ => Self::Document(path.trim_end_matches('/').to_owned()),
        }
    }

    fn resource(group: &str, version: &str, rest: &[&str]) -> Self {
        let (namespace, rest) = match rest {
            // Namespaces are resources too, with these subresources.
            ["namespaces", _, "status" | "finalize"] => (None, rest),
            ["namespaces", namespace, rest @ ..] if !rest.is_empty() => (Some(*namespace), rest),
            _ => (None, rest),
        };
        let subresource = rest.get(2..).filter(|rest| !rest.is_empty()).map(|rest| rest.join("/"));
        let decode = |text: &str| percent_decode_str(text).decode_utf8_lossy().into_owned();
        Self::Resource(Target {
            group: group.to_owned(),
            version: version.to_owned(),
            namespace: namespace.map(decode),
            plural: rest.first().map_or_else(String::new, |it| (*it).to_owned()),
            name: rest.get(1).copied().map(decode),
            subresource,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target(path: &str) -> Target {
        match Route::parse(path) {
            Route::Resource(target) => target,
            other => panic!("{path}: {other:?}"),
        }
    }

    fn some(text: &str) -> Option<String> {
        Some(text.to_owned())
    }

    #[test]
    fn resources() {
        let vm = target("/apis/infra.example.com/v1/namespaces/prod/virtualmachines/web%2E1/status");
        let expected = Target {
            group: "infra.example.com".into(),
            version: "v1".into(),
            namespace: some("prod"),
            plural: "virtualmachines".into(),
            name: some("web.1"),
            subresource: some("status"),
        };
        assert_eq!(vm, expected);
        let all = target("/api/v1/pods");
        assert_eq!((all.namespace, all.plural.as_str(), all.name), (None, "pods", None));
    }

    #[test]
    fn namespaces_are_resources_and_parts_of_paths() {
        let one = target("/api/v1/namespaces/prod");
        assert_eq!((one.plural.as_str(), one.name, one.namespace), ("namespaces", some("prod"), None));
        let status = target("/api/v1/namespaces/prod/finalize");
        assert_eq!((status.name, status.subresource), (some("prod"), some("finalize")));
        let pods = target("/api/v1/namespaces/prod/pods");
        assert_eq!((pods.namespace, pods.plural.as_str()), (some("prod"), "pods"));
    }

    #[test]
    fn documents() {
        for path in ["/api", "/apis/", "/apis/apps", "/apis/apps/v1", "/version", "/openapi/v3", "/"] {
            assert_eq!(Route::parse(path), Route::Document(path.trim_end_matches('/').into()));
        }
        assert_eq!(Route::parse("/readyz/ping"), Route::Health("/readyz/ping".into()));
    }
}
