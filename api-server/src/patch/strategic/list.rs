//! Lists of strategic merge patches: their keys and their order.

use serde_json::Value;

use super::{DIRECTIVE, MergeError, SET_ORDER, Schema};

/// What a list has as items.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Maps,
    Scalars,
}

/// How the items of a list are identified and merged.
pub(super) struct List<'a> {
    pub(super) key: Option<&'a str>,
    pub(super) items: Schema,
}

impl Kind {
    /// Returns what lists have as items; `None` if they are empty.
    pub(super) fn of(lists: [&[Value]; 2]) -> Result<Option<Self>, MergeError> {
        let mut kind = None;
        for item in lists.into_iter().flatten() {
            let next = match item {
                Value::Object(_) => Self::Maps,
                Value::Array(_) => return Err(MergeError::Merge("lists of lists are not supported".to_owned())),
                _ => Self::Scalars,
            };
            if kind.is_some_and(|kind| kind != next) {
                let lists = lists.map(|list| Value::from(list.to_vec()).to_string()).join(" ");
                return Err(MergeError::Merge(format!("list element types are not identical: [{lists}]")));
            }
            kind = Some(next);
        }
        Ok(kind)
    }
}

impl List<'_> {
    pub(super) const fn scalars() -> Self {
        Self { key: None, items: None }
    }

    /// Returns the key of an item, or the item itself if it is a scalar.
    pub(super) fn key_of<'v>(&self, item: &'v Value) -> Result<&'v Value, MergeError> {
        match self.key {
            Some(key) => item.get(key).ok_or_else(|| self.no_key(item)),
            None => Ok(item),
        }
    }

    pub(super) fn no_key(&self, item: &Value) -> MergeError {
        let key = self.key.unwrap_or_default();
        MergeError::Merge(format!("map: {item} does not contain declared merge key: {key}"))
    }

    pub(super) fn is_same(&self, left: &Value, right: &Value) -> bool {
        self.key_of(left).is_ok_and(|left| self.key_of(right).is_ok_and(|right| left == right))
    }

    /// Orders a merged list: the items of `patch` by `order`, and between them those of the server by the old list.
    pub(super) fn order(
        &self,
        merged: Vec<Value>,
        patch: &[Value],
        order: &[Value],
        old: &[Value],
    ) -> Result<Vec<Value>, MergeError> {
        for item in merged.iter().chain(patch).chain(old) {
            self.key_of(item)?;
        }
        let position = |list: &[Value], item: &Value| list.iter().position(|other| self.is_same(other, item));
        let is_in_patch = |item: &Value| patch.iter().any(|other| self.is_same(other, item));
        let (mut patched, mut others): (Vec<_>, Vec<_>) = merged.into_iter().partition(is_in_patch);
        patched.sort_by_cached_key(|item| position(order, item));
        others.sort_by_cached_key(|item| position(old, item));
        let mut result = Vec::with_capacity(patched.len() + others.len());
        let (mut patched, mut others) = (patched.into_iter().peekable(), others.into_iter().peekable());
        while let (Some(other), Some(item)) = (others.peek(), patched.peek()) {
            // An item that is new comes before the remaining ones of the server.
            let is_before = position(old, item).is_some_and(|at| position(old, other).is_some_and(|other| other < at));
            result.extend(if is_before { others.next() } else { patched.next() });
        }
        result.extend(others.chain(patched));
        Ok(result)
    }

    /// The items of a patch must be in the order that the patch sets.
    pub(super) fn check_order(&self, patch: &[Value], order: &[Value]) -> Result<(), MergeError> {
        let mut rest = order.iter();
        let mut items = patch.iter().filter(|item| item.get(DIRECTIVE).is_none());
        let is_ordered = order.is_empty() || items.all(|item| rest.any(|other| self.is_same(item, other)));
        if is_ordered {
            return Ok(());
        }
        let [patch, order] = [patch, order].map(|list| Value::from(list.to_vec()));
        let message = format!("The order in patch list:\n{patch}\n doesn't match {SET_ORDER} list:\n{order}\n\n");
        Err(MergeError::Merge(message))
    }
}
