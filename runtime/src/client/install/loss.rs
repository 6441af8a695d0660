use std::fmt;

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;

use crate::crd::{
    compare::{Change, Check, definition_changes},
    crd_accessors::stored_versions,
};

/// A data loss that a change of a definition would cause.
///
/// The first five variants are changes of the definition itself, and are refused whether or not there are objects. The
/// others are changes of its schemas:
///
/// - Each version that is served or stored is compared with the new version of the same name. If another version
///   becomes the storage version and the definition has no conversion, the old storage version is compared with it too.
/// - Of [all changes that affect stored objects](crate::compare::Audience::StoredObjects), only those are refused that affect
///   an object: the object contains a value that the API server would drop, or that the new schema would reject. The
///   objects are read only if there is such a change. So a field that no object has can be removed, and a bound that
///   all objects satisfy can be narrowed.
/// - An API server accepts an existing value that the new schema rejects, until the value is changed. Programs whose
///   types have the new schema cannot decode it, so the change is refused nevertheless.
///
/// Not refused are new CEL rules, and what cannot be detected:
///
/// - A value that equals the default of a removed field: the API server fills in the default, so the value may not be
///   stored at all. For the same reason, a required field can lose its default, and objects without the field are not
///   found.
/// - Values that are stored in a version that is not served, and that no served version has.
/// - Objects that are created during the installation.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DataLoss {
    /// A version is removed in which objects may be stored. If this is allowed, all objects are first stored in the new
    /// version, without the fields that the new definition does not have.
    #[error(
        "`{crd}` no longer has version `{version}`, in which objects may be stored: keep it with `served = false` until \
         `client.migrate_storage_of(\"{crd}\")` has rewritten all objects, or `client.migrate_storage::<K>()` with its type"
    )]
    StoredVersion {
        /// The name of the definition.
        crd: String,
        /// The version.
        version: String,
    },
    /// The scope changes, which requires a new definition. If this is allowed, all objects are deleted.
    #[error(
        "the scope of `{crd}` would change from {from} to {to}: keep it, or define another kind and move the objects there"
    )]
    Scope {
        /// The name of the definition.
        crd: String,
        /// The current scope.
        from: String,
        /// The new scope.
        to: String,
    },
    /// The kind changes, which requires a new definition. If this is allowed, all objects are deleted.
    #[error(
        "the kind of `{crd}` would change from {from} to {to}: keep it, or define another plural too and move the objects \
         there"
    )]
    Kind {
        /// The name of the definition.
        crd: String,
        /// The current kind.
        from: String,
        /// The new kind.
        to: String,
    },
    /// The plural changes: another definition of the same field manager has the kind. If this is allowed, all objects
    /// of the old definition are deleted.
    #[error(
        "`{crd}` has the kind of `{old}`, but not its objects: keep the plural, or save the objects and \
         delete `{old}`"
    )]
    Plural {
        /// The name of the definition.
        crd: String,
        /// The definition that has the kind.
        old: String,
    },
    /// The group changes: the client's field manager owns a definition in another group that has the same names, and
    /// the same schema in one version. If this is allowed, both definitions exist, and the objects remain in the old
    /// one.
    #[error(
        "`{crd}` has the names of `{old}`, but not its objects: keep the group, or save the objects and \
         delete `{old}`"
    )]
    Group {
        /// The name of the definition.
        crd: String,
        /// The definition that has the names.
        old: String,
    },
    /// A field is removed that objects have, so that the API server drops it: immediately from its responses, and
    /// permanently when an object is written.
    #[error(
        "version `{version}` of `{crd}` would not have `{path}`, which {objects} would lose: keep the field, or save its \
         values and remove it from the objects"
    )]
    Field {
        /// The name of the definition.
        crd: String,
        /// The version.
        version: String,
        /// The path, as in a [`Change`].
        path: String,
        /// The objects that have the field.
        objects: Objects,
    },
    /// The type of a field changes, and objects have values of the old type.
    #[error(
        "the type of `{path}` in version `{version}` of `{crd}` would change from {from} to {to}, which {objects} would not \
         match: keep the type, and add a field with another name"
    )]
    Type {
        /// The name of the definition.
        crd: String,
        /// The version.
        version: String,
        /// The path, as in a [`Change`].
        path: String,
        /// The current type.
        from: String,
        /// The new type.
        to: String,
        /// The objects that have a value of the current type.
        objects: Objects,
    },
    /// A field without a default becomes required, and objects do not have it.
    #[error(
        "`{path}` would be required in version `{version}` of `{crd}`, and {objects} would lack it: add a default, \
         leave it optional, or set it in the objects first"
    )]
    Required {
        /// The name of the definition.
        crd: String,
        /// The version.
        version: String,
        /// The field, as in a [`Change`].
        path: String,
        /// The objects that do not have the field.
        objects: Objects,
    },
    /// A bound is narrowed, or another keyword accepts less, and objects have values beyond it.
    #[error(
        "`{keyword}` of `{path}` in version `{version}` of `{crd}` would change from {from} to {to}, which {objects} would not \
         match: leave it, or change the objects first"
    )]
    Narrowed {
        /// The name of the definition.
        crd: String,
        /// The version.
        version: String,
        /// The path, as in a [`Change`].
        path: String,
        /// The keyword, such as `maximum`.
        keyword: &'static str,
        /// The current value; `none` if there is none.
        from: String,
        /// The new value.
        to: String,
        /// The objects that have such values.
        objects: Objects,
    },
    /// A schema change could lose data, but the objects cannot be read to check whether it does.
    #[error(
        "version `{version}` of `{crd}` would accept or preserve less, and the objects cannot be read to check whether one \
         loses data: {reason}{}", list(.changes)
    )]
    Unverified {
        /// The name of the definition.
        crd: String,
        /// The version.
        version: String,
        /// The changes.
        changes: Vec<Change>,
        /// Why the objects cannot be read: in most cases, the program lacks the permission to list them.
        reason: String,
    },
}

