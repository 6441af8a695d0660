//! Evaluation of compiled rules on a value and on all values in it, in the same way as by the server.

use std::borrow::Cow;

use crdkit_core::{
    ErrorType,
    cel::{EvaluationError, RuleScope},
    go,
    json::Json,
};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::ValidationRule;

use crate::crd::cel::evaluate::compiled::{CompiledRule, CompiledRules};

/// The maximum cost of one rule on one value, as `PerCallLimit` of the API server.
const RULE_LIMIT: u64 = 1_000_000;

/// The maximum cost of all rules on an object, and on the defaults of a version, as `RuntimeCELCostBudget` of the API server.
const BUDGET: u64 = 10_000_000;

/// The error of the server for a value.
pub enum Failure {
    /// A rule fails.
    Rule {
        /// The type of the error.
        kind: ErrorType,
        /// The path from the value.
        place: String,
        /// The quoted value between the kind and the detail.
        value: Option<String>,
        /// The message of the rule, or why it cannot be evaluated.
        detail: String,
        /// The expression.
        rule: String,
        /// Why it fails.
        cause: Cause,
    },
    /// The values so far exhaust the budget.
    Budget {
        /// The path from the value.
        place: String,
        /// The type of the value, in quotes.
        type_: String,
    },
}

/// Why a rule fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// It is false.
    False,
    /// It cannot be evaluated.
    Error,
    /// It does not compile.
    DoesNotCompile,
}

/// What the server may still spend on rules; `None` once it stopped.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Budget(Option<u64>);

impl Default for Budget {
    fn default() -> Self {
        Self(Some(BUDGET))
    }
}

impl CompiledRules {
    /// Returns the rules that a value violates, which replaces `old` if given. The value has its defaults.
    pub fn failures(&self, old: Option<&Json<'_>>, new: &Json<'_>) -> Vec<Failure> {
        self.failures_within(old, new, &mut Budget::default())
    }

    /// Returns the rules that a value violates, and reduces the budget.
    pub(crate) fn failures_within(&self, old: Option<&Json<'_>>, new: &Json<'_>, budget: &mut Budget) -> Vec<Failure> {
        let mut found = Found { failures: Vec::new(), budget: *budget };
        Visit { rules: self, old }.visit(new, "", &mut found);
        *budget = found.budget;
        found.failures
    }
}

/// The failures so far, and what is left of the budget.
struct Found {
    failures: Vec<Failure>,
    budget: Budget,
}

/// The rules of a value, and the old value at its path.
#[derive(Clone, Copy)]
struct Visit<'a> {
    rules: &'a CompiledRules,
    old: Option<&'a Json<'a>>,
}

impl Visit<'_> {
    fn visit(self, value: &Json<'_>, place: &str, found: &mut Found) {
        if value.is_null() {
            return;
        }
        // The server has no old value where that is null.
        let visit = Self { old: self.old.filter(|old| !old.is_null()), ..self };
        visit.own_rules(value, place, found);
        match value {
            Json::Array(list) => self.list(list, place, found),
            Json::Object(members) => self.members(members, place, found),
            _ => {}
        }
    }

    fn list(self, list: &[Json<'_>], place: &str, found: &mut Found) {
        let Some(rules) = self.rules.items() else {
            return;
        };
        for (at, item) in list.iter().enumerate() {
            let old = self.old.and_then(|old| correlated(&self.rules.list_map_keys, old, item));
            Visit { rules, old }.visit(item, &format!("{place}[{at}]"), found);
        }
    }

    fn members(self, members: &[(Cow<'_, str>, Json<'_>)], place: &str, found: &mut Found) {
        for (name, value) in members {
            let old = self.old.and_then(|old| old.get(name));
            if let Some(rules) = self.rules.values() {
                Visit { rules, old }.visit(value, &format!("{place}[{name}]"), found);
            }
            if let Some(rules) = self.rules.field(name) {
                Visit { rules, old }.visit(value, &format!("{place}.{name}"), found);
            }
        }
    }

    fn own_rules(self, value: &Json<'_>, place: &str, found: &mut Found) {
        if self.rules.rules.is_empty() {
            return;
        }
        let Some(scope) = &self.rules.scope else {
            let detail = "rule compiler initialization error: failed to convert to declType for CEL \
                          validation rules";
            found.failures.push(self.unevaluated("", place, detail.to_owned()));
            return;
        };
        let run = RuleRun { visit: self, scope, new: value, old: self.old, place };
        for rule in self.rules.rules.iter().filter(|rule| rule.is_evaluated(self.old.is_some())) {
            if found.budget.0.is_none() {
                return;
            }
            let failure = run.failure(rule, &mut found.budget);
            found.failures.extend(failure);
        }
    }

    fn failed(self, rule: &CompiledRule, value: &Json<'_>, place: &str, detail: String) -> Failure {
        let value = match self.rules.type_.as_str() {
            "object" | "array" => None,
            _ => Some(go::quoted(value)),
        };
        let (kind, value) = match rule.rule.reason.as_deref() {
            Some("FieldValueForbidden") => (ErrorType::Forbidden, None),
            Some("FieldValueRequired") => (ErrorType::Required, None),
            Some("FieldValueDuplicate") => (ErrorType::Duplicate, value),
            _ => (ErrorType::Invalid, value),
        };
        let place = format!("{place}{}", rule.place);
        Failure::Rule { kind, place, value, detail, rule: rule.rule.rule.clone(), cause: Cause::False }
    }

    /// Reports a rule that cannot be evaluated. The server shows the type instead of the value.
    fn unevaluated(self, rule: &str, place: &str, detail: String) -> Failure {
        let (place, rule) = (place.to_owned(), rule.to_owned());
        let value = Some(self.quoted_type());
        Failure::Rule { kind: ErrorType::Invalid, place, value, detail, rule, cause: Cause::Error }
    }

    fn quoted_type(self) -> String {
        go::quote(&self.rules.type_)
    }
}

