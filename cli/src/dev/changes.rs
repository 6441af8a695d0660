//! Changes of the files that a build reads.

use std::{
    fs,
    hash::{DefaultHasher, Hash as _, Hasher as _},
    path::Path,
    sync::mpsc::Sender,
    thread,
    time::Duration,
};

use super::Message;

const INTERVAL: Duration = Duration::from_millis(300);
/// What a build reads of a project.
const SOURCES: [&str; 4] = ["Cargo.toml", "build.rs", "examples", "src"];

/// Sends a message after each change, once the files no longer change.
pub(super) fn watch(project: &Path, sender: Sender<Message>) {
    let project = project.to_owned();
    let mut known = fingerprint(&project);
    thread::spawn(move || {
        loop {
            thread::sleep(INTERVAL);
            let new = fingerprint(&project);
            if new == known {
                continue;
            }
            thread::sleep(INTERVAL);
            if fingerprint(&project) == new {
                known = new;
                if sender.send(Message::Edited).is_err() {
                    return;
                }
            }
        }
    });
}

/// Returns a number that differs if a file was added, changed or removed.
fn fingerprint(project: &Path) -> u64 {
    let mut hasher = DefaultHasher::new();
    SOURCES.iter().for_each(|source| add(&project.join(source), &mut hasher));
    hasher.finish()
}

/// Adds a file, or the files in a directory. One that disappears meanwhile is one that is not there.
fn add(path: &Path, hasher: &mut DefaultHasher) {
    let Ok(metadata) = fs::metadata(path) else { return };
    path.hash(hasher);
    if metadata.is_dir() {
        let mut entries: Vec<_> =
            fs::read_dir(path).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
        entries.sort();
        entries.iter().for_each(|entry| add(entry, hasher));
    } else {
        metadata.len().hash(hasher);
        metadata.modified().ok().hash(hasher);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn added_changed_and_removed_files_are_noticed() {
        let directory = tempfile::tempdir().unwrap();
        let path = |name: &str| directory.path().join(name);
        fs::create_dir_all(path("src/car")).unwrap();
        let mut seen = vec![fingerprint(directory.path())];
        let mut differs = || {
            let new = fingerprint(directory.path());
            let is_new = !seen.contains(&new);
            seen.push(new);
            is_new
        };
        fs::write(path("src/car/controller.rs"), "a").unwrap();
        assert!(differs());
        fs::write(path("src/car/controller.rs"), "ab").unwrap();
        assert!(differs());
        fs::write(path("target"), "a").unwrap();
        assert!(!differs());
        fs::remove_file(path("src/car/controller.rs")).unwrap();
        fs::write(path("Cargo.toml"), "a").unwrap();
        assert!(differs());
    }
}
