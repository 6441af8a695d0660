use crdkit::KubeSchema;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
use serde::{Deserialize, Serialize};

#[derive(KubeSchema, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum MachineStatus {
    Up {
        #[crd(conditions)]
        conditions: Vec<Condition>,
    },
    Down {},
}

fn main() {}
