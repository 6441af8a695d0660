use std::collections::BTreeMap;

use crdkit::KubeSchema;
use crdkit_ui_tests::use_schema;

#[derive(KubeSchema)]
pub struct Point {
    pub x: u8,
}

#[derive(KubeSchema)]
pub struct Names<K> {
    pub names: BTreeMap<K, String>,
}

#[derive(KubeSchema)]
pub struct Places {
    pub names: Names<Point>,
}

fn main() {
    use_schema::<Places>();
}
