//! CEL rules: `x-kubernetes-validations` of a schema.
//!
//! These rules check the fields of a CEL rule, its position, its compilation and its cost.

use alloc::format;

use crate::{
    Arg, ErrorType, Node, ServerError, Text, Violation,
    cel::{CompiledRule, RuleScope, uses_old_self},
    path::SchemaStep,
    schema::{AdditionalProperties, Items, SchemaProps, ValidationRule},
};

use super::{NodeReport, report_at_node};

mod compile;
mod cost_limits;
mod field_path;
mod fields;
mod self_type;

pub use compile::{message_type_steps, rule_type_steps};
pub(super) use cost_limits::Costs;
pub use field_path::check_field_path;
use fields::present;
pub use fields::{
    check_fields, field_path_has_one_line, field_path_is_not_blank, long_rule_has_message,
    message_expression_is_not_blank, message_has_one_line, message_is_not_blank, reason_is_supported,
    rule_is_not_blank,
};
use self_type::SelfType;

rules! {
    C1 Error [Derive, Validate] "A rule is not blank.";
    C2 Error [Derive, Validate] "The message of a rule is not blank.";
    C3 Error [Derive, Validate] "The message of a rule has one line.";
    C4 Error [Derive, Validate] "A rule of several lines has a message.";
    C5 Error [Derive, Validate] "A message expression is not blank.";
    C6 Error [Derive, Validate] "The reason of a rule is one that the server supports.";
    C7 Error [Derive, Validate] "The field path of a rule is not blank and has one line.";
    C8 Error [Validate] "The field path of a rule leads to a field below it.";
    C9 Error [Derive, Validate] "No rule of a value is repeated; server-side apply rejects it, a create does not.";
    C10 Error [Derive, Const, Validate] "A rule compiles with the names and types of its schema.";
    C11 Error [Derive, Const, Validate] "A rule evaluates to a boolean.";
    C12 Error [Derive, Const, Validate] "A message expression compiles and evaluates to a string.";
    C13 Error [Validate] "Rules are on values with a known type.";
    C14 Error [Validate] "The estimated cost of a rule, times the maximum number of its values in one object, is at most 10,000,000.";
    C15 Error [Validate] "The estimated cost of a message expression is at most 10,000,000.";
    C16 Error [Validate] "The estimated cost of all rules of one version is at most 100,000,000.";
    C17 Error [Validate] "No rule below a list whose items the server cannot correlate uses `oldSelf`.";
    C18 Error [Derive, Validate] "`optionalOldSelf` is set only on rules that use `oldSelf`.";
    C19 Error [Never("J8 covers it: branches have no rules")] "No branch has rules.";
}

const RULES_FIELD: &str = ".x-kubernetes-validations";

const UNDECLARED: &str = "internal error: failed to construct type information for \
                          x-kubernetes-validations rules: unable to convert structural schema to CEL \
                          declarations";

/// Checks the family at one node; `root` is the server's name for the root of the schema.
pub(super) fn check_node(node: &Node<'_, '_>, root: &str, costs: &mut Costs, report: &mut NodeReport<'_>) {
    let schema = node.schema;
    let rules = &schema.validations;
    for (at, rule) in rules.iter().enumerate() {
        let mut check = |result| report_at_entry(node, at, result, report);
        check_fields(rule, &mut check);
        if rules[..at].iter().any(|other| other.rule == rule.rule) && !node.is_untyped_to_apply() {
            check(Err(repeated_rule(&rule.rule)));
        }
    }
    if rules.is_empty() || node.in_junctor {
        return;
    }
    let seen = SelfType::of(node);
    report_at_node(node, seen.value_has_type(node), report);
    let value = seen.value(node).filter(|_| compile::is_structural(schema));
    for (at, rule) in rules.iter().enumerate() {
        if let Some(path) = present(rule.field_path.as_deref()) {
            check_field_path(schema, path, &mut |it| report_at_entry(node, at, Err(*it), report));
        }
        let rule = RuleEntry { node, at, rule, root };
        match &value {
            Some(value) if rule_is_not_blank(&rule.rule.rule).is_ok() => rule.check_compiled(value, costs, report),
            _ => rule.check_old_self(None, report),
        }
    }
}

/// A CEL rule and its position.
struct RuleEntry<'e, 'n, 's> {
    node: &'e Node<'n, 's>,
    at: usize,
    rule: &'e ValidationRule<'s>,
    root: &'e str,
}

impl RuleEntry<'_, '_, '_> {
    /// Checks the rules that depend on the compiled expression.
    fn check_compiled(&self, value: &RuleScope, costs: &mut Costs, report: &mut NodeReport<'_>) {
        let (node, at, rule) = (self.node, self.at, self.rule);
        let mut entry = |it: &Violation<'_>| report_at_entry(node, at, Err(*it), report);
        let compiled = compile::compile_rule(value, rule, &mut entry);
        if let Some(compiled) = &compiled {
            cost_limits::check_rule_cost(self, value, compiled, costs, &mut entry);
        }
        if let Some(source) = present(rule.message_expression.as_deref())
            && message_expression_is_not_blank(source).is_ok()
            && let Some(message) = compile::compile_message_expression(value, rule, source, &mut entry)
        {
            // The server does not compile the message of a rule that does not compile.
            if compiled.is_some() {
                costs.add(message.cost, self, ".messageExpression");
            }
            cost_limits::check_message_cost(self, source, &message, &mut entry);
        }
        self.check_old_self(compiled.as_ref(), report);
    }

    /// Checks the rules about `oldSelf`.
    fn check_old_self(&self, compiled: Option<&CompiledRule>, report: &mut NodeReport<'_>) {
        let source = &*self.rule.rule;
        let uses = match compiled {
            Some(compiled) => compiled.uses_old_self,
            None => uses_old_self(source),
        };
        if !uses && let Some(is_optional) = self.rule.optional_old_self {
            report_at_entry(self.node, self.at, optional_old_self_applies(source, is_optional), report);
        }
        if uses && let Some(list) = uncorrelatable(self.node) {
            let list = format!("{}{}", self.root, list.path.field());
            report_at_entry(self.node, self.at, old_self_is_correlatable(source, &list), report);
        }
    }
}

