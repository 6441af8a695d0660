//! Rendering of a set to one definition per kind.

use std::collections::BTreeMap;

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;

use crate::merge::{Source, TypeRenderError, Versions, Warning};
use crate::schema::Descriptions;

use super::error::{EmitError, EmitProblem};
use super::{crd_source::CrdSource, names};

/// The definitions of a set, with warnings.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct RenderedCrds {
    /// One definition per kind, sorted by name.
    pub crds: Vec<CustomResourceDefinition>,
    /// Warnings about the definitions.
    pub warnings: Vec<Warning>,
}

/// The versions of one kind, in the order in which they were added.
type Kind = Vec<Result<Source, TypeRenderError>>;

pub(super) fn render(parts: &[CrdSource], descriptions: Option<Descriptions>) -> Result<RenderedCrds, EmitError> {
    let mut set = Set::default();
    for kind in kinds(parts, descriptions) {
        set.add(kind);
    }
    set.warnings.extend(parts.iter().flat_map(CrdSource::lost_keywords));
    set.problems.extend(names::problems(&set.sources));
    if !set.problems.is_empty() {
        return Err(EmitError { problems: set.problems });
    }
    let mut crds: Vec<_> = set.sources.into_iter().map(|source| source.crd).collect();
    crds.sort_by(|first, second| first.metadata.name.cmp(&second.metadata.name));
    Ok(RenderedCrds { crds, warnings: set.warnings })
}

fn kinds(parts: &[CrdSource], descriptions: Option<Descriptions>) -> impl Iterator<Item = Kind> {
    let mut kinds = BTreeMap::<_, Kind>::new();
    for part in parts {
        let kind = kinds.entry((&part.group, &part.kind)).or_default();
        kind.push(part.source(descriptions));
    }
    kinds.into_values()
}

#[derive(Default)]
struct Set {
    /// Merged definitions, each with the name of its first type.
    sources: Vec<Source>,
    problems: Vec<EmitProblem>,
    warnings: Vec<Warning>,
}

impl Set {
    fn add(&mut self, kind: Kind) {
        let (sources, unrendered): (Vec<_>, Vec<_>) = kind.into_iter().partition(Result::is_ok);
        let unrendered = unrendered.into_iter().filter_map(Result::err);
        let known = self.problems.len();
        self.problems.extend(unrendered.map(EmitProblem::from));
        // Merging requires all versions.
        if self.problems.len() == known {
            self.merge(sources.into_iter().flatten().collect());
        }
    }

    fn merge(&mut self, sources: Vec<Source>) {
        let Some(first) = sources.first() else {
            return;
        };
        let type_name = first.type_name.clone();
        match Versions::of(sources).merge() {
            Ok(merged) => {
                self.warnings.extend(merged.warnings);
                self.sources.push(Source::new(type_name, merged.crd));
            }
            Err(error) => self.problems.push(error.into()),
        }
    }
}