/// The objects that would lose data.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Objects {
    /// Their number.
    pub count: usize,
    /// One of them, as `namespace/name`, or only its name.
    pub example: String,
}

impl fmt::Display for Objects {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.count {
            1 => write!(f, "1 object (`{}`)", self.example),
            count => write!(f, "{count} objects (for example `{}`)", self.example),
        }
    }
}

/// Lists the first changes, one per line.
fn list(changes: &[Change]) -> String {
    const MAX_CHANGES: usize = 10;
    let lines = changes.iter().take(MAX_CHANGES).map(|change| format!("\n    {change}"));
    let mut text: String = lines.collect();
    if changes.len() > MAX_CHANGES {
        text += &format!("\n    and {} more", changes.len() - MAX_CHANGES);
    }
    text
}

impl DataLoss {
    /// Returns whether the definition of this name is deleted and created again.
    pub(super) fn replaces(&self, name: &str) -> bool {
        match self {
            Self::Scope { crd, .. } | Self::Kind { crd, .. } => crd == name,
            _ => false,
        }
    }

    /// Returns whether all objects of the definition are deleted.
    pub(super) fn deletes_objects(&self) -> bool {
        matches!(self, Self::Scope { .. } | Self::Kind { .. })
    }
}

/// Returns the losses if a definition replaces one of the same name.
pub(super) fn from_change(desired: &CustomResourceDefinition, present: &CustomResourceDefinition) -> Vec<DataLoss> {
    let changes = definition_changes(present, desired).into_iter();
    changes.filter_map(|change| of_definition(present, change)).collect()
}

/// Returns the loss that a change of the definition itself causes, whether or not there are objects.
fn of_definition(present: &CustomResourceDefinition, change: Change) -> Option<DataLoss> {
    let crd = present.metadata.name.clone().unwrap_or_default();
    let [from, to] = [change.from, change.to].map(Option::unwrap_or_default);
    match change.check {
        Check::Scope => Some(DataLoss::Scope { crd, from, to }),
        Check::Kind => Some(DataLoss::Kind { crd, from, to }),
        Check::StoredVersionRemoval => {
            let version = change.version.filter(|version| stored_versions(present).any(|stored| stored == version))?;
            Some(DataLoss::StoredVersion { crd, version })
        }
        _ => None,
    }
}

pub(super) fn has_version(crd: &CustomResourceDefinition, name: &str) -> bool {
    crd.spec.versions.iter().any(|version| version.name == name)
}
