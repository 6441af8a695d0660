//! Rules in CEL: `x-kubernetes-validations` of a schema.
//!
//! The texts around a rule are judged here, where it may stand, whether it compiles and what it costs.

use alloc::format;

use crate::{
    Answer, AnswerKind, Arg, Node, Text, Violation,
    cel::{Compiled, Value},
    literal::cel::uses_old_self,
    path::Step,
    schema::{Additional, Items, SchemaProps, ValidationRule},
};

use super::{NodeReport, at_node};

mod compile;
mod cost;
mod field_path;
mod seen;
mod texts;

pub use compile::syntax;
pub(super) use cost::Costs;
pub use field_path::c8;
use seen::Seen;
use texts::present;
pub use texts::{c1, c2, c3, c4, c5, c6, c7, c7_of_one_line, texts};

rules! {
    C1 Error [Derive, Validate] "A rule is not blank.";
    C2 Error [Derive, Validate] "The message of a rule is not blank.";
    C3 Error [Derive, Validate] "The message of a rule is one line.";
    C4 Error [Derive, Validate] "A rule of several lines has a message.";
    C5 Error [Derive, Validate] "A message expression is not blank.";
    C6 Error [Derive, Validate] "The reason of a rule is one that the server knows.";
    C7 Error [Derive, Validate] "The field path of a rule is one line that is not blank.";
    C8 Error [Validate] "The field path of a rule leads to a field below it.";
    C9 Error [Derive, Validate] "No rule is given twice in one place, which a create takes and an apply does not.";
    C10 Error [Derive, Validate] "A rule compiles, with the names and types of its schema.";
    C11 Error [Validate] "A rule gives a boolean.";
    C12 Error [Derive, Validate] "A message expression compiles, and gives a text.";
    C13 Error [Validate] "Rules stand on values whose type is known.";
    C14 Error [Validate] "A rule costs at most 10,000,000, times how often its value may stand in one object.";
    C15 Error [Validate] "A message expression costs at most 10,000,000.";
    C16 Error [Validate] "The rules of one version together cost at most 100,000,000.";
    C17 Error [Validate] "No rule below a list whose items the server cannot tell apart is about `oldSelf`.";
    C18 Error [Derive, Validate] "`optionalOldSelf` is for rules that use `oldSelf`.";
    C19 Error [Never("J8 says so: branches have no rules at all")] "No rule stands within a branch.";
}

const RULES_FIELD: &str = ".x-kubernetes-validations";

const UNDECLARED: &str = "internal error: failed to construct type information for \
                          x-kubernetes-validations rules: unable to convert structural schema to CEL \
                          declarations";

/// Asks the family of one node; `root` is what the server calls the root of the schema.
pub(super) fn node(node: &Node<'_, '_>, root: &str, costs: &mut Costs, report: &mut NodeReport<'_>) {
    let schema = node.schema;
    let rules = &schema.validations;
    for (at, rule) in rules.iter().enumerate() {
        let mut check = |result| at_entry(node, at, result, report);
        texts(rule, &mut check);
        if rules[..at].iter().any(|other| other.rule == rule.rule) && !node.is_untyped_to_apply() {
            check(c9(&rule.rule));
        }
    }
    if rules.is_empty() || node.in_junctor {
        return;
    }
    let seen = Seen::of(node);
    at_node(node, seen.c13(node), report);
    let value = seen.value(node).filter(|_| compile::is_structural(schema));
    for (at, rule) in rules.iter().enumerate() {
        if let Some(path) = present(rule.field_path.as_deref()) {
            c8(schema, path, &mut |it| at_entry(node, at, Err(*it), report));
        }
        let rule = Entry { node, at, rule, root };
        match &value {
            Some(value) if c1(&rule.rule.rule).is_ok() => rule.compiled(value, costs, report),
            _ => rule.of_old_self(None, report),
        }
    }
}

/// A rule, and where it stands.
struct Entry<'e, 'n, 's> {
    node: &'e Node<'n, 's>,
    at: usize,
    rule: &'e ValidationRule<'s>,
    root: &'e str,
}

impl Entry<'_, '_, '_> {
    /// Asks what its compilation decides.
    fn compiled(&self, value: &Value, costs: &mut Costs, report: &mut NodeReport<'_>) {
        let (node, at, rule) = (self.node, self.at, self.rule);
        let mut entry = |it: &Violation<'_>| at_entry(node, at, Err(*it), report);
        let compiled = compile::c10(value, rule, &mut entry);
        if let Some(compiled) = &compiled {
            cost::c14(self, value, compiled, costs, &mut entry);
        }
        if let Some(source) = present(rule.message_expression.as_deref())
            && c5(source).is_ok()
            && let Some(compiled) = compile::c12(value, rule, source, &mut entry)
        {
            cost::c15(self, source, &compiled, costs, &mut entry);
        }
        self.of_old_self(compiled.as_ref(), report);
    }

    /// Asks what the use of `oldSelf` decides.
    fn of_old_self(&self, compiled: Option<&Compiled>, report: &mut NodeReport<'_>) {
        let source = &*self.rule.rule;
        let uses = match compiled {
            Some(compiled) => compiled.uses_old_self,
            None => uses_old_self(source),
        };
        if !uses && let Some(is_optional) = self.rule.optional_old_self {
            at_entry(self.node, self.at, c18(source, is_optional), report);
        }
        if uses && let Some(list) = uncorrelatable(self.node) {
            let list = format!("{}{}", self.root, list.path.field());
            at_entry(self.node, self.at, c17(source, &list), report);
        }
    }
}

