//! The stack of nodes.

use core::mem::{swap, take};

use super::{
    Assertion, ErrorKind,
    class::Class,
    node::{Flags, Id, Node, Op},
    parser::{ParseResult, Parser, error},
};
use crate::go::unicode::{MAX, simple_fold};

impl<'p> Parser<'p> {
    /// Returns a freed or a new node.
    pub(super) fn node(&mut self, op: Op) -> Id {
        let node = Node::new(op, Flags::default());
        match self.free.pop() {
            Some(id) => {
                self.nodes[id] = node;
                id
            }
            None => {
                self.nodes.push(node);
                self.nodes.len() - 1
            }
        }
    }

    /// Frees a node.
    pub(super) fn reuse(&mut self, id: Id) {
        self.limits.forget(id);
        self.free.push(id);
    }

    pub(super) fn operand(&mut self, op: Op) -> ParseResult<'p, ()> {
        let id = self.node(op);
        self.nodes[id].flags = self.flags;
        self.push(id)
    }

    pub(super) fn assertion(&mut self, assertion: Assertion) -> ParseResult<'p, ()> {
        self.operand(Op::Assertion(assertion))
    }

    pub(super) fn open(&mut self, captures: bool) -> ParseResult<'p, ()> {
        let id = self.node(Op::LeftParen);
        self.nodes[id].flags = self.flags;
        self.nodes[id].captures = captures;
        self.push(id)
    }

    pub(super) fn literal(&mut self, code: u32) -> ParseResult<'p, ()> {
        let id = self.node(Op::Literal);
        let code = if self.flags.has(Flags::FOLD_CASE) { least_fold(code) } else { code };
        self.nodes[id].flags = self.flags;
        self.nodes[id].codes.push(code);
        self.push(id)
    }

    pub(super) fn push(&mut self, id: Id) -> ParseResult<'p, ()> {
        let node = &mut self.nodes[id];
        self.limits.codes += node.codes.len() + 2 * node.class.0.len();
        let single = match node.op {
            Op::Class => single(&node.class),
            _ => None,
        };
        if let Some((code, any_case)) = single {
            let plain = self.flags.without(Flags::FOLD_CASE);
            let flags = if any_case { plain | Flags::FOLD_CASE } else { plain };
            (node.op, node.flags) = (Op::Literal, flags);
            node.class = Class::default();
            node.codes.push(code);
            if self.join_literals(Some((code, flags))) {
                return Ok(());
            }
        } else {
            self.join_literals(None);
        }
        self.stack.push(id);
        self.check_limits(id)
    }

    /// Joins the two literals on top of the stack, and reuses the upper one for the next literal, if any. Returns whether it was
    /// reused.
    fn join_literals(&mut self, next: Option<(u32, Flags)>) -> bool {
        let [.., lower, upper] = self.stack[..] else {
            return false;
        };
        let case = |id: Id| self.nodes[id].flags.has(Flags::FOLD_CASE);
        let is_literal = |id: Id| self.nodes[id].op == Op::Literal;
        if !is_literal(lower) || !is_literal(upper) || case(lower) != case(upper) {
            return false;
        }
        let codes = take(&mut self.nodes[upper].codes);
        self.nodes[lower].codes.extend(codes);
        if let Some((code, flags)) = next {
            self.nodes[upper].codes.push(code);
            self.nodes[upper].flags = flags;
            return true;
        }
        self.stack.pop();
        self.reuse(upper);
        false
    }

    /// Concatenates the nodes above the topmost `|` or `(`.
    fn concat(&mut self) -> ParseResult<'p, ()> {
        self.join_literals(None);
        let id = match self.take_operands() {
            operands if operands.is_empty() => self.node(Op::Empty),
            operands => self.collapse(operands, Op::Concat)?,
        };
        self.push(id)
    }

    /// Combines the alternatives above the topmost `(`.
    fn alternate(&mut self) -> ParseResult<'p, ()> {
        let operands = self.take_operands();
        if let Some(last) = operands.last() {
            self.clean(*last);
        }
        let id = if operands.is_empty() { self.node(Op::NoMatch) } else { self.collapse(operands, Op::Alternate)? };
        self.push(id)
    }

    fn take_operands(&mut self) -> alloc::vec::Vec<Id> {
        let is_not_operand = |id: &Id| !self.nodes[*id].op.is_operand();
        let from = self.stack.iter().rposition(is_not_operand);
        self.stack.split_off(from.map_or(0, |at| at + 1))
    }

    /// Finishes the alternatives of a group or of the expression.
    pub(super) fn alternation(&mut self) -> ParseResult<'p, ()> {
        self.concat()?;
        if self.swap_vertical_bar() {
            self.stack.pop();
        }
        self.alternate()
    }

    pub(super) fn vertical_bar(&mut self) -> ParseResult<'p, ()> {
        self.concat()?;
        if self.swap_vertical_bar() { Ok(()) } else { self.operand(Op::VerticalBar) }
    }

    /// Moves the node above a `|` below it. Returns whether there is a `|`.
    fn swap_vertical_bar(&mut self) -> bool {
        let [.., bar, upper] = self.stack[..] else {
            return false;
        };
        if self.nodes[bar].op != Op::VerticalBar {
            return false;
        }
        let below = self.stack.len().checked_sub(3);
        if let Some(at) = below {
            let lower = self.stack[at];
            if self.nodes[upper].is_character() && self.nodes[lower].is_character() {
                let (mut small, mut large) = (upper, lower);
                if self.nodes[small].op > self.nodes[large].op {
                    swap(&mut small, &mut large);
                }
                self.stack[at] = large;
                self.merge(large, small);
                self.reuse(small);
                self.stack.pop();
                return true;
            }
            self.clean(lower);
        }
        let top = self.stack.len() - 1;
        self.stack.swap(top, top - 1);
        true
    }

    pub(super) fn close(&mut self) -> ParseResult<'p, ()> {
        self.alternation()?;
        let unexpected = error(ErrorKind::UnexpectedParen, self.pattern);
        let [.., paren, inner] = self.stack[..] else {
            return Err(unexpected);
        };
        if self.nodes[paren].op != Op::LeftParen {
            return Err(unexpected);
        }
        self.stack.truncate(self.stack.len() - 2);
        self.flags = self.nodes[paren].flags;
        if !self.nodes[paren].captures {
            return self.push(inner);
        }
        self.nodes[paren].op = Op::Capture;
        self.nodes[paren].sub.push(inner);
        self.push(paren)
    }

    /// Simplifies a class.
    pub(super) fn clean(&mut self, id: Id) {
        const NEWLINE: u32 = '\n' as u32;
        let node = &mut self.nodes[id];
        if node.op != Op::Class {
            return;
        }
        node.class.clean();
        match node.class.0[..] {
            [(0, MAX)] => node.op = Op::Any,
            [(0, lo), (hi, MAX)] if lo + 1 == NEWLINE && hi - 1 == NEWLINE => {
                node.op = Op::NotNewline;
            }
            _ => return,
        }
        node.class = Class::default();
    }

    /// Adds the characters of one node to those of another node, which is not simpler.
    pub(super) fn merge(&mut self, into: Id, from: Id) {
        let from = self.nodes[from].clone();
        let into = &mut self.nodes[into];
        match into.op {
            Op::NotNewline if from.matches(u32::from('\n')) => into.op = Op::Any,
            Op::Class if from.op == Op::Literal => {
                into.class.add_literal(from.codes[0], from.flags);
            }
            Op::Class => into.class.add_all(&from.class.0),
            Op::Literal if into.codes != from.codes || into.flags != from.flags => {
                into.op = Op::Class;
                let codes = take(&mut into.codes);
                into.class.add_literal(codes[0], into.flags);
                into.class.add_literal(from.codes[0], from.flags);
            }
            _ => {}
        }
    }
}

/// Returns the only character of a class, and whether case is ignored.
fn single(class: &Class) -> Option<(u32, bool)> {
    let are_a_pair = |a, b| simple_fold(a) == b && simple_fold(b) == a;
    match class.0[..] {
        [(lo, hi)] if lo == hi => Some((lo, false)),
        [(a, b)] if a + 1 == b && are_a_pair(a, b) => Some((a, true)),
        [(a, also_a), (b, also_b)] if a == also_a && b == also_b && are_a_pair(a, b) => Some((a, true)),
        _ => None,
    }
}

fn least_fold(code: u32) -> u32 {
    let mut least = code;
    let mut other = simple_fold(code);
    while other != code {
        least = least.min(other);
        other = simple_fold(other);
    }
    least
}
