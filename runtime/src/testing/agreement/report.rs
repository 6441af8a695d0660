//! What came of a check.

use std::fmt;

use serde_json::Value;

/// What came of a check that a schema and a decoder agree.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct AgreementReport {
    /// The type, for messages.
    pub name: String,
    /// What the random numbers started with.
    pub seed: u64,
    /// How many documents the schema accepted, and the decoder as well.
    pub accepted: usize,
    /// How many documents the schema refused.
    pub refused: usize,
    /// How many of those the decoder reads: where the schema is stricter.
    pub refused_but_read: usize,
    /// How many documents were not looked at, because they have other values than those of
    /// [`only`](super::Agreement::only), or one at a path of [`skip`](super::Agreement::skip).
    pub left_out: usize,
    /// What of the schema was not checked, each with its path.
    pub unchecked: Vec<String>,
    /// How schema and decoder disagree; the check ends with the first one found.
    pub disagreement: Option<Disagreement>,
    /// How many percent must be accepted, and how many refused.
    percent: usize,
}

/// A document that shows how a schema and a decoder disagree.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Disagreement {
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

impl AgreementReport {
    pub(super) fn new(name: String, seed: u64, percent: usize) -> Self {
        Self {
            name,
            seed,
            accepted: 0,
            refused: 0,
            refused_but_read: 0,
            left_out: 0,
            unchecked: Vec::new(),
            disagreement: None,
            percent,
        }
    }

    /// How many documents were looked at.
    pub fn documents(&self) -> usize {
        self.accepted + self.refused
    }

    /// Whether schema and decoder agree, and enough documents were accepted and refused to know it.
    pub fn is_good(&self) -> bool {
        self.disagreement.is_none() && self.too_few().is_none()
    }

    /// Of which documents there were too few.
    fn too_few(&self) -> Option<&'static str> {
        let is_few = |count: usize| count * 100 < self.documents() * self.percent;
        match (self.documents() == 0, is_few(self.accepted), is_few(self.refused)) {
            (true, ..) | (_, true, _) => Some("accepted"),
            (_, _, true) => Some("refused"),
            _ => None,
        }
    }
}

impl fmt::Display for AgreementReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = &self.name;
        match (&self.disagreement, self.too_few()) {
            (Some(disagreement), _) => {
                writeln!(f, "the schema and the decoder of {name} disagree at `{}`:", disagreement.path)?;
                writeln!(f, "  {}", disagreement.message)?;
                writeln!(f, "  the document: {}", disagreement.document)?;
                writeln!(f, "  the schema there: {}", disagreement.schema)?;
                if let Some(path) = &disagreement.skippable {
                    writeln!(
                        f,
                        "  if it is not yours to mend: `Agreement::skip({path:?})`, or `only` with the values that decode"
                    )?;
                }
            }
            (None, Some(which)) => writeln!(
                f,
                "the schema of {name} {which} too few documents to know whether the decoder agrees, less than {} %: give \
                 values with `only`, or ask for less with `at_least`",
                self.percent
            )?,
            (None, None) => writeln!(f, "the schema and the decoder of {name} agree")?,
        }
        write!(
            f,
            "{} documents from seed {}: {} accepted, {} refused, of which the decoder reads {}",
            self.documents(),
            self.seed,
            self.accepted,
            self.refused,
            self.refused_but_read
        )?;
        if self.left_out > 0 {
            write!(f, "; {} left out", self.left_out)?;
        }
        writeln!(f)?;
        for unchecked in &self.unchecked {
            writeln!(f, "not checked: {unchecked}")?;
        }
        Ok(())
    }
}
