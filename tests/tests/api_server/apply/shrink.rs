//! Shortening of sequences whose responses differ.

use std::fmt;

use super::{
    servers::{Difference, Servers},
    steps::{Sequence, Step},
};

const MAX_ATTEMPTS: usize = 2_000;

/// Removes requests, and members of their bodies, that are not necessary for a difference.
pub(super) async fn shrink(
    servers: &Servers,
    mut sequence: Sequence,
    mut difference: Difference,
) -> (Sequence, Difference) {
    sequence.steps.truncate(difference.step + 1);
    let mut candidates = candidates(&sequence);
    for attempt in 0..MAX_ATTEMPTS {
        let Some(candidate) = candidates.pop() else {
            break;
        };
        if let Some(found) = servers.run(&format!("shrunk-{attempt}"), &candidate).await {
            (sequence, difference) = (candidate, found);
            sequence.steps.truncate(difference.step + 1);
            candidates = self::candidates(&sequence);
        }
    }
    (sequence, difference)
}

/// Returns shorter sequences, of which those without a whole request come last.
fn candidates(sequence: &Sequence) -> Vec<Sequence> {
    let mut candidates = Vec::new();
    for at in 0..sequence.steps.len() {
        for part in ["spec", "status", "metadata"] {
            let body = sequence.steps[at].clone().body()[part].as_object().cloned().unwrap_or_default();
            for name in body.keys() {
                let mut candidate = sequence.clone();
                if let Some(members) = candidate.steps[at].body()[part].as_object_mut() {
                    members.remove(name);
                }
                candidates.push(candidate);
            }
        }
    }
    for at in (0..sequence.steps.len()).rev() {
        let mut candidate = sequence.clone();
        candidate.steps.remove(at);
        candidates.push(candidate);
    }
    candidates
}

impl fmt::Display for Sequence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "an object {} the subresource status", if self.has_status { "with" } else { "without" })?;
        for step in &self.steps {
            let by = step.by();
            let method = match step {
                Step::Apply { force: true, .. } => "apply with force",
                Step::Apply { .. } => "apply",
                Step::Update { .. } => "update",
                Step::MergePatch { .. } => "merge patch",
                Step::JsonPatch { .. } => "JSON patch",
            };
            writeln!(f, "{method} by {} in {} {}: {}", by.manager, by.version, by.subresource, step.clone().body())?;
        }
        Ok(())
    }
}
