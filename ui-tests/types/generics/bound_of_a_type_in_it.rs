use crdkit::KubeSchema;
use crdkit_ui_tests::use_schema;

#[derive(KubeSchema)]
pub struct Inner<T> {
    pub value: T,
}

#[derive(KubeSchema)]
#[schemars(bound = "T: Clone")]
pub struct Outer<T> {
    pub inner: Inner<T>,
}

fn main() {
    use_schema::<Outer<u8>>();
}
