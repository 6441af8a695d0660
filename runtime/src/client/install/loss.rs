use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;

/// Data that a change of a definition would lose.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Loss {
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
}

impl Loss {
    /// Whether the definition of this name is deleted before it is made anew.
    pub(super) fn replaces(&self, name: &str) -> bool {
        match self {
            Self::Scope { crd, .. } | Self::Kind { crd, .. } => crd == name,
            Self::StoredVersion { .. } | Self::Plural { .. } | Self::Group { .. } => false,
        }
    }
}

/// What is lost if a definition takes the place of one of the same name.
pub(super) fn of_change(
    wanted: &CustomResourceDefinition,
    present: &CustomResourceDefinition,
) -> Vec<Loss> {
    let crd = || present.metadata.name.clone().unwrap_or_default();
    let (old, new) = (&present.spec, &wanted.spec);
    let mut losses = Vec::new();
    if old.scope != new.scope {
        losses.push(Loss::Scope {
            crd: crd(),
            from: old.scope.clone(),
            to: new.scope.clone(),
        });
    }
    if old.names.kind != new.names.kind {
        losses.push(Loss::Kind {
            crd: crd(),
            from: old.names.kind.clone(),
            to: new.names.kind.clone(),
        });
    }
    let gone = stored_versions(present).filter(|version| !has_version(wanted, version));
    losses.extend(gone.map(|version| Loss::StoredVersion {
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
