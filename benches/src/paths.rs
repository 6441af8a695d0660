use std::path::{Path, PathBuf};

/// The root of the workspace.
pub fn workspace() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("this crate is a member of a workspace")
}

/// Where benchmarks write, whatever cargo's target folder is.
pub fn bench_dir() -> PathBuf {
    workspace().join("target/bench")
}
