//! Decoders of Kubernetes types that many objects contain.

use k8s_openapi::apimachinery::pkg::{
    api::resource::Quantity,
    apis::meta::v1::{Condition, ManagedFieldsEntry, MicroTime, ObjectMeta, OwnerReference, Time},
    util::intstr::IntOrString,
};

use crate::json::decode::{Decode, Parser, standard::by_serde};

/// Decodes an object with fields that k8s-openapi reads. Each field has a function for the case that it is missing.
macro_rules! object {
    ($type:ident { $($key:literal => $field:ident: $or:ident,)* }) => {
        impl Decode for $type {
            fn decode(parser: &mut Parser<'_>) -> Option<Self> {
                $(let mut $field = None;)*
                parser.object()?;
                while let Some(key) = parser.key()? {
                    match key {
                        $($key => parser.once(&mut $field, Decode::decode)?,)*
                        _ => parser.skip()?,
                    }
                }
                Some(Self { $($field: $or($field)?,)* })
            }
        }
    };
}

fn none<T>(field: Option<Option<T>>) -> Option<Option<T>> {
    Some(field.flatten())
}

fn default<T: Default>(field: Option<Option<T>>) -> Option<T> {
    Some(field.flatten().unwrap_or_default())
}

fn or_serde<T>(field: Option<T>) -> Option<T> {
    field
}

object!(ObjectMeta {
    "annotations" => annotations: none,
    "creationTimestamp" => creation_timestamp: none,
    "deletionGracePeriodSeconds" => deletion_grace_period_seconds: none,
    "deletionTimestamp" => deletion_timestamp: none,
    "finalizers" => finalizers: none,
    "generateName" => generate_name: none,
    "generation" => generation: none,
    "labels" => labels: none,
    "managedFields" => managed_fields: none,
    "name" => name: none,
    "namespace" => namespace: none,
    "ownerReferences" => owner_references: none,
    "resourceVersion" => resource_version: none,
    "selfLink" => self_link: none,
    "uid" => uid: none,
});

object!(OwnerReference {
    "apiVersion" => api_version: default,
    "blockOwnerDeletion" => block_owner_deletion: none,
    "controller" => controller: none,
    "kind" => kind: default,
    "name" => name: default,
    "uid" => uid: default,
});

object!(Condition {
    "lastTransitionTime" => last_transition_time: or_serde,
    "message" => message: default,
    "observedGeneration" => observed_generation: none,
    "reason" => reason: default,
    "status" => status: default,
    "type" => type_: default,
});

by_serde!(ManagedFieldsEntry);

impl Decode for Time {
    fn decode(parser: &mut Parser<'_>) -> Option<Self> {
        Decode::decode(parser).map(Self)
    }
}

impl Decode for MicroTime {
    fn decode(parser: &mut Parser<'_>) -> Option<Self> {
        Decode::decode(parser).map(Self)
    }
}

impl Decode for Quantity {
    fn decode(parser: &mut Parser<'_>) -> Option<Self> {
        if parser.at_text() {
            return Decode::decode(parser).map(Self);
        }
        parser.by_serde()
    }
}

impl Decode for IntOrString {
    fn decode(parser: &mut Parser<'_>) -> Option<Self> {
        if parser.at_text() {
            return Decode::decode(parser).map(Self::String);
        }
        parser.integer().map(Self::Int)
    }
}
