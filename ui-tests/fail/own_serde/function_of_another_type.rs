use crdkit::serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
pub struct Foo {
    #[serde(default = "text", skip_serializing_if = "no_sizes")]
    pub size: i32,
}

fn text() -> String {
    String::new()
}

fn no_sizes(sizes: &Vec<i32>) -> bool {
    sizes.is_empty()
}

fn main() {}
