//! The estimated cost of rules.

use alloc::{
    format,
    string::{String, ToString},
    vec::Vec,
};
use core::fmt;

use crate::{
    Arg, ErrorType, Node, ServerError, Text, Violation,
    cel::{CompiledRule, RuleScope, Unbounded},
    path::SchemaStep,
    rules::NodeReport,
    schema::SchemaProps,
    walk,
};

use super::{C14, C15, C16, RuleEntry, report_at_entry};

/// The limit of one rule, for all its evaluations for one object: `StaticEstimatedCostLimit` of the API server.
const RULE_LIMIT: u64 = 10_000_000;

/// The limit of all rules of a version: `StaticEstimatedCRDCostLimit` of the API server.
const TOTAL_LIMIT: u64 = 100_000_000;

/// The costs of the rules of one version.
#[derive(Debug, Default)]
pub(in crate::rules) struct Costs {
    total: u64,
    /// The most expensive expressions, in descending order.
    most_expensive: Vec<ExpressionCost>,
}

/// The cost of one expression.
#[derive(Debug)]
struct ExpressionCost {
    cost: u64,
    /// The field of the schema with the rule.
    node: String,
    /// The index of the rule.
    at: usize,
    /// The field of the rule with the expression.
    field: &'static str,
}

impl Costs {
    /// The number of expressions that the server reports.
    const REPORTED: usize = 4;

    pub(super) fn add(&mut self, cost: u64, entry: &RuleEntry<'_, '_, '_>, field: &'static str) {
        self.total = self.total.saturating_add(cost);
        if cost < TOTAL_LIMIT / 100 {
            return;
        }
        let share = ExpressionCost { cost, node: entry.node.path.field(), at: entry.at, field };
        let before = self.most_expensive.iter().take_while(|it| it.cost >= cost).count();
        self.most_expensive.insert(before, share);
        self.most_expensive.truncate(Self::REPORTED);
    }

    pub(in crate::rules) fn check_total(&self, root: &Node<'_, '_>, report: &mut NodeReport<'_>) {
        if self.total <= TOTAL_LIMIT {
            return;
        }
        let factor = Factor(self.total, TOTAL_LIMIT);
        let text = Text::new(
            "the estimated cost of all rules together is {} the limit of one version: bound lists, maps and strings, \
             or remove rules",
            &[Arg::Display(&factor)],
        );
        let what = "x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema";
        let mut server_error = ServerError::new(ErrorType::Forbidden, "", "");
        server_error.detail = Text::new(DETAIL, &[Arg::Text(what), Arg::Display(&factor)]);
        report(root, &Violation::new(&C16, text).with_server_error(server_error));
        walk(root, &mut |node| {
            let place = node.path.field();
            for share in self.most_expensive.iter().filter(|share| share.node == place) {
                share.check_total(node, report);
            }
        });
    }
}

impl ExpressionCost {
    fn check_total(&self, node: &Node<'_, '_>, report: &mut NodeReport<'_>) {
        let Some(rule) = node.schema.validations.get(self.at) else {
            return;
        };
        let source = match self.field {
            ".messageExpression" => rule.message_expression.as_deref().unwrap_or_default(),
            _ => &*rule.rule,
        };
        let percent = self.cost / (TOTAL_LIMIT / 100);
        let share = if percent > 10_000 { "more than 100x".to_string() } else { format!("{percent}%") };
        let text = Text::new(
            "`{}` alone accounts for {} of the limit of all rules together",
            &[Arg::Text(source), Arg::Text(&share)],
        );
        let detail = "contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 \
                      schema";
        let server_error = ServerError::new(ErrorType::Forbidden, self.field, detail);
        let violation = Violation::new(&C16, text).with_server_error(server_error);
        report_at_entry(node, self.at, Err(violation), report);
    }
}

const DETAIL: &str = "{} exceeds budget by factor of {} (try simplifying the rule, or adding maxItems, \
                      maxProperties, and maxLength where arrays, maps, and strings are declared)";

