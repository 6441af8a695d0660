use crdkit::KubeSchema;
use crdkit_ui_tests::use_schema;
use serde::{Deserialize, Serialize};

#[derive(KubeSchema, Serialize, Deserialize, Clone)]
pub struct Part {
    #[crd(column)]
    pub color: String,
}

#[derive(KubeSchema, Serialize, Deserialize)]
#[schemars(with = "String")]
pub struct Text {
    pub part: Part,
}

#[derive(KubeSchema, Serialize, Deserialize)]
pub struct Newtype(#[schemars(with = "String")] pub Part);

fn main() {
    use_schema::<Text>();
    use_schema::<Newtype>();
}
