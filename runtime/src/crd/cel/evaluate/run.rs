//! Evaluation of compiled rules on a value and on all values in it, in the same way as by the server.
//!
//! The crate `cel` evaluates the rules, and [`crdkit_core::cel`] counts their cost. Where the former lacks a feature of the
//! server, such as `.?`, the latter may know the result.

use crdkit_core::{ErrorType, cel::Evaluation, go, json::Json};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::ValidationRule;
use serde_json::{Map, Value};

use crate::crd::{
    cel::evaluate::{
        compiled::{CompiledRule, CompiledRules},
        rule::{RuleFailure, UNSUPPORTED, failure, message},
        without_null_fields,
    },
    crd_accessors::read,
};

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
    /// It cannot be evaluated here, and perhaps by the server.
    Unsupported,
}

/// Whether a rule is violated that cannot be evaluated here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unsupported {
    /// The value is rejected.
    IsFailure,
    /// The value is accepted.
    IsIgnored,
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
    pub fn failures(&self, old: Option<&Value>, new: &Value, unsupported: Unsupported) -> Vec<Failure> {
        self.failures_within(old, new, unsupported, &mut Budget::default())
    }

    /// Returns the rules that a value violates, and reduces the budget.
    pub(crate) fn failures_within(
        &self,
        old: Option<&Value>,
        new: &Value,
        unsupported: Unsupported,
        budget: &mut Budget,
    ) -> Vec<Failure> {
        let mut found = Found { failures: Vec::new(), budget: *budget, unsupported };
        Visit { rules: self, old }.visit(new, "", &mut found);
        *budget = found.budget;
        found.failures
    }
}

/// The failures so far, and what is left of the budget.
struct Found {
    failures: Vec<Failure>,
    budget: Budget,
    unsupported: Unsupported,
}

/// The rules of a value, and the old value at its path.
#[derive(Clone, Copy)]
struct Visit<'a> {
    rules: &'a CompiledRules,
    old: Option<&'a Value>,
}

