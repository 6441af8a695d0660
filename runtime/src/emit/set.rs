//! Rendering of a set to one definition per kind.

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;

use crate::{
    crd::merge::{NamedCrd, Versions, Warning},
    schema::Descriptions,
};

use super::error::{EmitError, EmitProblem};
use super::{Crds, names, objects};

/// The definitions of a set, with warnings.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct RenderedCrds {
    /// One definition per kind, sorted by name.
    pub crds: Vec<CustomResourceDefinition>,
    /// Warnings about the definitions.
    pub warnings: Vec<Warning>,
}

pub(super) fn render(crds: &Crds) -> Result<RenderedCrds, EmitError> {
    let mut kinds: Vec<_> = crds.kinds.iter().collect();
    kinds.sort_by_key(|kind| kind.group_kind());
    let mut set = Set::default();
    for kind in kinds {
        set.add(kind, crds.descriptions);
    }
    set.problems.extend(names::problems(&set.sources));
    set.problems.extend(objects::problems(&crds.objects));
    if !set.problems.is_empty() {
        return Err(EmitError { problems: set.problems });
    }
    let mut crds: Vec<_> = set.sources.into_iter().map(|source| source.crd).collect();
    crds.sort_by(|first, second| first.metadata.name.cmp(&second.metadata.name));
    Ok(RenderedCrds { crds, warnings: set.warnings })
}

#[derive(Default)]
struct Set {
    /// Merged definitions, each with the name of its first type.
    sources: Vec<NamedCrd>,
    problems: Vec<EmitProblem>,
    warnings: Vec<Warning>,
}

impl Set {
    fn add(&mut self, kind: &Versions, descriptions: Option<Descriptions>) {
        match kind.merge_with(descriptions) {
            Ok(merged) => {
                self.warnings.extend(merged.warnings);
                self.sources.push(NamedCrd::new(kind.type_name(), merged.crd));
            }
            Err(error) => self.problems.push(error.into()),
        }
    }
}
