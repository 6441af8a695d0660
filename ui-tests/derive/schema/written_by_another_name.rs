use crdkit::KubeSchema;
use crdkit_ui_tests::use_schema;
use serde::{Deserialize, Serialize};

#[derive(KubeSchema, Serialize, Deserialize)]
pub struct Part {
    #[serde(rename(serialize = "length", deserialize = "size"))]
    pub size: i32,
    #[serde(rename(serialize = "same", deserialize = "same"))]
    pub width: i32,
    #[serde(rename(deserialize = "tall"))]
    pub height: i32,
    pub limits: Limits,
    pub phase: Phase,
}

#[derive(KubeSchema, Serialize, Deserialize)]
#[serde(rename_all(serialize = "camelCase", deserialize = "snake_case"))]
pub struct Limits {
    pub max_size: i32,
}

#[derive(KubeSchema, Serialize, Deserialize)]
#[serde(rename_all(serialize = "camelCase"))]
pub enum Phase {
    Ready,
    #[serde(rename(serialize = "no"))]
    Failed,
}

fn main() {
    use_schema::<Part>();
}
