use crdkit::KubeSchema;
use crdkit_ui_tests::use_schema;

#[derive(schemars::JsonSchema)]
pub struct Foreign {
    pub size: u8,
}

#[derive(KubeSchema)]
#[schemars(bound = "T: schemars::JsonSchema")]
pub struct Part<T> {
    pub value: T,
}

#[derive(KubeSchema)]
pub struct Whole {
    pub part: Part<Foreign>,
}

fn main() {
    use_schema::<Whole>();
}
