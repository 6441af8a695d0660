//! Every resource of this test binary.

use crdkit::CustomResourceExt;
use serde_json::{Value, json};

use crate::{
    defaults::Filled,
    immutable::{Fixed, Frozen},
    parts::Assembly,
    together::Together,
};

pub(crate) fn definitions() -> Vec<Value> {
    vec![
        json!(Filled::crd()),
        json!(Fixed::crd()),
        json!(Frozen::crd()),
        json!(Assembly::crd()),
        json!(Together::crd()),
    ]
}
