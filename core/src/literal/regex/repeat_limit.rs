//! Repetitions.

use super::{
    ErrorKind,
    node::{Flags, Id, Op},
    parser::{ParseResult, Parser, before, error},
};

/// The limit for the product of nested repetitions.
const MOST: i32 = 1000;

impl<'p> Parser<'p> {
    /// Repeats the last node. `text` starts with the repetition, and `after` follows its operator.
    pub(super) fn repeat(
        &mut self,
        op: Op,
        (min, max): (i32, i32),
        text: &'p str,
        mut after: &'p str,
        last_repeat: Option<&'p str>,
    ) -> ParseResult<'p, &'p str> {
        let mut flags = self.flags;
        if let Some(rest) = after.strip_prefix('?') {
            after = rest;
            flags = flags.toggled(Flags::NON_GREEDY);
        }
        if let Some(last) = last_repeat {
            return Err(error(ErrorKind::InvalidRepeatOp, before(last, after)));
        }
        let operand = self.stack.last().copied();
        let Some(sub) = operand.filter(|id| self.nodes[*id].op.is_operand()) else {
            return Err(error(ErrorKind::MissingRepeatArgument, before(text, after)));
        };
        let id = self.node(op);
        let node = &mut self.nodes[id];
        (node.min, node.max, node.flags) = (min, max, flags);
        node.sub.push(sub);
        self.stack.pop();
        self.stack.push(id);
        self.check_limits(id)?;
        if op == Op::Repeat && (min >= 2 || max >= 2) && !self.is_repeatable(id, MOST) {
            return Err(error(ErrorKind::InvalidRepeatSize, before(text, after)));
        }
        Ok(after)
    }

    /// Whether the product of nested repetitions is at most `most`.
    fn is_repeatable(&self, id: Id, mut most: i32) -> bool {
        let node = &self.nodes[id];
        if node.op == Op::Repeat {
            let times = if node.max < 0 { node.min } else { node.max };
            if node.max == 0 {
                return true;
            }
            if times > most {
                return false;
            }
            if times > 0 {
                most /= times;
            }
        }
        node.sub.iter().all(|sub| self.is_repeatable(*sub, most))
    }
}
