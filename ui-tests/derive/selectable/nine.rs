use crdkit::{CustomResource, KubeSchema};
use crdkit_ui_tests::{CustomResourceExt, use_object};
use serde::{Deserialize, Serialize};

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(
    group = "example.com", version = "v1", kind = "Foo",
    selectable = ".spec.f1",
    selectable = ".spec.f2",
    selectable = ".spec.f3",
    selectable = ".spec.f4",
    selectable = ".spec.f5",
    selectable = ".spec.f6",
    selectable = ".spec.f7",
    selectable = ".spec.f8",
    selectable = ".spec.f9"
)]
pub struct FooSpec {
    pub f1: i32,
    pub f2: i32,
    pub f3: i32,
    pub f4: i32,
    pub f5: i32,
    pub f6: i32,
    pub f7: i32,
    pub f8: i32,
    pub f9: i32,
}

fn store(object: &Foo) {
    use_object(object);
}

fn main() {
    store(&Foo::new("foo", FooSpec { f1: 1, f2: 2, f3: 3, f4: 4, f5: 5, f6: 6, f7: 7, f8: 8, f9: 9 }));
    println!("{:?}", Foo::crd());
}
