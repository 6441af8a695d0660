//! The cost of the functions of libraries.

use super::{
    super::{
        ast::{Expr, ExprKind, Literal},
        types::Type,
    },
    Estimator,
    calls::{CHARACTER, CallCost, EstimatedCall, REGEX},
    size::{Size, quotient, scaled},
};

/// The maximum length of the regular expression of a named format.
const MAX_FORMAT_REGEX: f64 = 128.0;

/// The maximum size of a named format.
const MAX_FORMAT: u64 = 64;

/// The cost of an authorization check.
pub(in crate::cel) const AUTHORIZATION: u64 = 350_000;

/// The cost of creating a list.
pub(in crate::cel) const LIST: u64 = 10;

/// The cost of creating a selector requirement.
pub(in crate::cel) const REQUIREMENT: f64 = 50.0;

impl Estimator<'_> {
    /// Returns the cost of a call of cel-go's extensions.
    pub(super) fn of_extension(&mut self, call: &EstimatedCall<'_>, overload: &str) -> Option<CallCost> {
        let list = |factor: f64, size: Size| {
            let cost = size.cost(factor).saturating_add(11);
            Some(CallCost::sized(cost, size))
        };
        match (overload, call.target, call.args) {
            ("list_sets_contains_list" | "list_sets_intersects_list", _, [one, other]) => {
                Some(CallCost::new(self.sets(one, other, 1.0)))
            }
            ("list_sets_equivalent_list", _, [one, other]) => Some(CallCost::new(self.sets(one, other, 2.0))),
            ("list_slice", Some(target), [start, end]) => {
                let size = self.size_or_unknown(target);
                let start = constant(start, 0);
                let end = constant(end, size.max);
                list(1.0, Size::of(end.wrapping_sub(start)))
            }
            ("lists_range", None, [count]) => list(1.0, Size::of(constant(count, u64::MAX))),
            ("list_reverse", Some(target), []) => list(1.0, self.size_or_unknown(target)),
            ("list_flatten" | "list_flatten_int", Some(target), depth) => {
                let depth = depth.first().map_or(1, |depth| constant(depth, u64::MAX));
                let size = self.size_or_unknown(target);
                let cost = depth_cost(size, depth).saturating_add(11);
                Some(CallCost::sized(cost, size))
            }
            ("list_distinct", Some(target), []) => {
                let size = self.size_or_unknown(target);
                list(2.0, size.times(size))
            }
            (name, Some(target), []) if name.starts_with("list_") && name.ends_with("_sort") => {
                let size = self.size_or_unknown(target);
                list(sorting(name), size.times(size))
            }
            (name, Some(_), [keys]) if name.ends_with("_sortByAssociatedKeys") => {
                let size = self.size_or_unknown(keys);
                list(sorting(name), size.times(size))
            }
            _ => None,
        }
    }

    fn sets(&mut self, one: &Expr, other: &Expr, factor: f64) -> u64 {
        let size = self.size_or_unknown(one).times(self.size_or_unknown(other));
        size.cost(factor).saturating_add(1)
    }

    /// Returns the cost of a call of Kubernetes' libraries.
    pub(super) fn of_library(&mut self, call: &EstimatedCall<'_>, overload: &str) -> Option<CallCost> {
        let found = match (call.function, call.target, call.args) {
            ("isSorted" | "sum" | "max" | "min" | "indexOf" | "lastIndexOf" | "includes", Some(target), _) => {
                CallCost::new(self.through_list(call.function, target))
            }
            ("check", ..) => CallCost::new(AUTHORIZATION),
            ("fieldSelector" | "labelSelector", _, [selector]) => {
                let size = self.size_or_unknown(selector);
                let requirements = scaled(size.cost(0.5), REQUIREMENT);
                let cost = size.cost(CHARACTER).saturating_add(requirements);
                CallCost::new(cost.saturating_add(LIST))
            }
            ("url", None, [text]) => {
                let size = self.size_or_unknown(text);
                CallCost::sized(size.cost(CHARACTER), size)
            }
            ("lowerAscii" | "upperAscii" | "substring" | "trim", Some(target), _) => {
                let size = self.size_or_unknown(target);
                CallCost::sized(size.cost(CHARACTER), size)
            }
            ("replace", Some(target), [from, to, ..]) => self.replacement(target, from, to),
            ("split", Some(target), args) => {
                let size = self.size_or_unknown(target);
                let max = args.get(1).map_or(size.max, |limit| split_limit(limit, size.max));
                CallCost::sized(size.cost(2.0 * CHARACTER), Size { min: 0, max })
            }
            ("join", Some(target), args) => self.joined(target, args.first()),
            ("find" | "findAll", Some(target), [regex, ..]) => {
                let max = self.size_or_unknown(target).max;
                CallCost::sized(self.regex(target, regex), Size { min: 0, max })
            }
            ("ip", ..) if overload == "cidr_ip" => CallCost::new(1),
            ("ip" | "cidr" | "isIP" | "isCIDR" | "quantity" | "isQuantity" | "semver" | "isSemver", _, [text, ..]) => {
                CallCost::new(self.size_or_unknown(text).cost(CHARACTER))
            }
            ("ip.isCanonical", _, [text]) => CallCost::new(self.size_or_unknown(text).cost(2.0 * CHARACTER)),
            ("containsIP" | "containsCIDR", _, [other]) => {
                // It compares two 16-byte addresses; a network is masked first.
                let compared = if call.function == "containsIP" { 4 } else { 7 };
                let is_text = overload.ends_with("_string");
                let read = if is_text { self.size_or_unknown(other).cost(CHARACTER) } else { 0 };
                CallCost::new(read.saturating_add(compared))
            }
            ("validate", _, [text]) => {
                let cost = self.size_or_unknown(text).cost(CHARACTER);
                CallCost::new(scaled(cost, MAX_FORMAT_REGEX * REGEX))
            }
            ("_==_", _, [left, right]) => return self.equality(left, right),
            (name, ..) if is_of_one_step(name) => CallCost::new(1),
            _ => return None,
        };
        Some(found)
    }

    fn through_list(&mut self, function: &str, target: &Expr) -> u64 {
        let size = self.size_or_unknown(target);
        let each = match self.items(target) {
            Some((Type::String | Type::Bytes, item)) => item.cost(CHARACTER).saturating_add(1),
            Some(_) => 1,
            None if function == "includes" => 1,
            None => return size.cost(CHARACTER),
        };
        size.max.saturating_mul(each)
    }

    fn replacement(&mut self, target: &Expr, from: &Expr, to: &Expr) -> CallCost {
        let text = self.size_or_unknown(target);
        let from = self.size_or_unknown(from);
        let to = self.size_or_unknown(to);
        let none = Size { min: 0, max: 0 };
        let (mut count, mut kept) = (none, none);
        if from.min == 0 {
            count.max = text.max.saturating_add(1);
            kept.max = text.max;
        } else if to.max <= from.min {
            kept.max = text.max;
        } else {
            count.max = quotient(text.max, from.min);
        }
        if from.max == 0 {
            count.min = text.min.saturating_add(1);
            kept.min = text.min;
        } else if from.max <= to.min {
            kept.min = text.min;
        } else {
            count.min = quotient(text.min, from.max);
        }
        let size = count.times(to).plus(kept);
        CallCost::sized(text.cost(2.0 * CHARACTER), size)
    }

    fn joined(&mut self, target: &Expr, separator: Option<&Expr>) -> CallCost {
        let list = self.size_or_unknown(target);
        let mut size = match self.items(target) {
            Some((_, item)) => list.times(item),
            None => Size { min: 0, max: 0 },
        };
        if let Some(separator) = separator {
            let count = Size { min: list.min.saturating_sub(1), max: list.max.saturating_sub(1) };
            size = size.plus(self.size_or_unknown(separator).times(count));
        }
        CallCost::sized(size.cost(CHARACTER), size)
    }

    fn equality(&mut self, left: &Expr, right: &Expr) -> Option<CallCost> {
        let type_ = self.type_of(left).clone();
        if type_ != *self.type_of(right) {
            return None;
        }
        Some(CallCost::new(match type_ {
            Type::Opaque(_) | Type::Struct("kubernetes.Quantity" | "kubernetes.Semver") => 1,
            Type::Struct("kubernetes.NamedFormat") => scaled(MAX_FORMAT, CHARACTER),
            Type::Struct("kubernetes.URL") => {
                let size = self.size(right).unwrap_or(Size::of(1));
                size.cost(CHARACTER)
            }
            _ => return None,
        }))
    }
}

