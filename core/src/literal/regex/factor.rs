//! Factors common prefixes out of alternatives, as Go does. The depth of the tree depends on it.

use alloc::{vec, vec::Vec};
use core::mem::take;

use super::{
    node::{Flags, Id, Node, Op},
    parser::{ParseResult, Parser},
};

/// The common prefix of a run of alternatives: code points, and whether case is ignored.
type Start = (Vec<u32>, bool);

impl<'p> Parser<'p> {
    /// Combines nodes into one, and flattens nested nodes of the same kind.
    pub(super) fn collapse(&mut self, operands: Vec<Id>, op: Op) -> ParseResult<'p, Id> {
        if let [only] = operands[..] {
            return Ok(only);
        }
        let id = self.node(op);
        let mut sub = Vec::with_capacity(operands.len());
        for operand in operands {
            if self.nodes[operand].op == op {
                sub.append(&mut self.nodes[operand].sub);
                self.reuse(operand);
            } else {
                sub.push(operand);
            }
        }
        if op == Op::Alternate {
            sub = self.factor(sub)?;
            if let [only] = sub[..] {
                self.reuse(id);
                return Ok(only);
            }
        }
        self.nodes[id].sub = sub;
        Ok(id)
    }

    fn factor(&mut self, sub: Vec<Id>) -> ParseResult<'p, Vec<Id>> {
        if sub.len() < 2 {
            return Ok(sub);
        }
        let sub = self.factor_text(sub)?;
        let sub = self.factor_character(sub)?;
        let mut sub = self.join_characters(sub);
        sub.dedup_by(|next, last| self.nodes[*last].op == Op::Empty && self.nodes[*next].op == Op::Empty);
        Ok(sub)
    }

    /// `abc|abd` becomes `ab(?:c|d)`.
    fn factor_text(&mut self, sub: Vec<Id>) -> ParseResult<'p, Vec<Id>> {
        let mut out = Vec::new();
        let mut run: Vec<Id> = Vec::new();
        let mut common: Start = (Vec::new(), false);
        for id in sub {
            let start = self.leading_text(id);
            let same = common_length(&common, &start);
            if same > 0 {
                common.0.truncate(same);
            } else {
                let done = take(&mut run);
                out.extend(self.text_factored(done, take(&mut common))?);
                common = start;
            }
            run.push(id);
        }
        out.extend(self.text_factored(run, common)?);
        Ok(out)
    }

    fn text_factored(&mut self, run: Vec<Id>, (codes, any_case): Start) -> ParseResult<'p, Option<Id>> {
        if run.len() < 2 {
            return Ok(run.first().copied());
        }
        let prefix = self.node(Op::Literal);
        if any_case {
            self.nodes[prefix].flags = Flags::FOLD_CASE;
        }
        let mut suffixes = Vec::with_capacity(run.len());
        for id in run {
            let suffix = self.without_leading_text(id, codes.len());
            self.check_limits(suffix)?;
            suffixes.push(suffix);
        }
        self.nodes[prefix].codes = codes;
        self.prefixed(prefix, suffixes).map(Some)
    }

    /// `[a-z]b|[a-z]c` becomes `[a-z](?:b|c)`; the same for a class that is repeated a fixed number of times.
    fn factor_character(&mut self, sub: Vec<Id>) -> ParseResult<'p, Vec<Id>> {
        let mut out = Vec::new();
        let mut run: Vec<Id> = Vec::new();
        let mut first: Option<Id> = None;
        for id in sub {
            let leading = self.leading(id);
            let is_same =
                first.zip(leading).is_some_and(|(first, leading)| self.is_fixed(first) && self.equal(first, leading));
            if !is_same {
                let done = take(&mut run);
                out.extend(self.character_factored(done, first)?);
                first = leading;
            }
            run.push(id);
        }
        out.extend(self.character_factored(run, first)?);
        Ok(out)
    }

    fn character_factored(&mut self, run: Vec<Id>, first: Option<Id>) -> ParseResult<'p, Option<Id>> {
        let Some(prefix) = first.filter(|_| run.len() > 1) else {
            return Ok(run.first().copied());
        };
        let mut suffixes = Vec::with_capacity(run.len());
        for (at, id) in run.into_iter().enumerate() {
            let suffix = self.without_leading(id, at > 0);
            self.check_limits(suffix)?;
            suffixes.push(suffix);
        }
        self.prefixed(prefix, suffixes).map(Some)
    }

    fn prefixed(&mut self, prefix: Id, suffixes: Vec<Id>) -> ParseResult<'p, Id> {
        let suffix = self.collapse(suffixes, Op::Alternate)?;
        let id = self.node(Op::Concat);
        self.nodes[id].sub = vec![prefix, suffix];
        Ok(id)
    }

    /// `a|[b-d]` becomes `[a-d]`.
    fn join_characters(&mut self, sub: Vec<Id>) -> Vec<Id> {
        let mut out = Vec::new();
        let mut run: Vec<Id> = Vec::new();
        for id in sub {
            if self.nodes[id].is_character() {
                run.push(id);
            } else {
                out.extend(self.joined(take(&mut run)));
                out.push(id);
            }
        }
        out.extend(self.joined(run));
        out
    }

    fn joined(&mut self, mut run: Vec<Id>) -> Option<Id> {
        if run.len() < 2 {
            return run.first().copied();
        }
        let mut largest = 0;
        for at in 1..run.len() {
            let weight = |at: usize| {
                let node: &Node = &self.nodes[run[at]];
                (node.op, node.codes.len() + node.class.0.len())
            };
            if weight(largest) < weight(at) {
                largest = at;
            }
        }
        run.swap(0, largest);
        for id in &run[1..] {
            self.merge(run[0], *id);
            self.reuse(*id);
        }
        self.clean(run[0]);
        Some(run[0])
    }

    fn leading_text(&self, id: Id) -> Start {
        let mut node = &self.nodes[id];
        if let (Op::Concat, [first, ..]) = (node.op, &node.sub[..]) {
            node = &self.nodes[*first];
        }
        match node.op {
            Op::Literal => (node.codes.clone(), node.flags.has(Flags::FOLD_CASE)),
            _ => (Vec::new(), false),
        }
    }

    /// Removes this number of leading code points from a node.
    fn without_leading_text(&mut self, id: Id, count: usize) -> Id {
        if let (Op::Concat, [first, ..]) = (self.nodes[id].op, &self.nodes[id].sub[..]) {
            let first = self.without_leading_text(*first, count);
            self.nodes[id].sub[0] = first;
            if self.nodes[first].op != Op::Empty {
                return id;
            }
            self.reuse(first);
            self.nodes[id].sub.remove(0);
            return self.only_or_itself(id);
        }
        let node = &mut self.nodes[id];
        if node.op == Op::Literal {
            node.codes.drain(..count);
            if node.codes.is_empty() {
                node.op = Op::Empty;
            }
        }
        id
    }

    /// Returns the only node of a sequence, or the sequence.
    fn only_or_itself(&mut self, id: Id) -> Id {
        match self.nodes[id].sub[..] {
            [only] => {
                self.reuse(id);
                only
            }
            _ => id,
        }
    }

    fn leading(&self, id: Id) -> Option<Id> {
        let node = &self.nodes[id];
        let first = match (node.op, &node.sub[..]) {
            (Op::Concat, [first, ..]) => *first,
            _ => id,
        };
        (self.nodes[first].op != Op::Empty).then_some(first)
    }

    /// Removes the leading node, and frees it if `reuse` is set.
    fn without_leading(&mut self, id: Id, reuse: bool) -> Id {
        if self.nodes[id].op == Op::Concat && !self.nodes[id].sub.is_empty() {
            let first = self.nodes[id].sub.remove(0);
            if reuse {
                self.reuse(first);
            }
            return self.only_or_itself(id);
        }
        if reuse {
            self.reuse(id);
        }
        self.node(Op::Empty)
    }

    /// Whether a node is one character, or a fixed repetition of one.
    fn is_fixed(&self, id: Id) -> bool {
        let node = &self.nodes[id];
        let is_repeated = node.op == Op::Repeat && node.min == node.max;
        node.is_character() || is_repeated && self.nodes[node.sub[0]].is_character()
    }

    /// Whether two nodes are equal. One of them [is fixed](Self::is_fixed).
    fn equal(&self, a: Id, b: Id) -> bool {
        let (a, b) = (&self.nodes[a], &self.nodes[b]);
        if a.op != b.op {
            return false;
        }
        let same = |flag| a.flags.has(flag) == b.flags.has(flag);
        match a.op {
            Op::Literal | Op::Class => same(Flags::FOLD_CASE) && a.codes == b.codes && a.class == b.class,
            Op::Repeat => same(Flags::NON_GREEDY) && (a.min, a.max) == (b.min, b.max) && self.equal(a.sub[0], b.sub[0]),
            op => matches!(op, Op::NotNewline | Op::Any),
        }
    }
}

fn common_length(a: &Start, b: &Start) -> usize {
    if a.1 != b.1 {
        return 0;
    }
    let pairs = a.0.iter().zip(&b.0);
    pairs.take_while(|(a, b)| a == b).count()
}
