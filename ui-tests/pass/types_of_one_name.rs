//! Types that have one name in Rust, with marked fields of one name.

use crdkit::{CustomResource, KubeSchema};
use crdkit_ui_tests::use_object;
use serde::{Deserialize, Serialize};

mod disk {
    use super::*;

    #[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
    pub struct Limits {
        #[crd(column(name = "Disk"), selectable)]
        pub max: i64,
    }
}

mod net {
    use super::*;

    #[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
    pub struct Limits {
        #[crd(column(name = "Net"), selectable)]
        pub max: i64,
    }
}

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Foo")]
pub struct FooSpec {
    pub disk: disk::Limits,
    pub net: net::Limits,
}

pub(super) fn main() {
    let spec = FooSpec { disk: disk::Limits { max: 1 }, net: net::Limits { max: 2 } };
    use_object(&Foo::new("foo", spec));
}
