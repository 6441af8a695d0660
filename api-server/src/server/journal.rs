//! The journal of a server.

use crate::{ApiServer, Journal};

impl ApiServer {
    /// Returns the requests that the server has processed.
    pub fn journal(&self) -> Journal {
        self.state(|state| state.journal.journal())
    }

    /// Forgets the requests so far.
    pub fn clear_journal(&self) {
        self.state(|state| state.journal.clear());
    }

    /// Sets the number of requests that the journal has at most: 10,000 by default, none with 0.
    pub fn keep_requests(self, limit: usize) -> Self {
        self.state(|state| state.journal.limit(limit));
        self
    }
}
