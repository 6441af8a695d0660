//! Errors and warnings of merging.

use std::fmt;

use crate::{crd::validate, error::RenderError};

/// All problems that prevent the merge.
///
/// `Debug` prints the message, so that `unwrap` and tests that return the error are readable.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct MergeError {
    /// The problems; never empty.
    pub problems: Vec<MergeProblem>,
}

/// A type that cannot be rendered to a CustomResourceDefinition.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{type_name}` cannot be rendered to a CustomResourceDefinition: {error}")]
#[non_exhaustive]
pub struct TypeRenderError {
    /// The full name of the type.
    pub type_name: String,
    /// The cause.
    #[source]
    pub error: RenderError,
}

/// A problem that prevents the merge.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MergeProblem {
    /// A type cannot be rendered.
    #[error(transparent)]
    Render(#[from] TypeRenderError),
    /// There is nothing to merge.
    #[error("no versions to merge; add at least one type")]
    NoVersions,
    /// A definition has no versions.
    #[error("`{type_name}` has no versions; `spec.versions` requires at least one")]
    EmptyVersions {
        /// The name of the definition.
        type_name: String,
    },
    /// The merged definition violates a validation rule.
    #[error("`{type_name}`: {violation}")]
    Invalid {
        /// The type, or the name of the definition.
        type_name: String,
        /// The violation.
        violation: validate::Violation,
    },
    /// Two types have different values for a property that all versions share.
    #[error(
        "`{first}` and `{second}` differ in `{path}`: {first_value} and {second_value}; \
         all versions of a kind must have the same value"
    )]
    Mismatch {
        /// The path of the property.
        path: &'static str,
        /// One type.
        first: String,
        /// Its value as JSON.
        first_value: String,
        /// The other type.
        second: String,
        /// Its value as JSON.
        second_value: String,
    },
    /// Two types have the same version.
    #[error("`{first}` and `{second}` are both version `{version}`; give each a different version")]
    SameVersion {
        /// The version.
        version: String,
        /// One type.
        first: String,
        /// The other type.
        second: String,
    },
    /// Two versions are the storage version.
    #[error(
        "`{first}` and `{second}` are both the storage version, but only one version can be; \
         write `storage = false` on the other, or choose with `store_as` (of `Versions` or `Hub`)"
    )]
    MultipleStorageVersions {
        /// One type.
        first: String,
        /// The other type.
        second: String,
    },
    /// No version is the storage version.
    #[error("none of {} is the storage version; exactly one must be", Names(.types))]
    NoStorageVersion {
        /// All types.
        types: Vec<String>,
    },
    /// The specified storage version does not exist.
    #[error("no type has the storage version `{version}`; the versions are {}", Names(.versions))]
    UnknownStorageVersion {
        /// The specified version.
        version: String,
        /// The existing versions.
        versions: Vec<String>,
    },
    /// Two versions have the same schema but different selectable fields, which the API server rejects.
    #[error(
        "`{first}` and `{second}` have the same schema but different selectable fields, which the \
         API server rejects; give both the same selectable fields"
    )]
    DifferentSelectableFields {
        /// One type.
        first: String,
        /// The other type.
        second: String,
    },
    /// All versions have the same selectable fields but different schemas, which the API server rejects.
    #[error(
        "`{first}` and `{second}` have different schemas but the same selectable fields, which \
         the API server rejects; add a selectable field to one of them, or reorder two"
    )]
    SameSelectableFields {
        /// One type.
        first: String,
        /// The other type.
        second: String,
    },
}

/// A likely mistake that the API server accepts.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Warning {
    /// Without a conversion, an object that is written in one version loses the fields that only another version has.
    FieldLoss {
        /// The storage version's type.
        storage: String,
        /// The other version's type.
        other: String,
        /// Paths that only the storage version has.
        only_storage: Vec<String>,
        /// Paths that only the other version has.
        only_other: Vec<String>,
    },
    /// Without a conversion, an object of one version is served in another one whose schema does not accept it.
    Mismatch {
        /// The storage version's type.
        storage: String,
        /// The other version's type.
        other: String,
        /// What the other version does not accept of the storage version's objects, as
        /// [summaries](crate::compare::Change::summary) of changes.
        to_other: Vec<String>,
        /// What the storage version does not accept of the other version's objects.
        to_storage: Vec<String>,
    },
    /// A rule that the API server warns about, or that indicates a mistake.
    Rule {
        /// The type, or the name of the definition.
        type_name: String,
        /// The violation.
        violation: validate::Violation,
    },
    /// A keyword of a schemars schema that a definition cannot express.
    LostKeyword {
        /// The type of the resource.
        type_name: String,
        /// The keyword and its path.
        message: String,
    },
}

impl<V: Into<MergeProblem>> FromIterator<V> for MergeError {
    fn from_iter<I: IntoIterator<Item = V>>(problems: I) -> Self {
        let problems = problems.into_iter().map(Into::into).collect();
        Self { problems }
    }
}

impl fmt::Display for MergeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, violation) in self.problems.iter().enumerate() {
            let separator = if index == 0 { "" } else { "\n" };
            write!(f, "{separator}{violation}")?;
        }
        Ok(())
    }
}

impl std::error::Error for MergeError {}

impl fmt::Debug for MergeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::FieldLoss { storage, other, only_storage, only_other } => {
                write!(
                    f,
                    "`{storage}` and `{other}` have different fields and no conversion: objects lose \
                     the fields that the version they are written or stored in does not have"
                )?;
                for (type_name, paths) in [(storage, only_storage), (other, only_other)] {
                    if !paths.is_empty() {
                        write!(f, "\n  only in `{type_name}`: {}", paths.join(", "))?;
                    }
                }
                write!(
                    f,
                    "\n  add the fields to both versions, convert with a webhook, or allow it with `Versions::allow_difference`"
                )
            }
            Self::Mismatch { storage, other, to_other, to_storage } => {
                write!(
                    f,
                    "`{storage}` and `{other}` accept different values and have no conversion: objects of one are \
                     served in the other, whose readers and schema do not expect them"
                )?;
                for (from, to, changes) in [(storage, other, to_other), (other, storage, to_storage)] {
                    for change in changes {
                        write!(f, "\n  from `{from}` to `{to}`: {change}")?;
                    }
                }
                write!(
                    f,
                    "\n  accept the same values in both versions, convert with a webhook, or allow it with `Versions::allow_difference`"
                )
            }
            Self::Rule { type_name, violation } => write!(f, "`{type_name}`: {violation}"),
            Self::LostKeyword { type_name, message } => write!(f, "`{type_name}`: {message}"),
        }
    }
}

/// Names in backticks, separated by commas.
struct Names<'a>(&'a [String]);

impl fmt::Display for Names<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, name) in self.0.iter().enumerate() {
            let separator = if index == 0 { "" } else { ", " };
            write!(f, "{separator}`{name}`")?;
        }
        Ok(())
    }
}
