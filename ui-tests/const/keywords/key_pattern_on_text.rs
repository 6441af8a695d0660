use crdkit::KubeSchema;
use serde::{Deserialize, Serialize};

#[derive(KubeSchema, Serialize, Deserialize)]
pub struct Labels {
    #[crd(key_pattern = "^[a-z]+$")]
    pub label: Text,
}

#[derive(KubeSchema, Serialize, Deserialize)]
pub struct Text(String);
