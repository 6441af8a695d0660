//! The result of a round-trip test.

use std::fmt;

use serde_json::Value;

/// The result of a [`RoundtripTest`](super::RoundtripTest).
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct RoundtripReport {
    /// The type, for messages.
    pub name: String,
    /// The seed of the random numbers.
    pub seed: u64,
    /// The number of documents that the schema and the decoder accepted.
    pub accepted: usize,
    /// The number of documents that the schema rejected.
    pub rejected: usize,
    /// The number of rejected documents that the decoder accepts, because the schema is stricter.
    pub rejected_but_decoded: usize,
    /// The number of documents that were excluded by [`only`](super::RoundtripTest::only) or
    /// [`skip`](super::RoundtripTest::skip).
    pub excluded: usize,
    /// The parts of the schema that were not fully tested, with their paths.
    pub unchecked: Vec<String>,
    /// The first inconsistency, which ends the test.
    pub failure: Option<RoundtripFailure>,
    /// The minimum percentage of accepted documents, and of rejected ones.
    percent: usize,
}

/// An inconsistency between a schema and a decoder.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct RoundtripFailure {
    /// The path, such as `.spec.disks[0].name`; `.` for the root.
    pub path: String,
    /// The smallest document that demonstrates the inconsistency, with the defaults of the schema.
    pub document: Value,
    /// The keywords of the schema at the path, without nested schemas.
    pub schema: Value,
    /// A description, or the error of serde.
    pub message: String,
    /// The path of the innermost optional field.
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

    /// Returns the number of tested documents.
    pub fn documents(&self) -> usize {
        self.accepted + self.rejected
    }

    /// Returns whether schema and decoder are consistent, and enough documents were accepted and rejected.
    pub fn is_good(&self) -> bool {
        self.failure.is_none() && self.too_few().is_none()
    }

    pub(super) fn in_one_line(&self) -> String {
        let text = self.to_string();
        let lines: Vec<_> = text.lines().map(str::trim).collect();
        lines.join("; ")
    }

    /// Returns which documents there were too few of.
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
                writeln!(f, "the schema and the decoder of {name} are inconsistent at `{}`:", failure.path)?;
                writeln!(f, "  {}", failure.message)?;
                writeln!(f, "  the document: {}", failure.document)?;
                writeln!(f, "  the schema there: {}", failure.schema)?;
                if let Some(path) = &failure.skippable {
                    writeln!(
                        f,
                        "  if the type is third-party: `RoundtripTest::skip({path:?})`, or `only` with values that decode"
                    )?;
                }
            }
            (None, Some(which)) => writeln!(
                f,
                "the schema of {name} {which} too few documents for a meaningful test, less than {} %: provide \
                 values with `only`, or lower `min_percent`",
                self.percent
            )?,
            (None, None) => writeln!(f, "the schema and the decoder of {name} are consistent")?,
        }
        write!(
            f,
            "{} documents with seed {}: {} accepted, {} rejected, of which the decoder accepts {}",
            self.documents(),
            self.seed,
            self.accepted,
            self.rejected,
            self.rejected_but_decoded
        )?;
        if self.excluded > 0 {
            write!(f, "; {} excluded", self.excluded)?;
        }
        writeln!(f)?;
        for unchecked in &self.unchecked {
            writeln!(f, "not checked: {unchecked}")?;
        }
        Ok(())
    }
}
