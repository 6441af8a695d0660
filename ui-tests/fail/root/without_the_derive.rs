use crdkit::KubeSchema;
use crdkit_ui_tests::use_schema;
use serde::{Deserialize, Serialize};

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Foo", shortname = "fo")]
pub struct FooSpec {
    #[crd(minimum = 1)]
    pub size: i32,
}

fn main() {
    use_schema::<FooSpec>();
}
