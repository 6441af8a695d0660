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

fn main() {
    let ab = Two {
        a: One { value: 1 },
        b: vec![One { value: String::new() }],
        rest: None,
    };
    use_object(&Foo::new("foo", FooSpec { ab, map: BTreeMap::new() }));
    use_schema::<Two<i32>>();
}