/// Reports an entry that breaks a rule.
fn at_entry(node: &Node<'_, '_>, at: usize, result: Result<(), Violation<'_>>, report: &mut NodeReport<'_>) {
    let Err(violation) = result else { return };
    let below = violation.answer.map_or(Text::EMPTY, |answer| answer.field);
    let mut violation = violation;
    if let Some(answer) = &mut violation.answer {
        answer.field = entry_field(at, &below);
    }
    report(node, &violation);
}

fn entry_field<'a>(at: usize, below: &'a Text<'a>) -> Text<'a> {
    let at = i64::try_from(at).unwrap_or(i64::MAX);
    Text::new(".x-kubernetes-validations[{}]{}", &[Arg::Integer(at), Arg::Display(below)])
}

/// The outermost list above a node whose items the server cannot tell apart.
fn uncorrelatable<'n, 's>(node: &'n Node<'n, 's>) -> Option<&'n Node<'n, 's>> {
    let above = node.parent.and_then(uncorrelatable);
    above.or_else(|| {
        let (_, step) = node.path.last()?;
        let list = node.parent?;
        let is_item = matches!(step, Step::Items | Step::Item(_));
        (is_item && list.schema.list_type.as_deref() != Some("map")).then_some(list)
    })
}

/// No rule is given twice in one place. To be called for a rule that is.
///
/// # Errors
///
/// Always: server-side apply refuses it, a create does not.
pub fn c9(rule: &str) -> Result<(), Violation<'_>> {
    let text = Text::new("the rule `{}` is given twice, which server-side apply refuses: keep one", &[Arg::Text(rule)]);
    let mut answer = Answer::new(AnswerKind::Other, "", "");
    answer.detail = Text::new("duplicate entries for key [rule={}]", &[Arg::Quoted(rule)]);
    Err(Violation::new(&C9, text).answered(answer))
}

/// Rules stand on values whose type is known.
///
/// # Errors
///
/// If the value can be anything, or is a list or map of such values.
pub fn c13<'a>(schema: &SchemaProps<'_>) -> Result<(), Violation<'a>> {
    if are_seen(schema) {
        return Ok(());
    }
    let text = Text::plain(
        "a rule needs a value whose type is known: give the value a `type`, or put the rule on a \
         field that has one",
    );
    let answer = Answer::new(AnswerKind::Internal, RULES_FIELD, UNDECLARED);
    Err(Violation::new(&C13, text).answered(answer))
}

/// No rule below a list whose items the server cannot tell apart is about `oldSelf`. `list` is the list's field.
///
/// # Errors
///
/// If the rule uses `oldSelf`.
pub fn c17<'a>(rule: &'a str, list: &'a str) -> Result<(), Violation<'a>> {
    if !uses_old_self(rule) {
        return Ok(());
    }
    let text = Text::new(
        "the rule `{}` is about `oldSelf`, which is not known below a list whose items the server \
         cannot tell apart: give the list keys, `list_type = \"map\"` with `list_map_keys`, or \
         remove the rule",
        &[Arg::Text(rule)],
    );
    let mut answer = Answer::new(AnswerKind::Invalid, ".rule", "").quoting(Arg::Quoted(rule));
    answer.detail =
        Text::new("oldSelf cannot be used on the uncorrelatable portion of the schema within {}", &[Arg::Text(list)]);
    Err(Violation::new(&C17, text).answered(answer))
}

/// `optionalOldSelf` is for rules that use `oldSelf`.
///
/// # Errors
///
/// If the rule does not, whatever the value of `optionalOldSelf`.
pub fn c18(rule: &str, is_optional: bool) -> Result<(), Violation<'_>> {
    if uses_old_self(rule) {
        return Ok(());
    }
    let text = Text::plain(
        "`optionalOldSelf` is for rules that use `oldSelf`: use it in the rule, or leave \
         `optionalOldSelf` out",
    );
    let detail = "may not be set if oldSelf is not used in rule";
    let value = if is_optional { "true" } else { "false" };
    let answer = Answer::new(AnswerKind::Invalid, ".optionalOldSelf", detail).quoting(Arg::Text(value));
    Err(Violation::new(&C18, text).answered(answer))
}

/// Whether rules see a value of the schema: they know no type for what can be anything, nor for lists and maps of it.
pub fn are_seen(schema: &SchemaProps<'_>) -> bool {
    if schema.int_or_string {
        return true;
    }
    match (schema.type_.as_deref().unwrap_or_default(), &schema.items, &schema.additional_properties) {
        ("", ..) => false,
        ("array", Some(Items::Schema(items)), _) => are_seen(items),
        ("object", _, Some(Additional::Schema(values))) => are_seen(values),
        _ => true,
    }
}

#[cfg(test)]
mod tests;
