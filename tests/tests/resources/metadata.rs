//! `label`, `annotation` and `doc`.

use crdkit::{CustomResource, CustomResourceExt, KubeSchema, emit::Crds, merge::Versions};
use crdkit_tests::{Request, server::server};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::served::{CRDS, served};

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
#[crd(
    group = "metadata.example.com",
    version = "v1",
    kind = "Labelled",
    label("app.kubernetes.io/name", "labelled"),
    label("empty", ""),
    annotation("example.com/note", "any text: {}"),
    annotation("plain", ""),
    doc = "Set by an attribute.",
    derive = "PartialEq"
)]
pub(crate) struct LabelledSpec {
    pub(crate) size: u8,
}

#[tokio::test]
async fn the_definition_is_labelled_and_its_objects_are_not() {
    let Some(served) = served::<Labelled>().await else {
        return;
    };
    let path = format!("{CRDS}/labelleds.metadata.example.com");
    let crd = served.send(Request::get(path)).await.body;
    let metadata = &crd["metadata"];
    assert_eq!(metadata["labels"]["app.kubernetes.io/name"], "labelled");
    assert_eq!(metadata["labels"]["empty"], "");
    assert_eq!(metadata["annotations"]["example.com/note"], "any text: {}");
    assert_eq!(metadata["annotations"]["plain"], "");
    let schema = &crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"];
    assert_eq!(schema["description"], "Set by an attribute.");

    served.keeps(Labelled::new("a", LabelledSpec { size: 1 })).await;
    let stored = served.get("a").await;
    assert!(stored["metadata"].get("labels").is_none());
}

const APPROVAL: &str = "api-approved.kubernetes.io";

/// Whose generated test passes although it has no approval.
#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "crdkit.k8s.io", version = "v1", kind = "Bound", installed_elsewhere)]
pub(crate) struct BoundSpec {
    pub(crate) size: u8,
}

#[derive(CustomResource, Serialize, Deserialize, Clone, Debug)]
#[kube(group = "crdkit.k8s.io", version = "v1", kind = "Schemaless", schema = "disabled")]
pub(crate) struct SchemalessSpec {
    pub(crate) size: u8,
}

#[test]
fn definitions_in_groups_of_kubernetes_require_an_approval() {
    let errors = [
        Crds::new().add::<Bound>().render().unwrap_err().to_string(),
        Crds::new().add::<Schemaless>().to_yaml().unwrap_err().to_string(),
        Versions::new().add::<Bound>().merge().unwrap_err().to_string(),
    ];
    for error in errors {
        assert!(error.contains(APPROVAL), "{error}");
        assert_eq!(error.matches(APPROVAL).count(), 1, "{error}");
    }
    let violations = crdkit::validate::validate(&Bound::crd());
    assert_eq!(violations.len(), 1, "{violations:?}");
    assert_eq!(violations[0].path, "metadata.annotations");
    let mut approved = Bound::crd();
    let approval = (APPROVAL.to_owned(), "unapproved, for tests".to_owned());
    approved.metadata.annotations = Some([approval].into());
    assert_eq!(crdkit::validate::validate(&approved), []);
}

#[tokio::test]
async fn the_server_asks_for_the_approval_too() {
    let Some(server) = server() else {
        return;
    };
    let refused = server.dry_run(&json!(Bound::crd())).await;
    assert!(!refused.accepted);
    assert!(refused.message.contains(APPROVAL), "{refused}");
    for (approval, is_accepted) in [
        ("yes", false),
        ("https:///pull/1", false),
        ("https://github.com/kubernetes/enhancements/pull/1111", true),
        ("unapproved, for tests", true),
    ] {
        let mut crd = Bound::crd();
        crd.metadata.annotations = Some([(APPROVAL.to_owned(), approval.to_owned())].into());
        let verdict = server.dry_run(&json!(crd)).await;
        assert_eq!(verdict.accepted, is_accepted, "{approval}: {verdict}");
        let is_valid = crdkit::validate::validate(&crd).is_empty();
        assert_eq!(is_valid, is_accepted, "{approval}");
    }
}
