//! The open watches of a server.

use crate::{ApiServer, Requests, Watches};

impl ApiServer {
    /// Returns the open watches of these requests.
    pub fn watches(&self, requests: Requests) -> Watches {
        self.state(|state| state.watches.of(&requests))
    }
}
