//! Limits of size and depth.

use alloc::vec::Vec;

use super::{
    ErrorKind,
    node::{Id, Node, Op},
    parser::{ParseResult, Parser, error},
};
use crate::id_map::IdMap;

/// The maximum height of a tree, which is checked from this number of nodes on. The limits are those of Go's
/// `regexp/syntax/parse.go`.
const MAX_HEIGHT: usize = 1000;
/// The maximum number of instructions, which fit into 128 MiB.
const MAX_SIZE: i64 = (128 << 20) / 40;
/// The maximum number of characters and ends of ranges, which fit into 128 MiB.
const MAX_CODES: usize = (128 << 20) / 4;

/// The counters. As in Go, sizes and heights are counted only after cheaper estimates exceed a limit.
#[derive(Default)]
pub(super) struct Limits {
    pub(super) codes: usize,
    /// The product of all repetitions; 0 before the first repetition.
    repeats: i64,
    sizes: Option<IdMap<i64>>,
    heights: Option<IdMap<usize>>,
}

impl Limits {
    /// Forgets the height of a freed node. As in Go, its size still counts.
    pub(super) fn forget(&mut self, id: Id) {
        if let Some(heights) = &mut self.heights {
            heights.remove(id);
        }
    }
}

impl<'p> Parser<'p> {
    pub(super) fn check_limits(&mut self, id: Id) -> ParseResult<'p, ()> {
        let checked = if self.limits.codes > MAX_CODES {
            Err(ErrorKind::Large)
        } else {
            let Self { limits, nodes, stack, .. } = self;
            let checked = limits.check_size(nodes, stack, id);
            checked.and_then(|()| limits.check_height(nodes, stack, id))
        };
        checked.map_err(|kind| error(kind, self.pattern))
    }
}

impl Limits {
    fn check_size(&mut self, nodes: &[Node], stack: &[Id], id: Id) -> Result<(), ErrorKind> {
        if self.sizes.is_none() {
            self.multiply(&nodes[id]);
            if i64::try_from(nodes.len()).is_ok_and(|count| count < MAX_SIZE / self.repeats) {
                return Ok(());
            }
            self.sizes = Some(IdMap::new());
            for on_stack in stack {
                self.check_size(nodes, stack, *on_stack)?;
            }
        }
        let sizes = self.sizes.get_or_insert_with(IdMap::new);
        if size(nodes, sizes, id) > MAX_SIZE { Err(ErrorKind::Large) } else { Ok(()) }
    }

    fn multiply(&mut self, node: &Node) {
        self.repeats = self.repeats.max(1);
        if node.op == Op::Repeat {
            let times = if node.max == -1 { node.min } else { node.max };
            let times = i64::from(times.max(1));
            if times > MAX_SIZE / self.repeats {
                self.repeats = MAX_SIZE;
            } else {
                self.repeats *= times;
            }
        }
    }

    fn check_height(&mut self, nodes: &[Node], stack: &[Id], id: Id) -> Result<(), ErrorKind> {
        if nodes.len() < MAX_HEIGHT {
            return Ok(());
        }
        if self.heights.is_none() {
            self.heights = Some(IdMap::new());
            for on_stack in stack {
                self.check_height(nodes, stack, *on_stack)?;
            }
        }
        let heights = self.heights.get_or_insert_with(IdMap::new);
        if height(nodes, heights, id) > MAX_HEIGHT { Err(ErrorKind::NestingDepth) } else { Ok(()) }
    }
}

/// Counts the instructions of a node; nodes below it are cached.
fn size(nodes: &[Node], sizes: &mut IdMap<i64>, id: Id) -> i64 {
    let node = &nodes[id];
    let below: Vec<i64> = node
        .sub
        .iter()
        .map(|sub| match sizes.get(*sub) {
            Some(known) => *known,
            None => size(nodes, sizes, *sub),
        })
        .collect();
    let sum: i64 = below.iter().sum();
    let (min, max) = (i64::from(node.min), i64::from(node.max));
    let own = match node.op {
        Op::Literal => i64::try_from(node.codes.len()).unwrap_or(MAX_SIZE),
        Op::Capture | Op::Star => 2 + sum,
        Op::Plus | Op::Quest => 1 + sum,
        Op::Concat => sum,
        Op::Alternate => sum + i64::try_from(below.len()).unwrap_or(MAX_SIZE).max(1) - 1,
        Op::Repeat if max != -1 => max * sum + max - min,
        Op::Repeat if min == 0 => 2 + sum,
        Op::Repeat => 1 + min * sum,
        _ => 0,
    };
    let size = own.max(1);
    sizes.insert(id, size);
    size
}

/// Computes the height of a node; nodes below it are cached.
fn height(nodes: &[Node], heights: &mut IdMap<usize>, id: Id) -> usize {
    let mut height_of = |sub: &Id| match heights.get(*sub) {
        Some(known) => *known,
        None => height(nodes, heights, *sub),
    };
    let below = nodes[id].sub.iter().map(&mut height_of).max();
    let height = 1 + below.unwrap_or_default();
    heights.insert(id, height);
    height
}
