//! Clones pointers to objects that are scattered in memory.

use std::{hint::black_box, sync::Arc};

use crate::informer::stored_object::Stored;

/// Reference counts that are prefetched together.
pub(super) const PREFETCHED: usize = 32;

/// Prefetches the reference count of a pointer before it is cloned.
pub(super) fn fetch_count(object: &Arc<Stored>) {
    black_box(Arc::strong_count(object));
}

/// Passes pointers on that are cloned next, in batches.
///
/// A processor loads several counts in parallel if they are only read, but waits for each count that is incremented.
/// The counts are therefore read before they are incremented.
pub(super) fn in_batches<'a>(
    objects: impl Iterator<Item = &'a Arc<Stored>>,
    mut use_batch: impl FnMut(&[&'a Arc<Stored>]),
) {
    let mut some = Vec::with_capacity(PREFETCHED);
    let mut use_some = |some: &mut Vec<&'a Arc<Stored>>| {
        some.iter().for_each(|object| fetch_count(object));
        use_batch(some);
        some.clear();
    };
    objects.for_each(|object| {
        some.push(object);
        if some.len() == PREFETCHED {
            use_some(&mut some);
        }
    });
    use_some(&mut some);
}
