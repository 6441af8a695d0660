//! Why a key is reconciled.

use std::sync::Arc;

use super::ready::Priority;

/// What added a key to a queue.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum Trigger {
    /// The program added it.
    #[default]
    Added,
    /// The initial list contains the object, or one that it owns or depends on.
    FirstList,
    /// A resync repeated the object, or one that it owns or depends on.
    Resync,
    /// The object changed.
    Change,
    /// An object of this resource changed that it owns.
    Owned(Arc<str>),
    /// An object of this resource changed that it depends on.
    Watched(Arc<str>),
    /// The last reconciliation requested another one.
    Requeue,
    /// The last reconciliation failed.
    Retry,
}

/// One reconciliation of a key.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Attempt {
    pub(crate) trigger: Trigger,
    pub(crate) priority: Priority,
    /// 1 for the first attempt since the last success.
    pub(crate) number: u32,
}
