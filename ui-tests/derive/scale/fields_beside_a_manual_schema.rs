use crdkit::{CustomResource, KubeSchema};
use crdkit_ui_tests::{CustomResourceExt, use_object};
use serde::{Deserialize, Serialize};

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
pub struct FooStatus {
    pub size: i32,
}

#[derive(CustomResource, Serialize, Deserialize, Clone, Debug)]
#[crd(
    group = "example.com", version = "v1", kind = "Foo",
    status = "FooStatus",
    scale,
    schema = "manual"
)]
pub struct FooSpec {
    pub size: i32,
}

impl schemars::JsonSchema for Foo {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Foo".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "object" })
    }
}

fn store(object: &Foo) {
    use_object(object);
}

fn main() {
    store(&Foo::new("foo", FooSpec { size: 1 }));
    println!("{:?}", Foo::crd());
}
