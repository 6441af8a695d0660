use crdkit::KubeSchema;
use crdkit_ui_tests::use_schema;

#[derive(KubeSchema)]
#[schemars(bound)]
pub struct Part<T> {
    pub value: T,
}

fn main() {
    use_schema::<Part<u8>>();
}