/// The evaluation of the rules of one value.
struct RuleRun<'a> {
    visit: Visit<'a>,
    scope: &'a RuleScope,
    new: &'a Json<'a>,
    old: Option<&'a Json<'a>>,
    place: &'a str,
}

impl RuleRun<'_> {
    /// Returns why a rule fails, and reduces the budget.
    fn failure(&self, rule: &CompiledRule, budget: &mut Budget) -> Option<Failure> {
        let program = match rule.condition(self.scope) {
            Ok(program) => program,
            Err(reason) => {
                let failure = self.unevaluated(&rule.rule, format!("rule compile error: {reason}"));
                return Some(failure.because(Cause::DoesNotCompile));
            }
        };
        let evaluation = program.evaluate(self.new, self.old, RULE_LIMIT);
        if !budget.spend(evaluation.cost) {
            return Some(Failure::Budget { place: self.place.to_owned(), type_: self.visit.quoted_type() });
        }
        let text = quoted(&rule.rule);
        let detail = match evaluation.result {
            Ok(true) => return None,
            Ok(false) => return Some(self.false_rule(rule, budget)),
            Err(EvaluationError::CostLimitExceeded) => {
                budget.0 = None;
                let error = EvaluationError::CostLimitExceeded;
                format!(
                    "'{error}': no further validation rules will be run due to call cost exceeds limit for rule: {text}"
                )
            }
            Err(EvaluationError::Failed(reason)) if reason.starts_with("no such overload") => {
                format!(
                    "'{reason}': call arguments did not match a supported operator, function or macro signature for \
                     rule: {text}"
                )
            }
            Err(EvaluationError::Failed(reason)) => format!("{reason} evaluating rule: {text}"),
        };
        Some(self.unevaluated(&rule.rule, detail))
    }

    /// Reports a rule that is false, with the result of its message expression if the server uses it.
    fn false_rule(&self, rule: &CompiledRule, budget: &mut Budget) -> Failure {
        let message = match self.message(rule, budget) {
            Ok(message) => message,
            Err(detail) => {
                let mut failure = self.unevaluated(&rule.rule, detail);
                if let Failure::Rule { place, .. } = &mut failure {
                    place.push_str(&rule.place);
                }
                return failure;
            }
        };
        let text = quoted(&rule.rule);
        let detail = message.unwrap_or_else(|| match given_message(&rule.rule) {
            Some(_) => text.to_owned(),
            None => format!("failed rule: {text}"),
        });
        self.visit.failed(rule, self.new, self.place, detail)
    }

    /// Returns the result of a message expression, if the server uses it. The error is why the server stops.
    fn message(&self, rule: &CompiledRule, budget: &mut Budget) -> Result<Option<String>, String> {
        let Some(program) = rule.message(self.scope) else {
            return Ok(None);
        };
        let evaluation = program.evaluate_text(self.new, self.old, RULE_LIMIT);
        if !budget.spend(evaluation.cost) {
            return Err(
                "messageExpression evaluation failed due to running out of cost budget, no further validation \
                        rules will be run"
                    .to_owned(),
            );
        }
        match evaluation.result {
            Ok(message) => Ok(usable_message(&message).map(str::to_owned)),
            Err(EvaluationError::Failed(_)) => Ok(None),
            Err(EvaluationError::CostLimitExceeded) => {
                budget.0 = None;
                let expression = rule.rule.message_expression.as_deref().unwrap_or_default();
                Err(format!(
                    "no further validation rules will be run due to call cost exceeds limit for messageExpression: {}",
                    go::quote(expression)
                ))
            }
        }
    }

    fn unevaluated(&self, rule: &ValidationRule, detail: String) -> Failure {
        self.visit.unevaluated(&rule.rule, self.place, detail)
    }
}

