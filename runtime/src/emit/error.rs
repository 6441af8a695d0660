//! Why a set cannot be rendered, written or checked.

use std::fmt;
use std::io;
use std::path::PathBuf;

use crate::merge::{MergeError, TypeRenderError};

/// Everything that keeps a set from being installed.
///
/// Its `Debug` form is its message, so that `unwrap` and tests that return it read well.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct EmitError {
    /// What is wrong; never empty.
    pub problems: Vec<EmitProblem>,
}

/// One thing that keeps a set from being installed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EmitProblem {
    /// A type has no definition.
    #[error(transparent)]
    Render(#[from] TypeRenderError),
    /// The versions of a kind cannot be merged.
    #[error(transparent)]
    Merge(#[from] MergeError),
    /// Two kinds of a group have the same name, so the API server accepts only one of them.
    #[error(
        "`{name}` is the {first_role} of `{first}` and the {second_role} of `{second}`: kinds of \
         one group cannot share names, so give one another name"
    )]
    NameTaken {
        /// The name.
        name: String,
        /// One type.
        first: String,
        /// What the name is to it.
        first_role: &'static str,
        /// The other type.
        second: String,
        /// What the name is to it.
        second_role: &'static str,
    },
}

/// Why files were not written.
///
/// Its `Debug` form is its message, so that `unwrap` and tests that return it read well.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum WriteError {
    /// The set cannot be rendered.
    #[error(transparent)]
    Emit(#[from] EmitError),
    /// A file cannot be read or written.
    #[error(transparent)]
    File(#[from] FileError),
}

/// Why files do not pass as what the types say.
///
/// Its `Debug` form is its message, so that `unwrap` and tests that return it read well.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum CheckError {
    /// The set cannot be rendered.
    #[error(transparent)]
    Emit(#[from] EmitError),
    /// A file cannot be read or written.
    #[error(transparent)]
    File(#[from] FileError),
    /// Files are not what the types say.
    #[error(transparent)]
    Outdated(#[from] Outdated),
}

impl From<WriteError> for CheckError {
    fn from(error: WriteError) -> Self {
        match error {
            WriteError::Emit(error) => error.into(),
            WriteError::File(error) => error.into(),
        }
    }
}

/// A file that cannot be read or written.
#[derive(Debug, thiserror::Error)]
#[error("cannot {operation} `{}`: {error}", .path.display())]
#[non_exhaustive]
pub struct FileError {
    /// What failed, such as `write`.
    pub operation: &'static str,
    /// The file or directory.
    pub path: PathBuf,
    /// Why.
    #[source]
    pub error: io::Error,
}

/// Files that are not what the types say.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Outdated {
    /// For each file, a diff or what else is wrong with it.
    pub differences: Vec<String>,
    /// The command that updates the files.
    pub command: String,
}

impl fmt::Display for Outdated {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.differences.len() {
            1 => writeln!(f, "1 file is not what the types say:")?,
            count => writeln!(f, "{count} files are not what the types say:")?,
        }
        for difference in &self.differences {
            write!(f, "\n{difference}")?;
        }
        write!(f, "\nUpdate with: {}", self.command)
    }
}

impl std::error::Error for Outdated {}

impl fmt::Display for EmitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, problem) in self.problems.iter().enumerate() {
            let separator = if index == 0 { "" } else { "\n" };
            write!(f, "{separator}{problem}")?;
        }
        Ok(())
    }
}

impl std::error::Error for EmitError {}

impl fmt::Debug for EmitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Debug for WriteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Debug for CheckError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
