use crdkit::KubeSchema;
use crdkit_ui_tests::use_schema;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, Clone, Debug)]
pub struct Part {
    pub size: i32,
}

#[derive(KubeSchema, Serialize, Deserialize)]
pub struct Whole {
    pub part: Part,
    pub other: Part,
    pub optional: Option<Part>,
    pub parts: Vec<Part>,
}

fn main() {
    use_schema::<Whole>();
}
