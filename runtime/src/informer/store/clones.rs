//! Clones pointers to objects that are far from each other in memory.

use std::{hint::black_box, sync::Arc};

/// So many counts are fetched side by side.
pub(super) const AT_ONCE: usize = 32;

/// Has the processor fetch the count of a pointer that is about to be cloned, while it does something else.
pub(super) fn fetch_count<K>(object: &Arc<K>) {
    black_box(Arc::strong_count(object));
}

/// Appends clones of the pointers.
///
/// A processor fetches the counts that are only read side by side, but waits for each that is raised. So they are read
/// before they are raised.
pub(super) fn clone_into<'a, K: 'a>(
    list: &mut Vec<Arc<K>>,
    objects: impl Iterator<Item = &'a Arc<K>>,
) {
    let mut some = Vec::with_capacity(AT_ONCE);
    let mut clone_some = |some: &mut Vec<&Arc<K>>| {
        some.iter().for_each(|object| fetch_count(object));
        list.extend(some.drain(..).cloned());
    };
    objects.for_each(|object| {
        some.push(object);
        if some.len() == AT_ONCE {
            clone_some(&mut some);
        }
    });
    clone_some(&mut some);
}
