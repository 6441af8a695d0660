//! Evaluation of the CEL rules of a schema, and of all nested schemas, on a default, in the same way as by the server.

use crdkit_core::{
    ErrorType,
    admission::go,
    cel,
    literal::{cel::escaped, field_path},
};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::{JSON, JSONSchemaProps, ValidationRule};
use serde_json::{Map, Value, json};

use crate::{
    cel::evaluate::rule::{Change, RuleFailure, UNSUPPORTED},
    props::{items, read, values},
};

/// The maximum cost of one rule on one value, as `PerCallLimit` of the API server.
const RULE_LIMIT: u64 = 1_000_000;

/// The maximum cost of all rules on the defaults of a version, as `RuntimeCELCostBudget` of the API server.
const BUDGET: u64 = 10_000_000;

/// The error of the server for a default.
pub(crate) enum Failure {
    /// A rule fails.
    Rule {
        kind: ErrorType,
        /// The path from the default.
        place: String,
        /// The quoted value between the kind and the detail.
        value: Option<String>,
        detail: String,
    },
    /// The defaults so far exhaust the budget.
    Budget {
        /// The path from the default.
        place: String,
        /// The type of the value, in quotes.
        type_: String,
    },
}

/// What the server may still spend on the defaults of a version; `None` once it stopped.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Budget(Option<u64>);

impl Default for Budget {
    fn default() -> Self {
        Self(Some(BUDGET))
    }
}

/// Returns the rules that the default of a schema violates.
pub(super) fn failures(schema: &JSONSchemaProps, budget: &mut Budget) -> Vec<Failure> {
    let Some(JSON(default)) = &schema.default else {
        return Vec::new();
    };
    let run = |old, budget: Budget| {
        let mut found = Found { failures: Vec::new(), budget, is_strict: false };
        Visit { schema, old }.visit(default, "", &mut found);
        found
    };
    let before = *budget;
    let update = run(Some(default), before);
    *budget = update.budget;
    if !update.failures.is_empty() {
        return update.failures;
    }
    // Both runs begin with the same budget, and the more expensive one counts.
    let create = run(None, before);
    *budget = (*budget).min(create.budget);
    create.failures
}

/// Returns the rules that an object violates, which replaces `old` if given. `schema` is that of the root, marked as an
/// embedded resource. A rule that cannot be evaluated here is violated.
#[cfg(feature = "testing")]
pub(crate) fn object_failures(schema: &JSONSchemaProps, old: Option<&Value>, new: &Value) -> Vec<Failure> {
    let mut found = Found { failures: Vec::new(), budget: Budget::default(), is_strict: true };
    Visit { schema, old }.visit(new, "", &mut found);
    found.failures
}

/// Returns whether a schema, or one below it, has rules.
pub(crate) fn has_rules(schema: &JSONSchemaProps) -> bool {
    let fields = schema.properties.iter().flat_map(|fields| fields.values());
    let within = fields.chain(items(schema)).chain(values(schema));
    rules(schema).next().is_some() || within.into_iter().any(has_rules)
}

fn rules(schema: &JSONSchemaProps) -> impl Iterator<Item = &ValidationRule> {
    schema.x_kubernetes_validations.iter().flatten()
}

/// The failures so far, and what is left of the budget.
struct Found {
    failures: Vec<Failure>,
    budget: Budget,
    /// Whether a rule is violated that the evaluator cannot evaluate.
    is_strict: bool,
}

/// A schema, and the old value at its path.
#[derive(Clone, Copy)]
struct Visit<'a> {
    schema: &'a JSONSchemaProps,
    old: Option<&'a Value>,
}

