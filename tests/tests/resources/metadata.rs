//! `label`, `annotation` and `doc`.

use crdkit::{CustomResource, KubeSchema};
use crdkit_tests::Request;
use serde::{Deserialize, Serialize};

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
    doc = "Told by an attribute.",
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
    assert_eq!(schema["description"], "Told by an attribute.");

    served
        .keeps(Labelled::new("a", LabelledSpec { size: 1 }))
        .await;
    let stored = served.get("a").await;
    assert!(stored["metadata"].get("labels").is_none());
}
