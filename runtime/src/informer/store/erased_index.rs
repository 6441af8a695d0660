//! Type-erased indexes.

use std::{
    any::Any,
    borrow::Borrow,
    hash::Hash,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
};

use super::{
    AnyIndex,
    index::AnyRow,
    postings::{Hashes, Postings},
    radix::Radix,
    slot_set::SlotSet,
};

/// The contents of an index, with its value type erased.
pub(super) trait ErasedIndex: Any + Send + Sync {
    /// Clones the index, to be modified separately.
    fn clone_arc(&self) -> Arc<dyn ErasedIndex>;
    /// Sets the values of the object in a slot.
    fn update(&mut self, slot: u32, row: AnyRow);
    /// Disables the index, because it may be inconsistent.
    fn disable(&mut self);
    /// Whether it contains all objects.
    fn is_complete(&self) -> bool;
    /// Marks it as complete.
    fn set_complete(&mut self);
    fn id(&self) -> usize;
}

/// Updates an index. If this panics, the index is disabled.
pub(super) fn update(index: &mut Arc<dyn ErasedIndex>, slot: u32, row: AnyRow) {
    change(index, |index| {
        // Comparing values is user code.
        if catch_unwind(AssertUnwindSafe(|| index.update(slot, row))).is_err() {
            index.disable();
        }
    });
}

/// Modifies an index, after cloning it if it is shared.
pub(super) fn change(index: &mut Arc<dyn ErasedIndex>, change: impl FnOnce(&mut dyn ErasedIndex)) {
    if Arc::get_mut(index).is_none() {
        *index = index.clone_arc();
    }
    change(Arc::get_mut(index).expect("the index is not shared"));
}

/// Whether the index is being filled.
pub(super) fn is_filling(all: &[Arc<dyn ErasedIndex>], index: usize) -> bool {
    let mut all = all.iter();
    all.any(|erased| erased.id() == index && !erased.is_complete())
}

/// Returns the contents of the index, if it is complete and not disabled.
pub(super) fn find<V: Eq + Hash + Send + Sync + 'static>(
    all: &[Arc<dyn ErasedIndex>],
    index: usize,
) -> Option<&TypedIndex<V>> {
    let erased = all.iter().find(|erased| erased.id() == index)?;
    let erased: &dyn Any = &**erased;
    erased.downcast_ref().filter(|erased: &&TypedIndex<V>| erased.complete && !erased.disabled)
}

pub(super) struct TypedIndex<V> {
    index: AnyIndex,
    values: Postings<Arc<Hashed<V>>>,
    rows: Radix<Row<V>>,
    complete: bool,
    disabled: bool,
}

impl<V> TypedIndex<V> {
    pub(super) fn new(index: AnyIndex) -> Self {
        Self { index, values: Postings::new(), rows: Radix::new(), complete: false, disabled: false }
    }

    pub(super) fn get<Q: Eq + Hash + ?Sized>(&self, hashes: &Hashes, value: &Q) -> Option<&SlotSet>
    where
        V: Borrow<Q>,
    {
        let eq = |other: &Arc<Hashed<V>>| other.value.borrow() == value;
        self.values.get(hashes.of(value), eq)
    }
}

impl<V: Eq + Hash + Send + Sync + 'static> ErasedIndex for TypedIndex<V> {
    fn clone_arc(&self) -> Arc<dyn ErasedIndex> {
        Arc::new(Self {
            index: self.index.clone(),
            values: self.values.clone(),
            rows: self.rows.clone(),
            complete: self.complete,
            disabled: self.disabled,
        })
    }

    fn update(&mut self, slot: u32, row: AnyRow) {
        let new_row = row.and_then(|row| row.downcast::<Row<V>>().ok());
        let new = new_row.as_deref().map_or(&[][..], Row::values);
        let old_row = self.rows.get(slot).cloned();
        let old = old_row.as_ref().map_or(&[][..], Row::values);
        if self.disabled || old == new {
            return;
        }
        let (values, is_in) = (&mut self.values, Hashed::is_in);
        for removed in old.iter().filter(|value| !is_in(value, new)) {
            values.remove(removed.hash, slot, |other| other == removed);
        }
        // Equal values are stored once.
        let erased = new.iter().map(|value| values.add(value.hash, slot, |other| other == value, || value.clone()));
        match Row::new(erased.collect()) {
            Some(row) => drop(self.rows.insert(slot, row)),
            None => drop(self.rows.remove(slot)),
        }
    }

    fn disable(&mut self) {
        self.disabled = true;
        self.values = Postings::new();
        self.rows = Radix::new();
        tracing::error!(
            index = self.index.name(),
            "comparing values of the index panicked: the index is disabled, and lookups search all objects instead"
        );
    }

    fn is_complete(&self) -> bool {
        self.complete
    }

    fn set_complete(&mut self) {
        self.complete = true;
    }

    fn id(&self) -> usize {
        self.index.id()
    }
}

/// A value, with its hash.
#[derive(PartialEq, Eq)]
pub(super) struct Hashed<V> {
    hash: u32,
    value: V,
}

impl<V: Eq + Hash> Hashed<V> {
    pub(super) fn new(hashes: &Hashes, value: V) -> Arc<Self> {
        let hash = hashes.of(&value);
        Arc::new(Self { hash, value })
    }

    /// Whether the value is among others, which are sorted by hash.
    fn is_in(self: &Arc<Self>, others: &[Arc<Self>]) -> bool {
        let start = others.partition_point(|other| other.hash < self.hash);
        let same_hash = others[start..].iter().take_while(|other| other.hash == self.hash);
        same_hash.into_iter().any(|other| other == self)
    }
}

/// The values of an object, at least one, sorted by hash.
pub(super) enum Row<V> {
    One(Arc<Hashed<V>>),
    Bitmap(Arc<Vec<Arc<Hashed<V>>>>),
}

impl<V> Row<V> {
    pub(super) fn new(mut values: Vec<Arc<Hashed<V>>>) -> Option<Self> {
        match values.len() {
            0 | 1 => values.pop().map(Self::One),
            _ => {
                values.sort_by_key(|value| value.hash);
                Some(Self::Bitmap(Arc::new(values)))
            }
        }
    }

    fn values(&self) -> &[Arc<Hashed<V>>] {
        match self {
            Self::One(value) => std::slice::from_ref(value),
            Self::Bitmap(values) => values,
        }
    }
}

impl<V> Clone for Row<V> {
    fn clone(&self) -> Self {
        match self {
            Self::One(value) => Self::One(value.clone()),
            Self::Bitmap(values) => Self::Bitmap(values.clone()),
        }
    }
}
