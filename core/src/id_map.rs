//! A map whose keys are consecutive numbers.

use alloc::vec::Vec;

/// Values by the ids of nodes. For small ids it is faster than a tree, and less code for each type of values.
#[derive(Clone, Debug)]
pub(crate) struct IdMap<T> {
    values: Vec<Option<T>>,
}

impl<T> IdMap<T> {
    pub(crate) const fn new() -> Self {
        Self { values: Vec::new() }
    }

    pub(crate) fn get(&self, id: usize) -> Option<&T> {
        match self.values.get(id) {
            Some(value) => value.as_ref(),
            None => None,
        }
    }

    pub(crate) fn insert(&mut self, id: usize, value: T) {
        while self.values.len() <= id {
            self.values.push(None);
        }
        self.values[id] = Some(value);
    }

    pub(crate) fn remove(&mut self, id: usize) {
        if let Some(value) = self.values.get_mut(id) {
            *value = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::IdMap;

    #[test]
    fn values_by_id() {
        let mut map = IdMap::new();
        map.insert(2, "two");
        map.insert(0, "zero");
        map.insert(2, "again");
        assert_eq!([map.get(0), map.get(1), map.get(2), map.get(3)], [Some(&"zero"), None, Some(&"again"), None]);
        map.remove(0);
        map.remove(9);
        assert_eq!(map.get(0), None);
    }
}
