//! Files of the repository that tests read.

use std::{
    fs,
    path::{Path, PathBuf},
};

/// The files at a path: the path itself, or everything below a folder.
///
/// # Panics
///
/// If a folder cannot be read.
pub fn files_below(path: &Path) -> Vec<PathBuf> {
    if !path.is_dir() {
        return vec![path.to_owned()];
    }
    let entries = fs::read_dir(path).expect("the folder is readable");
    entries.flat_map(|entry| files_below(&entry.expect("the entry is readable").path())).collect()
}
