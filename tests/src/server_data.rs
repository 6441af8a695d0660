//! Data of the API server in the process, which is copied from the real API server.

use std::path::{Path, PathBuf};

pub mod empty;
pub mod kinds;
pub mod new_cluster;
pub mod openapi;
pub mod resources;
pub mod roles;

fn data_file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../api-server/src").join(name)
}
