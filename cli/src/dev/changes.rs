//! Changes of the files that a build reads.

use std::{
    fs,
    hash::{DefaultHasher, Hash as _, Hasher as _},
    path::{Path, PathBuf},
    sync::mpsc::Sender,
    thread,
    time::Duration,
};

use super::{Message, packages};

const INTERVAL: Duration = Duration::from_millis(300);
/// What a build reads of a package.
const SOURCES: [&str; 4] = ["Cargo.toml", "build.rs", "examples", "src"];
/// What it reads of a workspace.
const OF_WORKSPACE: [&str; 5] = [".cargo", "Cargo.lock", "Cargo.toml", "rust-toolchain", "rust-toolchain.toml"];

/// Sends a message after each change, once the files no longer change.
pub(super) fn watch(project: &Path, sender: Sender<Message>) {
    let project = project.to_owned();
    let mut sources = sources(&project);
    let mut known = fingerprint(&sources);
    thread::spawn(move || {
        loop {
            thread::sleep(INTERVAL);
            let new = fingerprint(&sources);
            if new == known {
                continue;
            }
            thread::sleep(INTERVAL);
            if fingerprint(&sources) == new {
                if sender.send(Message::Edited).is_err() {
                    return;
                }
                // The project may have another dependency now.
                let other = self::sources(&project);
                known = if other == sources { new } else { fingerprint(&other) };
                sources = other;
            }
        }
    });
}

/// Returns the files and folders that a build of a project reads, of itself and of its dependencies by path.
fn sources(project: &Path) -> Vec<PathBuf> {
    let local = packages::local(project);
    let of_packages = local.folders.iter().flat_map(|folder| SOURCES.map(|name| folder.join(name)));
    let mut sources: Vec<_> = of_packages.chain(OF_WORKSPACE.map(|name| local.workspace.join(name))).collect();
    sources.sort();
    sources.dedup();
    sources
}

/// Returns a number that differs if a file was added, changed or removed.
fn fingerprint(sources: &[PathBuf]) -> u64 {
    let mut hasher = DefaultHasher::new();
    sources.iter().for_each(|source| add(source, &mut hasher));
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
        fs::create_dir_all(path("car/src/controller")).unwrap();
        fs::create_dir_all(path("parts/src")).unwrap();
        fs::write(path("Cargo.toml"), "[workspace]\nmembers = [\"car\"]\nresolver = \"3\"\n").unwrap();
        let package = |name: &str| format!("[package]\nname = \"{name}\"\nedition = \"2024\"\n");
        let parts = "[dependencies]\nparts = { path = \"../parts\" }\n";
        fs::write(path("car/Cargo.toml"), package("car") + parts).unwrap();
        fs::write(path("parts/Cargo.toml"), package("parts")).unwrap();
        ["car", "parts"].iter().for_each(|name| fs::write(path(&format!("{name}/src/lib.rs")), "").unwrap());

        let sources = sources(&path("car"));
        let mut seen = vec![fingerprint(&sources)];
        let mut differs = || {
            let new = fingerprint(&sources);
            let is_new = !seen.contains(&new);
            seen.push(new);
            is_new
        };
        for file in ["car/src/controller/wheels.rs", "car/Cargo.toml", "parts/src/lib.rs", "Cargo.toml", "Cargo.lock"] {
            fs::write(path(file), "a").unwrap();
            assert!(differs(), "{file}");
        }
        fs::write(path("car/src/controller/wheels.rs"), "ab").unwrap();
        assert!(differs());
        fs::write(path("car/target"), "a").unwrap();
        assert!(!differs());
        fs::remove_file(path("car/src/lib.rs")).unwrap();
        assert!(differs());
    }
}
