//! Every type of others that has a schema, as serde writes it.

use std::{
    borrow::Cow,
    cell::{Cell, RefCell},
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap, HashSet, LinkedList, VecDeque},
    ffi::CString,
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, SocketAddrV4, SocketAddrV6},
    num::{NonZero, NonZeroI8, Saturating, Wrapping},
    ops::{Range, RangeFrom, RangeInclusive, RangeTo},
    path::PathBuf,
    sync::{Mutex, RwLock, atomic},
    time::{Duration, SystemTime},
};

use crdkit::{CustomResource, KubeSchema};
use k8s_openapi::{
    ByteString,
    api::core::v1::{
        ConfigMapKeySelector, EnvVar, LocalObjectReference, ObjectFieldSelector, ObjectReference, ResourceClaim,
        ResourceFieldSelector, ResourceRequirements, SecretKeySelector, SecretReference, Toleration,
        TypedLocalObjectReference, TypedObjectReference, VolumeResourceRequirements,
    },
    apimachinery::pkg::{
        api::resource::Quantity,
        apis::meta::v1::{
            Condition, FieldSelectorRequirement, FieldsV1, LabelSelector, LabelSelectorRequirement, ManagedFieldsEntry,
            MicroTime, ObjectMeta, Time,
        },
        runtime::RawExtension,
        util::intstr::IntOrString,
    },
    jiff::{SignedDuration, Span, Timestamp, Zoned, civil},
};
use kube::core::{DynamicObject, TypeMeta};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Number, Value, json};

use crate::served::served;

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "types.example.com", version = "v1", kind = "Scalar")]
pub(crate) struct ScalarSpec {
    bool: bool,
    f32: f32,
    f64: f64,
    char: char,
    string: String,
    path: PathBuf,
    c_string: CString,
    ip: IpAddr,
    ipv4: Ipv4Addr,
    ipv6: Ipv6Addr,
    socket: SocketAddr,
    socket_v4: SocketAddrV4,
    socket_v6: SocketAddrV6,
    duration: Duration,
    system_time: SystemTime,
    value: Value,
    object: Map<String, Value>,
    number: Number,
    u8: u8,
    u16: u16,
    u32: u32,
    u64: u64,
    usize: usize,
    i8: i8,
    i16: i16,
    i32: i32,
    i64: i64,
    isize: isize,
    non_zero: NonZero<u32>,
    non_zero_i8: NonZeroI8,
}

fn scalars() -> Value {
    json!({
        "bool": true,
        "f32": 1.5,
        "f64": 1e300,
        "char": "ß",
        "string": "text",
        "path": "/dev/null",
        "c_string": [116, 101, 120, 116],
        "ip": "::1",
        "ipv4": "127.0.0.1",
        "ipv6": "::1",
        "socket": "[::1]:80",
        "socket_v4": "127.0.0.1:80",
        "socket_v6": "[::1]:80",
        "duration": { "secs": 1, "nanos": 999_999_999 },
        "system_time": { "secs_since_epoch": 1, "nanos_since_epoch": 2 },
        "value": { "any": [{ "thing": 1 }] },
        "object": { "any": { "thing": [true] } },
        "number": 1.25,
        "u8": u8::MAX,
        "u16": u16::MAX,
        "u32": u32::MAX,
        "u64": i64::MAX,
        "usize": i64::MAX,
        "i8": i8::MIN,
        "i16": i16::MIN,
        "i32": i32::MIN,
        "i64": i64::MIN,
        "isize": i64::MAX,
        "non_zero": 1,
        "non_zero_i8": -1,
    })
}

#[tokio::test]
async fn scalars_are_kept() {
    let Some(served) = served::<Scalar>().await else {
        return;
    };
    let spec: ScalarSpec = serde_json::from_value(scalars()).unwrap();
    served.keeps_json(Scalar::new("a", spec)).await;
}

