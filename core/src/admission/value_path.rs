//! Paths into a value.

use alloc::{format, string::String};

/// A step from a value to a nested one.
#[derive(Clone, Copy, Debug)]
pub(super) enum Step<'a> {
    /// A field.
    Field(&'a str),
    /// An entry of a map. Schema validation writes it with a dot, other checks write it in brackets.
    Entry(&'a str),
    /// An item of a list.
    Item(usize),
}

/// A path from the root value: the path of the parent and the last step.
#[derive(Clone, Copy, Debug)]
pub(super) struct ValuePath<'w> {
    parent: Option<(&'w ValuePath<'w>, Step<'w>)>,
}

impl<'w> ValuePath<'w> {
    pub(super) const ROOT: Self = ValuePath { parent: None };

    pub(super) const fn then(&'w self, step: Step<'w>) -> Self {
        ValuePath { parent: Some((self, step)) }
    }

    /// Returns the path as schema validation writes it: `spec.disks[0].a`. A map entry at the root starts with a dot.
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

    /// Returns the path to append to another one: `.spec.disks[0][a]`.
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
