//! A call: one request with all its attempts.

use std::{future::Future, time::Duration};

use tokio::time::error::Elapsed;

use super::{
    deadline::Deadline,
    error::{ClientOperation, Error, TimeoutPhase},
    options::Options,
    retry,
};

/// Time limit and retry budget of one request.
#[derive(Debug)]
pub(crate) struct Attempts {
    limit: Duration,
    deadline: Deadline,
    repeatable: bool,
    retries: u32,
    max_retries: u32,
}

impl Attempts {
    /// Starts a call now.
    pub(crate) fn begin(options: &Options, repeatable: bool) -> Self {
        let limit = options.timeout.min(options.deadline.remaining());
        Self { limit, deadline: Deadline::after(limit), repeatable, retries: 0, max_retries: options.max_retries }
    }

    /// Returns the time limit of the call.
    pub(crate) fn limit(&self) -> Duration {
        self.limit
    }

    /// Returns the time limit of the next attempt, which leaves time for another one.
    pub(crate) fn attempt(&self) -> Duration {
        let left = self.deadline.remaining();
        if self.repeatable && self.retries < self.max_retries { left.min(self.limit / 2) } else { left }
    }

    /// Runs a future until the call's deadline.
    pub(crate) async fn within<F: Future>(&self, future: F) -> Result<F::Output, Elapsed> {
        self.deadline.within(future).await
    }

    /// Returns the error of a call that exceeded its deadline.
    pub(crate) fn exceeded(&self, operation: ClientOperation) -> Error {
        Error::DeadlineExceeded { operation: Box::new(operation), phase: TimeoutPhase::Response, limit: self.limit }
    }

    /// Waits before the next attempt. Returns the error if the request must not be retried or if there is no time for
    /// it.
    pub(crate) async fn wait_after(&mut self, error: Error) -> Result<(), Error> {
        let delay = retry::delay(&error, self.repeatable, self.retries).filter(|_| self.retries < self.max_retries);
        match delay.filter(|delay| *delay < self.deadline.remaining()) {
            Some(delay) => tokio::time::sleep(delay).await,
            None => return Err(error),
        }
        self.retries += 1;
        Ok(())
    }
}

#[cfg(test)]
mod tests;
