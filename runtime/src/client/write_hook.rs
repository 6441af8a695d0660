//! Refuses and observes the writes of a client.

use std::{fmt, sync::Arc};

use kube_core::Resource;

use super::{
    endpoint::Endpoint,
    error::{Error, Operation},
    request::Request,
};

/// Is called for each write of a client.
pub(crate) trait WriteHook: Send + Sync {
    /// Whether the write may be sent now.
    fn is_allowed(&self) -> bool;

    /// Is called before a write is sent.
    fn sends(&self, operation: &Operation);

    /// Receives the body of a successful response.
    fn written(&self, operation: &Operation, body: &[u8]);
}

#[derive(Clone)]
pub(crate) struct SharedWriteHook(pub(crate) Arc<dyn WriteHook>);

impl fmt::Debug for SharedWriteHook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("WriteHook")
    }
}

impl super::Client {
    /// Returns the same client with a hook for its writes.
    pub(crate) fn with_write_hook(&self, hook: Arc<dyn WriteHook>) -> Self {
        let mut with = self.clone();
        with.options.write_hook = Some(SharedWriteHook(hook));
        with
    }
}

impl<K: Resource> Endpoint<K> {
    /// Fails if the hook does not allow the write, which is sent next.
    pub(super) fn check_write(&self, request: &Request<'_>) -> Result<(), Error> {
        let Some(hook) = self.write_hook(request) else {
            return Ok(());
        };
        let operation = self.operation(request);
        if !hook.is_allowed() {
            return Err(Error::NotLeader { operation: Box::new(operation) });
        }
        hook.sends(&operation);
        Ok(())
    }

    /// Passes the response to a write to the hook.
    pub(super) fn observe_write(&self, request: &Request<'_>, body: &[u8]) {
        if let Some(hook) = self.write_hook(request).filter(|_| !self.client.options.dry_run) {
            hook.written(&self.operation(request), body);
        }
    }

    fn write_hook(&self, request: &Request<'_>) -> Option<&dyn WriteHook> {
        let hook = self.client.options.write_hook.as_ref().filter(|_| request.verb.is_write());
        hook.map(|hook| &*hook.0)
    }
}
