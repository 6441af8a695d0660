//! The field that has the conditions of a status is marked, or the trait is implemented by hand.

use crdkit::{KubeSchema, conditions::HasConditions};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
use serde::{Deserialize, Serialize};

#[derive(KubeSchema, Serialize, Deserialize, Default)]
pub struct Listed {
    #[crd(conditions)]
    #[serde(default)]
    conditions: Vec<Condition>,
}

#[derive(KubeSchema, Serialize, Deserialize, Default)]
pub struct Optional<T> {
    #[crd(conditions)]
    r#type: Option<Vec<Condition>>,
    more: Option<T>,
}

#[derive(KubeSchema, Serialize, Deserialize, Default)]
pub struct ByHand {
    conditions: Vec<Condition>,
}

impl HasConditions for ByHand {
    fn conditions_mut(&mut self) -> &mut Vec<Condition> {
        &mut self.conditions
    }
}

fn main() {
    assert!(Listed::default().conditions_mut().is_empty());
    assert!(Optional::<String>::default().conditions_mut().is_empty());
    assert!(ByHand::default().conditions_mut().is_empty());
}