impl Budget {
    /// Reduces the budget. Returns whether it suffices; if not, the server stops.
    fn spend(&mut self, cost: u64) -> bool {
        self.0 = self.0.and_then(|left| left.checked_sub(cost));
        self.0.is_some()
    }
}

impl Failure {
    fn because(mut self, why: Cause) -> Self {
        if let Self::Rule { cause, .. } = &mut self {
            *cause = why;
        }
        self
    }
}

/// Returns the message that the server shows, if it shows the result of the expression.
fn usable_message(message: &str) -> Option<&str> {
    /// The maximum length of a message in bytes: `MaxEvaluatedMessageExpressionSizeBytes` of the API server.
    const MAX_BYTES: usize = 5 * 1024;
    let message = message.trim();
    (!message.is_empty() && message.len() <= MAX_BYTES && !message.contains('\n')).then_some(message)
}

/// Returns the old item of a list with the keys of an item. The server correlates no items of lists without keys.
fn correlated<'v>(keys: &[String], old: &'v Json<'v>, item: &Json<'_>) -> Option<&'v Json<'v>> {
    let Json::Array(items) = old else {
        return None;
    };
    let is_same = |old: &&Json<'_>| keys.iter().all(|key| old.get(key) == item.get(key));
    items.iter().find(is_same).filter(|_| !keys.is_empty())
}

/// The text that the server quotes for a rule.
fn quoted(rule: &ValidationRule) -> &str {
    given_message(rule).unwrap_or(&rule.rule).trim()
}

fn given_message(rule: &ValidationRule) -> Option<&str> {
    rule.message.as_deref().filter(|message| !message.is_empty())
}

#[cfg(test)]
mod tests {
    use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::JSONSchemaProps;
    use serde_json::{Value, json};

    use super::*;

    /// Returns the details of the failures of a rule on five.
    fn details(rule: &Value, old: Option<i64>) -> Vec<String> {
        let schema = json!({ "type": "integer", "x-kubernetes-validations": [rule] });
        let schema: JSONSchemaProps = serde_json::from_value(schema).unwrap();
        let rules = CompiledRules::of(&schema).unwrap();
        let failures = rules.failures(old.map(Json::Integer).as_ref(), &Json::Integer(5));
        let detail = |failure| match failure {
            Failure::Rule { detail, .. } => detail,
            Failure::Budget { .. } => "budget".to_owned(),
        };
        failures.into_iter().map(detail).collect()
    }

    #[test]
    fn old_self_may_be_missing() {
        for (rule, fails_with_old, fails_without_old) in [
            ("oldSelf.hasValue()", false, true),
            ("!oldSelf.hasValue() || self > oldSelf.value()", true, false),
            ("oldSelf.orValue(9) == 5", false, true),
        ] {
            let rule = json!({ "rule": rule, "optionalOldSelf": true });
            assert_eq!(details(&rule, Some(5)).len(), usize::from(fails_with_old), "{rule}");
            assert_eq!(details(&rule, None).len(), usize::from(fails_without_old), "{rule}");
        }
        assert_eq!(details(&json!({ "rule": "self > oldSelf" }), None), [""; 0]);
    }

    #[test]
    fn errors_have_the_servers_texts() {
        for (rule, detail) in [
            ("1 / (self - 5) == 1", "division by zero evaluating rule: 1 / (self - 5) == 1"),
            (
                "dyn(self) > 'a'",
                "'no such overload': call arguments did not match a supported operator, function or macro signature for \
                 rule: dyn(self) > 'a'",
            ),
            (
                "lists.range(900000).all(it, it >= 0)",
                "'operation cancelled: actual cost limit exceeded': no further validation rules will be run due to call \
                 cost exceeds limit for rule: lists.range(900000).all(it, it >= 0)",
            ),
        ] {
            assert_eq!(details(&json!({ "rule": rule }), None), [detail]);
        }
        let found = details(&json!({ "rule": "self.foo == 1" }), None);
        assert!(found[0].starts_with("rule compile error: compilation failed: ERROR: <input>:1:5"), "{found:?}");
    }

    #[test]
    fn messages_are_those_that_the_server_shows() {
        let of = |expression: &str| {
            details(&json!({ "rule": "self > 5", "message": "low", "messageExpression": expression }), None)
        };
        assert_eq!(of("' is ' + string(self)"), ["is 5"]);
        for expression in ["' '", "'a\\nb'", "string(1 / (self - 5))", "'%.99999999f'.format([1.0]) + 1"] {
            assert_eq!(of(expression), ["low"], "{expression}");
        }
        let of_old = json!({
            "rule": "self > 5", "messageExpression": "'was ' + string(oldSelf.value())", "optionalOldSelf": true,
        });
        // The server has no optional value for messages.
        assert_eq!(details(&of_old, Some(4)), ["failed rule: self > 5"]);
    }
}
