use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet, VecDeque},
};

use crdkit::KubeSchema;
use crdkit_ui_tests::use_schema;
use serde::{Deserialize, Serialize};

#[derive(KubeSchema, Serialize, Deserialize, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Part {
    pub pair: Box<[Part; 2]>,
    pub sorted: BTreeSet<Self>,
    pub queue: Vec<VecDeque<self::Part>>,
    pub named: BTreeMap<String, std::cell::RefCell<Part>>,
    pub borrowed: Option<Cow<'static, Part>>,
}

#[derive(KubeSchema, Serialize, Deserialize)]
pub struct Chain<T> {
    pub item: T,
    pub next: Option<Box<Chain<T>>>,
}

fn main() {
    use_schema::<Part>();
    use_schema::<Chain<i32>>();
}
