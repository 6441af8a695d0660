//! Where a part of a finished definition stands, for crdkit's messages and as the server writes it.

use alloc::string::String;
use core::fmt;

/// A step from one schema to one within it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step<'a> {
    /// To a field.
    Property(&'a str),
    /// To the items of a list.
    Items,
    /// To the item of a tuple.
    Item(usize),
    /// To the values of a map.
    Values,
    /// Into a schema of `allOf`.
    AllOf(usize),
    /// Into a schema of `anyOf`.
    AnyOf(usize),
    /// Into a schema of `oneOf`.
    OneOf(usize),
    /// Into `not`.
    Not,
}

/// A step from a value to what is in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ElementStep {
    /// To the items of a list.
    Items,
    /// To the values of a map.
    Values,
}

/// The way from the root of a schema to a node: the last step, behind those of the parent.
#[derive(Clone, Copy, Debug)]
pub struct Path<'p> {
    parent: Option<(&'p Path<'p>, Step<'p>)>,
}

impl<'p> Path<'p> {
    /// The way to the root.
    pub const ROOT: Self = Path { parent: None };

    /// The way one step further.
    pub const fn then(&'p self, step: Step<'p>) -> Self {
        Path { parent: Some((self, step)) }
    }

    /// The last step, and the way before it; none at the root.
    pub const fn last(&self) -> Option<(&'p Self, Step<'p>)> {
        self.parent
    }

    /// As crdkit writes it behind the name of the version: `.spec.disks[].size`, `.labels[*]`.
    pub fn text(&self) -> String {
        let mut text = String::new();
        self.push(&mut text, push_step);
        text
    }

    /// As the server writes it behind `openAPIV3Schema`: `.properties[spec].items`.
    pub fn field(&self) -> String {
        let mut text = String::new();
        self.push(&mut text, push_field);
        text
    }

    fn push(&self, text: &mut String, push: fn(&mut String, Step<'_>) -> fmt::Result) {
        if let Some((parent, step)) = self.parent {
            parent.push(text, push);
            push(text, step).expect("a string takes any text");
        }
    }
}

/// As crdkit writes it.
impl fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text())
    }
}

fn push_step(text: &mut String, step: Step<'_>) -> fmt::Result {
    use fmt::Write as _;
    match step {
        Step::Property(name) => write!(text, ".{name}"),
        Step::Items => text.write_str("[]"),
        Step::Item(at) => write!(text, "[{at}]"),
        Step::Values => text.write_str("[*]"),
        junctor => push_field(text, junctor),
    }
}

fn push_field(text: &mut String, step: Step<'_>) -> fmt::Result {
    use fmt::Write as _;
    match step {
        Step::Property(name) => write!(text, ".properties[{name}]"),
        Step::Items => text.write_str(".items"),
        Step::Item(at) => write!(text, ".items[{at}]"),
        Step::Values => text.write_str(".additionalProperties"),
        Step::AllOf(at) => write!(text, ".allOf[{at}]"),
        Step::AnyOf(at) => write!(text, ".anyOf[{at}]"),
        Step::OneOf(at) => write!(text, ".oneOf[{at}]"),
        Step::Not => text.write_str(".not"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms() {
        let spec = Path::ROOT.then(Step::Property("spec"));
        let items = spec.then(Step::Items);
        let branch = items.then(Step::AnyOf(1));
        assert_eq!(branch.text(), ".spec[].anyOf[1]");
        assert_eq!(branch.field(), ".properties[spec].items.anyOf[1]");
        assert_eq!(Path::ROOT.text(), "");
    }
}
