//! The field that has the conditions of a status has the usual name and type, or is marked, or the trait is implemented by hand.

use crdkit::{
    KubeSchema,
    conditions::{HasConditions, StatusConditions},
};
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

#[derive(KubeSchema, Serialize, Deserialize, Default)]
pub struct Usual {
    conditions: Vec<Condition>,
}

#[derive(KubeSchema, Serialize, Deserialize, Default)]
pub struct UsualOption {
    conditions: Option<std::vec::Vec<k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition>>,
}

/// A type of the same name is no condition of Kubernetes.
mod own {
    use super::*;

    #[derive(KubeSchema, Serialize, Deserialize)]
    pub struct Condition {
        pub is_good: bool,
    }

    #[derive(KubeSchema, Serialize, Deserialize, Default)]
    pub struct Weather {
        pub conditions: Vec<Condition>,
    }
}

fn is_empty<Source>(mut status: impl StatusConditions<Source>) -> bool {
    status.list_mut().is_empty()
}

pub(super) fn main() {
    assert!(Listed::default().conditions_mut().is_empty());
    assert!(Optional::<String>::default().conditions_mut().is_empty());
    assert!(ByHand::default().conditions_mut().is_empty());
    assert!(is_empty(Listed::default()));
    assert!(is_empty(Optional::<String>::default()));
    assert!(is_empty(ByHand::default()));
    assert!(is_empty(Usual::default()));
    assert!(is_empty(UsualOption::default()));
    assert!(own::Weather::default().conditions.is_empty());
}
