//! Runs one rule as the server does, with the server's messages.

use kube_core::cel::{
    ErrorKind, ValidationError,
    cel::{self, ExecutionError},
};
use serde_json::{Value, json};

use super::{identifiers, validate};

/// A value that a rule runs on, and the old value that it replaces.
#[derive(Clone, Copy)]
pub(crate) struct Change<'a> {
    /// The schema, without rules and defaults.
    pub(crate) schema: &'a Value,
    pub(crate) value: &'a Value,
    pub(crate) old: Option<&'a Value>,
}

/// The message about an expression with a feature that only the server has.
pub(crate) const UNSUPPORTED: &str = "the API server in the process cannot evaluate this expression";

/// Why a value violates a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum RuleFailure {
    /// The rule is false.
    False,
    /// The rule cannot be evaluated, for this reason in the server's wording.
    Error(String),
    /// The evaluator cannot tell, for this reason: it may lack a feature of the server.
    Unknown(String),
}

impl Change<'_> {
    /// Returns why the value violates the rule; `None` if it does not.
    pub(crate) fn failure(self, rule: &str, is_old_optional: bool) -> Option<RuleFailure> {
        let rule = match (is_old_optional, self.old) {
            (false, _) => rule.to_owned(),
            (true, Some(_)) => identifiers::without_old_self(rule, "optional.of(oldSelf)"),
            (true, None) => identifiers::without_old_self(rule, "optional.none()"),
        };
        let error = self.run(&json!({ "rule": rule }))?;
        let known = match error.kind {
            ErrorKind::ValidationFailure => Some(RuleFailure::False),
            ErrorKind::EvaluationError => reason(&error).map(RuleFailure::Error),
            _ => None,
        };
        Some(known.unwrap_or_else(|| RuleFailure::Unknown(cause(&error))))
    }

    /// Returns the result of a message expression, if the server would use it.
    pub(crate) fn message(self, expression: &str) -> Option<String> {
        const FALSE: &str = "1 == 2";
        /// The maximum length of a message in bytes.
        const MAX_BYTES: usize = 5 * 1024;
        let error = self.run(&json!({ "rule": FALSE, "messageExpression": expression }))?;
        let message = error.message.trim();
        let is_shown = !message.is_empty() && message.len() <= MAX_BYTES && !message.contains('\n');
        (is_shown && message != format!("failed rule: {FALSE}")).then(|| message.to_owned())
    }

    fn run(self, rule: &Value) -> Option<ValidationError> {
        let mut schema = self.schema.clone();
        schema["x-kubernetes-validations"] = json!([rule]);
        let errors = validate(schema, self.value, self.old).err()?;
        errors.into_iter().next()
    }
}

/// Returns what the evaluator reports.
fn cause(error: &ValidationError) -> String {
    std::error::Error::source(error).map_or_else(|| error.message.clone(), ToString::to_string)
}

/// Returns the server's message for a rule that cannot be evaluated; `None` if the evaluator may lack a feature of the
/// server.
fn reason(error: &ValidationError) -> Option<String> {
    let source = std::error::Error::source(error)?;
    execution_error(source.downcast_ref::<ExecutionError>()?)
}

/// Returns the server's message for an error of the evaluator; `None` if it has none.
pub(super) fn execution_error(error: &ExecutionError) -> Option<String> {
    Some(match error {
        ExecutionError::NoSuchKey(key) => format!("no such key: {key}"),
        ExecutionError::DivisionByZero(_) => "division by zero".to_owned(),
        ExecutionError::RemainderByZero(_) => "modulus by zero".to_owned(),
        ExecutionError::Overflow(_, cel::Value::Int(_), _) => "integer overflow".to_owned(),
        ExecutionError::Overflow(_, cel::Value::UInt(_), _) => "unsigned integer overflow".to_owned(),
        ExecutionError::IndexOutOfBounds(cel::Value::Int(index)) => {
            format!("index out of bounds: {index}")
        }
        ExecutionError::FunctionError { function, message } => function_error(function, message)?,
        _ => return None,
    })
}

fn function_error(function: &str, message: &str) -> Option<String> {
    const NO_VALUE: &str = "optional.none() dereference";
    match function {
        "value" if message == NO_VALUE => Some(NO_VALUE.to_owned()),
        "int" | "uint" | "double" if message.starts_with("string parse error") => {
            Some(format!("type conversion error from 'string' to '{function}'"))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failure(rule: &str, old: Option<i64>) -> Option<RuleFailure> {
        let schema = json!({ "type": "integer" });
        let old = old.map(Value::from);
        let change = Change { schema: &schema, value: &json!(5), old: old.as_ref() };
        change.failure(rule, true)
    }

    #[test]
    fn old_self_may_be_missing() {
        let failed = Some(RuleFailure::False);
        for (rule, with_old, without_old) in [
            ("oldSelf.hasValue()", None, failed.clone()),
            ("!oldSelf.hasValue() || self > oldSelf.value()", failed.clone(), None),
            ("oldSelf.orValue(9) == 5", None, failed.clone()),
        ] {
            assert_eq!(failure(rule, Some(5)), with_old, "{rule}");
            assert_eq!(failure(rule, None), without_old, "{rule}");
        }
    }

    #[test]
    fn errors() {
        for (rule, reason) in [
            ("1 / (self - 5) == 1", "division by zero"),
            ("1 % (self - 5) == 1", "modulus by zero"),
            ("self + 9223372036854775807 > 0", "integer overflow"),
            ("[1][self] == 1", "index out of bounds: 5"),
            ("{'a': 1}['b'] == self", "no such key: b"),
            ("oldSelf.value() == self", "optional.none() dereference"),
            ("int('a' + string(self)) == 1", "type conversion error from 'string' to 'int'"),
        ] {
            assert_eq!(failure(rule, None), Some(RuleFailure::Error(reason.to_owned())));
        }
    }

    #[test]
    fn what_the_evaluator_lacks_is_not_true() {
        for (rule, part) in [
            ("cel.bind(x, self, x == 5)", "bind"),
            ("[self].sortBy(x, x) == [5]", "sortBy"),
            ("oldSelf.?a.hasValue()", ""),
        ] {
            match failure(rule, Some(5)) {
                Some(RuleFailure::Unknown(reason)) => assert!(reason.contains(part), "{rule}: {reason}"),
                other => panic!("{rule}: {other:?}"),
            }
        }
    }

    #[test]
    fn messages() {
        let change = Change { schema: &json!({ "type": "integer" }), value: &json!(5), old: None };
        assert_eq!(change.message("' is ' + string(self)").unwrap(), "is 5");
        for expression in ["' '", "'a\\nb'", "string(1 / (self - 5))"] {
            assert_eq!(change.message(expression), None, "{expression}");
        }
    }
}
