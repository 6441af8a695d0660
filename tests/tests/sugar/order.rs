//! The order of rules: none is lost, and none is there twice.

use crdkit::KubeSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::schema;

#[derive(KubeSchema, Serialize, Deserialize)]
#[crd(immutable, one_of("a", "b"), validation = "self.z > 1", at_most_one_of("b", "c"))]
#[x_kube(validation = "self.flat_a > 0")]
struct Inner {
    #[crd(immutable, validation = "self != 'a'")]
    a: Option<String>,
    #[serde(flatten)]
    flat: Flat,
    #[crd(requires("a", "flat_b"))]
    b: Option<Newtype>,
    c: Option<u8>,
    z: u8,
}

#[derive(KubeSchema, Serialize, Deserialize)]
#[crd(validation = "self.flat_a > 0", at_least_one_of("flat_a", "flat_b"))]
struct Flat {
    #[crd(immutable)]
    flat_a: Option<u8>,
    flat_b: Option<u8>,
}

#[derive(KubeSchema, Serialize, Deserialize)]
#[crd(immutable, validation = "self != 2")]
struct Newtype(#[crd(validation = "self != 1")] u8);

#[derive(KubeSchema, Serialize, Deserialize)]
struct Outer {
    #[crd(immutable, validation = "self.z != 3", validation = "self.z > 1")]
    inner: Inner,
    #[crd(immutable, validation = "self != 3")]
    newtype: Option<Newtype>,
    plain: Inner,
}

fn rules(schema: &Value) -> Vec<&str> {
    let rules = schema["x-kubernetes-validations"].as_array().into_iter().flatten();
    rules.map(|rule| rule["rule"].as_str().unwrap()).collect()
}

const OF_INNER: [&str; 10] = [
    "!has(oldSelf.a) || has(self.a)",
    "!has(oldSelf.flat_a) || has(self.flat_a)",
    "self.flat_a > 0",
    "has(self.flat_a) || has(self.flat_b)",
    "!has(self.b) || has(self.a)",
    "!has(self.b) || has(self.flat_b)",
    "self.z > 1",
    "(has(self.a) ? 1 : 0) + (has(self.b) ? 1 : 0) == 1",
    "(has(self.b) ? 1 : 0) + (has(self.c) ? 1 : 0) <= 1",
    "self == oldSelf",
];

#[test]
fn of_a_type() {
    assert_eq!(rules(&schema::<Inner>()), OF_INNER);
    let schema = schema::<Inner>();
    let properties = &schema["properties"];
    assert_eq!(rules(&properties["a"]), ["self != 'a'", "self == oldSelf"]);
    assert_eq!(rules(&properties["b"]), ["self != 1", "self != 2", "self == oldSelf"]);
    assert_eq!(rules(&properties["flat_a"]), ["self == oldSelf"]);
}

#[test]
fn behind_a_field() {
    let schema = schema::<Outer>();
    let properties = &schema["properties"];
    assert_eq!(rules(&schema), ["!has(oldSelf.newtype) || has(self.newtype)"]);
    assert_eq!(rules(&properties["plain"]), OF_INNER);
    assert_eq!(rules(&properties["inner"]), [OF_INNER.as_slice(), &["self.z != 3"]].concat());
    assert_eq!(rules(&properties["newtype"]), ["self != 1", "self != 2", "self == oldSelf", "self != 3"]);
}
