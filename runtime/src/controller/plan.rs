//! What reconciliations would write, without writing it.

mod planning;
mod worker;

use std::{fmt, time::Duration};

use serde::{Serialize, Serializer};
use serde_json::Value;

use super::{ManagerError, ObjectKey};

pub use crate::client::plan::PlannedWrite;
pub(super) use planning::Planning;

/// What the controllers of a manager would write, from [`Manager::plan`](super::Manager::plan).
///
/// It displays as text: the objects, and what would change of what each reconciliation writes, as `kubectl diff` shows it.
///
/// [`to_json`](Self::to_json) has the same as data: an object with the field `runs`, a list in the order of the controllers and the
/// objects. Each run has `controller`, `kind`, `namespace` and `name` of the object that is reconciled; `error` if the reconciliation
/// fails; `requeueAfterSeconds` if it requests another one; `unchanged`, the number of writes that change nothing; and `writes`, a list
/// of [`PlannedWrite`], whose fields are described there. Fields may be added in later versions.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[doc(alias("dry run", "diff"))]
pub struct Plan {
    runs: Vec<PlannedRun>,
}

/// One reconciliation of a [`Plan`].
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct PlannedRun {
    /// The name of the controller.
    pub controller: String,
    /// The kind of the object that is reconciled.
    pub kind: String,
    /// Its namespace and its name.
    #[serde(flatten, serialize_with = "serialize_key")]
    pub key: ObjectKey,
    /// Why the reconciliation fails. The writes are those before that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// When the reconciliation requests another one.
    #[serde(
        rename = "requeueAfterSeconds",
        skip_serializing_if = "Option::is_none",
        serialize_with = "serialize_seconds"
    )]
    pub requeue_after: Option<Duration>,
    /// The number of writes that would change nothing.
    pub unchanged: usize,
    /// The writes that would change something, in their order.
    pub writes: Vec<PlannedWrite>,
}

/// Why there is no plan.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PlanError {
    /// The controllers cannot run.
    #[error(transparent)]
    Manager(#[from] ManagerError),
    /// No controller reconciles a given object.
    #[error("no controller reconciles the {kind} `{key}` of `{api_version}`")]
    NotReconciled {
        /// The kind.
        kind: String,
        /// The group and version.
        api_version: String,
        /// The namespace and the name.
        key: ObjectKey,
    },
    /// A given object cannot be planned: it has no name, or the API server would not store it.
    #[error("the {kind} `{key}` cannot be applied: {message}")]
    Apply {
        /// The kind.
        kind: String,
        /// The namespace and the name.
        key: ObjectKey,
        /// The reason.
        message: String,
    },
}

impl Plan {
    pub(super) fn new(mut runs: Vec<PlannedRun>, controllers: &[String]) -> Self {
        let position = |run: &PlannedRun| controllers.iter().position(|name| *name == run.controller);
        runs.sort_by(|a, b| (position(a), &a.key).cmp(&(position(b), &b.key)));
        Self { runs }
    }

    /// Returns the reconciliations, in the order of the controllers and of the keys of their objects.
    pub fn runs(&self) -> &[PlannedRun] {
        &self.runs
    }

    /// Returns the writes of all reconciliations.
    pub fn writes(&self) -> impl Iterator<Item = &PlannedWrite> {
        self.runs.iter().flat_map(|run| &run.writes)
    }

    /// Returns the plan as JSON.
    pub fn to_json(&self) -> Value {
        // Its values come from JSON, and the keys of its maps are texts.
        serde_json::to_value(self).unwrap_or_default()
    }
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.runs.iter().try_for_each(|run| write!(f, "{run}"))
    }
}

impl fmt::Display for PlannedRun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { controller, kind, key, error, requeue_after, unchanged, writes } = self;
        let plural = if writes.len() == 1 { "" } else { "s" };
        write!(f, "{kind} {key} (controller {controller}): {} change{plural}", writes.len())?;
        if *unchanged > 0 {
            write!(f, ", {unchanged} unchanged")?;
        }
        if let Some(after) = requeue_after {
            write!(f, ", again after {after:?}")?;
        }
        writeln!(f)?;
        for write in writes {
            let text = write.to_string();
            text.lines().try_for_each(|line| writeln!(f, "{}", format!("  {line}").trim_end()))?;
        }
        match error {
            Some(error) => writeln!(f, "  error: {error}"),
            None => Ok(()),
        }
    }
}

fn serialize_key<S: Serializer>(key: &ObjectKey, serializer: S) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    struct Names<'a> {
        #[serde(skip_serializing_if = "Option::is_none")]
        namespace: Option<&'a str>,
        name: &'a str,
    }
    Names { namespace: key.namespace(), name: key.name() }.serialize(serializer)
}

fn serialize_seconds<S: Serializer>(duration: &Option<Duration>, serializer: S) -> Result<S::Ok, S::Error> {
    duration.map(|duration| duration.as_secs_f64()).serialize(serializer)
}
