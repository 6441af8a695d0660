use std::collections::BTreeMap;

use crdkit::KubeSchema;
use crdkit_ui_tests::use_schema;

#[derive(KubeSchema)]
pub struct Point {
    pub x: u8,
}

#[derive(KubeSchema)]
pub struct Places {
    pub names: BTreeMap<Point, String>,
}

fn main() {
    use_schema::<Places>();
}
