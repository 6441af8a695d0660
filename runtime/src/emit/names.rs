//! Names that two kinds of one group share.

use crdkit_core::rules::name_conflicts::conflicts;

use crate::crd::{crd_accessors::read, merge::NamedCrd};

use super::error::EmitProblem;

/// Returns a problem for each name that two kinds of one group share.
pub(super) fn problems(sources: &[NamedCrd]) -> Vec<EmitProblem> {
    let definitions: Vec<_> = sources.iter().map(|source| read::definition(&source.crd)).collect();
    let conflicts = conflicts(&definitions).into_iter();
    let problems = conflicts.map(|conflict| EmitProblem::NameTaken {
        name: conflict.name.into_owned(),
        first: sources[conflict.first].type_name.clone(),
        first_role: conflict.first_role.as_str(),
        second: sources[conflict.second].type_name.clone(),
        second_role: conflict.second_role.as_str(),
    });
    problems.collect()
}
