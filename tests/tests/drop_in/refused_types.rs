//! Types that kube-derive compiles and crdkit refuses, because they cannot be stored or an attribute has no effect.

use std::{collections::BTreeMap, marker::PhantomData};

use serde::{Deserialize, Serialize};

use super::derives::{CustomResource, JsonSchema};

/// A resource with one value.
macro_rules! roots {
    ($($kind:literal $spec:ident: $type:ty;)+) => {$(
        #[derive(CustomResource, JsonSchema, Serialize, Deserialize, Clone, Debug)]
        #[kube(group = "dropin.example.com", version = "v1", kind = $kind)]
        pub(crate) struct $spec {
            pub(crate) value: $type,
        }
    )+};
}

roots! {
    "UnitRoot" UnitSpec: ();
    "PhantomRoot" PhantomSpec: PhantomData<u8>;
    "UnitStructRoot" UnitStructSpec: UnitStruct;
    "RecursiveRoot" RecursiveSpec: Recursive;
    "MutualRoot" MutualSpec: One;
    "MixedRoot" MixedSpec: Mixed;
    "MixedFieldsRoot" MixedFieldsSpec: MixedFields;
    "DifferingTypesRoot" DifferingTypesSpec: DifferingTypes;
    "ScalarOrListRoot" ScalarOrListSpec: ScalarOrList;
    "ScalarOrObjectRoot" ScalarOrObjectSpec: ScalarOrObject;
    "MixedTupleRoot" MixedTupleSpec: (String, i32);
    "ClashingRoot" ClashingSpec: Clashing;
}

#[derive(JsonSchema, Serialize, Deserialize, Clone, Debug)]
pub(crate) struct UnitStruct;

#[derive(JsonSchema, Serialize, Deserialize, Clone, Debug)]
pub(crate) struct Recursive {
    children: BTreeMap<String, Recursive>,
}

#[derive(JsonSchema, Serialize, Deserialize, Clone, Debug)]
pub(crate) struct One {
    other: Option<Box<Other>>,
}

#[derive(JsonSchema, Serialize, Deserialize, Clone, Debug)]
pub(crate) struct Other {
    one: One,
}

#[derive(JsonSchema, Serialize, Deserialize, Clone, Debug)]
pub(crate) enum Mixed {
    Unit,
    Data(i32),
}

#[derive(JsonSchema, Serialize, Deserialize, Clone, Debug)]
pub(crate) enum MixedFields {
    Unit,
    Data { size: i32 },
}

#[derive(JsonSchema, Serialize, Deserialize, Clone, Debug)]
#[serde(untagged)]
pub(crate) enum DifferingTypes {
    Text { value: String },
    Number { value: i32 },
}

#[derive(JsonSchema, Serialize, Deserialize, Clone, Debug)]
#[serde(untagged)]
pub(crate) enum ScalarOrList {
    One(String),
    Many(Vec<String>),
}

#[derive(JsonSchema, Serialize, Deserialize, Clone, Debug)]
#[serde(untagged)]
pub(crate) enum ScalarOrObject {
    Name(String),
    Whole { name: String },
}

#[derive(JsonSchema, Serialize, Deserialize, Clone, Debug)]
pub(crate) struct Clashing {
    size: String,
    #[serde(flatten)]
    inner: Sized,
}

#[derive(JsonSchema, Serialize, Deserialize, Clone, Debug)]
pub(crate) struct Sized {
    size: i32,
}

/// Paths that lead nowhere, as in an example of its documentation.
#[derive(CustomResource, JsonSchema, Serialize, Deserialize, Clone, Debug)]
#[kube(
    group = "dropin.example.com",
    version = "v1",
    kind = "Nowhere",
    status = "NowhereStatus",
    printcolumn(name = "Name", type_ = "string", json_path = ".spec.name"),
    scale = r#"{"specReplicasPath": ".spec.count", "statusReplicasPath": ".status.replicas"}"#
)]
pub(crate) struct NowhereSpec {
    pub(crate) size: i32,
}

#[derive(JsonSchema, Serialize, Deserialize, Clone, Debug)]
pub(crate) struct NowhereStatus {
    pub(crate) replicas: i32,
}

/// A path without its first dot, likewise.
#[derive(CustomResource, JsonSchema, Serialize, Deserialize, Clone, Debug)]
#[kube(group = "dropin.example.com", version = "v1", kind = "Undotted", selectable = "spec.size")]
pub(crate) struct UndottedSpec {
    pub(crate) size: i32,
}
