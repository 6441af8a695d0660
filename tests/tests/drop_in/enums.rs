//! A resource for enums of each form, and for bytes. Derived twice; this file does not name the derive.

use std::ffi::CString;

use bytes::Bytes;
use serde::{Deserialize, Serialize};

use super::derives::{CustomResource, JsonSchema};

/// A resource with one enum, and an `Option` of it.
macro_rules! roots {
    ($($kind:literal $spec:ident: $type:ty;)+) => {$(
        #[derive(CustomResource, JsonSchema, Serialize, Deserialize, Clone, Debug)]
        #[kube(group = "dropin.example.com", version = "v1", kind = $kind)]
        pub(crate) struct $spec {
            pub(crate) value: $type,
            pub(crate) optional: Option<$type>,
        }
    )+};
}

roots! {
    "PlainRoot" PlainSpec: Plain;
    "DescribedRoot" DescribedSpec: Described;
    "OtherRoot" OtherSpec: Other;
    "ExternalRoot" ExternalSpec: External;
    "TupleRoot" TupleSpec: Tuple;
    "NewtypesRoot" NewtypesSpec: Newtypes;
    "TitledRoot" TitledSpec: Titled;
    "InternalRoot" InternalSpec: Internal;
    "AdjacentRoot" AdjacentSpec: Adjacent;
    "UntaggedRoot" UntaggedSpec: Untagged;
    "ExactRoot" ExactSpec: Exact;
    "OverlappingRoot" OverlappingSpec: Overlapping;
    "DifferingRoot" DifferingSpec: Differing;
    "ScalarsRoot" ScalarsSpec: Scalars;
    "FlattenedRoot" FlattenedSpec: Flattened;
    "FlattenedTwiceRoot" FlattenedTwiceSpec: FlattenedTwice;
    "FlattenedUntaggedRoot" FlattenedUntaggedSpec: FlattenedUntagged;
    "NestedRoot" NestedSpec: Nested;
    "BytesRoot" BytesSpec: Bytes;
    "CTextRoot" CTextSpec: CString;
    "GapsRoot" GapsSpec: Gaps;
    "FlattenedGapsRoot" FlattenedGapsSpec: FlattenedGaps;
    "FlattenedBothRoot" FlattenedBothSpec: FlattenedBoth;
    "MaybeExternalRoot" MaybeExternalSpec: MaybeExternal;
    "MaybeInternalRoot" MaybeInternalSpec: MaybeInternal;
    "MaybeAdjacentRoot" MaybeAdjacentSpec: MaybeAdjacent;
    "MaybeUntaggedRoot" MaybeUntaggedSpec: MaybeUntagged;
    "InternalOtherRoot" InternalOtherSpec: InternalOther;
    "AdjacentOtherRoot" AdjacentOtherSpec: AdjacentOther;
}

#[derive(JsonSchema, Serialize, Deserialize, Clone, Debug)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Plain {
    ReadOnly,
    #[serde(rename = "rw", alias = "write")]
    ReadWrite,
    #[serde(skip)]
    #[allow(dead_code)]
    Hidden,
}

/// With words.
#[derive(JsonSchema, Serialize, Deserialize, Clone, Debug)]
pub(crate) enum Described {
    Last,
    /// The first.
    First,
    /// The second.
    Second,
}

#[derive(JsonSchema, Serialize, Deserialize, Clone, Debug)]
pub(crate) enum Other {
    Known,
    #[serde(other)]
    Unknown,
}

/// One thing or another.
#[derive(JsonSchema, Serialize, Deserialize, Clone, Debug)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub(crate) enum External {
    /// With a size.
    WithSize {
        the_size: i32,
    },
    /// Of that kind.
    OfKind(Plain),
    Nothing {},
    Many(Vec<String>),
    Maybe(Option<bool>),
}

#[derive(JsonSchema, Serialize, Deserialize, Clone, Debug)]
pub(crate) enum Tuple {
    Pair(bool, bool),
    One(bool),
}

#[derive(JsonSchema, Serialize, Deserialize, Clone, Debug)]
pub(crate) enum Newtypes {
    Text(String),
    Number(i64),
}

#[derive(JsonSchema, Serialize, Deserialize, Clone, Debug)]
pub(crate) enum Titled {
    #[schemars(title = "By so much", description = "Or by nothing.")]
    By { distance: i32 },
    #[schemars(description = "The name of a place.")]
    To(String),
}

#[derive(JsonSchema, Serialize, Deserialize, Clone, Debug)]
#[serde(tag = "type")]
pub(crate) enum Internal {
    Sized { size: i32 },
    Named(Named),
    Unit,
}

#[derive(JsonSchema, Serialize, Deserialize, Clone, Debug)]
pub(crate) struct Named {
    name: String,
}

#[derive(JsonSchema, Serialize, Deserialize, Clone, Debug)]
#[serde(tag = "type", content = "value")]
pub(crate) enum Adjacent {
    Sized { size: i32 },
    Named(Named),
    Unit,
}

