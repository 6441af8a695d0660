use crdkit::serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
pub struct Foo {
    #[serde(default = "text", skip_serializing_if = "Vec::is_empty")]
    pub size: i32,
}

fn text() -> String {
    String::new()
}

fn main() {}
