//! Selectors of lists, watches and deletions of collections.

pub(super) mod fields;
pub(super) mod labels;
pub(super) mod shards;