impl Visit<'_> {
    fn visit(self, value: &Value, place: &str, found: &mut Found) {
        if value.is_null() {
            return;
        }
        self.rules(value, place, found);
        match value {
            Value::Array(list) => self.list(list, place, found),
            Value::Object(members) => self.members(members, place, found),
            _ => {}
        }
    }

    fn list(self, list: &[Value], place: &str, found: &mut Found) {
        let Some(schema) = items(self.schema) else {
            return;
        };
        let keys = self.schema.x_kubernetes_list_map_keys.as_deref().unwrap_or_default();
        for (at, item) in list.iter().enumerate() {
            let old = self.old.and_then(|old| correlated(keys, old, item));
            Visit { schema, old }.visit(item, &format!("{place}[{at}]"), found);
        }
    }

    fn members(self, members: &Map<String, Value>, place: &str, found: &mut Found) {
        for (name, value) in members {
            let old = self.old.and_then(|old| old.get(name));
            if let Some(schema) = values(self.schema) {
                Visit { schema, old }.visit(value, &format!("{place}[{name}]"), found);
            }
            let fields = self.schema.properties.as_ref();
            if let Some(schema) = fields.and_then(|fields| fields.get(name))
                && (scope(schema).is_some() || escaped(name).is_none())
            {
                Visit { schema, old }.visit(value, &format!("{place}.{name}"), found);
            }
        }
    }

    fn rules(self, value: &Value, place: &str, found: &mut Found) {
        let mut rules = rules(self.schema).peekable();
        if rules.peek().is_none() {
            return;
        }
        let Some(scope) = scope(self.schema) else {
            let detail = "rule compiler initialization error: failed to convert to declType for CEL \
                          validation rules";
            found.failures.push(self.unevaluated(place, detail.to_owned()));
            return;
        };
        let schema = bare(self.schema);
        let change = Change { schema: &schema, value, old: self.old };
        let json = read::json(value);
        let old = self.old.map(read::json);
        for rule in rules.filter(|rule| is_evaluated(rule, change)) {
            let Some(left) = found.budget.0 else { return };
            let is_old_optional = rule.optional_old_self == Some(true);
            let evaluation = scope.evaluate(&rule.rule, is_old_optional, &json, old.as_ref(), RULE_LIMIT);
            let cost = evaluation.map_or(0, |it| it.cost);
            found.budget.0 = left.checked_sub(cost).filter(|_| cost <= RULE_LIMIT);
            let failure = match found.budget.0 {
                Some(_) => self.rule(rule, change, evaluation.as_ref(), place, found.is_strict),
                None => Some(self.too_expensive(rule, cost, place)),
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
        self.unevaluated(place, format!("{detail}: {}", quoted(rule)))
    }

    /// Reports a rule that fails. `evaluation` is what is known besides; the evaluator lacks some features of the server.
    fn rule(
        self,
        rule: &ValidationRule,
        change: Change<'_>,
        evaluation: Option<&cel::Evaluation>,
        place: &str,
        is_strict: bool,
    ) -> Option<Failure> {
        let is_old_optional = rule.optional_old_self == Some(true);
        let quoted = quoted(rule);
        let known = evaluation.and_then(|it| (it.is_true || it.is_false).then_some(it.is_true));
        let failure = match (change.failure(&rule.rule, is_old_optional), known) {
            (None | Some(RuleFailure::Unknown(_)), Some(false)) => Some(RuleFailure::False),
            (Some(RuleFailure::Unknown(_)), Some(true)) => None,
            (failure, _) => failure,
        };
        match failure? {
            RuleFailure::Error(reason) => {
                let detail = format!("{reason} evaluating rule: {quoted}");
                Some(self.unevaluated(place, detail))
            }
            RuleFailure::Unknown(reason) => is_strict.then(|| unsupported(&rule.rule, &reason, place)),
            RuleFailure::False => {
                let expression = rule.message_expression.as_deref();
                let message = expression.and_then(|expression| change.message(expression));
                if let (Some(expression), None, true) = (expression, &message, is_strict)
                    && let Some(RuleFailure::Unknown(reason)) =
                        change.failure(&format!("({expression}) == ''"), is_old_optional)
                {
                    return Some(unsupported(expression, &reason, place));
                }
                let detail = message.unwrap_or_else(|| match given_message(rule) {
                    Some(_) => quoted.to_owned(),
                    None => format!("failed rule: {quoted}"),
                });
                Some(self.failed(rule, change.value, place, detail))
            }
        }
    }

    fn failed(self, rule: &ValidationRule, value: &Value, place: &str, detail: String) -> Failure {
        let type_ = self.schema.type_.as_deref().unwrap_or_default();
        let value = match type_ {
            "object" | "array" => None,
            _ => Some(go::quoted(&read::json(value))),
        };
        let (kind, value) = match rule.reason.as_deref() {
            Some("FieldValueForbidden") => (ErrorType::Forbidden, None),
            Some("FieldValueRequired") => (ErrorType::Required, None),
            Some("FieldValueDuplicate") => (ErrorType::Duplicate, value),
            _ => (ErrorType::Invalid, value),
        };
        let within = rule.field_path.as_deref().unwrap_or_default();
        Failure::Rule { kind, place: format!("{place}{}", path(self.schema, within)), value, detail }
    }

    /// Reports a rule that cannot be evaluated. The server shows the type instead of the value.
    fn unevaluated(self, place: &str, detail: String) -> Failure {
        Failure::Rule { kind: ErrorType::Invalid, place: place.to_owned(), value: Some(self.quoted_type()), detail }
    }

    fn quoted_type(self) -> String {
        go::quote(self.schema.type_.as_deref().unwrap_or_default())
    }
}

/// Returns the old item of a list with the keys of an item. The server correlates no items of lists without keys.
pub(crate) fn correlated<'v>(keys: &[impl AsRef<str>], old: &'v Value, item: &Value) -> Option<&'v Value> {
    let is_same = |old: &&Value| keys.iter().all(|key| old.get(key.as_ref()) == item.get(key.as_ref()));
    old.as_array().filter(|_| !keys.is_empty())?.iter().find(is_same)
}