impl Visit<'_> {
    fn visit(self, value: &Value, place: &str, found: &mut Found) {
        if value.is_null() {
            return;
        }
        self.own_rules(value, place, found);
        match value {
            Value::Array(list) => self.list(list, place, found),
            Value::Object(members) => self.members(members, place, found),
            _ => {}
        }
    }

    fn list(self, list: &[Value], place: &str, found: &mut Found) {
        let Some(rules) = self.rules.items() else {
            return;
        };
        for (at, item) in list.iter().enumerate() {
            let old = self.old.and_then(|old| correlated(&self.rules.list_map_keys, old, item));
            Visit { rules, old }.visit(item, &format!("{place}[{at}]"), found);
        }
    }

    fn members(self, members: &Map<String, Value>, place: &str, found: &mut Found) {
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

    fn own_rules(self, value: &Value, place: &str, found: &mut Found) {
        if self.rules.rules.is_empty() {
            return;
        }
        let Some(scope) = &self.rules.scope else {
            let detail = "rule compiler initialization error: failed to convert to declType for CEL \
                          validation rules";
            found.failures.push(self.unevaluated("", place, detail.to_owned()));
            return;
        };
        let new = without_null_fields(value, &self.rules.schema);
        let old = self.old.map(|old| without_null_fields(old, &self.rules.schema));
        let values = Values::new(&new, old.as_ref());
        for rule in self.rules.rules.iter().filter(|rule| rule.is_evaluated(self.old.is_some())) {
            let Some(left) = found.budget.0 else { return };
            let checked = rule.checked(scope);
            let evaluation = checked
                .map(|checked| scope.evaluate_checked(checked, &values.json, values.old_json.as_ref(), RULE_LIMIT));
            let cost = evaluation.as_ref().map_or(0, |it| it.cost);
            found.budget.0 = left.checked_sub(cost).filter(|_| cost <= RULE_LIMIT);
            let failure = match found.budget.0 {
                Some(_) => self.rule(rule, &values, evaluation.as_ref(), place, found.unsupported),
                None => Some(self.too_expensive(&rule.rule, cost, place)),
            };
            found.failures.extend(failure);
        }
    }

    /// Reports the rule at which the server stops because of its cost.
    fn too_expensive(self, rule: &ValidationRule, cost: u64, place: &str) -> Failure {
        if cost <= RULE_LIMIT {
            return Failure::Budget { place: place.to_owned(), type_: self.quoted_type() };
        }
        let detail = "'operation cancelled: actual cost limit exceeded': no further validation rules will be run due \
                      to call cost exceeds limit for rule";
        self.unevaluated(&rule.rule, place, format!("{detail}: {}", quoted(rule)))
    }

    /// Reports a rule that fails. `evaluation` is what is known besides; the evaluator lacks some features of the server.
    fn rule(
        self,
        rule: &CompiledRule,
        values: &Values<'_>,
        evaluation: Option<&Evaluation>,
        place: &str,
        unsupported: Unsupported,
    ) -> Option<Failure> {
        let schema = &self.rules.schema;
        let has_old = values.old.is_some();
        let known = evaluation.and_then(|it| (it.is_true || it.is_false).then_some(it.is_true));
        let failed = match (failure(rule.condition(schema, has_old), values), known) {
            (None | Some(RuleFailure::Unknown(_)), Some(false)) => Some(RuleFailure::False),
            (Some(RuleFailure::Unknown(_)), Some(true)) => None,
            (failure, _) => failure,
        };
        let text = quoted(&rule.rule);
        match failed? {
            RuleFailure::Error(reason) => {
                Some(self.unevaluated(&rule.rule.rule, place, format!("{reason} evaluating rule: {text}")))
            }
            RuleFailure::Unknown(reason) => (unsupported == Unsupported::IsFailure)
                .then(|| not_supported(&rule.rule.rule, &rule.rule.rule, &reason, place)),
            RuleFailure::False => {
                let message = rule.message(schema, has_old).and_then(|compiled| message(compiled, values));
                if let (Some(expression), None, Unsupported::IsFailure) =
                    (rule.rule.message_expression.as_deref(), &message, unsupported)
                    && let Some(RuleFailure::Unknown(reason)) =
                        rule.message_probe(schema, has_old).and_then(|probe| failure(probe, values))
                {
                    return Some(not_supported(&rule.rule.rule, expression, &reason, place));
                }
                let detail = message.unwrap_or_else(|| match given_message(&rule.rule) {
                    Some(_) => text.to_owned(),
                    None => format!("failed rule: {text}"),
                });
                Some(self.failed(rule, &values.json, place, detail))
            }
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

/// A value that rules run on, and the old value that it replaces, without null fields, in the forms of both evaluators.
pub(super) struct Values<'a> {
    pub(super) new: &'a Value,
    pub(super) old: Option<&'a Value>,
    json: Json<'a>,
    old_json: Option<Json<'a>>,
}

impl<'a> Values<'a> {
    pub(super) fn new(new: &'a Value, old: Option<&'a Value>) -> Self {
        Self { new, old, json: read::json(new), old_json: old.map(read::json) }
    }
}

/// Returns the old item of a list with the keys of an item. The server correlates no items of lists without keys.
pub fn correlated<'v>(keys: &[impl AsRef<str>], old: &'v Value, item: &Value) -> Option<&'v Value> {
    let is_same = |old: &&Value| keys.iter().all(|key| old.get(key.as_ref()) == item.get(key.as_ref()));
    old.as_array().filter(|_| !keys.is_empty())?.iter().find(is_same)
}

/// Reports an expression that the evaluator cannot evaluate, which the server may accept.
fn not_supported(rule: &str, expression: &str, reason: &str, place: &str) -> Failure {
    let detail = format!("{UNSUPPORTED} ({reason}), test it with a control plane: {expression}");
    let (place, rule) = (place.to_owned(), rule.to_owned());
    Failure::Rule { kind: ErrorType::Internal, place, value: None, detail, rule, cause: Cause::Unsupported }
}

/// The text that the server quotes for a rule.
fn quoted(rule: &ValidationRule) -> &str {
    given_message(rule).unwrap_or(&rule.rule).trim()
}

fn given_message(rule: &ValidationRule) -> Option<&str> {
    rule.message.as_deref().filter(|message| !message.is_empty())
}
