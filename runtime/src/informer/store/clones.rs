//! Clones pointers to objects that are scattered in memory.

use std::{hint::black_box, sync::Arc};

/// Reference counts that are prefetched together.
pub(super) const PREFETCHED: usize = 32;

/// Prefetches the reference count of a pointer before it is cloned.
pub(super) fn fetch_count<K>(object: &Arc<K>) {
    black_box(Arc::strong_count(object));
}

/// Appends clones of the pointers.
///
/// A processor loads several counts in parallel if they are only read, but waits for each count that is incremented.
/// The counts are therefore read before they are incremented.
pub(super) fn clone_into<'a, K: 'a>(list: &mut Vec<Arc<K>>, objects: impl Iterator<Item = &'a Arc<K>>) {
    let mut some = Vec::with_capacity(PREFETCHED);
    let mut clone_some = |some: &mut Vec<&Arc<K>>| {
        some.iter().for_each(|object| fetch_count(object));
        list.extend(some.drain(..).cloned());
    };
    objects.for_each(|object| {
        some.push(object);
        if some.len() == PREFETCHED {
            clone_some(&mut some);
        }
    });
    clone_some(&mut some);
}