pub(super) fn check_rule_cost(
    entry: &RuleEntry<'_, '_, '_>,
    value: &RuleScope,
    compiled: &CompiledRule,
    costs: &mut Costs,
    report: &mut dyn FnMut(&Violation<'_>),
) {
    let node = entry.node;
    let rule = &*entry.rule.rule;
    let count = cardinality(node).unwrap_or(value.max_cardinality());
    let cost = compiled.cost.saturating_mul(count);
    costs.add(cost, entry, ".rule");
    if cost <= RULE_LIMIT {
        return;
    }
    let factor = Factor(cost, RULE_LIMIT);
    let advice = advice(missing(node, &compiled.unbounded));
    let text = Text::new(
        "the estimated cost of the rule `{}` is {} the limit of one rule: {}",
        &[Arg::Text(rule), Arg::Display(&factor), Arg::Text(&advice)],
    );
    let mut server_error = ServerError::new(ErrorType::Forbidden, ".rule", "");
    server_error.detail = Text::new(DETAIL, &[Arg::Text("estimated rule cost"), Arg::Display(&factor)]);
    report(&Violation::new(&C14, text).with_server_error(server_error));
}

pub(super) fn check_message_cost(
    entry: &RuleEntry<'_, '_, '_>,
    source: &str,
    compiled: &CompiledRule,
    report: &mut dyn FnMut(&Violation<'_>),
) {
    if compiled.cost <= RULE_LIMIT {
        return;
    }
    let factor = Factor(compiled.cost, RULE_LIMIT);
    let advice = advice(of_rule(entry.node, &compiled.unbounded));
    let text = Text::new(
        "the estimated cost of the message expression `{}` is {} the limit: {}",
        &[Arg::Text(source), Arg::Display(&factor), Arg::Text(&advice)],
    );
    let mut server_error = ServerError::new(ErrorType::Forbidden, ".messageExpression", "");
    server_error.detail = Text::new(DETAIL, &[Arg::Text("estimated messageExpression cost"), Arg::Display(&factor)]);
    report(&Violation::new(&C15, text).with_server_error(server_error));
}

/// Returns the maximum number of values in one object; `None` if a list or a map above has no bound.
fn cardinality(node: &Node<'_, '_>) -> Option<u64> {
    let Some(parent) = node.parent else {
        return Some(1);
    };
    let above = cardinality(parent)?;
    Some(above.saturating_mul(elements(parent.schema)?))
}

/// Returns the maximum number of elements of a schema; `None` if it is unbounded.
fn elements(schema: &SchemaProps<'_>) -> Option<u64> {
    let bound = match schema.type_.as_deref() {
        Some("object") if schema.additional_properties.is_some() => schema.max_properties,
        Some("array") => schema.max_items,
        _ => return Some(1),
    };
    bound.map(|bound| u64::try_from(bound).unwrap_or(0))
}

/// Returns the missing bounds: of lists and maps above the rule, and of values that the rule reads.
fn missing(node: &Node<'_, '_>, unbounded: &[Unbounded]) -> Vec<(&'static str, String)> {
    let mut found = Vec::new();
    above(node, &mut found);
    found.extend(of_rule(node, unbounded));
    found
}

fn above(node: &Node<'_, '_>, found: &mut Vec<(&'static str, String)>) {
    let Some((parent, (_, step))) = node.parent.zip(node.path.last()) else {
        return;
    };
    above(parent, found);
    if elements(parent.schema).is_none() {
        let keyword = match step {
            SchemaStep::Items | SchemaStep::Item(_) => "maxItems",
            _ => "maxProperties",
        };
        found.push((keyword, named(&parent.path.text())));
    }
}

fn of_rule(node: &Node<'_, '_>, unbounded: &[Unbounded]) -> Vec<(&'static str, String)> {
    let path = node.path.text();
    let mut found = Vec::new();
    // Bounds of lists and maps usually matter more than those of strings.
    for is_text in [false, true] {
        for it in unbounded.iter().filter(|it| (it.keyword == "maxLength") == is_text) {
            found.push((it.keyword, named(&format!("{path}{}", it.path))));
        }
    }
    found
}

/// Formats a path from the root, without its leading dot.
fn named(path: &str) -> String {
    match path.strip_prefix('.').unwrap_or(path) {
        "" => "the object".to_string(),
        path => format!("`{path}`"),
    }
}

/// Returns the advice to add the missing bounds.
fn advice(mut missing: Vec<(&'static str, String)>) -> String {
    missing.truncate(4);
    let given = missing.iter().map(|(keyword, path)| format!("`{keyword}` to {path}"));
    match given.collect::<Vec<_>>().as_slice() {
        [] => "simplify it, or lower the bounds of lists, maps and strings".to_string(),
        [one] => format!("add {one}"),
        [first @ .., last] => format!("add {} or {last}", first.join(", ")),
    }
}

/// A cost relative to a limit, formatted as by the server.
#[derive(Clone, Copy, Debug)]
struct Factor(u64, u64);

impl fmt::Display for Factor {
    #[allow(clippy::cast_precision_loss)] // as the server calculates
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let factor = self.0 as f64 / self.1 as f64;
        if factor > 100.0 {
            f.write_str("more than 100x")
        } else if factor < 1.5 {
            write!(f, "{factor:.6}x")
        } else {
            write!(f, "{factor:.1}x")
        }
    }
}
