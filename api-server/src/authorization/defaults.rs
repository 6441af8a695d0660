//! The roles that every cluster has.
//!
//! `roles.jsonl` is copied from the real server by `cargo run -p crdkit-tests --bin server_data`.

use serde_json::Value;

use super::GROUP;
use crate::state::State;

const LINES: &str = include_str!("roles.jsonl");

impl State {
    /// Turns authorization on.
    pub(crate) fn enable_authorization(&mut self) {
        if self.authorization.is_enabled {
            return;
        }
        for line in LINES.lines() {
            let object: Value = serde_json::from_str(line).expect("the data is valid");
            let plural = match object["kind"].as_str() {
                Some("ClusterRole") => "clusterroles",
                _ => "clusterrolebindings",
            };
            self.create_internally(GROUP, plural, object).expect("the roles are valid");
        }
        self.authorization.is_enabled = true;
        self.aggregate();
        self.authorization.policy = None;
    }
}
