//! One call: a request with all attempts to have it answered.

use std::{future::Future, time::Duration};

use tokio::time::error::Elapsed;

use super::{
    deadline::Deadline,
    error::{Error, Operation, Phase},
    options::Options,
    retry,
};

/// How long a call may take until its answer begins, and how often its request may be sent again.
#[derive(Debug)]
pub(crate) struct Call {
    limit: Duration,
    deadline: Deadline,
    repeatable: bool,
    retries: u32,
    max_retries: u32,
}

impl Call {
    /// A call that begins now.
    pub(crate) fn begin(options: &Options, repeatable: bool) -> Self {
        let limit = options.timeout.min(options.deadline.left());
        Self {
            limit,
            deadline: Deadline::after(limit),
            repeatable,
            retries: 0,
            max_retries: options.max_retries,
        }
    }

    /// How long the call may take.
    pub(crate) fn limit(&self) -> Duration {
        self.limit
    }

    /// How long the next attempt may take until its answer begins: not so long that there would be no time for another.
    pub(crate) fn attempt(&self) -> Duration {
        let left = self.deadline.left();
        match self.repeatable && self.retries < self.max_retries {
            true => left.min(self.limit / 2),
            false => left,
        }
    }

    /// Runs a future until the time of the call is over.
    pub(crate) async fn within<F: Future>(&self, future: F) -> Result<F::Output, Elapsed> {
        self.deadline.within(future).await
    }

    /// The error of a call whose time is over.
    pub(crate) fn exceeded(&self, operation: Operation) -> Error {
        Error::DeadlineExceeded {
            operation: Box::new(operation),
            phase: Phase::Answer,
            limit: self.limit,
        }
    }

    /// Waits before the request is sent again; gives the error back if it should not be, or if there is no time for it.
    pub(crate) async fn wait_after(&mut self, error: Error) -> Result<(), Error> {
        let delay = retry::delay(&error, self.repeatable, self.retries);
        let delay = delay.filter(|_| self.retries < self.max_retries);
        match delay.filter(|delay| *delay < self.deadline.left()) {
            Some(delay) => tokio::time::sleep(delay).await,
            None => return Err(error),
        }
        self.retries += 1;
        Ok(())
    }
}

#[cfg(test)]
mod tests;
