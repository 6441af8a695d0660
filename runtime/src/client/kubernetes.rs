//! Which of Kubernetes' own types have a status and a scale.

use k8s_openapi::api::{apps::v1::Deployment, policy::v1::PodDisruptionBudget};

use crate::subresource::{ScaleSubresource, StatusSubresource};

macro_rules! with_status {
    ($($kind:ty: $status:ty;)+) => {$(
        impl StatusSubresource for $kind {
            type Status = $status;

            fn status(&self) -> Option<&$status> {
                self.status.as_ref()
            }

            fn status_mut(&mut self) -> &mut Option<$status> {
                &mut self.status
            }
        }
    )+};
}

with_status! {
    Deployment: k8s_openapi::api::apps::v1::DeploymentStatus;
    PodDisruptionBudget: k8s_openapi::api::policy::v1::PodDisruptionBudgetStatus;
}

impl ScaleSubresource for Deployment {}
