//! Groups that belong to Kubernetes.

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;

const APPROVAL: &str = "api-approved.kubernetes.io";

/// What a definition lacks whose group belongs to Kubernetes: the annotation with the approval.
///
/// From the server's `ValidateCustomResourceDefinition`.
pub(crate) fn lacking(crd: &CustomResourceDefinition) -> Option<String> {
    let group = &crd.spec.group;
    let annotations = crd.metadata.annotations.as_ref();
    let approval = annotations.and_then(|annotations| annotations.get(APPROVAL));
    if !is_protected(group) || approval.is_some_and(|it| is_approval(it)) {
        return None;
    }
    Some(format!(
        "the group `{group}` belongs to Kubernetes: whoever defines a resource in it gives the definition the annotation \
         `{APPROVAL}`, with the URL of the approval, or a text that starts with `unapproved`"
    ))
}

fn is_protected(group: &str) -> bool {
    ["k8s.io", "kubernetes.io"].iter().any(|domain| {
        let before = group.strip_suffix(domain);
        before.is_some_and(|before| before.is_empty() || before.ends_with('.'))
    })
}

fn is_approval(value: &str) -> bool {
    let is_url = value.split_once("://").is_some_and(|(scheme, rest)| {
        !scheme.is_empty() && !rest.is_empty() && !rest.starts_with('/')
    });
    is_url || value.starts_with("unapproved")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn lacks(group: &str, approval: Option<&str>) -> bool {
        let annotations = approval.map(|approval| json!({ APPROVAL: approval }));
        let crd = json!({
            "metadata": { "name": format!("foos.{group}"), "annotations": annotations },
            "spec": { "group": group, "names": { "kind": "Foo", "plural": "foos" }, "scope": "Cluster", "versions": [] },
        });
        lacking(&serde_json::from_value(crd).unwrap()).is_some()
    }

    #[test]
    fn groups_of_kubernetes_need_an_approval() {
        for group in [
            "snapshot.storage.k8s.io",
            "kubernetes.io",
            "a.kubernetes.io",
        ] {
            assert!(lacks(group, None), "{group}");
            assert!(lacks(group, Some("yes")), "{group}");
            assert!(lacks(group, Some("https:///pull/1")), "{group}");
            assert!(!lacks(
                group,
                Some("https://github.com/kubernetes/enhancements/pull/1111")
            ));
            assert!(!lacks(group, Some("unapproved, for tests")));
        }
        for group in ["example.com", "example.x-k8s.io"] {
            assert!(!lacks(group, None), "{group}");
        }
    }
}
