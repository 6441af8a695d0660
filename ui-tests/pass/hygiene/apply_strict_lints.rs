//! Types of `Apply` in a crate with strict lints, under another name of crdkit, with types that are not public.

#![deny(warnings, missing_docs, unreachable_pub, clippy::all)]
#![allow(dead_code)]
#![forbid(unsafe_code)]

extern crate std as crdkit;

use renamed::{Apply, CustomResource, KubeSchema, selector};
use serde::{Deserialize, Serialize};

/// A spec.
#[derive(CustomResource, KubeSchema, Apply, Serialize, Deserialize, Clone, Debug)]
#[crd(crate = "::renamed", group = "example.com", version = "v1", kind = "Foo", no_spec)]
pub struct FooSpec {
    /// The size.
    #[crd(selectable)]
    pub size: i32,
    /// Its parts.
    pub parts: Vec<Part>,
    #[deprecated]
    /// An old name.
    pub old: Option<String>,
    #[cfg(any())]
    /// Never there.
    pub never: Never,
    private: Option<Private>,
}

/// A part.
#[derive(KubeSchema, Apply, Serialize, Deserialize, Clone, Debug)]
#[crd(crate = renamed)]
pub struct Part {
    /// The name.
    #[apply(key)]
    pub name: String,
}

#[derive(KubeSchema, Apply, Serialize, Deserialize, Clone, Debug)]
#[crd(crate = renamed)]
struct Private {
    size: u8,
}

mod elsewhere {
    pub(crate) fn foo() -> super::FooApply {
        super::FooApply::new().size(1).parts([super::PartApply::new("a")])
    }
}

fn select<T: Into<i32>>(size: T) -> String {
    let size: i32 = size.into();
    selector!(Foo, size == size).to_string()
}

pub(super) fn main() {
    #[derive(CustomResource, KubeSchema, Apply, Serialize, Deserialize, Clone, Debug)]
    #[crd(crate = "::renamed", group = "example.com", version = "v1", kind = "Local")]
    struct LocalSpec {
        #[crd(selectable)]
        on: Option<bool>,
    }

    let foo = elsewhere::foo().private(PrivateApply::new().size(1));
    let expected = serde_json::json!({ "size": 1, "parts": [{ "name": "a" }], "private": { "size": 1 } });
    assert_eq!(serde_json::to_value(foo).unwrap(), expected);
    let local = LocalApply::new().on(true);
    assert_eq!(serde_json::to_value(local).unwrap()["spec"]["on"], true);
    assert_eq!(select(1_i16), "size=1");
    assert_eq!(selector!(Local, spec.on != true).to_string(), "spec.on!=true");
}
