//! Files that are written all or not at all.

use std::{
    fs,
    path::{Path, PathBuf},
};

use crate::{
    error::{Error, UnexpectedCode},
    project::formatted,
};

/// Changes of the files below a directory.
#[derive(Debug, Default)]
pub(crate) struct Changes {
    created: Vec<(PathBuf, String)>,
    replaced: Vec<(PathBuf, String)>,
    unexpected: Vec<UnexpectedCode>,
}

impl Changes {
    /// Adds a file that must not exist.
    pub(crate) fn create(&mut self, path: impl Into<PathBuf>, text: String) {
        self.created.push((path.into(), text));
    }

    /// Adds the new text of a file that exists.
    pub(crate) fn replace(&mut self, path: impl Into<PathBuf>, text: String) {
        self.replaced.push((path.into(), text));
    }

    /// Adds code that prevents the changes.
    pub(crate) fn refuse(&mut self, unexpected: Vec<UnexpectedCode>) {
        self.unexpected.extend(unexpected);
    }

    /// Formats the code with rustfmt, where it is installed: the width of a line depends on the names in it. Code of a person that
    /// rustfmt did not format remains as it is.
    pub(crate) fn format(&mut self, directory: &Path) {
        let is_formatted = |path: &Path| {
            read(directory, path).is_ok_and(|old| formatted(directory, &old).is_some_and(|new| new == old))
        };
        let replaced = self.replaced.iter_mut().filter(|(path, _)| is_formatted(path));
        let code = self.created.iter_mut().chain(replaced);
        for (_, text) in code.filter(|(path, _)| path.extension().is_some_and(|extension| extension == "rs")) {
            if let Some(formatted) = formatted(directory, text) {
                *text = formatted;
            }
        }
    }

    /// Leaves out the files that are there already with the same text, if a directory has nothing else but what cargo writes. Returns
    /// whether that is so: otherwise, the directory is not the result of these changes.
    pub(crate) fn continue_in(&mut self, directory: &Path) -> bool {
        const OF_CARGO: [&str; 2] = ["Cargo.lock", "target"];
        let is_expected = |name: &Path| {
            OF_CARGO.iter().any(|of_cargo| name == Path::new(of_cargo))
                || self.created.iter().any(|(path, _)| path.starts_with(name))
        };
        let mut entries = fs::read_dir(directory).into_iter().flatten().flatten();
        let has_others = entries.any(|entry| !is_expected(Path::new(&entry.file_name())));
        let is_there = |path: &Path| directory.join(path).exists();
        let is_same = |path: &Path, text: &str| read(directory, path).is_ok_and(|found| found == text);
        if has_others || self.created.iter().any(|(path, text)| is_there(path) && !is_same(path, text)) {
            return false;
        }
        self.created.retain(|(path, _)| !is_there(path));
        true
    }

    /// Returns the paths of the files that do not exist yet.
    fn created(&self) -> Vec<PathBuf> {
        self.created.iter().map(|(path, _)| path.clone()).collect()
    }

    /// Writes the files, none if one that it creates exists or if code cannot be edited, and returns their paths.
    pub(crate) fn write(self, directory: &Path) -> Result<Vec<PathBuf>, Error> {
        let existing: Vec<PathBuf> = self.created().into_iter().filter(|path| directory.join(path).exists()).collect();
        if !existing.is_empty() {
            return Err(Error::FilesExist(existing));
        }
        if !self.unexpected.is_empty() {
            return Err(Error::UnexpectedCode(self.unexpected));
        }
        let files = self.created.into_iter().chain(self.replaced);
        files.map(|(path, text)| write(directory, &path, &text).map(|()| path)).collect()
    }
}

fn write(directory: &Path, path: &Path, text: &str) -> Result<(), Error> {
    let path = directory.join(path);
    let created = path.parent().map_or(Ok(()), fs::create_dir_all);
    created.and_then(|()| fs::write(&path, text)).map_err(|error| Error::Write { path, error })
}

/// Reads a file below a directory.
pub(crate) fn read(directory: &Path, path: &Path) -> Result<String, Error> {
    let path = directory.join(path);
    fs::read_to_string(&path).map_err(|error| Error::Read { path, error })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_written_if_a_file_exists() {
        let directory = tempfile::tempdir().unwrap();
        fs::write(directory.path().join("b"), "mine").unwrap();
        let mut changes = Changes::default();
        changes.create("a", "new".to_owned());
        changes.create("b", "new".to_owned());
        let error = changes.write(directory.path()).unwrap_err();
        assert_eq!(error.to_string(), "`b` already exists: nothing was written");
        assert!(!directory.path().join("a").exists());
        assert_eq!(fs::read_to_string(directory.path().join("b")).unwrap(), "mine");
    }

    #[test]
    fn what_was_written_before_is_completed() {
        let directory = tempfile::tempdir().unwrap();
        let changes = || {
            let mut changes = Changes::default();
            changes.create("src/a", "new".to_owned());
            changes.create("b", "new".to_owned());
            changes
        };
        fs::create_dir(directory.path().join("target")).unwrap();
        fs::write(directory.path().join("b"), "new").unwrap();
        let mut again = changes();
        assert!(again.continue_in(directory.path()));
        assert_eq!(again.write(directory.path()).unwrap(), [PathBuf::from("src/a")]);

        fs::write(directory.path().join("b"), "mine").unwrap();
        assert!(!changes().continue_in(directory.path()));
        fs::write(directory.path().join("b"), "new").unwrap();
        fs::write(directory.path().join("notes"), "").unwrap();
        assert!(!changes().continue_in(directory.path()));
    }
}
