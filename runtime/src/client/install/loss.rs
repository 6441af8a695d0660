use std::fmt;

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;

use crate::compare::SchemaChange;

/// Data that a change of a definition would lose.
///
/// The first five cases are changes of the definition itself: they are refused whatever objects there are. The others are
/// changes of its schemas:
///
/// - Each version that is served or stored is compared with the version of the same name that takes its place. Where
///   another version becomes the storage version and nothing converts, the old storage version is compared with it, too.
/// - Of [all changes that accept or keep less](crate::compare::schema_changes) only those are refused that objects do not
///   survive: an object holds a value that the API server would drop, or one that the new schema would refuse. The
///   objects are read for that, and only if there is such a change. So a field that no object has can go, and a bound
///   that all objects keep can become narrower.
/// - An API server lets a value stay that the new schema refuses, until it is changed. Programs whose types have the new
///   schema cannot read it, so it is refused all the same.
///
/// Not refused are new rules of CEL, and what cannot be seen:
///
/// - A value that equals the default of a field that goes: the API server fills it in, so it may not be stored at all.
///   For the same reason a required field can lose its default, and objects that do not have it are not found.
/// - What is stored in a version that is not served, and that no served version has.
/// - Objects that are created while the definition is installed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DataLoss {
    /// A version goes in which objects may be stored. If it is allowed, all objects are stored anew, without what the new
    /// definition has no fields for.
    #[error(
        "`{crd}` has no version `{version}` any more, in which objects may be stored: keep it with `served = false`, \
         store all objects anew, and take it out of `status.storedVersions`"
    )]
    StoredVersion {
        /// The definition.
        crd: String,
        /// The version.
        version: String,
    },
    /// The scope changes, which only a new definition can. If it is allowed, all objects are deleted.
    #[error(
        "the scope of `{crd}` is {from} and would be {to}: keep it, or define another kind and move the objects there"
    )]
    Scope {
        /// The definition.
        crd: String,
        /// The scope that it has.
        from: String,
        /// The scope that it would have.
        to: String,
    },
    /// The kind changes, which only a new definition can. If it is allowed, all objects are deleted.
    #[error(
        "the kind of `{crd}` is {from} and would be {to}: keep it, or define another plural too and move the objects \
         there"
    )]
    Kind {
        /// The definition.
        crd: String,
        /// The kind that it has.
        from: String,
        /// The kind that it would have.
        to: String,
    },
    /// The plural changes: another definition of the same field manager has the kind. If it is allowed, all objects of
    /// the old definition are deleted.
    #[error(
        "`{crd}` has the kind of `{old}`, whose objects it does not have: keep the plural, or save the objects and \
         delete `{old}`"
    )]
    Plural {
        /// The definition.
        crd: String,
        /// The definition that has the kind.
        old: String,
    },
    /// The group changes: a definition of the same names, with the same schema in a version, is of the field manager that
    /// the client names, in another group. If it is allowed, both are there, and the objects stay in the old one.
    #[error(
        "`{crd}` has the names of `{old}`, whose objects it does not have: keep the group, or save the objects and \
         delete `{old}`"
    )]
    Group {
        /// The definition.
        crd: String,
        /// The definition that has the names.
        old: String,
    },
    /// A schema has no field any more that objects have, so that the API server drops it: from what it answers at once, and
    /// for good when an object is written.
    #[error(
        "version `{version}` of `{crd}` would have no `{path}`, which {objects} would lose: keep the field, or save what \
         it holds and take it out of the objects"
    )]
    Field {
        /// The definition.
        crd: String,
        /// The version.
        version: String,
        /// The place, as of a [`SchemaChange`].
        path: String,
        /// The objects that have it.
        objects: Objects,
    },
    /// The type of a field changes, and objects have values of the old one.
    #[error(
        "the type of `{path}` in version `{version}` of `{crd}` is {from} and would be {to}, which {objects} would not \
         fit: keep the type, and add a field of another name"
    )]
    Type {
        /// The definition.
        crd: String,
        /// The version.
        version: String,
        /// The place, as of a [`SchemaChange`].
        path: String,
        /// The type that it has.
        from: String,
        /// The type that it would have.
        to: String,
        /// The objects that have a value of the old type.
        objects: Objects,
    },
    /// A field is required that objects do not have, and that has no default.
    #[error(
        "`{path}` would be required in version `{version}` of `{crd}`, and {objects} would lack it: give it a default, \
         leave it optional, or set it in the objects first"
    )]
    Required {
        /// The definition.
        crd: String,
        /// The version.
        version: String,
        /// The field, as of a [`SchemaChange`].
        path: String,
        /// The objects that do not have it.
        objects: Objects,
    },
    /// A bound is narrower, or another keyword accepts less, and objects have values beyond it.
    #[error(
        "`{keyword}` of `{path}` in version `{version}` of `{crd}` is {from} and would be {to}, which {objects} would not \
         fit: leave it, or change the objects first"
    )]
    Narrowed {
        /// The definition.
        crd: String,
        /// The version.
        version: String,
        /// The place, as of a [`SchemaChange`].
        path: String,
        /// The keyword, such as `maximum`.
        keyword: &'static str,
        /// What it is; `none` if it is not there.
        from: String,
        /// What it would be.
        to: String,
        /// The objects that have such values.
        objects: Objects,
    },
    /// A schema changes so that objects could lose data, and they cannot be read to see whether they do.
    #[error(
        "version `{version}` of `{crd}` would accept or keep less, and the objects cannot be read to see whether one \
         loses data: {reason}{}", list(.changes)
    )]
    Unread {
        /// The definition.
        crd: String,
        /// The version.
        version: String,
        /// What changes.
        changes: Vec<SchemaChange>,
        /// Why they cannot be read: mostly, because the program may not list them.
        reason: String,
    },
}

