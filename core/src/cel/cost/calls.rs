//! The cost of operators and of the functions of the language.

use alloc::{borrow::ToOwned, vec::Vec};

use super::{
    super::ast::{Expr, ExprKind},
    Estimator,
    size::{Size, scaled},
};

/// The cost of reading one character.
pub(in crate::cel) const CHARACTER: f64 = 0.1;

/// The cost of one character of a regular expression.
pub(in crate::cel) const REGEX: f64 = 0.25;

/// A call with the cost of its arguments.
pub(super) struct EstimatedCall<'c> {
    pub(super) expr: &'c Expr,
    pub(super) function: &'c str,
    pub(super) target: Option<&'c Expr>,
    pub(super) args: &'c [Expr],
    costs: Vec<u64>,
}

/// The cost of a call without its arguments, and the size of its result.
pub(super) struct CallCost {
    pub(super) cost: u64,
    pub(super) size: Option<Size>,
}

impl CallCost {
    pub(super) const fn new(cost: u64) -> Self {
        Self { cost, size: None }
    }

    pub(super) const fn sized(cost: u64, size: Size) -> Self {
        Self { cost, size: Some(size) }
    }
}

impl Estimator<'_> {
    pub(super) fn call(&mut self, expr: &Expr) -> u64 {
        let ExprKind::Call { function, target, args } = &expr.kind else {
            return 0;
        };
        if let ("dyn", [arg]) = (function.as_str(), args.as_slice()) {
            let cost = self.cost(arg);
            self.copy_sizes(expr, arg);
            return cost.saturating_add(1);
        }
        let costs = args.iter().map(|arg| {
            let cost = self.cost(arg);
            self.size(arg);
            cost
        });
        let call = EstimatedCall { expr, function, target: target.as_deref(), args, costs: costs.collect() };
        let mut cost = 0;
        if let Some(target) = call.target {
            cost = self.cost(target);
        }
        let checked = self.checked;
        let mut own = 0;
        let mut size: Option<Size> = None;
        for overload in &checked.overloads[expr.id] {
            let found = self.overload(&call, overload);
            own = own.max(found.cost);
            size = match (size, found.size) {
                (Some(one), Some(other)) => Some(one.union(other)),
                (one, other) => one.or(other),
            };
            if let "index_list" | "index_map" = *overload {
                size = self.entries_of(&args[0]).map(|entries| entries.value);
                let mut path = self.path(&args[0]);
                let part = if *overload == "index_list" { "@items" } else { "@values" };
                path.push(part.to_owned());
                self.paths.insert(expr.id, path);
            }
            if size.is_none() {
                size = self.size(expr);
            }
        }
        self.set_size(expr, size);
        cost.saturating_add(own)
    }

    /// Returns the cost of a call of this overload, with its arguments.
    fn overload(&mut self, call: &EstimatedCall<'_>, overload: &str) -> CallCost {
        match overload {
            "logical_or" | "logical_and" => {
                let cost = call.costs.iter().copied().fold(0, u64::saturating_add);
                return CallCost::new(cost);
            }
            "conditional" => return self.conditional(call),
            _ => {}
        }
        let arguments = call.costs.iter().copied().fold(0, u64::saturating_add);
        let own = self
            .of_extension(call, overload)
            .or_else(|| self.of_library(call, overload))
            .or_else(|| self.of_language(call, overload))
            .unwrap_or(CallCost::new(1));
        CallCost { cost: own.cost.saturating_add(arguments), size: own.size }
    }

    fn conditional(&mut self, call: &EstimatedCall<'_>) -> CallCost {
        let [_, then, other] = call.args else {
            return CallCost::new(1);
        };
        let size = self.size_or_unknown(then).union(self.size_or_unknown(other));
        if let (Some(one), Some(two)) = (self.entries_of(then), self.entries_of(other)) {
            self.entries.insert(call.expr.id, one.union(two));
        }
        let cost = call.costs[0].saturating_add(call.costs[1].max(call.costs[2]));
        CallCost::sized(cost, size)
    }

    fn of_language(&mut self, call: &EstimatedCall<'_>, overload: &str) -> Option<CallCost> {
        let found = match (overload, call.target, call.args) {
            ("string_format", Some(target), _) => CallCost::new(self.size_or_unknown(target).cost(CHARACTER)),
            ("string_to_bytes", _, [arg]) => {
                let size = self.size_or_unknown(arg);
                let result = Size { min: size.min, max: size.max.wrapping_mul(4) };
                CallCost::sized(size.cost(CHARACTER), result)
            }
            ("bytes_to_string", _, [arg]) => {
                let size = self.size_or_unknown(arg);
                let result = Size { min: size.min / 4, max: size.max };
                CallCost::sized(size.cost(CHARACTER), result)
            }
            ("strings_quote", _, [arg]) => {
                let size = self.size_or_unknown(arg);
                let result = Size { min: size.min.wrapping_add(2), max: size.max.wrapping_mul(2).wrapping_add(2) };
                CallCost::sized(size.cost(CHARACTER), result)
            }
            ("starts_with_string" | "ends_with_string", _, [arg]) => {
                CallCost::new(self.size_or_unknown(arg).cost(CHARACTER))
            }
            ("in_list", _, [_, list]) => CallCost::new(self.size_or_unknown(list).cost(1.0)),
            ("matches_string", Some(text), [regex]) | ("matches", None, [text, regex]) => {
                CallCost::new(self.regex(text, regex))
            }
            ("contains_string", Some(text), [part]) => {
                let text = self.size_or_unknown(text).cost(CHARACTER);
                let part = self.size_or_unknown(part).cost(CHARACTER);
                CallCost::new(text.saturating_mul(part))
            }
            ("add_string" | "add_bytes" | "add_list", _, [left, right]) => {
                return Some(self.concatenation(call, overload, left, right));
            }
            (name, _, [left, right]) if is_comparison(name) => {
                let left = self.size_or_unknown(left).max;
                let right = self.size_or_unknown(right).max;
                CallCost::new(scaled(left.min(right), CHARACTER))
            }
            _ => return None,
        };
        Some(found)
    }

    /// Returns the cost of matching a regular expression.
    pub(super) fn regex(&mut self, text: &Expr, regex: &Expr) -> u64 {
        let text = self.size_or_unknown(text).plus(Size::of(1)).cost(CHARACTER);
        let regex = self.size_or_unknown(regex).cost(REGEX);
        text.saturating_mul(regex)
    }

    fn concatenation(&mut self, call: &EstimatedCall<'_>, overload: &str, left: &Expr, right: &Expr) -> CallCost {
        let size = self.size_or_unknown(left).plus(self.size_or_unknown(right));
        if let (Some(one), Some(two)) = (self.entries_of(left), self.entries_of(right)) {
            self.entries.insert(call.expr.id, one.union(two));
        }
        let cost = match overload {
            "add_list" => 1,
            _ => size.cost(CHARACTER),
        };
        CallCost::sized(cost, size)
    }
}

/// Whether the cost of a comparison depends on the sizes of the values.
fn is_comparison(overload: &str) -> bool {
    let is_order = ["less_", "less_equals_", "greater_", "greater_equals_"]
        .iter()
        .filter_map(|order| overload.strip_prefix(order))
        .any(|type_| matches!(type_, "string" | "bytes"));
    is_order || matches!(overload, "equals" | "not_equals")
}