#[tokio::test]
async fn scalars_that_serde_cannot_read_are_refused() {
    let Some(served) = served::<Scalar>().await else {
        return;
    };
    let spec: ScalarSpec = serde_json::from_value(scalars()).unwrap();
    let changes = [
        ("/spec/bool", json!("true"), "spec.bool"),
        ("/spec/char", json!("ab"), "spec.char"),
        ("/spec/char", json!(""), "spec.char"),
        ("/spec/ipv4", json!("::1"), "spec.ipv4"),
        ("/spec/ipv6", json!("1"), "spec.ipv6"),
        ("/spec/duration/nanos", json!(1_000_000_000), "spec.duration.nanos"),
        ("/spec/u8", json!(256), "spec.u8"),
        ("/spec/u16", json!(-1), "spec.u16"),
        ("/spec/u32", json!(u64::from(u32::MAX) + 1), "spec.u32"),
        ("/spec/u64", json!(-1), "spec.u64"),
        ("/spec/i8", json!(128), "spec.i8"),
        ("/spec/i16", json!(32768), "spec.i16"),
        ("/spec/i32", json!(i64::from(i32::MAX) + 1), "<nil>"),
        ("/spec/non_zero", json!(0), "spec.non_zero"),
    ];
    served.refuses(&Scalar::new("b", spec), &changes).await;
}

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Debug)]
#[crd(group = "types.example.com", version = "v1", kind = "Container")]
pub(crate) struct ContainerSpec {
    option: Option<u8>,
    boxed: Box<u8>,
    boxed_text: Box<str>,
    cow: Cow<'static, str>,
    cell: Cell<u8>,
    ref_cell: RefCell<u8>,
    mutex: Mutex<u8>,
    lock: RwLock<u8>,
    wrapping: Wrapping<u8>,
    saturating: Saturating<u8>,
    reverse: Reverse<u8>,
    atomic_bool: atomic::AtomicBool,
    atomic_u64: atomic::AtomicU64,
    array: [u8; 2],
    vec: Vec<u8>,
    deque: VecDeque<u8>,
    #[expect(clippy::linkedlist, reason = "it has a schema, too")]
    list: LinkedList<u8>,
    heap: BinaryHeap<u8>,
    set: BTreeSet<u8>,
    hash_set: HashSet<String>,
    set_of_lists: BTreeSet<Vec<u8>>,
    map: BTreeMap<u8, u8>,
    hash_map: HashMap<String, Vec<u8>>,
    range: Range<u8>,
    inclusive: RangeInclusive<u8>,
    from: RangeFrom<u8>,
    to: RangeTo<u8>,
    deep: Vec<BTreeMap<String, Option<[Option<u8>; 2]>>>,
}

/// Locks cannot be cloned, and roots must be.
impl Clone for ContainerSpec {
    fn clone(&self) -> Self {
        serde_json::from_value(json!(self)).unwrap()
    }
}

#[tokio::test]
async fn containers_are_kept() {
    let Some(served) = served::<Container>().await else {
        return;
    };
    let spec: ContainerSpec = serde_json::from_value(json!({
        "option": 1,
        "boxed": 1,
        "boxed_text": "text",
        "cow": "text",
        "cell": 1,
        "ref_cell": 1,
        "mutex": 1,
        "lock": 1,
        "wrapping": 1,
        "saturating": 1,
        "reverse": 1,
        "atomic_bool": true,
        "atomic_u64": 1,
        "array": [1, 1],
        "vec": [1, 1],
        "deque": [1, 1],
        "list": [1, 1],
        "heap": [1],
        "set": [1, 2],
        "hash_set": ["a"],
        "set_of_lists": [[1], [1, 2]],
        "map": { "1": 2 },
        "hash_map": { "a": [1] },
        "range": { "start": 1, "end": 2 },
        "inclusive": { "start": 1, "end": 2 },
        "from": { "start": 1 },
        "to": { "end": 1 },
        "deep": [{ "a": [1, null], "b": null }],
    }))
    .unwrap();
    served.keeps_json(Container::new("a", spec)).await;
}

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
#[crd(
    group = "types.example.com",
    version = "v1",
    kind = "Kubernetes",
    plural = "kubernetes",
    singular = "k8s",
    derive = "PartialEq"
)]
pub(crate) struct KubernetesSpec {
    time: Time,
    micro_time: MicroTime,
    quantity: Quantity,
    quantities: BTreeMap<String, Quantity>,
    int_or_string: Vec<IntOrString>,
    bytes: ByteString,
    raw: RawExtension,
    fields: FieldsV1,
    conditions: Vec<Condition>,
    one_condition: Condition,
    selector: LabelSelector,
    requirements: Vec<LabelSelectorRequirement>,
    field_requirements: Vec<FieldSelectorRequirement>,
    meta: ObjectMeta,
    managed: Vec<ManagedFieldsEntry>,
    reference: ObjectReference,
    references: Vec<ObjectReference>,
    local: LocalObjectReference,
    typed_local: TypedLocalObjectReference,
    typed: TypedObjectReference,
    secret: SecretReference,
    secret_key: SecretKeySelector,
    config_key: ConfigMapKeySelector,
    field: ObjectFieldSelector,
    resource_field: ResourceFieldSelector,
    env: Vec<EnvVar>,
    tolerations: Vec<Toleration>,
    resources: ResourceRequirements,
    claims: Vec<ResourceClaim>,
    volume: VolumeResourceRequirements,
    kube_duration: kube::core::Duration,
    types: TypeMeta,
    object: DynamicObject,
}

