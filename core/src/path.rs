//! Paths into a schema, in the notations of crdkit's messages and of the server.

use alloc::string::String;
use core::fmt;

use crate::schema::Kind;

/// A step from a schema to a nested one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SchemaStep<'a> {
    /// A property.
    Property(&'a str),
    /// The items of a list.
    Items,
    /// One item of a tuple.
    Item(usize),
    /// The values of a map.
    Values,
    /// A branch of `allOf`.
    AllOf(usize),
    /// A branch of `anyOf`.
    AnyOf(usize),
    /// A branch of `oneOf`.
    OneOf(usize),
    /// The branch of `not`.
    Not,
}

/// A step from a list or a map to its elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ElementStep {
    /// The items of a list.
    Items,
    /// The values of a map.
    Values,
}

impl ElementStep {
    /// Returns the subject and the noun of a sentence about the kind of a value, such as `the value is` and `a string`, or
    /// `the items are` and `strings` for the elements that the step leads to.
    pub const fn describe(step: Option<Self>, kind: Kind) -> [&'static str; 2] {
        match step {
            Some(Self::Items) => ["the items are", kind.plural()],
            Some(Self::Values) => ["the values are", kind.plural()],
            None => ["the value is", kind.noun()],
        }
    }
}

/// The path from the root of a schema to a node: the path of the parent and the last step.
#[derive(Clone, Copy, Debug)]
pub struct Path<'p> {
    parent: Option<(&'p Path<'p>, SchemaStep<'p>)>,
}

impl<'p> Path<'p> {
    /// The path of the root.
    pub const ROOT: Self = Path { parent: None };

    /// Returns the path with one more step.
    pub const fn then(&'p self, step: SchemaStep<'p>) -> Self {
        Path { parent: Some((self, step)) }
    }

    /// Returns the parent's path and the last step; `None` at the root.
    pub const fn last(&self) -> Option<(&'p Self, SchemaStep<'p>)> {
        self.parent
    }

    /// Returns the path as crdkit writes it after the name of the version: `.spec.disks[].size`, `.labels[*]`.
    pub fn text(&self) -> String {
        let mut text = String::new();
        self.push(&mut text, push_step);
        text
    }

    /// Returns the path as the server writes it after `openAPIV3Schema`: `.properties[spec].items`.
    pub fn field(&self) -> String {
        let mut text = String::new();
        self.push(&mut text, push_field);
        text
    }

    fn push(&self, text: &mut String, push: fn(&mut String, SchemaStep<'_>) -> fmt::Result) {
        if let Some((parent, step)) = self.parent {
            parent.push(text, push);
            push(text, step).expect("a string takes any text");
        }
    }
}

/// The path as crdkit writes it.
impl fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text())
    }
}

fn push_step(text: &mut String, step: SchemaStep<'_>) -> fmt::Result {
    use fmt::Write as _;
    match step {
        SchemaStep::Property(name) => write!(text, ".{name}"),
        SchemaStep::Items => text.write_str("[]"),
        SchemaStep::Item(at) => write!(text, "[{at}]"),
        SchemaStep::Values => text.write_str("[*]"),
        junctor => push_field(text, junctor),
    }
}

fn push_field(text: &mut String, step: SchemaStep<'_>) -> fmt::Result {
    use fmt::Write as _;
    match step {
        SchemaStep::Property(name) => write!(text, ".properties[{name}]"),
        SchemaStep::Items => text.write_str(".items"),
        SchemaStep::Item(at) => write!(text, ".items[{at}]"),
        SchemaStep::Values => text.write_str(".additionalProperties"),
        SchemaStep::AllOf(at) => write!(text, ".allOf[{at}]"),
        SchemaStep::AnyOf(at) => write!(text, ".anyOf[{at}]"),
        SchemaStep::OneOf(at) => write!(text, ".oneOf[{at}]"),
        SchemaStep::Not => text.write_str(".not"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms() {
        let spec = Path::ROOT.then(SchemaStep::Property("spec"));
        let items = spec.then(SchemaStep::Items);
        let branch = items.then(SchemaStep::AnyOf(1));
        assert_eq!(branch.text(), ".spec[].anyOf[1]");
        assert_eq!(branch.field(), ".properties[spec].items.anyOf[1]");
        assert_eq!(Path::ROOT.text(), "");
    }
}
