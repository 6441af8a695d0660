//! The roles that every cluster has.
//!
//! `roles.jsonl` is copied from the real server by `cargo run -p crdkit-tests --bin server_data`.

use serde_json::Value;

use super::{GROUP, aggregation::aggregate};
use crate::{internal, state::State};

const LINES: &str = include_str!("roles.jsonl");

/// Turns authorization on.
pub(crate) fn enable(state: &mut State) {
    if state.authorization.is_enabled {
        return;
    }
    for line in LINES.lines() {
        let object: Value = serde_json::from_str(line).expect("the data is valid");
        let plural = match object["kind"].as_str() {
            Some("ClusterRole") => "clusterroles",
            _ => "clusterrolebindings",
        };
        internal::create(state, GROUP, plural, object).expect("the roles are valid");
    }
    state.authorization.is_enabled = true;
    aggregate(&mut state.store);
    state.authorization.forget();
}
