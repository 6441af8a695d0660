//! The way from a value to a part of it.

use alloc::{format, string::String};

/// A step from a value to one within it.
#[derive(Clone, Copy, Debug)]
pub(super) enum Step<'a> {
    /// To a field.
    Field(&'a str),
    /// To an entry of a map, which the checks of schemas write with a dot, and others in brackets.
    Entry(&'a str),
    /// To an item.
    Item(usize),
}

/// The way from the whole value: the last step, behind those before it.
#[derive(Clone, Copy, Debug)]
pub(super) struct ValuePath<'w> {
    parent: Option<(&'w ValuePath<'w>, Step<'w>)>,
}

impl<'w> ValuePath<'w> {
    pub(super) const ROOT: Self = ValuePath { parent: None };

    pub(super) const fn then(&'w self, step: Step<'w>) -> Self {
        ValuePath { parent: Some((self, step)) }
    }

    /// As the checks of schemas write it: `spec.disks[0].a`. An entry of a map at the root has a dot before it.
    pub(super) fn name(&self) -> String {
        let Some((parent, step)) = self.parent else {
            return String::new();
        };
        let before = parent.name();
        match step {
            Step::Field(name) if before.is_empty() => name.into(),
            Step::Field(name) | Step::Entry(name) => format!("{before}.{name}"),
            Step::Item(at) => format!("{before}[{at}]"),
        }
    }

    /// As it stands behind another path: `.spec.disks[0][a]`.
    pub(super) fn place(&self) -> String {
        let Some((parent, step)) = self.parent else {
            return String::new();
        };
        let before = parent.place();
        match step {
            Step::Field(name) => format!("{before}.{name}"),
            Step::Entry(name) => format!("{before}[{name}]"),
            Step::Item(at) => format!("{before}[{at}]"),
        }
    }
}
