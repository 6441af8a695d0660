//! Errors of rendering, writing and checking a set.

use std::fmt;
use std::io;
use std::path::PathBuf;

use crate::crd::merge::MergeError;

/// All problems that prevent the installation of a set.
///
/// `Debug` prints the message, so that `unwrap` and tests that return the error are readable.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct EmitError {
    /// The problems; never empty.
    pub problems: Vec<EmitProblem>,
}

/// A problem that prevents the installation of a set.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EmitProblem {
    /// The versions of a kind cannot be rendered or merged.
    #[error(transparent)]
    Merge(#[from] MergeError),
    /// The API server would reject a policy or another object that is no definition.
    #[error("the API server would reject the {object}: {}", .errors.join("; "))]
    Rejected {
        /// The kind and the name of the object.
        object: String,
        /// The errors in the API server's wording.
        errors: Vec<String>,
    },
    /// The file of exceptions cannot be read.
    #[error("{0}")]
    Exceptions(String),
    /// Two kinds of a group have the same name. The API server serves only one of them.
    #[error(
        "`{name}` is the {first_role} of `{first}` and the {second_role} of `{second}`: kinds of \
         one group cannot share names; rename one of them"
    )]
    NameTaken {
        /// The name.
        name: String,
        /// One type.
        first: String,
        /// The role of the name in the first type.
        first_role: &'static str,
        /// The other type.
        second: String,
        /// The role of the name in the second type.
        second_role: &'static str,
    },
}

/// An error of writing files.
///
/// `Debug` prints the message, so that `unwrap` and tests that return the error are readable.
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

/// An error of checking files.
///
/// `Debug` prints the message, so that `unwrap` and tests that return the error are readable.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum CheckError {
    /// The set cannot be rendered.
    #[error(transparent)]
    Emit(#[from] EmitError),
    /// A file cannot be read or written.
    #[error(transparent)]
    File(#[from] FileError),
    /// Files are out of date.
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
    /// The operation, such as `write`.
    pub operation: &'static str,
    /// The file or directory.
    pub path: PathBuf,
    /// The cause.
    #[source]
    pub error: io::Error,
}

/// Files that are out of date.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Outdated {
    /// A diff or another description for each file.
    pub differences: Vec<String>,
    /// The command that updates the files.
    pub command: String,
}

impl fmt::Display for Outdated {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.differences.len() {
            1 => writeln!(f, "1 file is out of date:")?,
            count => writeln!(f, "{count} files are out of date:")?,
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