/// Whichever fits.
#[derive(JsonSchema, Serialize, Deserialize, Clone, Debug)]
#[serde(untagged)]
pub(crate) enum Untagged {
    /// On no field.
    Two {
        first: String,
        second: Plain,
    },
    One {
        other: i32,
    },
}

#[derive(JsonSchema, Serialize, Deserialize, Clone, Debug)]
#[serde(untagged, deny_unknown_fields)]
pub(crate) enum Exact {
    First { first: String },
    Other { other: i32 },
}

#[derive(JsonSchema, Serialize, Deserialize, Clone, Debug)]
#[serde(untagged)]
pub(crate) enum Overlapping {
    More {
        /// In both.
        shared: i32,
        /// In one.
        only: String,
    },
    Less {
        /// In both.
        shared: i32,
    },
}

#[derive(JsonSchema, Serialize, Deserialize, Clone, Debug)]
#[serde(untagged)]
pub(crate) enum Differing {
    More {
        /// In these words.
        shared: i32,
        only: String,
    },
    Less {
        /// In other words.
        shared: i32,
    },
}

#[derive(JsonSchema, Serialize, Deserialize, Clone, Debug)]
#[serde(untagged)]
pub(crate) enum Scalars {
    Number(i32),
    Text(String),
}

#[derive(JsonSchema, Serialize, Deserialize, Clone, Debug)]
pub(crate) struct Flattened {
    name: String,
    #[serde(flatten)]
    newtypes: Newtypes,
}

#[derive(JsonSchema, Serialize, Deserialize, Clone, Debug)]
pub(crate) struct FlattenedTwice {
    #[serde(flatten)]
    newtypes: Newtypes,
    #[serde(flatten)]
    tagged: Internal,
}

#[derive(JsonSchema, Serialize, Deserialize, Clone, Debug)]
pub(crate) struct FlattenedUntagged {
    #[serde(flatten)]
    inner: Untagged,
}

#[derive(JsonSchema, Serialize, Deserialize, Clone, Debug)]
pub(crate) struct Nested {
    list: Vec<Newtypes>,
    choice: Choice,
}

#[derive(JsonSchema, Serialize, Deserialize, Clone, Debug)]
pub(crate) enum Choice {
    /// In its own words.
    Documented(External),
    Inline {
        plain: Plain,
        described: Described,
        newtypes: Newtypes,
    },
}

/// The last fits whatever the others do not.
#[derive(JsonSchema, Serialize, Deserialize, Clone, Debug)]
#[serde(untagged)]
pub(crate) enum Gaps {
    /// One field.
    A { one: String },
    /// Two fields.
    B { two: Described, three: String },
    /// No field.
    C {},
}

#[derive(JsonSchema, Serialize, Deserialize, Clone, Debug)]
pub(crate) struct FlattenedGaps {
    #[serde(flatten)]
    inner: Gaps,
}

#[derive(JsonSchema, Serialize, Deserialize, Clone, Debug)]
pub(crate) enum Amounts {
    Share(f64),
    Count { least: i32 },
}

#[derive(JsonSchema, Serialize, Deserialize, Clone, Debug)]
pub(crate) struct FlattenedBoth {
    #[serde(flatten)]
    newtypes: Newtypes,
    #[serde(flatten)]
    amounts: Amounts,
}

#[derive(JsonSchema, Serialize, Deserialize, Clone, Debug)]
pub(crate) struct MaybeExternal {
    name: String,
    #[serde(flatten)]
    inner: Option<Newtypes>,
}

#[derive(JsonSchema, Serialize, Deserialize, Clone, Debug)]
#[serde(tag = "type")]
pub(crate) enum Weights {
    Heavy { kilos: i32 },
    Light { grams: i32 },
}

#[derive(JsonSchema, Serialize, Deserialize, Clone, Debug)]
pub(crate) struct MaybeInternal {
    name: String,
    #[serde(flatten)]
    inner: Option<Weights>,
}

#[derive(JsonSchema, Serialize, Deserialize, Clone, Debug)]
pub(crate) struct MaybeAdjacent {
    name: String,
    #[serde(flatten)]
    inner: Option<Adjacent>,
}

#[derive(JsonSchema, Serialize, Deserialize, Clone, Debug)]
pub(crate) struct MaybeUntagged {
    name: String,
    #[serde(flatten)]
    inner: Option<Untagged>,
}

#[derive(JsonSchema, Serialize, Deserialize, Clone, Debug)]
#[serde(tag = "type")]
pub(crate) enum InternalOther {
    Known {
        size: i32,
    },
    #[serde(other)]
    Unknown,
}

#[derive(JsonSchema, Serialize, Deserialize, Clone, Debug)]
#[serde(tag = "type", content = "value")]
pub(crate) enum AdjacentOther {
    Known {
        size: i32,
    },
    #[serde(other)]
    Unknown,
}
