//! Paths into a value.

use alloc::{format, string::String};

/// A step from a value to a nested one.
#[derive(Clone, Copy, Debug)]
pub(super) enum ValueStep<'a> {
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
    parent: Option<(&'w ValuePath<'w>, ValueStep<'w>)>,
}

impl<'w> ValuePath<'w> {
    pub(super) const ROOT: Self = ValuePath { parent: None };

    pub(super) const fn then(&'w self, step: ValueStep<'w>) -> Self {
        ValuePath { parent: Some((self, step)) }
    }

    /// Returns the path as schema validation writes it: `spec.disks[0].a`. A map entry at the root starts with a dot.
    pub(super) fn name(&self) -> String {
        let Some((parent, step)) = self.parent else {
            return String::new();
        };
        let before = parent.name();
        match step {
            ValueStep::Field(name) if before.is_empty() => name.into(),
            ValueStep::Field(name) | ValueStep::Entry(name) => format!("{before}.{name}"),
            ValueStep::Item(at) => format!("{before}[{at}]"),
        }
    }

    /// Returns the path to append to another one: `.spec.disks[0][a]`.
    pub(super) fn place(&self) -> String {
        let Some((parent, step)) = self.parent else {
            return String::new();
        };
        let before = parent.place();
        match step {
            ValueStep::Field(name) => format!("{before}.{name}"),
            ValueStep::Entry(name) => format!("{before}[{name}]"),
            ValueStep::Item(at) => format!("{before}[{at}]"),
        }
    }
}
