//! Errors of storage migrations.

use std::fmt;

use super::super::{discovery::DiscoveryError, error::Error};

/// Why a storage migration is incomplete. A new migration continues where it ended.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StorageMigrationError {
    /// There is no such definition.
    #[error("there is no CustomResourceDefinition `{crd}`: only the storage of custom resources is migrated")]
    NoDefinition {
        /// The name of the definition.
        crd: String,
    },
    /// No version is served, so the objects cannot be read.
    #[error("no version of `{crd}` is served, so its objects cannot be rewritten: serve one of them")]
    NotServed {
        /// The name of the definition.
        crd: String,
    },
    /// Objects cannot be written, so they remain stored in an old version.
    #[error("objects of `{crd}` cannot be rewritten, so `status.storedVersions` is unchanged:{}", lines(.failed))]
    Objects {
        /// The name of the definition.
        crd: String,
        /// The first of these objects.
        failed: Vec<FailedObject>,
    },
    /// kube-controller-manager cannot finish the StorageVersionMigration.
    #[error(
        "StorageVersionMigration `{name}` has failed: {message}; `by_client()` rewrites the objects without it and reports each that fails"
    )]
    Controller {
        /// The name of the StorageVersionMigration.
        name: String,
        /// The message of its condition `Failed`.
        message: String,
    },
    /// The definition was changed again and again during the migration.
    #[error("`{crd}` changed during the migration each time: migrate its storage again when its definition is stable")]
    Changed {
        /// The name of the definition.
        crd: String,
    },
    /// A request failed.
    #[error(transparent)]
    Request(#[from] Error),
}

/// An object that cannot be written.
#[derive(Debug)]
#[non_exhaustive]
pub struct FailedObject {
    /// Its name, with its namespace if it has one: `default/web`.
    pub object: String,
    /// Why it cannot be written.
    pub error: Error,
}

impl StorageMigrationError {
    /// Returns the error of a discovery request; `None` if a resource was not found.
    pub(super) fn of_discovery(error: DiscoveryError) -> Option<Self> {
        match error {
            DiscoveryError::Request(error) => Some(Self::Request(error)),
            _ => None,
        }
    }
}

impl fmt::Display for FailedObject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.object, self.error)
    }
}

fn lines(failed: &[FailedObject]) -> String {
    failed.iter().map(|failed| format!("\n  {failed}")).collect()
}
