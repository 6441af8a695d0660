//! A kind in two versions for each test, because the API server in use may be the one of all tests.

macro_rules! machine {
    ($module:ident, $group:literal) => {
        pub(crate) mod $module {
            use crdkit::{
                CustomResource, KubeSchema,
                convert::{Convert, Hub},
            };
            use serde::{Deserialize, Serialize};

            #[allow(dead_code, reason = "not all tests need it")]
            pub(crate) const GROUP: &str = $group;

            #[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
            #[crd(group = $group, version = "v1", kind = "Machine", namespaced)]
            pub(crate) struct MachineSpec {
                pub(crate) memory: String,
                pub(crate) number: i32,
            }

            pub(crate) mod v1alpha1 {
                use super::{Convert, CustomResource, Deserialize, KubeSchema, Serialize};

                #[derive(CustomResource, KubeSchema, Convert, Serialize, Deserialize, Clone, Debug, PartialEq)]
                #[crd(group = $group, version = "v1alpha1", kind = "Machine", namespaced, storage = false)]
                #[convert(hub = super::Machine)]
                pub(crate) struct MachineSpec {
                    #[convert(to = "memory")]
                    pub(crate) ram: String,
                    pub(crate) number: i32,
                }
            }

            pub(crate) fn versions() -> Hub<Machine> {
                Hub::new().spoke::<v1alpha1::Machine>().store_as::<Machine>()
            }
        }
    };
}

machine!(developed, "developed.example.com");
machine!(many, "many.example.com");
machine!(migrated, "migrated.example.com");
machine!(rotated, "rotated.example.com");
