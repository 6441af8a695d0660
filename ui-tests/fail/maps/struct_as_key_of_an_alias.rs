use std::collections::BTreeMap;

use crdkit::KubeSchema;
use crdkit_ui_tests::use_schema;

#[derive(KubeSchema)]
pub struct Point {
    pub x: u8,
}

type Names = BTreeMap<Point, String>;

#[derive(KubeSchema)]
pub struct Places {
    pub names: Names,
}

fn main() {
    use_schema::<Places>();
}
