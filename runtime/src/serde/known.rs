//! Types that each format reads and writes itself, besides scalars: what most objects have.

pub(super) use k8s_openapi::apimachinery::pkg::{
    api::resource::Quantity,
    apis::meta::v1::{Condition, ManagedFieldsEntry, MicroTime, ObjectMeta, OwnerReference, Time},
    util::intstr::IntOrString,
};
pub(super) use serde::de::IgnoredAny;
pub(super) use serde_json::Value;

pub(super) use crate::json::cow_str::CowStr;
