//! The cells of built-in kinds that are fields of the object.

use serde_json::Value;

use super::{
    age,
    builtin::{count, join, len, list, or, str},
    name,
};
use crate::time;

const NONE: &str = "<none>";
const UNSET: &str = "<unset>";

/// A cell. Fields are JSON pointers.
pub(super) enum Cell {
    Name,
    Age,
    /// The time of the creation, as it is in the object.
    Created,
    /// A text, or another one for an empty one.
    Text(&'static str, &'static str),
    /// Two texts with a slash between, or another one without the object at the start of both.
    Pair([&'static str; 3], &'static str),
    Number(&'static str),
    /// A number, or a text.
    NumberOr(&'static str, &'static str),
    /// The number of items.
    Length(&'static str),
    /// A flag, and its default.
    Flag(&'static str, bool),
    /// The texts of a list, or another one for an empty text.
    Join(&'static str, &'static str),
    /// The time since another one.
    Since(&'static str),
}

use Cell::{Age, Created, Flag, Join, Length, Name, Number, NumberOr, Pair, Since, Text};

const WEBHOOKS: &[Cell] = &[Name, Length("/webhooks"), Age];
const PARAMETERS: Cell = Pair(["/spec/paramKind", "/apiVersion", "/kind"], UNSET);

const KINDS: &[(&str, &str, &[Cell])] = &[
    ("admissionregistration.k8s.io", "MutatingAdmissionPolicy", &[Name, Length("/spec/mutations"), PARAMETERS, Age]),
    ("admissionregistration.k8s.io", "MutatingWebhookConfiguration", WEBHOOKS),
    (
        "admissionregistration.k8s.io",
        "ValidatingAdmissionPolicy",
        &[Name, Length("/spec/validations"), PARAMETERS, Age],
    ),
    ("admissionregistration.k8s.io", "ValidatingWebhookConfiguration", WEBHOOKS),
    ("certificates.k8s.io", "ClusterTrustBundle", &[Name, Text("/spec/signerName", NONE)]),
    (
        "flowcontrol.apiserver.k8s.io",
        "PriorityLevelConfiguration",
        &[
            Name,
            Text("/spec/type", ""),
            NumberOr("/spec/limited/nominalConcurrencyShares", NONE),
            NumberOr("/spec/limited/limitResponse/queuing/queues", NONE),
            NumberOr("/spec/limited/limitResponse/queuing/handSize", NONE),
            NumberOr("/spec/limited/limitResponse/queuing/queueLengthLimit", NONE),
            Age,
        ],
    ),
    ("networking.k8s.io", "ServiceCIDR", &[Name, Join("/spec/cidrs", ""), Age]),
    ("node.k8s.io", "RuntimeClass", &[Name, Text("/handler", ""), Age]),
    ("resource.k8s.io", "DeviceClass", &[Name, Age]),
    (
        "resource.k8s.io",
        "DeviceTaintRule",
        &[
            Name,
            Text("/spec/taint/key", ""),
            Text("/spec/taint/value", ""),
            Text("/spec/taint/effect", ""),
            Since("/spec/taint/timeAdded"),
            Age,
        ],
    ),
    ("resource.k8s.io", "ResourceClaimTemplate", &[Name, Age]),
    (
        "resource.k8s.io",
        "ResourceSlice",
        &[Name, Text("/spec/nodeName", ""), Text("/spec/driver", ""), Text("/spec/pool/name", ""), Age],
    ),
    (
        "scheduling.k8s.io",
        "PriorityClass",
        &[Name, Number("/value"), Flag("/globalDefault", false), Age, Text("/preemptionPolicy", "")],
    ),
    ("storage.k8s.io", "CSINode", &[Name, Length("/spec/drivers"), Age]),
    ("storage.k8s.io", "CSIStorageCapacity", &[Name, Created]),
    (
        "storage.k8s.io",
        "VolumeAttachment",
        &[
            Name,
            Text("/spec/attacher", ""),
            Text("/spec/source/persistentVolumeName", ""),
            Text("/spec/nodeName", ""),
            Flag("/status/attached", false),
            Age,
        ],
    ),
    ("storage.k8s.io", "VolumeAttributesClass", &[Name, Text("/driverName", ""), Age]),
];

/// Returns the cells of a kind, if all of them are fields.
pub(super) fn cells(group: &str, kind: &str) -> Option<&'static [Cell]> {
    let found = KINDS.iter().find(|(of_group, of_kind, _)| (*of_group, *of_kind) == (group, kind));
    found.map(|(_, _, cells)| *cells)
}

impl Cell {
    /// Returns the value of the cell at a Unix time.
    pub(super) fn value(&self, object: &Value, now: i64) -> Value {
        let at = |pointer: &str| object.pointer(pointer).unwrap_or(&Value::Null);
        match *self {
            Name => name(object),
            Age => age(object, now),
            Created => object["metadata"]["creationTimestamp"].clone(),
            Text(field, default) => or(str(at(field)), default).into(),
            Pair([field, first, second], default) => match at(field) {
                Value::Null => default.into(),
                pair => {
                    let [first, second] = [first, second].map(|name| pair.pointer(name).map_or("", str));
                    format!("{first}/{second}").into()
                }
            },
            Number(field) => count(at(field)).into(),
            NumberOr(field, default) => at(field).as_i64().map_or_else(|| default.into(), Value::from),
            Length(field) => at(field).as_array().map_or_else(|| len(at(field)), Vec::len).into(),
            Flag(field, default) => at(field).as_bool().unwrap_or(default).into(),
            Join(field, default) => or(&join(list(at(field)).map(str)), default).into(),
            Since(field) => at(field).as_str().map(|since| time::age(since, now)).unwrap_or_default().into(),
        }
    }
}
