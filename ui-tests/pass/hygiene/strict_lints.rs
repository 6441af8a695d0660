//! In a crate that denies whatever it can.

#![deny(warnings, missing_docs, missing_debug_implementations)]
#![allow(dead_code)]
#![deny(unreachable_pub, unused_qualifications, unused_results, single_use_lifetimes)]
#![deny(unused_lifetimes, trivial_casts, trivial_numeric_casts, elided_lifetimes_in_paths)]
#![deny(rust_2018_idioms, nonstandard_style, let_underscore)]
#![deny(clippy::all, clippy::pedantic, clippy::nursery, clippy::unwrap_used, clippy::panic)]
#![allow(clippy::redundant_pub_crate)] // the structs of the case are written so
#![forbid(unsafe_code)]

use crdkit::{CustomResource, KubeSchema};
use crdkit_ui_tests::use_object;
use serde::{Deserialize, Serialize};

/// What is wanted.
#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(
    group = "example.com",
    version = "v1",
    kind = "Foo",
    status = "FooStatus",
    scale,
    printcolumn(name = "Size", type_ = "integer", json_path = ".spec.size")
)]
pub struct FooSpec {
    /// How many.
    #[serde(default = "one")]
    #[schemars(range(min = 0, max = MOST))]
    #[crd(scale(replicas))]
    pub size: i32,
    /// By which names.
    #[crd(merge_strategy = ListMerge::Set, validation = rule())]
    pub names: Vec<String>,
    /// In which mode.
    pub mode: Mode,
}

const MOST: i32 = 9;

const fn one() -> i32 {
    1
}

fn rule() -> &'static str {
    "self.size() < 9"
}

/// A mode.
#[derive(KubeSchema, Serialize, Deserialize, Clone, Copy, Debug)]
pub enum Mode {
    /// On.
    On,
    /// Off.
    Off,
}

/// What is there.
#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
pub struct FooStatus {
    /// How many.
    #[crd(scale(status_replicas))]
    pub size: i32,
}

/// What crates of their own hide.
#[allow(unreachable_pub)]
pub(crate) mod hidden {
    use crdkit::{CustomResource, KubeSchema};
    use serde::{Deserialize, Serialize};

    #[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
    #[crd(group = "example.com", version = "v1", kind = "Bar", status = "BarStatus")]
    pub(crate) struct BarSpec {
        pub(super) part: Part,
    }

    #[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
    pub(super) struct Part {
        pub(super) size: i32,
    }

    #[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
    pub(crate) struct BarStatus {
        #[crd(column)]
        size: i32,
    }
}

pub(super) fn main() {
    let spec = FooSpec { size: 1, names: vec![], mode: Mode::On };
    use_object(&Foo::new("foo", spec));
    let part = hidden::Part { size: 1 };
    use_object(&hidden::Bar::new("bar", hidden::BarSpec { part }));
    println!("{:?}", Mode::Off);
}
