//! The variables of comprehensions.

use alloc::{borrow::ToOwned, string::String};

use super::{
    Estimator, ValuePath,
    size::{Entries, Size},
};
use crate::cel::{ast::Expr, types::Type};

/// A variable of a comprehension.
pub(super) struct Local {
    pub(super) name: String,
    pub(super) path: ValuePath,
    pub(super) size: Option<Size>,
    pub(super) entries: Option<Entries>,
}

impl Estimator<'_> {
    pub(super) fn local(&self, name: &str) -> Option<&Local> {
        self.locals.iter().rev().find(|local| local.name == name)
    }

    pub(super) fn push_value(&mut self, name: &str, value: &Expr) {
        let local = Local {
            name: name.to_owned(),
            path: self.path(value),
            entries: self.entries_of(value),
            size: self.size(value),
        };
        self.locals.push(local);
    }

    pub(super) fn is_list(&self, range: &Expr, entries: Option<Entries>) -> bool {
        match entries {
            Some(entries) => entries.is_list,
            None => matches!(self.type_of(range), Type::List(_)),
        }
    }

    pub(super) fn push_single(&mut self, name: &str, range: &Expr) {
        if self.is_list(range, self.entries_of(range)) {
            self.push_element(name, range);
        } else {
            self.push_key(name, range, true);
        }
    }

    pub(super) fn push_key(&mut self, name: &str, range: &Expr, is_single: bool) {
        let entries = self.entries_of(range);
        let is_index = !is_single && self.is_list(range, entries);
        let part = if is_index { "@indices" } else { "@keys" };
        self.push_part(name, range, part, entries.map(|it| it.key));
    }

    pub(super) fn push_element(&mut self, name: &str, range: &Expr) {
        let entries = self.entries_of(range);
        let part = if self.is_list(range, entries) { "@items" } else { "@values" };
        self.push_part(name, range, part, entries.map(|it| it.value));
    }

    pub(super) fn push_part(&mut self, name: &str, range: &Expr, part: &str, size: Option<Size>) {
        let mut path = self.path(range);
        path.push(part.to_owned());
        self.locals.push(Local { name: name.to_owned(), path, size, entries: None });
    }
}
