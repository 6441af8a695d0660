//! Runs one compiled rule as the server does, with the server's messages.

use kube_core::cel::{
    CompiledSchema, ErrorKind, ValidationError, Validator,
    cel::{self, ExecutionError},
};

use crate::crd::cel::evaluate::{compiled::FALSE, run::Values};

/// The message about an expression with a feature that only the server has.
pub const UNSUPPORTED: &str = "the API server in the process cannot evaluate this expression";

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

thread_local! {
    /// The functions of the evaluator, whose registration takes as long as many rules.
    static VALIDATOR: Validator = Validator::new();
}

/// Returns why values violate a rule; `None` if they do not.
pub(super) fn failure(rule: &CompiledSchema, values: &Values<'_>) -> Option<RuleFailure> {
    let error = run(rule, values)?;
    let known = match error.kind {
        ErrorKind::ValidationFailure => Some(RuleFailure::False),
        ErrorKind::EvaluationError => reason(&error).map(RuleFailure::Error),
        _ => None,
    };
    Some(known.unwrap_or_else(|| RuleFailure::Unknown(cause(&error))))
}

/// Returns the result of a message expression, if the server would use it.
pub(super) fn message(rule: &CompiledSchema, values: &Values<'_>) -> Option<String> {
    /// The maximum length of a message in bytes: `MaxEvaluatedMessageExpressionSizeBytes` of the API server.
    const MAX_BYTES: usize = 5 * 1024;
    let error = run(rule, values)?;
    let message = error.message.trim();
    let is_shown = !message.is_empty() && message.len() <= MAX_BYTES && !message.contains('\n');
    (is_shown && message != format!("failed rule: {FALSE}")).then(|| message.to_owned())
}

fn run(rule: &CompiledSchema, values: &Values<'_>) -> Option<ValidationError> {
    let validate = |validator: &Validator| validator.validate_compiled(rule, values.new, values.old);
    let errors = VALIDATOR.with(validate).err()?;
    errors.into_iter().next()
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
pub fn execution_error(error: &ExecutionError) -> Option<String> {
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
    use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::JSONSchemaProps;
    use serde_json::{Value, json};

    use super::*;
    use crate::crd::cel::evaluate::compiled::CompiledRules;

    fn rules(rule: &Value) -> CompiledRules {
        let schema = json!({ "type": "integer", "x-kubernetes-validations": [rule] });
        let schema: JSONSchemaProps = serde_json::from_value(schema).unwrap();
        CompiledRules::of(&schema).unwrap()
    }

    fn run_on_five(rule: &str, old: Option<i64>) -> Option<RuleFailure> {
        let rules = rules(&json!({ "rule": rule, "optionalOldSelf": true }));
        let old = old.map(Value::from);
        let condition = rules.rules[0].condition(&rules.schema, old.is_some());
        failure(condition, &Values::new(&json!(5), old.as_ref()))
    }

    #[test]
    fn old_self_may_be_missing() {
        let failed = Some(RuleFailure::False);
        for (rule, with_old, without_old) in [
            ("oldSelf.hasValue()", None, failed.clone()),
            ("!oldSelf.hasValue() || self > oldSelf.value()", failed.clone(), None),
            ("oldSelf.orValue(9) == 5", None, failed.clone()),
        ] {
            assert_eq!(run_on_five(rule, Some(5)), with_old, "{rule}");
            assert_eq!(run_on_five(rule, None), without_old, "{rule}");
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
            assert_eq!(run_on_five(rule, None), Some(RuleFailure::Error(reason.to_owned())));
        }
    }

    #[test]
    fn what_the_evaluator_lacks_is_not_true() {
        for (rule, part) in [
            ("cel.bind(x, self, x == 5)", "bind"),
            ("[self].sortBy(x, x) == [5]", "sortBy"),
            ("oldSelf.?a.hasValue()", ""),
        ] {
            match run_on_five(rule, Some(5)) {
                Some(RuleFailure::Unknown(reason)) => assert!(reason.contains(part), "{rule}: {reason}"),
                other => panic!("{rule}: {other:?}"),
            }
        }
    }

    #[test]
    fn messages() {
        let of_five = |expression: &str| {
            let rules = rules(&json!({ "rule": "self > 5", "messageExpression": expression }));
            let value = json!(5);
            let values = Values::new(&value, None);
            message(rules.rules[0].message(&rules.schema, false).unwrap(), &values)
        };
        assert_eq!(of_five("' is ' + string(self)").unwrap(), "is 5");
        for expression in ["' '", "'a\\nb'", "string(1 / (self - 5))"] {
            assert_eq!(of_five(expression), None, "{expression}");
        }
    }
}
