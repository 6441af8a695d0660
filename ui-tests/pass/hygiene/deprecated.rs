//! A deprecated type that is used on purpose.

#![deny(warnings)]
#![allow(dead_code)]

use crdkit::{CustomResource, KubeSchema};
use crdkit_ui_tests::use_object;
use serde::{Deserialize, Serialize};

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Foo")]
#[allow(deprecated)]
pub struct FooSpec {
    pub old: old::Old,
}

#[allow(deprecated)]
mod old {
    use super::*;

    #[deprecated]
    #[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
    pub struct Old {
        pub size: i32,
    }
}

#[allow(deprecated)]
pub(super) fn main() {
    use_object(&Foo::new("foo", FooSpec { old: old::Old { size: 1 } }));
}
