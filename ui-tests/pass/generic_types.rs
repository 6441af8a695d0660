//! Generic types in each other.

use std::collections::BTreeMap;

use crdkit::{CustomResource, KubeSchema};
use crdkit_ui_tests::{use_object, use_schema};
use serde::{Deserialize, Serialize};

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(
    group = "example.com",
    version = "v1",
    kind = "Foo",
    printcolumn(name = "A", type_ = "integer", json_path = ".spec.ab.a.value"),
    printcolumn(name = "B", type_ = "string", json_path = ".spec.ab.b[0].value")
)]
pub struct FooSpec {
    pub ab: Two<One<i32>, One<String>>,
    pub map: BTreeMap<String, One<bool>>,
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
pub struct One<T> {
    pub value: T,
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
pub struct Two<A, B = One<A>>
where
    A: Clone,
{
    pub a: A,
    pub b: Vec<B>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rest: Option<Box<One<B>>>,
}

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Bar")]
pub struct BarSpec {
    pub marked: Marked<3>,
    pub defaulted: Defaulted<i32, String>,
    pub whole: Whole<i32>,
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
pub struct Marked<const N: usize> {
    #[crd(column)]
    pub size: i32,
    #[crd(merge_strategy = ListMerge::Set)]
    pub names: Vec<String>,
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
pub struct Defaulted<T, U> {
    #[serde(default)]
    pub value: T,
    pub other: U,
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, Default)]
#[serde(default)]
pub struct Whole<T> {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<T>,
}

#[derive(KubeSchema, Serialize, Default)]
#[serde(default)]
pub struct Dropped {
    #[serde(skip_serializing_if = "is_default")]
    pub name: String,
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

impl Drop for Dropped {
    fn drop(&mut self) {}
}

pub(super) fn main() {
    let spec = BarSpec {
        marked: Marked { size: 1, names: vec![] },
        defaulted: Defaulted { value: 1, other: String::new() },
        whole: Whole { value: None },
    };
    use_object(&Bar::new("bar", spec));
    let ab = Two { a: One { value: 1 }, b: vec![One { value: String::new() }], rest: None };
    use_object(&Foo::new("foo", FooSpec { ab, map: BTreeMap::new() }));
    use_schema::<Two<i32>>();
    use_schema::<Dropped>();
}
