use std::collections::BTreeMap;

use crdkit::KubeSchema;
use crdkit_ui_tests::use_schema;

#[derive(KubeSchema)]
pub struct Places {
    pub names: Option<Vec<BTreeMap<Vec<u8>, String>>>,
}

fn main() {
    use_schema::<Places>();
}
