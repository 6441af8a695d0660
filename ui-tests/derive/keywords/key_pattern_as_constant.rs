use std::collections::BTreeMap;

use crdkit::KubeSchema;
use serde::{Deserialize, Serialize};

const PATTERN: &str = "^[a-z]+$";

#[derive(KubeSchema, Serialize, Deserialize)]
pub struct Labels {
    #[crd(key_pattern = PATTERN)]
    pub labels: BTreeMap<String, String>,
}
