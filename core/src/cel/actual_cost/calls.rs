//! The cost of calls: that of the libraries of cel-go, then that of the API server's, then that of the language.

use alloc::vec::Vec;

use super::{
    super::{
        ast::{Expr, ExprKind},
        cost::{CHARACTER, REGEX, scaled},
        types::Type,
    },
    Evaluated, Run,
    value::Value,
};

/// A call with its arguments, the first of which is the target of a method.
pub(super) struct EvaluatedCall<'r, 'v> {
    pub(super) function: &'r str,
    /// The overload; empty if there are several.
    overload: &'r str,
    pub(super) args: &'r [Value<'v>],
    /// The sizes of the arguments, at least.
    sizes: &'r [u64],
}

impl<'v, 'c> Run<'v, 'c> {
    pub(super) fn call(&mut self, expr: &'c Expr) -> Evaluated<'v> {
        let ExprKind::Call { function, target, args } = &expr.kind else {
            return Ok(Value::Unknown);
        };
        let operands: Vec<&'c Expr> = target.as_deref().into_iter().chain(args).collect();
        // A call with more arguments ends at the first error, and then costs nothing.
        let is_strict = operands.len() > 2;
        let mut values = Vec::new();
        for operand in &operands {
            let value = self.eval(operand, false)?;
            if is_strict && matches!(value, Value::Unknown) {
                return Ok(Value::Unknown);
            }
            values.push(value);
        }
        let sizes: Vec<u64> = operands.iter().zip(&values).map(|(operand, value)| self.size(operand, value)).collect();
        let overload = match self.checked.overloads[expr.id].as_slice() {
            [overload] => overload,
            _ => "",
        };
        let call = EvaluatedCall { function, overload, args: &values, sizes: &sizes };
        let cost = call.cost();
        if let ("_+_" | "cel.@mapInsert", Some(first)) = (function.as_str(), operands.first())
            && let Some(accumulator) = self.take_accumulator(first)
        {
            values[0] = Value::Unknown; // the other reference to the list
            values[0] = accumulator;
        }
        self.spend(cost)?;
        Ok(self.result(function, values))
    }

    /// Returns the size of a value, or the smallest that a value of the type can have.
    fn size(&self, expr: &Expr, value: &Value<'_>) -> u64 {
        let type_ = &self.checked.types[expr.id];
        value.size().unwrap_or_else(|| u64::from(type_.is_scalar() || matches!(type_, Type::Meta(_))))
    }
}

impl EvaluatedCall<'_, '_> {
    fn cost(&self) -> u64 {
        self.of_extension().or_else(|| self.of_server()).unwrap_or_else(|| self.of_language())
    }

    fn size(&self, at: usize) -> u64 {
        self.sizes.get(at).copied().unwrap_or(0)
    }

    fn read(&self, at: usize) -> u64 {
        scaled(self.size(at), CHARACTER)
    }

    /// The cost of cel-go's libraries of lists and sets.
    fn of_extension(&self) -> Option<u64> {
        let compared = |size: u64| size.saturating_mul(size).saturating_mul(2).saturating_add(11);
        Some(match self.overload {
            "list_sets_contains_list" | "list_sets_intersects_list" => {
                self.size(0).saturating_mul(self.size(1)).saturating_add(1)
            }
            "list_sets_equivalent_list" => {
                self.size(0).saturating_mul(self.size(1)).saturating_mul(2).saturating_add(1)
            }
            "list_flatten" | "list_reverse" => self.size(0).saturating_add(11),
            "list_flatten_int" | "list_slice" | "lists_range" => 11,
            "list_distinct" => compared(self.size(0)),
            name if name.starts_with("list_") && name.ends_with("_sort") => compared(self.size(0)),
            name if name.ends_with("_sortByAssociatedKeys") => compared(self.size(1)),
            _ => return None,
        })
    }

    /// The cost of the API server's libraries.
    fn of_server(&self) -> Option<u64> {
        Some(match self.function {
            "isSorted" | "sum" | "max" | "min" | "indexOf" | "lastIndexOf" | "includes" => {
                traversal(self.args.first()?)
            }
            "url" | "lowerAscii" | "upperAscii" | "substring" | "trim" | "jsonpatch.escapeKey" => self.read(0),
            "replace" | "split" | "ip.isCanonical" => scaled(self.size(0), 2.0 * CHARACTER),
            "join" => 0, // it depends on the result
            "find" | "findAll" => self.matching(),
            "ip" if self.overload == "cidr_ip" => 1,
            "ip" | "cidr" | "isIP" | "isCIDR" | "quantity" | "isQuantity" | "semver" | "isSemver" => self.read(0),
            "containsIP" | "containsCIDR" | "validate" => 0, // it depends on a value of a library
            _ => return None,
        })
    }

    fn of_language(&self) -> u64 {
        match self.overload {
            _ if matches!(self.function, "_==_" | "_!=_") => scaled(self.size(0).min(self.size(1)), CHARACTER),
            "starts_with_string" | "ends_with_string" => self.read(1),
            "string_to_bytes" | "bytes_to_string" | "strings_quote" | "string_format" => self.read(0),
            "in_list" => self.size(1),
            "less_string"
            | "greater_string"
            | "less_equals_string"
            | "greater_equals_string"
            | "less_bytes"
            | "greater_bytes"
            | "less_equals_bytes"
            | "greater_equals_bytes" => scaled(self.size(0).min(self.size(1)), CHARACTER),
            "add_string" | "add_bytes" => scaled(self.size(0).saturating_add(self.size(1)), CHARACTER),
            "matches" | "matches_string" => self.matching(),
            "contains_string" => self.read(0).saturating_mul(self.read(1)),
            _ => 1,
        }
    }

    /// The cost of matching a regular expression.
    fn matching(&self) -> u64 {
        let text = scaled(self.size(0).saturating_add(1), CHARACTER);
        text.saturating_mul(scaled(self.size(1), REGEX))
    }
}

/// The cost of reading a value and all nested ones.
#[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation, clippy::cast_sign_loss)] // as the server calculates
fn traversal(value: &Value<'_>) -> u64 {
    let read = |count: u64| (count as f64 * CHARACTER) as u64;
    match value {
        Value::Unknown => 0,
        Value::Text(text) => read(text.len() as u64),
        Value::Bytes(count) => read(*count),
        value => match value.count() {
            Some(count) => (0..count).map(|at| value.entry(at, false)).fold(0, |cost: u64, [item, other]| {
                cost.saturating_add(traversal(&item)).saturating_add(traversal(&other))
            }),
            None => 1,
        },
    }
}
