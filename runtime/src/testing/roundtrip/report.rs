//! What came of a check.

use std::fmt;

use serde_json::Value;

/// What came of a check that a schema and a decoder agree.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct RoundtripReport {
    /// The type, for messages.
    pub name: String,
    /// What the random numbers started with.
    pub seed: u64,
    /// How many documents the schema accepted, and the decoder as well.
    pub accepted: usize,
    /// How many documents the schema rejected.
    pub rejected: usize,
    /// How many of those the decoder reads: where the schema is stricter.
    pub rejected_but_decoded: usize,
    /// How many documents were not looked at, because they have other values than those of
    /// [`only`](super::RoundtripTest::only), or one at a path of [`skip`](super::RoundtripTest::skip).
    pub excluded: usize,
    /// What of the schema was not checked, each with its path.
    pub unchecked: Vec<String>,
    /// How schema and decoder disagree; the check ends with the first one found.
    pub failure: Option<RoundtripFailure>,
    /// How many percent must be accepted, and how many rejected.
    percent: usize,
}

/// A document that shows how a schema and a decoder disagree.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct RoundtripFailure {
    /// Where, such as `.spec.disks[0].name`; `.` for the whole document.
    pub path: String,
    /// The smallest document found, with the defaults of the schema.
    pub document: Value,
    /// What the schema says there, without what it says about parts.
    pub schema: Value,
    /// What is wrong, in serde's words where it is serde that refuses.
    pub message: String,
    /// The path of the innermost place that documents may lack.
    pub(super) skippable: Option<String>,
}

impl RoundtripReport {
    pub(super) fn new(name: String, seed: u64, percent: usize) -> Self {
        Self {
            name,
            seed,
            accepted: 0,
            rejected: 0,
            rejected_but_decoded: 0,
            excluded: 0,
            unchecked: Vec::new(),
            failure: None,
            percent,
        }
    }

    /// How many documents were looked at.
    pub fn documents(&self) -> usize {
        self.accepted + self.rejected
    }

    /// Whether schema and decoder agree, and enough documents were accepted and rejected to know it.
    pub fn is_good(&self) -> bool {
        self.failure.is_none() && self.too_few().is_none()
    }

    /// Of which documents there were too few.
    fn too_few(&self) -> Option<&'static str> {
        let is_few = |count: usize| count * 100 < self.documents() * self.percent;
        match (self.documents() == 0, is_few(self.accepted), is_few(self.rejected)) {
            (true, ..) | (_, true, _) => Some("accepted"),
            (_, _, true) => Some("rejected"),
            _ => None,
        }
    }
}

impl fmt::Display for RoundtripReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = &self.name;
        match (&self.failure, self.too_few()) {
            (Some(failure), _) => {
                writeln!(f, "the schema and the decoder of {name} disagree at `{}`:", failure.path)?;
                writeln!(f, "  {}", failure.message)?;
                writeln!(f, "  the document: {}", failure.document)?;
                writeln!(f, "  the schema there: {}", failure.schema)?;
                if let Some(path) = &failure.skippable {
                    writeln!(
                        f,
                        "  if it is not yours to mend: `RoundtripTest::skip({path:?})`, or `only` with the values that decode"
                    )?;
                }
            }
            (None, Some(which)) => writeln!(
                f,
                "the schema of {name} {which} too few documents to know whether the decoder agrees, less than {} %: give \
                 values with `only`, or ask for less with `min_percent`",
                self.percent
            )?,
            (None, None) => writeln!(f, "the schema and the decoder of {name} agree")?,
        }
        write!(
            f,
            "{} documents from seed {}: {} accepted, {} rejected, of which the decoder reads {}",
            self.documents(),
            self.seed,
            self.accepted,
            self.rejected,
            self.rejected_but_decoded
        )?;
        if self.excluded > 0 {
            write!(f, "; {} left out", self.excluded)?;
        }
        writeln!(f)?;
        for unchecked in &self.unchecked {
            writeln!(f, "not checked: {unchecked}")?;
        }
        Ok(())
    }
}
