use crdkit::KubeSchema;
use crdkit_ui_tests::use_schema;
use serde::{Deserialize, Serialize};

#[derive(KubeSchema, Serialize, Deserialize)]
#[crd(column, preserve_unknown_fields)]
#[x_kube(merge_strategy = StructMerge::Atomic)]
pub struct Part {
    pub size: i32,
}

fn main() {
    use_schema::<Part>();
}
