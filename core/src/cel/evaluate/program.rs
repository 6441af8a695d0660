//! Compiled expressions: what cel-go's planner makes of a checked expression.

use alloc::{boxed::Box, collections::BTreeSet, string::String, sync::Arc, vec::Vec};

use super::{cost::CallCost, functions::Function, json::FieldName, key::Key, value::Value};
use crate::literal::regex::Matcher;

/// A step of a program.
#[derive(Debug)]
pub(super) enum Node {
    Constant(Value<'static>),
    Attribute(Attribute),
    /// A test for the presence of the last selection.
    Presence(Attribute),
    And(Vec<Self>),
    Or(Vec<Self>),
    Equal(Box<[Self; 2]>, EqualityKind),
    Call(Box<Call>),
    /// `@not_strictly_false`, for which an error is true.
    NotStrictlyFalse(Box<Self>),
    /// `or` of an optional value, or `orValue`.
    OrElse(Box<OrElse>),
    /// `in` of a constant list.
    InSet(Box<Self>, BTreeSet<Key<'static>>),
    List(Vec<Item>),
    Map(Vec<MapEntry>),
    Message(Box<MessageInit>),
    Fold(Box<Fold>),
}

/// `==` or `!=`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EqualityKind {
    Equal,
    NotEqual,
}

/// A variable or another value, with the fields and elements that are selected from it.
///
/// cel-go evaluates an attribute as one step: it costs one, and each selection costs one.
#[derive(Debug)]
pub(super) struct Attribute {
    pub(super) base: Base,
    pub(super) selections: Vec<Arc<Selection>>,
}

#[derive(Debug)]
pub(super) enum Base {
    /// A variable of the environment, by its index.
    Global(usize),
    /// A variable of a loop, by its slot.
    Local(usize),
    Value(Box<Node>),
    /// `condition ? then : otherwise`, whose step costs nothing. Selections are those of both branches.
    Conditional(Box<Node>, Box<[Attribute; 2]>),
}

/// The selection of a field, an element or an entry.
#[derive(Debug)]
pub(super) struct Selection {
    pub(super) selector: Selector,
    pub(super) is_optional: bool,
}

#[derive(Debug)]
pub(super) enum Selector {
    Field(FieldName<'static>),
    Constant(Value<'static>),
    /// An index that is a variable or a value, which is part of the step.
    Attribute(Attribute),
}

#[derive(Debug)]
pub(super) struct Call {
    pub(super) name: String,
    /// Empty if there are several.
    pub(super) overload: &'static str,
    pub(super) function: Function,
    pub(super) cost: CallCost,
    /// The arguments, the first of which is the target of a method.
    pub(super) args: Vec<Node>,
    /// The slot of the accumulator that is the first argument, which the result replaces.
    pub(super) accumulator: Option<usize>,
    /// Whether the server has a step of any number of arguments for the call, which ends at the first error.
    pub(super) has_any_arguments: bool,
    /// The regular expression, if it is constant.
    pub(super) matcher: Option<Matcher>,
}

#[derive(Debug)]
pub(super) struct OrElse {
    pub(super) optional: Node,
    pub(super) otherwise: Node,
    /// Whether the result is the value in the optional.
    pub(super) unwraps: bool,
}

/// An item of a list.
#[derive(Debug)]
pub(super) struct Item {
    pub(super) value: Node,
    pub(super) is_optional: bool,
}

#[derive(Debug)]
pub(super) struct MapEntry {
    pub(super) key: Node,
    pub(super) value: Node,
    pub(super) is_optional: bool,
}

#[derive(Debug)]
pub(super) struct MessageInit {
    pub(super) name: String,
    pub(super) fields: Vec<(String, Item)>,
}

/// A loop. Its variables have slots of their own.
#[derive(Debug)]
pub(super) struct Fold {
    pub(super) range: Node,
    pub(super) accumulator: usize,
    pub(super) variable: usize,
    pub(super) variable2: Option<usize>,
    /// Evaluated when the accumulator is first used.
    pub(super) init: Node,
    pub(super) condition: Node,
    pub(super) step: Node,
    pub(super) result: Node,
}