/// Reports an expression that the evaluator cannot evaluate, which the server may accept.
fn unsupported(expression: &str, reason: &str, place: &str) -> Failure {
    let detail = format!("{UNSUPPORTED} ({reason}), test it with a control plane: {expression}");
    Failure::Rule { kind: ErrorType::Internal, place: place.to_owned(), value: None, detail }
}

/// The text that the server quotes for a rule.
fn quoted(rule: &ValidationRule) -> &str {
    given_message(rule).unwrap_or(&rule.rule).trim()
}

fn given_message(rule: &ValidationRule) -> Option<&str> {
    rule.message.as_deref().filter(|message| !message.is_empty())
}

/// Whether the server evaluates a rule: it skips those that require an old value where there is none, and other rules report
/// those with syntax errors.
fn is_evaluated(rule: &ValidationRule, change: Change<'_>) -> bool {
    let uses_old_self = cel::uses_variable(&rule.rule, "oldSelf");
    uses_old_self.is_some_and(|uses| !uses || change.old.is_some() || rule.optional_old_self == Some(true))
}

/// The environment of the rules on a value; `None` if its type is not available to rules.
fn scope(schema: &JSONSchemaProps) -> Option<cel::RuleScope> {
    let is_resource = schema.x_kubernetes_embedded_resource == Some(true);
    cel::RuleScope::of(&read::schema(schema), is_resource)
}

/// Formats a field path as the server does: names after dots, map keys in brackets, and always a dot at the start.
fn path(schema: &JSONSchemaProps, path: &str) -> String {
    let mut written = String::new();
    let mut at = Some(schema);
    for step in field_path::steps(path, true).unwrap_or_default() {
        let property = at.and_then(|schema| schema.properties.as_ref()?.get(&*step));
        written += &match property {
            Some(_) => format!(".{step}"),
            None => format!("[{step}]"),
        };
        at = property.or_else(|| at.and_then(values));
    }
    match written.starts_with('[') {
        true => format!(".{written}"),
        false => written,
    }
}

/// Returns the schema without rules, defaults and branches, at any depth.
fn bare(schema: &JSONSchemaProps) -> Value {
    let mut bare = json!(schema);
    strip(&mut bare);
    bare
}

fn strip(schema: &mut Value) {
    let Value::Object(keywords) = schema else {
        return;
    };
    for keyword in ["default", "x-kubernetes-validations", "allOf", "anyOf", "oneOf", "not"] {
        keywords.remove(keyword);
    }
    if let Some(Value::Object(properties)) = keywords.get_mut("properties") {
        properties.values_mut().for_each(strip);
    }
    for within in ["items", "additionalProperties"] {
        keywords.get_mut(within).into_iter().for_each(strip);
    }
}
