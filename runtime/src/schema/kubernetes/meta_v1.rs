//! Schemas of the types of the API group `meta/v1`.

use std::collections::BTreeMap;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{
    Condition, FieldSelectorRequirement, FieldsV1, LabelSelector, LabelSelectorRequirement, ManagedFieldsEntry,
    ObjectMeta, OwnerReference, Time,
};

use crate::schema::Keyword::{ListMapKeys, ListType, MapType, Pattern};
use crate::schema::{Keyword, KubeSchema, ListType as List, MapType as Map, Schema, UnitVariant};

objects! {
    /// One aspect of the observed state.
    Condition in_list [ListType(List::Map), ListMapKeys(&["type"])] {
        /// When the status last changed.
        "lastTransitionTime": Time;
        /// What happened, for people; may be empty.
        "message": String, Keyword::max_length(32_768);
        /// The `metadata.generation` that the condition was made for.
        optional "observedGeneration": i64, Keyword::minimum(0.0);
        /// Why the status last changed, for programs: one word in CamelCase.
        "reason": String,
            Keyword::min_length(1), Keyword::max_length(1024), Pattern(r"^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$");
        /// Whether the condition holds.
        "status": ConditionStatus;
        /// The name of the condition: one word in CamelCase, with or without a domain before it.
        "type": String,
            Keyword::max_length(316),
            Pattern(concat!(
                r"^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?",
                r"(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$",
            ));
    }

    /// Selects objects by their labels. All requirements must hold; without any, everything is selected.
    LabelSelector with [MapType(Map::Atomic)] {
        /// Requirements on labels.
        optional "matchExpressions": Vec<LabelSelectorRequirement>;
        /// Labels that must have these values.
        optional "matchLabels": BTreeMap<String, String>;
    }

    /// A requirement on a label.
    LabelSelectorRequirement in_list [ListType(List::Atomic)] {
        /// The label.
        "key": String;
        /// `In`, `NotIn`, `Exists` or `DoesNotExist`.
        "operator": String;
        /// The values for `In` and `NotIn`; empty for the other operators.
        optional "values": Vec<String>, ListType(List::Atomic);
    }

    /// A requirement on a field.
    FieldSelectorRequirement in_list [ListType(List::Atomic)] {
        /// The field.
        "key": String;
        /// `In`, `NotIn`, `Exists` or `DoesNotExist`.
        "operator": String;
        /// The values for `In` and `NotIn`; empty for the other operators.
        optional "values": Vec<String>, ListType(List::Atomic);
    }

    /// What all objects have in common.
    ObjectMeta {
        /// Values for tools, which no selector can ask for.
        optional "annotations": BTreeMap<String, String>;
        /// When the object was created; set by the server.
        optional "creationTimestamp": Time;
        /// How many seconds the deletion may take; set by the server.
        optional "deletionGracePeriodSeconds": i64;
        /// When the object is going to be deleted; set by the server.
        optional "deletionTimestamp": Time;
        /// Who must agree before the object is deleted.
        optional "finalizers": Vec<String>, ListType(List::Set);
        /// The beginning of a name that the server completes.
        optional "generateName": String;
        /// Counts the changes of the desired state; set by the server.
        optional "generation": i64;
        /// Values that selectors can ask for.
        optional "labels": BTreeMap<String, String>;
        /// Who manages which fields; set by the server.
        optional "managedFields": Vec<ManagedFieldsEntry>;
        /// The name of the object, unique for its kind and namespace.
        optional "name": String;
        /// The namespace of the object.
        optional "namespace": String;
        /// The objects without which this one is deleted.
        optional "ownerReferences": Vec<OwnerReference>;
        /// Changes whenever the object changes; set by the server.
        optional "resourceVersion": String;
        /// No longer used.
        optional "selfLink": String;
        /// Identifies the object among all that ever existed; set by the server.
        optional "uid": String;
    }

    /// Which fields one manager manages.
    ManagedFieldsEntry in_list [ListType(List::Atomic)] {
        /// The version that the fields are named in.
        optional "apiVersion": String;
        /// How the fields are written: `FieldsV1`.
        optional "fieldsType": String;
        /// The fields.
        optional "fieldsV1": FieldsV1;
        /// The manager.
        optional "manager": String;
        /// `Apply` or `Update`.
        optional "operation": String;
        /// The subresource that was changed; empty for the object itself.
        optional "subresource": String;
        /// When the manager last changed which fields it manages.
        optional "time": Time;
    }

    /// An object of the same namespace, or of no namespace, that owns this one.
    OwnerReference
        with [MapType(Map::Atomic)]
        in_list [ListType(List::Map), ListMapKeys(&["uid"])]
    {
        /// The group and version of the owner.
        "apiVersion": String;
        /// Whether a foreground deletion of the owner waits for this object.
        optional "blockOwnerDeletion": bool;
        /// Whether the owner is the one that controls this object.
        optional "controller": bool;
        /// The kind of the owner.
        "kind": String;
        /// The name of the owner.
        "name": String;
        /// The uid of the owner.
        "uid": String;
    }
}

/// The values of a condition's status.
enum ConditionStatus {}

impl KubeSchema for ConditionStatus {
    const SCHEMA: Schema =
        Schema::enumeration(&[UnitVariant::new("True"), UnitVariant::new("False"), UnitVariant::new("Unknown")]);
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::super::accepts::{accepts, assert_roundtrips};
    use super::*;

    #[test]
    fn schemas_accept_what_serde_writes_and_reads() {
        let time = "2020-01-01T00:00:00Z";
        let label = json!({ "key": "a", "operator": "In", "values": ["b"] });
        assert_roundtrips::<Condition>(json!({
            "type": "Ready", "status": "True", "reason": "Done", "message": "", "lastTransitionTime": time,
            "observedGeneration": 1,
        }));
        assert_roundtrips::<LabelSelector>(json!({ "matchLabels": { "a": "b" }, "matchExpressions": [label] }));
        assert_roundtrips::<FieldSelectorRequirement>(label);
        assert_roundtrips::<ObjectMeta>(json!({
            "annotations": { "a": "b" }, "creationTimestamp": time, "deletionGracePeriodSeconds": 1,
            "deletionTimestamp": time, "finalizers": ["a/b"], "generateName": "a", "generation": 1,
            "labels": { "a": "b" }, "name": "a", "namespace": "b", "resourceVersion": "1", "selfLink": "c",
            "uid": "d",
            "managedFields": [{
                "apiVersion": "v1", "fieldsType": "FieldsV1", "fieldsV1": { "f:a": {} }, "manager": "a",
                "operation": "Apply", "subresource": "status", "time": time,
            }],
            "ownerReferences": [{
                "apiVersion": "v1", "kind": "Pod", "name": "a", "uid": "b", "controller": true,
                "blockOwnerDeletion": true,
            }],
        }));
    }

    #[test]
    fn a_status_is_true_false_or_unknown() {
        assert!(!accepts(&ConditionStatus::SCHEMA, &json!("Maybe")));
    }
}
