use crdkit::KubeSchema;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
use serde::{Deserialize, Serialize};

#[derive(KubeSchema, Serialize, Deserialize)]
pub struct MachineStatus {
    #[crd(conditions = "Ready")]
    conditions: Vec<Condition>,
}

fn main() {}
