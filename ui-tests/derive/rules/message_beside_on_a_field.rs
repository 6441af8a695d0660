use crdkit::KubeSchema;
use crdkit_ui_tests::use_schema;
use serde::{Deserialize, Serialize};

#[derive(KubeSchema, Serialize, Deserialize)]
#[x_kube(validation = "self.size > 0", "must not be empty")]
pub struct Part {
    #[crd(validation = "self > 0", "must not be empty")]
    pub size: i32,
    #[crd(validation = "self > 0", message = "must not be empty")]
    pub length: i32,
    #[x_kube(validation("self > 0", "must not be empty"))]
    pub width: i32,
}

fn main() {
    use_schema::<Part>();
}
