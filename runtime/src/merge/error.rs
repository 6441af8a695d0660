//! Why versions cannot be merged, and what to know about those that can.

use std::fmt;

use crate::{error::RenderError, validate};

/// Everything that keeps versions from being merged.
///
/// Its `Debug` form is its message, so that `unwrap` and tests that return it read well.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct MergeError {
    /// What is wrong; never empty.
    pub problems: Vec<MergeProblem>,
}

/// A type that has no CustomResourceDefinition.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{type_name}` has no CustomResourceDefinition: {error}")]
#[non_exhaustive]
pub struct TypeRenderError {
    /// The full name of the type.
    pub type_name: String,
    /// Why.
    #[source]
    pub error: RenderError,
}

/// One thing that keeps versions from being merged.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MergeProblem {
    /// A type has no definition.
    #[error(transparent)]
    Render(#[from] TypeRenderError),
    /// There is nothing to merge.
    #[error("there is no version to merge: add at least one type")]
    NoVersions,
    /// A hand-made definition is empty.
    #[error("`{type_name}` has no version: `spec.versions` holds at least one")]
    EmptyVersions {
        /// What the definition is called.
        type_name: String,
    },
    /// The API server refuses the definition, or it cannot do what it says.
    #[error("`{type_name}`: {violation}")]
    Invalid {
        /// The type, or what the definition is called.
        type_name: String,
        /// The rule that it breaks.
        violation: validate::Violation,
    },
    /// Two types say different things about their kind.
    #[error(
        "`{first}` and `{second}` differ in `{path}`: {first_value} and {second_value}; \
         all versions of a kind share it, so give both the same"
    )]
    Mismatch {
        /// Where the definitions differ.
        path: &'static str,
        /// One type.
        first: String,
        /// What it says, as JSON.
        first_value: String,
        /// The other type.
        second: String,
        /// What it says, as JSON.
        second_value: String,
    },
    /// Two types have the same version.
    #[error("`{first}` and `{second}` are both version `{version}`: give each a version of its own")]
    SameVersion {
        /// The version.
        version: String,
        /// One type.
        first: String,
        /// The other type.
        second: String,
    },
    /// Objects would be stored in two versions.
    #[error(
        "`{first}` and `{second}` are both the storage version: exactly one is, \
         so write `storage = false` on the other"
    )]
    MultipleStorageVersions {
        /// One type.
        first: String,
        /// The other type.
        second: String,
    },
    /// Objects would not be stored.
    #[error("none of {} is the storage version: exactly one must be", Names(.types))]
    NoStorageVersion {
        /// All types.
        types: Vec<String>,
    },
    /// The version that was named as storage version does not exist.
    #[error("no type has the storage version `{version}`: there are {}", Names(.versions))]
    UnknownStorageVersion {
        /// The version that was asked for.
        version: String,
        /// The versions there are.
        versions: Vec<String>,
    },
    /// Two versions have one schema and different selectable fields, which the API server refuses.
    #[error(
        "`{first}` and `{second}` have the same schema and different selectable fields, which the \
         API server refuses: give both the same selectable fields"
    )]
    DifferentSelectableFields {
        /// One type.
        first: String,
        /// The other type.
        second: String,
    },
    /// All versions have the same selectable fields and not the same schema, which the API server refuses.
    #[error(
        "`{first}` and `{second}` have different schemas and the same selectable fields, which \
         the API server refuses: add a selectable field to one of them, or give two in another order"
    )]
    SameSelectableFields {
        /// One type.
        first: String,
        /// The other type.
        second: String,
    },
}

/// Something that the API server accepts, and users may regret.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Warning {
    /// Without a conversion, an object that is written through one version loses the fields that
    /// only the other version has.
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
    /// The API server warns of the definition, or something else was probably meant.
    Rule {
        /// The type, or what the definition is called.
        type_name: String,
        /// The rule that it breaks.
        violation: validate::Violation,
    },
    /// A keyword of a schema of schemars has no place in a definition.
    LostKeyword {
        /// The type of the resource.
        type_name: String,
        /// What is lost, and where.
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
        let (storage, other, only_storage, only_other) = match self {
            Self::FieldLoss { storage, other, only_storage, only_other } => (storage, other, only_storage, only_other),
            Self::Rule { type_name, violation } => return write!(f, "`{type_name}`: {violation}"),
            Self::LostKeyword { type_name, message } => {
                return write!(f, "`{type_name}`: {message}");
            }
        };
        write!(
            f,
            "`{storage}` and `{other}` have different fields and no conversion, so that objects \
             lose what the version they are written or stored in does not have"
        )?;
        for (type_name, paths) in [(storage, only_storage), (other, only_other)] {
            if !paths.is_empty() {
                write!(f, "\n  only in `{type_name}`: {}", paths.join(", "))?;
            }
        }
        write!(f, "\n  give both versions all fields, or convert with a webhook")
    }
}

/// Names in backticks, with commas between them.
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