/// The objects that would lose something.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Objects {
    /// How many there are.
    pub count: usize,
    /// One of them, as `namespace/name`, or its name alone.
    pub example: String,
}

impl fmt::Display for Objects {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.count {
            1 => write!(f, "1 object (`{}`)", self.example),
            count => write!(f, "{count} objects (such as `{}`)", self.example),
        }
    }
}

/// The first changes, a line each.
fn list(changes: &[SchemaChange]) -> String {
    const MOST: usize = 10;
    let lines = changes
        .iter()
        .take(MOST)
        .map(|change| format!("\n    {change}"));
    let mut text: String = lines.collect();
    if changes.len() > MOST {
        text += &format!("\n    and {} more", changes.len() - MOST);
    }
    text
}

impl DataLoss {
    /// Whether the definition of this name is deleted before it is made anew.
    pub(super) fn replaces(&self, name: &str) -> bool {
        match self {
            Self::Scope { crd, .. } | Self::Kind { crd, .. } => crd == name,
            _ => false,
        }
    }

    /// Whether all objects of the definition go.
    pub(super) fn takes_objects(&self) -> bool {
        matches!(self, Self::Scope { .. } | Self::Kind { .. })
    }
}

/// What is lost if a definition takes the place of one of the same name.
pub(super) fn of_change(
    wanted: &CustomResourceDefinition,
    present: &CustomResourceDefinition,
) -> Vec<DataLoss> {
    let crd = || present.metadata.name.clone().unwrap_or_default();
    let (old, new) = (&present.spec, &wanted.spec);
    let mut losses = Vec::new();
    if old.scope != new.scope {
        losses.push(DataLoss::Scope {
            crd: crd(),
            from: old.scope.clone(),
            to: new.scope.clone(),
        });
    }
    if old.names.kind != new.names.kind {
        losses.push(DataLoss::Kind {
            crd: crd(),
            from: old.names.kind.clone(),
            to: new.names.kind.clone(),
        });
    }
    let gone = stored_versions(present).filter(|version| !has_version(wanted, version));
    losses.extend(gone.map(|version| DataLoss::StoredVersion {
        crd: crd(),
        version: version.clone(),
    }));
    losses
}

pub(super) fn has_version(crd: &CustomResourceDefinition, name: &str) -> bool {
    crd.spec.versions.iter().any(|version| version.name == name)
}

pub(super) fn stored_versions(crd: &CustomResourceDefinition) -> impl Iterator<Item = &String> {
    let status = crd.status.iter();
    status.flat_map(|status| status.stored_versions.iter().flatten())
}
