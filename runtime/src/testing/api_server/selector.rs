//! Selectors of lists, watches and deletions of collections.
//!
//! The parameter `shardSelector` has no effect, as in a server whose feature gate `ShardedListAndWatch` is off, which is the
//! default.

pub(super) mod fields;
pub(super) mod labels;
