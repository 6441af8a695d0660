//! A set of types, rendered to one definition per kind.

use std::collections::BTreeMap;

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;

use crate::merge::{Source, Unrendered, Versions};
use crate::schema::Descriptions;
use crate::size::{self, APPLY_LIMIT, STORE_LIMIT};
use crate::validate;

use super::error::{SetError, Violation, Warning};
use super::{names, part::Part};

/// The definitions of a set, and what to know about them.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Rendered {
    /// One definition per kind, sorted by name.
    pub crds: Vec<CustomResourceDefinition>,
    /// What the API server accepts, and users may regret.
    pub warnings: Vec<Warning>,
}

/// The versions of one kind, as they were added.
type Kind = Vec<Result<Source, Unrendered>>;

pub(super) fn render(
    parts: &[Part],
    descriptions: Option<Descriptions>,
) -> Result<Rendered, SetError> {
    let mut set = Set::default();
    for kind in kinds(parts, descriptions) {
        set.add(kind);
    }
    set.violations.extend(names::violations(&set.sources));
    if !set.violations.is_empty() {
        return Err(SetError {
            violations: set.violations,
        });
    }
    let mut crds: Vec<_> = set.sources.into_iter().map(|source| source.crd).collect();
    crds.sort_by(|first, second| first.metadata.name.cmp(&second.metadata.name));
    Ok(Rendered {
        crds,
        warnings: set.warnings,
    })
}

fn kinds(parts: &[Part], descriptions: Option<Descriptions>) -> impl Iterator<Item = Kind> {
    let mut kinds = BTreeMap::<_, Kind>::new();
    for part in parts {
        let kind = kinds.entry((&part.group, &part.kind)).or_default();
        kind.push(part.source(descriptions));
    }
    kinds.into_values()
}

/// The type that each version of a kind is made from.
type Types = BTreeMap<String, String>;

fn types(sources: &[Source]) -> Types {
    let mut types = Types::new();
    for source in sources {
        for version in &source.crd.spec.versions {
            types.insert(version.name.clone(), source.type_name.clone());
        }
    }
    types
}

#[derive(Default)]
struct Set {
    /// Merged definitions, each under the name of its first type.
    sources: Vec<Source>,
    violations: Vec<Violation>,
    warnings: Vec<Warning>,
}

impl Set {
    fn add(&mut self, kind: Kind) {
        let (sources, unrendered): (Vec<_>, Vec<_>) = kind.into_iter().partition(Result::is_ok);
        let unrendered = unrendered.into_iter().filter_map(Result::err);
        let known = self.violations.len();
        self.violations.extend(unrendered.map(Violation::from));
        // Without all versions there is nothing to say about them together.
        if self.violations.len() == known {
            self.merge(sources.into_iter().flatten().collect());
        }
    }

    fn merge(&mut self, sources: Vec<Source>) {
        let Some(first) = sources.first() else {
            return;
        };
        let type_name = first.type_name.clone();
        let types = types(&sources);
        match Versions::of(sources).merge() {
            Ok(merged) => {
                self.warnings
                    .extend(merged.warnings.into_iter().map(Warning::Versions));
                self.validate(&type_name, &types, &merged.crd);
                self.measure(&type_name, &merged.crd);
                self.sources.push(Source::new(type_name, merged.crd));
            }
            Err(error) => self.violations.push(error.into()),
        }
    }

    fn validate(&mut self, kind: &str, types: &Types, crd: &CustomResourceDefinition) {
        let violations = validate::validate(crd).into_iter().map(|violation| {
            let version = violation.path.split(['.', '[']).next();
            let type_name = version.and_then(|version| types.get(version));
            Violation::Refused {
                type_name: type_name.map_or(kind, String::as_str).to_owned(),
                violation,
            }
        });
        self.violations.extend(violations);
    }

    fn measure(&mut self, type_name: &str, crd: &CustomResourceDefinition) {
        let bytes = size::bytes(crd);
        let type_name = type_name.to_owned();
        if bytes > STORE_LIMIT {
            self.violations
                .push(Violation::TooLarge { type_name, bytes });
        } else if size::annotations_when_applied(crd) > APPLY_LIMIT {
            self.warnings.push(Warning::Large { type_name, bytes });
        }
    }
}
