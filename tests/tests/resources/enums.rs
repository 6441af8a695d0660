//! Enums of strings, newtypes and generic types.

use std::collections::BTreeMap;

use crdkit::{CustomResource, KubeSchema};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::served::served;

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
#[crd(group = "enums.example.com", version = "v1", kind = "Choice", derive = "PartialEq")]
pub(crate) struct ChoiceSpec {
    pub(crate) plain: Colour,
    pub(crate) optional: Option<Colour>,
    pub(crate) list: Vec<Colour>,
    #[x_kube(merge_strategy = ListMerge::Set)]
    pub(crate) set: Vec<Colour>,
    pub(crate) map: BTreeMap<String, Colour>,
    #[serde(default)]
    pub(crate) default: Colour,
    pub(crate) newtype: Port,
    pub(crate) optional_newtype: Option<Port>,
    pub(crate) newtype_of_option: MaybePort,
    pub(crate) numbers: Pair<u8>,
    pub(crate) texts: Pair<String, Option<Colour>>,
    pub(crate) nested: Option<Pair<Pair<Port>, Vec<bool>>>,
}

/// What it looks like.
#[derive(KubeSchema, Serialize, Deserialize, Clone, Copy, Debug, Default, PartialEq)]
pub(crate) enum Colour {
    /// As blood.
    Red,
    /// As gold.
    #[default]
    Yellow,
    Blue,
}

/// A TCP port.
#[derive(KubeSchema, Serialize, Deserialize, Clone, Copy, Debug, PartialEq)]
pub(crate) struct Port(#[schemars(range(min = 1))] pub(crate) u16);

#[derive(KubeSchema, Serialize, Deserialize, Clone, Copy, Debug, PartialEq)]
pub(crate) struct MaybePort(pub(crate) Option<Port>);

/// Two of a kind.
#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
pub(crate) struct Pair<T, U = T> {
    pub(crate) left: T,
    pub(crate) right: U,
}

/// What a resource is, in a word.
#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
#[crd(group = "enums.example.com", version = "v1", kind = "Word", derive = "PartialEq")]
pub(crate) enum WordSpec {
    Yes,
    No,
}

/// The server requires only the root to be an object.
#[tokio::test]
async fn a_spec_may_be_a_word() {
    let Some(served) = served::<Word>().await else {
        return;
    };
    served.keeps(Word::new("yes", WordSpec::Yes)).await;
    let changed = served.merge("yes", json!({ "spec": "No" })).await;
    changed.expect_accepted();
    assert_eq!(served.get("yes").await["metadata"]["generation"], 2);
    let applied = Word::new("applied", WordSpec::Yes);
    served.apply("me", "applied", json!(applied)).await.expect_accepted();
    let refused = [("/spec", json!("Maybe"), "spec")];
    served.refuses(&Word::new("maybe", WordSpec::No), &refused).await;
}

fn choice(name: &str) -> Choice {
    let spec = ChoiceSpec {
        plain: Colour::Red,
        optional: Some(Colour::Blue),
        list: vec![Colour::Red, Colour::Red],
        set: vec![Colour::Red, Colour::Blue],
        map: [("a".to_owned(), Colour::Yellow)].into(),
        default: Colour::Blue,
        newtype: Port(80),
        optional_newtype: Some(Port(443)),
        newtype_of_option: MaybePort(Some(Port(22))),
        numbers: Pair { left: 1, right: 2 },
        texts: Pair { left: "a".to_owned(), right: Some(Colour::Red) },
        nested: Some(Pair { left: Pair { left: Port(1), right: Port(2) }, right: vec![true] }),
    };
    Choice::new(name, spec)
}

#[tokio::test]
async fn values_are_kept() {
    let Some(served) = served::<Choice>().await else {
        return;
    };
    served.keeps(choice("full")).await;
    let mut nulls = choice("nulls");
    nulls.spec.optional = None;
    nulls.spec.optional_newtype = None;
    nulls.spec.newtype_of_option = MaybePort(None);
    nulls.spec.texts.right = None;
    nulls.spec.nested = None;
    served.keeps(nulls).await;
}

#[tokio::test]
async fn other_values_are_refused() {
    let Some(served) = served::<Choice>().await else {
        return;
    };
    let changes = [
        ("/spec/plain", json!("Green"), "spec.plain"),
        ("/spec/plain", json!(null), "spec.plain"),
        ("/spec/optional", json!("red"), "spec.optional"),
        ("/spec/list/0", json!("Green"), "spec.list[0]"),
        ("/spec/set", json!(["Red", "Red"]), "spec.set[1]"),
        ("/spec/map/a", json!("Green"), "spec.map.a"),
        ("/spec/newtype", json!(0), "spec.newtype"),
        ("/spec/optional_newtype", json!(65536), "spec.optional_newtype"),
        ("/spec/newtype_of_option", json!(0), "spec.newtype_of_option"),
        ("/spec/numbers/left", json!(256), "spec.numbers.left"),
        ("/spec/texts/left", json!(1), "spec.texts.left"),
        ("/spec/nested/left/left", json!(0), "spec.nested.left.left"),
    ];
    served.refuses(&choice("refused"), &changes).await;
}

#[test]
fn variants_are_described_in_order() {
    let crd = json!(crdkit::render::render::<Choice>().unwrap());
    let spec = &crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"];
    let plain = &spec["properties"]["plain"];
    assert_eq!(plain["enum"], json!(["Red", "Yellow", "Blue"]));
    let description = plain["description"].as_str().unwrap();
    for part in ["What it looks like.", "As blood.", "As gold."] {
        assert!(description.contains(part), "{description}");
    }
}
