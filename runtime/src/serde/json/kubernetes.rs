//! Kubernetes types that many objects contain, as k8s-openapi reads them.

use crate::{
    json::{parser::Parser, timestamp::timestamp},
    serde::{
        known::{Condition, IntOrString, ManagedFieldsEntry, MicroTime, ObjectMeta, OwnerReference, Quantity, Time},
        source::Decode,
    },
};

/// A function that reads an object. Each field has a function for the case that it is missing.
macro_rules! object {
    ($function:ident: $type:ident { $($key:literal => $field:ident: $or:ident,)* }) => {
        pub(super) fn $function(parser: &mut Parser<'_>) -> Option<$type> {
            $(let mut $field = None;)*
            parser.begin_object()?;
            while let Some(key) = parser.next_key()? {
                match key {
                    $($key => once(&mut $field, parser)?,)*
                    _ => drop(parser.skip()?),
                }
            }
            Some($type { $($field: $or($field)?,)* })
        }
    };
}

/// Reads the value of a key that may occur only once.
fn once<'de, T: Decode<'de>>(field: &mut Option<T>, parser: &mut Parser<'de>) -> Option<()> {
    if field.is_some() {
        return None;
    }
    *field = Some(T::decode(parser).ok()?);
    Some(())
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

object!(metadata: ObjectMeta {
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

object!(owner_reference: OwnerReference {
    "apiVersion" => api_version: default,
    "blockOwnerDeletion" => block_owner_deletion: none,
    "controller" => controller: none,
    "kind" => kind: default,
    "name" => name: default,
    "uid" => uid: default,
});

object!(condition: Condition {
    "lastTransitionTime" => last_transition_time: or_serde,
    "message" => message: default,
    "observedGeneration" => observed_generation: none,
    "reason" => reason: default,
    "status" => status: default,
    "type" => type_: default,
});

pub(super) fn managed_fields_entry(parser: &mut Parser<'_>) -> Option<ManagedFieldsEntry> {
    parser.deserialize()
}

pub(super) fn time(parser: &mut Parser<'_>) -> Option<Time> {
    timestamp(&parser.string()?).map(Time)
}

pub(super) fn micro_time(parser: &mut Parser<'_>) -> Option<MicroTime> {
    timestamp(&parser.string()?).map(MicroTime)
}

pub(super) fn quantity(parser: &mut Parser<'_>) -> Option<Quantity> {
    if parser.at_string() {
        return parser.string().map(|text| Quantity(text.into()));
    }
    parser.deserialize()
}

pub(super) fn int_or_string(parser: &mut Parser<'_>) -> Option<IntOrString> {
    if parser.at_string() {
        return parser.string().map(|text| IntOrString::String(text.into()));
    }
    parser.integer().map(IntOrString::Int)
}
