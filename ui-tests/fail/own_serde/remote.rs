use crdkit::serde::{Deserialize, Serialize};

pub struct Point {
    pub x: i32,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Point")]
pub struct PointForm {
    pub x: i32,
}

fn main() {}
