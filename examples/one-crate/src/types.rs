//! The types of the resource: a module of the program, and of its build script.

use crdkit::{
    CustomResource, KubeSchema,
    serde::{Deserialize, Serialize},
};

/// Copies a volume to a bucket, again and again.
#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "backup.example.com", version = "v1", kind = "Backup", namespaced)]
pub struct BackupSpec {
    /// The name of the claim whose volume is copied.
    #[schemars(length(min = 1))]
    pub claim: String,
    /// The bucket that it is copied to.
    #[schemars(url)]
    pub bucket: String,
    /// How many copies are kept.
    #[schemars(range(min = 1, max = 100))]
    #[serde(default = "seven")]
    pub keep: u8,
}

fn seven() -> u8 {
    7
}
