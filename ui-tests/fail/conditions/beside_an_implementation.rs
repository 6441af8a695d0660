use crdkit::{KubeSchema, conditions::HasConditions};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
use serde::{Deserialize, Serialize};

#[derive(KubeSchema, Serialize, Deserialize)]
pub struct MachineStatus {
    #[crd(conditions)]
    conditions: Vec<Condition>,
}

impl HasConditions for MachineStatus {
    fn conditions_mut(&mut self) -> &mut Vec<Condition> {
        &mut self.conditions
    }
}

fn main() {}
