//! Enums of every form, and paths through them.

use crdkit::{CustomResource, KubeSchema};
use crdkit_ui_tests::{use_object, use_schema};
use serde::{Deserialize, Serialize};

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(
    group = "example.com",
    version = "v1",
    kind = "Foo",
    selectable = ".spec.external.move.distance",
    selectable = ".spec.internal.kind",
    selectable = ".spec.internal.distance",
    selectable = ".spec.adjacent.data.distance",
    selectable = ".spec.flatKind",
    printcolumn(name = "A", type_ = "integer", json_path = ".spec.external.count"),
    printcolumn(name = "B", type_ = "string", json_path = ".spec.adjacent.type"),
    printcolumn(name = "C", type_ = "number", json_path = ".spec.number"),
    printcolumn(name = "D", type_ = "integer", json_path = ".spec.lists[0]"),
    scale(spec_replicas_path = ".spec.internal.distance", status_replicas_path = ".status.replicas")
)]
pub struct FooSpec {
    pub external: External,
    pub internal: Option<Internal>,
    pub adjacent: Adjacent<Move>,
    pub number: Number,
    pub lists: Lists,
    #[serde(flatten)]
    pub flat: Flat,
    #[x_kube(merge_strategy = ListMerge::Map(vec!["kind".to_owned()]))]
    pub all: Vec<Internal>,
    pub pair: (u8, u16),
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[serde(rename_all = "camelCase")]
pub enum External {
    Move(Move),
    Turn { right: bool },
    Count(u8),
    Pair(u8, u8),
    Wait {},
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
pub struct Move {
    pub distance: u8,
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[serde(tag = "kind")]
pub enum Internal {
    Move(Move),
    Turn { distance: u8, right: bool },
    Stop,
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[serde(tag = "type", content = "data")]
pub enum Adjacent<T> {
    One(T),
    Other(Move),
    None,
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[serde(untagged)]
pub enum Number {
    Whole(i64),
    Any(f64),
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[serde(untagged)]
pub enum Lists {
    Pair(u8, u8),
    All(Vec<u8>),
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[serde(tag = "flatKind")]
pub enum Flat {
    A,
    B {
        #[crd(column, selectable)]
        r#type: String,
    },
}

pub(super) fn main() {
    let spec = FooSpec {
        external: External::Wait {},
        internal: None,
        adjacent: Adjacent::None,
        number: Number::Any(0.5),
        lists: Lists::All(vec![1]),
        flat: Flat::A,
        all: vec![Internal::Stop],
        pair: (1, 2),
    };
    use_object(&Foo::new("foo", spec));
    use_schema::<External>();
    use_schema::<Adjacent<Move>>();
}
