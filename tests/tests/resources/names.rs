//! `plural`, `singular`, `list_kind`, `root`, `shortname`, `category` and the scope.

use crdkit::{CustomResource, KubeSchema, Resource};
use crdkit_tests::Request;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::served::{Served, served};

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
#[crd(
    group = "names.example.com",
    version = "v1",
    kind = "Goose",
    root = "GooseObject",
    plural = "geese",
    singular = "gosling",
    list_kind = "Gaggle",
    shortname = "gs",
    shortname = "gse",
    category = "birds",
    category = "all",
    namespaced,
    derive = "PartialEq"
)]
pub(crate) struct GooseSpec {
    pub(crate) age: u8,
}

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
#[crd(group = "names.example.com", version = "v1", kind = "Class", derive = "PartialEq")]
pub(crate) struct ClassSpec {
    pub(crate) size: u8,
}

async fn list<K: CustomResource>(served: &Served<K>) -> Value {
    served.send(Request::get(served.collection())).await.body
}

#[tokio::test]
async fn all_names_are_given() {
    let Some(served) = served::<GooseObject>().await else {
        return;
    };
    served.keeps(GooseObject::new("a", GooseSpec { age: 1 })).await;
    assert_eq!(list(&served).await["kind"], "Gaggle");
    let resource = served.discovery().await;
    assert_eq!(resource["kind"], "Goose");
    assert_eq!(resource["singularName"], "gosling");
    assert_eq!(resource["shortNames"], json!(["gs", "gse"]));
    assert_eq!(resource["categories"], json!(["birds", "all"]));
    assert_eq!(resource["namespaced"], true);
}

#[tokio::test]
async fn names_follow_the_kind() {
    let Some(served) = served::<Class>().await else {
        return;
    };
    served.keeps(Class::new("a", ClassSpec { size: 1 })).await;
    assert_eq!(list(&served).await["kind"], "ClassList");
    let resource = served.discovery().await;
    assert_eq!(resource["name"], "classes");
    assert_eq!(resource["singularName"], "class");
    assert_eq!(resource["namespaced"], false);
    assert_eq!(Class::url_path(&(), None), served.collection());
}
