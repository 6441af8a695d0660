use crdkit::serde::{Deserialize, Serialize};

pub struct Bar;

#[derive(Serialize, Deserialize)]
pub struct Foo {
    pub bar: Bar,
}

fn main() {}