/// Whether a call costs one, regardless of its arguments.
fn is_of_one_step(function: &str) -> bool {
    matches!(
        function,
        "masked"
            | "prefixLength"
            | "family"
            | "isUnspecified"
            | "isLoopback"
            | "isLinkLocalMulticast"
            | "isLinkLocalUnicast"
            | "isGlobalUnicast"
            | "format.named"
            | "sign"
            | "asInteger"
            | "isInteger"
            | "asApproximateFloat"
            | "isGreaterThan"
            | "isLessThan"
            | "compareTo"
            | "add"
            | "sub"
            | "major"
            | "minor"
            | "patch"
            | "getScheme"
            | "getHostname"
            | "getHost"
            | "getPort"
            | "getEscapedPath"
            | "getQuery"
    )
}

/// The cost of comparing two elements while sorting.
fn sorting(overload: &str) -> f64 {
    if overload.starts_with("list_string_") || overload.starts_with("list_bytes_") { 2.0 + CHARACTER } else { 2.0 }
}

#[allow(clippy::cast_precision_loss)] // as the server calculates
fn depth_cost(size: Size, depth: u64) -> u64 {
    size.cost(depth as f64)
}

/// Returns the value of an integer literal.
fn constant(expr: &Expr, otherwise: u64) -> u64 {
    match expr.kind {
        ExprKind::Literal(Literal::Int(value)) => u64::try_from(value).unwrap_or(0),
        _ => otherwise,
    }
}

fn split_limit(expr: &Expr, otherwise: u64) -> u64 {
    match expr.kind {
        ExprKind::Literal(Literal::Int(value)) => value.cast_unsigned(),
        _ => otherwise,
    }
}
