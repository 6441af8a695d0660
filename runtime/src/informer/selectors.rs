//! The selectors of a query.

use crate::client::request::query::{FIELDS, LABELS, Query};

impl Query {
    /// Returns the query without the label selector.
    pub(super) fn without_labels(&self) -> Self {
        let mut query = self.clone();
        query.pairs.retain(|(key, _)| *key != LABELS);
        query
    }

    /// Returns the label selector; empty without one.
    pub(super) fn label_selector(&self) -> &str {
        self.get(LABELS)
    }

    /// Returns the field selector; empty without one.
    pub(super) fn field_selector(&self) -> &str {
        self.get(FIELDS)
    }

    fn get(&self, key: &str) -> &str {
        self.pairs.iter().find(|(other, _)| *other == key).map_or("", |(_, value)| value)
    }
}
