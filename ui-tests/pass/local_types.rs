//! Types inside of functions.

pub(super) fn main() {
    use crdkit::{CustomResource, KubeSchema};
    use serde::{Deserialize, Serialize};

    #[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
    #[crd(
        group = "example.com",
        version = "v1",
        kind = "Foo",
        status = "FooStatus",
        printcolumn(name = "Size", type_ = "integer", json_path = ".spec.part.size")
    )]
    struct FooSpec {
        part: Part,
    }

    #[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
    struct Part {
        size: i32,
    }

    #[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
    struct FooStatus {
        #[crd(column)]
        ready: bool,
    }

    let mut foo = Foo::new("foo", FooSpec { part: Part { size: 1 } });
    foo.status = Some(FooStatus { ready: true });
    crdkit_ui_tests::use_object(&foo);
}