fn kubernetes() -> Value {
    let condition = json!({
        "type": "Ready",
        "status": "True",
        "reason": "Test",
        "message": "",
        "lastTransitionTime": "2030-01-31T12:00:00Z",
        "observedGeneration": 1,
    });
    json!({
        "time": "2030-01-31T12:00:00Z",
        "micro_time": "2030-01-31T12:00:00.000001Z",
        "quantity": "1.5Gi",
        "quantities": { "cpu": "500m" },
        "int_or_string": [80, "80%"],
        "bytes": "AAECAw==",
        "raw": { "any": [{ "thing": 1 }] },
        "fields": { "f:spec": { "f:size": {} } },
        "conditions": [condition.clone()],
        "one_condition": condition,
        "selector": {
            "matchLabels": { "a": "b" },
            "matchExpressions": [{ "key": "a", "operator": "In", "values": ["b"] }],
        },
        "requirements": [{ "key": "a", "operator": "Exists" }],
        "field_requirements": [{ "key": "a", "operator": "In", "values": ["b"] }],
        "meta": {
            "name": "a",
            "labels": { "a": "b" },
            "creationTimestamp": "2030-01-31T12:00:00Z",
            "ownerReferences": [{ "apiVersion": "v1", "kind": "Pod", "name": "a", "uid": "b" }],
        },
        "managed": [{ "manager": "a", "operation": "Apply" }],
        "reference": { "kind": "Pod", "name": "a" },
        "references": [{ "kind": "Pod", "name": "a" }],
        "local": { "name": "a" },
        "typed_local": { "kind": "Pod", "name": "a" },
        "typed": { "kind": "Pod", "name": "a", "namespace": "b" },
        "secret": { "name": "a", "namespace": "b" },
        "secret_key": { "name": "a", "key": "b" },
        "config_key": { "name": "a", "key": "b", "optional": true },
        "field": { "fieldPath": "metadata.name" },
        "resource_field": { "resource": "limits.cpu", "divisor": "1m" },
        "env": [
            { "name": "A", "value": "b" },
            { "name": "B", "valueFrom": { "fieldRef": { "fieldPath": "metadata.name" } } },
        ],
        "tolerations": [{ "key": "a", "operator": "Exists", "tolerationSeconds": 5 }],
        "resources": { "limits": { "cpu": "1" }, "claims": [{ "name": "a" }] },
        "claims": [{ "name": "a", "request": "b" }],
        "volume": { "requests": { "storage": "1Gi" } },
        "kube_duration": "1.5s",
        "types": { "apiVersion": "v1", "kind": "Pod" },
        "object": {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": { "name": "a" },
            "spec": { "any": 1 },
        },
    })
}

#[tokio::test]
async fn types_of_kubernetes_are_kept() {
    let Some(served) = served::<Kubernetes>().await else {
        return;
    };
    let spec: KubernetesSpec = serde_json::from_value(kubernetes()).unwrap();
    served.keeps(Kubernetes::new("a", spec)).await;
}

#[tokio::test]
async fn what_kubernetes_cannot_read_is_refused() {
    let Some(served) = served::<Kubernetes>().await else {
        return;
    };
    let spec: KubernetesSpec = serde_json::from_value(kubernetes()).unwrap();
    let condition = kubernetes()["one_condition"].clone();
    let changes = [
        ("/spec/time", json!("noon"), "spec.time"),
        ("/spec/quantity", json!("much"), "spec.quantity"),
        ("/spec/int_or_string/0", json!(true), "spec.int_or_string[0]"),
        ("/spec/bytes", json!("?"), "spec.bytes"),
        ("/spec/conditions", json!([condition, condition]), "spec.conditions[1]"),
        ("/spec/conditions/0/status", json!("Maybe"), "spec.conditions[0].status"),
        ("/spec/selector/matchLabels/a", json!(1), "spec.selector.matchLabels.a"),
        ("/spec/env/1/name", json!("A"), "spec.env[1]"),
        ("/spec/local", json!("a"), "spec.local"),
        ("/spec/kube_duration", json!("PT1H"), "spec.kube_duration"),
        ("/spec/object/kind", json!(null), "spec.object.kind"),
    ];
    served.refuses(&Kubernetes::new("b", spec), &changes).await;
}

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "types.example.com", version = "v1", kind = "Moment")]
pub(crate) struct MomentSpec {
    timestamp: Timestamp,
    zoned: Zoned,
    date: civil::Date,
    date_time: civil::DateTime,
    time: civil::Time,
    duration: SignedDuration,
    span: Span,
    chrono_utc: chrono::DateTime<chrono::Utc>,
    chrono_date: chrono::NaiveDate,
    chrono_date_time: chrono::NaiveDateTime,
    chrono_time: chrono::NaiveTime,
    month: chrono::Month,
    weekday: Option<chrono::Weekday>,
}

#[tokio::test]
async fn types_of_jiff_and_chrono_are_kept() {
    let Some(served) = served::<Moment>().await else {
        return;
    };
    let spec: MomentSpec = serde_json::from_value(json!({
        "timestamp": "2030-01-31T12:00:00Z",
        "zoned": "2030-01-31T13:00:00+01:00[+01:00]",
        "date": "2030-01-31",
        "date_time": "2030-01-31T12:00:00",
        "time": "12:00:00",
        "duration": "PT1.5S",
        "span": "P1Y2M",
        "chrono_utc": "2030-01-31T12:00:00Z",
        "chrono_date": "2030-01-31",
        "chrono_date_time": "2030-01-31T12:00:00",
        "chrono_time": "12:00:00",
        "month": "January",
        "weekday": "Mon",
    }))
    .unwrap();
    served.keeps_json(Moment::new("a", spec)).await;
}
