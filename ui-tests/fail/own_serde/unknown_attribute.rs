use crdkit::serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
pub struct Foo {
    #[serde(renam = "b")]
    pub a: i32,
}

fn main() {}