/// Reports the violation, if any, at an entry of `x-kubernetes-validations`.
fn report_at_entry(node: &Node<'_, '_>, at: usize, result: Result<(), Violation<'_>>, report: &mut NodeReport<'_>) {
    let Err(violation) = result else { return };
    let below = violation.server_error.map_or(Text::EMPTY, |server_error| server_error.field);
    let mut violation = violation;
    if let Some(server_error) = &mut violation.server_error {
        server_error.field = entry_field(at, &below);
    }
    report(node, &violation);
}

fn entry_field<'a>(at: usize, below: &'a Text<'a>) -> Text<'a> {
    let at = i64::try_from(at).unwrap_or(i64::MAX);
    Text::new(".x-kubernetes-validations[{}]{}", &[Arg::Integer(at), Arg::Display(below)])
}

/// Returns the outermost list above a node whose items the server cannot correlate.
fn uncorrelatable<'n, 's>(node: &'n Node<'n, 's>) -> Option<&'n Node<'n, 's>> {
    let above = node.parent.and_then(uncorrelatable);
    above.or_else(|| {
        let (_, step) = node.path.last()?;
        let list = node.parent?;
        let is_item = matches!(step, SchemaStep::Items | SchemaStep::Item(_));
        (is_item && list.schema.list_type.as_deref() != Some("map")).then_some(list)
    })
}

/// [`C9`].
pub fn repeated_rule(rule: &str) -> Violation<'_> {
    let text = Text::new("the rule `{}` is repeated, which server-side apply rejects: keep one", &[Arg::Text(rule)]);
    let mut server_error = ServerError::new(ErrorType::Other, "", "");
    server_error.detail = Text::new("duplicate entries for key [rule={}]", &[Arg::Quoted(rule)]);
    Violation::new(&C9, text).with_server_error(server_error)
}

/// [`C13`]. Lists and maps of values without a type have none either.
pub fn value_has_type<'a>(schema: &SchemaProps<'_>) -> Result<(), Violation<'a>> {
    if is_visible_to_rules(schema) {
        return Ok(());
    }
    let text = Text::literal(
        "a rule needs a value whose type is known: give the value a `type`, or put the rule on a \
         field that has one",
    );
    let server_error = ServerError::new(ErrorType::Internal, RULES_FIELD, UNDECLARED);
    Err(Violation::new(&C13, text).with_server_error(server_error))
}

/// [`C17`]. `list` is the list's field.
pub fn old_self_is_correlatable<'a>(rule: &'a str, list: &'a str) -> Result<(), Violation<'a>> {
    if !uses_old_self(rule) {
        return Ok(());
    }
    let text = Text::new(
        "the rule `{}` uses `oldSelf`, which is not available below a list whose items the server cannot correlate: \
         give the list keys, `list_type = \"map\"` with `list_map_keys`, or remove the rule",
        &[Arg::Text(rule)],
    );
    let mut server_error = ServerError::new(ErrorType::Invalid, ".rule", "").with_value(Arg::Quoted(rule));
    server_error.detail =
        Text::new("oldSelf cannot be used on the uncorrelatable portion of the schema within {}", &[Arg::Text(list)]);
    Err(Violation::new(&C17, text).with_server_error(server_error))
}

/// [`C18`], whatever its value.
pub fn optional_old_self_applies(rule: &str, is_optional: bool) -> Result<(), Violation<'_>> {
    if uses_old_self(rule) {
        return Ok(());
    }
    let text = Text::literal(
        "`optionalOldSelf` applies to rules that use `oldSelf`: use `oldSelf` in the rule, or remove `optionalOldSelf`",
    );
    let detail = "may not be set if oldSelf is not used in rule";
    let value = if is_optional { "true" } else { "false" };
    let server_error = ServerError::new(ErrorType::Invalid, ".optionalOldSelf", detail).with_value(Arg::Text(value));
    Err(Violation::new(&C18, text).with_server_error(server_error))
}

/// Whether values of the schema have a type in CEL. Values of any type, and lists and maps of them, have none.
pub fn is_visible_to_rules(schema: &SchemaProps<'_>) -> bool {
    if schema.int_or_string {
        return true;
    }
    match (schema.type_.as_deref().unwrap_or_default(), &schema.items, &schema.additional_properties) {
        ("", ..) => false,
        ("array", Some(Items::Schema(items)), _) => is_visible_to_rules(items),
        ("object", _, Some(AdditionalProperties::Schema(values))) => is_visible_to_rules(values),
        _ => true,
    }
}

#[cfg(test)]
mod tests;
