//! The progress of a migration.

use std::fmt;

/// What a migration does at the moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Phase {
    /// It waits until kube-controller-manager takes over a StorageVersionMigration.
    WaitingForController,
    /// kube-controller-manager rewrites the objects.
    Controller,
    /// It waits until all API servers know the storage version of a definition that has just changed.
    Propagating,
    /// This client rewrites the objects.
    #[default]
    Rewriting,
}

/// The progress of a migration. Its `Display` output is a line for a log.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Progress {
    /// What the migration does.
    pub phase: Phase,
    /// The number of objects, as far as it is known.
    pub total: Option<u64>,
    /// The number of objects that were written, so that they are now stored in the storage version.
    pub rewritten: u64,
    /// The number of objects that need no rewriting: they are already stored in the storage version, or others have changed or
    /// deleted them in the meantime.
    pub skipped: u64,
    /// The number of objects that cannot be written.
    pub failed: u64,
}

impl Progress {
    /// The number of objects that are done.
    pub fn done(&self) -> u64 {
        self.rewritten + self.skipped + self.failed
    }
}

impl fmt::Display for Progress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.phase {
            Phase::WaitingForController => return f.write_str("waiting for kube-controller-manager"),
            Phase::Propagating => return f.write_str("waiting until all API servers use the storage version"),
            Phase::Controller => "kube-controller-manager rewrites objects: ",
            Phase::Rewriting => "rewriting objects: ",
        })?;
        write!(f, "{}", self.done())?;
        if let Some(total) = self.total {
            write!(f, " of {total}")?;
        }
        for (count, what) in [(self.skipped, "skipped"), (self.failed, "failed")] {
            if count > 0 {
                write!(f, ", {count} {what}")?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_for_a_log() {
        let progress = Progress { total: Some(2000), rewritten: 490, skipped: 9, failed: 1, ..Progress::default() };
        assert_eq!(progress.to_string(), "rewriting objects: 500 of 2000, 9 skipped, 1 failed");
        let progress = Progress { phase: Phase::Controller, ..Progress::default() };
        assert_eq!(progress.to_string(), "kube-controller-manager rewrites objects: 0");
    }
}
