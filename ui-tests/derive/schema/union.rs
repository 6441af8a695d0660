use crdkit::KubeSchema;
use crdkit_ui_tests::use_schema;

#[derive(KubeSchema)]
pub union Part {
    size: i32,
    share: f32,
}

fn main() {
    use_schema::<Part>();
}
