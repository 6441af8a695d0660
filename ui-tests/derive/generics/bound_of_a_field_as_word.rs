use crdkit::KubeSchema;
use crdkit_ui_tests::use_schema;

#[derive(KubeSchema)]
pub struct Part<T> {
    #[schemars(bound)]
    pub value: T,
}

fn main() {
    use_schema::<Part<u8>>();
}
