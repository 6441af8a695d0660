use crdkit::{CustomResource, KubeSchema};
use crdkit_ui_tests::{CustomResourceExt, use_object};
use serde::{Deserialize, Serialize};

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Foo")]
pub struct FooSpec {
    #[crd(selectable)]
    pub f1: i32,
    #[crd(selectable)]
    pub f2: i32,
    #[crd(selectable)]
    pub f3: i32,
    #[crd(selectable)]
    pub f4: i32,
    #[crd(selectable)]
    pub f5: i32,
    #[crd(selectable)]
    pub f6: i32,
    #[crd(selectable)]
    pub f7: i32,
    #[crd(selectable)]
    pub f8: i32,
    #[crd(selectable)]
    pub f9: i32,
}

fn store(object: &Foo) {
    use_object(object);
}

fn main() {
    store(&Foo::new("foo", FooSpec { f1: 1, f2: 2, f3: 3, f4: 4, f5: 5, f6: 6, f7: 7, f8: 8, f9: 9 }));
    println!("{:?}", Foo::crd());
}
