use crdkit::Apply;
use serde::{Deserialize, Serialize};

#[derive(Apply, Serialize, Deserialize, Clone, Debug)]
pub struct Named<T> {
    pub name: String,
    pub value: T,
}

fn main() {}
