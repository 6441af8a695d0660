//! Time zones of the system.

use std::{fs, path::Path};

/// Where systems have the IANA database, in the order in which Go looks for it.
const FOLDERS: [&str; 3] = ["/usr/share/zoneinfo", "/usr/share/lib/zoneinfo", "/usr/lib/locale/TZ"];

/// The size of a file that is no time zone, as in Go.
const MAX_BYTES: u64 = 10 << 20;

/// Returns the data of a time zone, if the system has it. The name has no `..` and is relative.
pub fn zones(name: &str) -> Option<Vec<u8>> {
    FOLDERS.iter().find_map(|folder| file(Path::new(folder), name))
}

fn file(folder: &Path, name: &str) -> Option<Vec<u8>> {
    let path = folder.join(name);
    let metadata = fs::metadata(&path).ok()?;
    if !metadata.is_file() || metadata.len() > MAX_BYTES {
        return None;
    }
    fs::read(path).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_files_are_read() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
        assert!(file(folder, "src/lib.rs").is_some_and(|data| !data.is_empty()));
        assert_eq!(file(folder, "src"), None);
        assert_eq!(file(folder, "src/absent"), None);
    }
}
