//! What rules may cost.

use alloc::{
    collections::BTreeSet,
    format,
    string::{String, ToString},
    vec::Vec,
};
use core::fmt;

use crate::{
    Arg, ErrorType, Node, ServerError, Text, Violation,
    cel::{CompiledRule, RuleScope, Unbounded},
    path::Step,
    rules::NodeReport,
    schema::SchemaProps,
    walk,
};

use super::{C14, C15, C16, Entry, report_at_entry};

/// What one rule may cost, as often as it may be run for one object.
const RULE_LIMIT: u64 = 10_000_000;

/// What all rules of a version may cost.
const TOTAL_LIMIT: u64 = 100_000_000;

/// What the rules of one version cost.
#[derive(Debug, Default)]
pub(in crate::rules) struct Costs {
    total: u64,
    /// The dearest first.
    dearest: Vec<Share>,
}

/// What one expression contributes.
#[derive(Debug)]
struct Share {
    cost: u64,
    /// The field of the schema that it stands in.
    node: String,
    /// The place of its rule in the list.
    at: usize,
    /// Its field of the rule.
    field: &'static str,
}

impl Costs {
    /// How many of the dearest expressions the server names.
    const NAMED: usize = 4;

    fn add(&mut self, cost: u64, entry: &Entry<'_, '_, '_>, field: &'static str) {
        self.total = self.total.saturating_add(cost);
        if cost < TOTAL_LIMIT / 100 {
            return;
        }
        let share = Share { cost, node: entry.node.path.field(), at: entry.at, field };
        let before = self.dearest.iter().take_while(|it| it.cost >= cost).count();
        self.dearest.insert(before, share);
        self.dearest.truncate(Self::NAMED);
    }

    /// The rules of a version together do not cost too much.
    pub(in crate::rules) fn c16(&self, root: &Node<'_, '_>, report: &mut NodeReport<'_>) {
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
            for share in self.dearest.iter().filter(|share| share.node == place) {
                share.c16(node, report);
            }
        });
    }
}

impl Share {
    fn c16(&self, node: &Node<'_, '_>, report: &mut NodeReport<'_>) {
        let Some(rule) = node.schema.validations.get(self.at) else {
            return;
        };
        let source = match self.field {
            ".messageExpression" => rule.message_expression.as_deref().unwrap_or_default(),
            _ => &*rule.rule,
        };
        let percent = self.cost / (TOTAL_LIMIT / 100);
        let share = match percent > 10_000 {
            true => "more than 100x".to_string(),
            false => format!("{percent}%"),
        };
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

/// A rule does not cost too much where it stands.
pub(super) fn c14(
    entry: &Entry<'_, '_, '_>,
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

/// A message expression does not cost too much.
pub(super) fn c15(
    entry: &Entry<'_, '_, '_>,
    source: &str,
    compiled: &CompiledRule,
    costs: &mut Costs,
    report: &mut dyn FnMut(&Violation<'_>),
) {
    costs.add(compiled.cost, entry, ".messageExpression");
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

/// How often the value may stand in one object; none if a list or a map above it has no bound.
fn cardinality(node: &Node<'_, '_>) -> Option<u64> {
    let Some(parent) = node.parent else {
        return Some(1);
    };
    let above = cardinality(parent)?;
    Some(above.saturating_mul(elements(parent.schema)?))
}

/// How many values a schema holds at most; none if it does not say.
fn elements(schema: &SchemaProps<'_>) -> Option<u64> {
    let bound = match schema.type_.as_deref() {
        Some("object") if schema.additional_properties.is_some() => schema.max_properties,
        Some("array") => schema.max_items,
        _ => return Some(1),
    };
    bound.map(|bound| u64::try_from(bound).unwrap_or(0))
}

/// What has no bound: lists and maps above the rule, and what the rule reads.
fn missing(node: &Node<'_, '_>, unbounded: &BTreeSet<Unbounded>) -> Vec<(&'static str, String)> {
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
            Step::Items | Step::Item(_) => "maxItems",
            _ => "maxProperties",
        };
        found.push((keyword, named(&parent.path.text())));
    }
}

fn of_rule(node: &Node<'_, '_>, unbounded: &BTreeSet<Unbounded>) -> Vec<(&'static str, String)> {
    let path = node.path.text();
    let mut found: Vec<_> = unbounded.iter().collect();
    // Lists and maps count more often than texts.
    found.sort_by_key(|it| it.keyword == "maxLength");
    found.into_iter().map(|it| (it.keyword, named(&format!("{path}{}", it.path)))).collect()
}

/// A way from the root, without the dot that it begins with.
fn named(path: &str) -> String {
    match path.strip_prefix('.').unwrap_or(path) {
        "" => "the object".to_string(),
        path => format!("`{path}`"),
    }
}

/// What to write.
fn advice(mut missing: Vec<(&'static str, String)>) -> String {
    missing.truncate(4);
    let given = missing.iter().map(|(keyword, path)| format!("`{keyword}` to {path}"));
    match given.collect::<Vec<_>>().as_slice() {
        [] => "simplify it, or lower the bounds of lists, maps and strings".to_string(),
        [one] => format!("add {one}"),
        [first @ .., last] => format!("add {} or {last}", first.join(", ")),
    }
}

/// How many times as much as is allowed, as the server writes it.
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
