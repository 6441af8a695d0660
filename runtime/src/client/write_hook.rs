//! Refuses and observes the writes of a client.

use std::{fmt, future::pending, pin::pin};

use futures_util::future::{Either, select};
use tokio::time::{Instant, sleep_until};

use super::{
    endpoint::RequestTarget,
    error::{ClientOperation, Error},
    request::Request,
};

/// Is called for each write of a client.
pub(crate) trait WriteHook: Send + Sync {
    /// Whether the write may be sent now.
    fn is_allowed(&self) -> bool;

    /// Returns until when writes are allowed, as of now; `None` without a limit.
    fn allowed_until(&self) -> Option<Instant>;

    /// Is called before a write is sent.
    fn sends(&self, operation: &ClientOperation);

    /// Receives the body of a successful response.
    fn written(&self, operation: &ClientOperation, body: &[u8]);
}

impl fmt::Debug for dyn WriteHook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("WriteHook")
    }
}

impl RequestTarget {
    /// Fails if the hook does not allow the write, which is sent next.
    pub(super) fn check_write(&self, request: &Request<'_>) -> Result<(), Error> {
        let Some(hook) = self.write_hook(request) else {
            return Ok(());
        };
        if !hook.is_allowed() {
            return Err(self.not_leader(request));
        }
        hook.sends(&self.operation(request));
        Ok(())
    }

    /// Cancels a write once the hook does not allow it any longer: until then there may be no connection on which it is sent.
    pub(super) async fn while_allowed<T>(
        &self,
        request: &Request<'_>,
        sending: impl Future<Output = Result<T, Error>>,
    ) -> Result<T, Error> {
        let Some(hook) = self.write_hook(request) else {
            return sending.await;
        };
        // The refusal is polled first.
        match select(pin!(refusal(hook)), pin!(sending)).await {
            Either::Left(_) => Err(self.not_leader(request)),
            Either::Right((sent, _)) => sent,
        }
    }

    fn not_leader(&self, request: &Request<'_>) -> Error {
        Error::NotLeader { operation: Box::new(self.operation(request)) }
    }

    /// Passes the response to a write to the hook.
    pub(super) fn observe_write(&self, request: &Request<'_>, body: &[u8]) {
        if let Some(hook) = self.write_hook(request).filter(|_| !self.client.options.dry_run) {
            hook.written(&self.operation(request), body);
        }
    }

    fn write_hook(&self, request: &Request<'_>) -> Option<&dyn WriteHook> {
        let hook = self.client.options.write_hook.as_ref().filter(|_| request.verb.is_write());
        hook.map(|hook| &**hook)
    }
}

/// Waits until a hook does not allow writes.
async fn refusal(hook: &dyn WriteHook) {
    while hook.is_allowed() {
        match hook.allowed_until() {
            Some(limit) => sleep_until(limit).await,
            None => pending().await,
        }
    }
}
