//! Match conditions.

use crdkit::__internal::cel::UNSUPPORTED;
use serde_json::{Value, json};

use super::attributes::Attributes;
use crate::admission::expression::{ExpressionError, Variables};
use crate::external::Stop;

/// Returns whether all conditions of a webhook are true.
pub(super) fn are_met(
    conditions: &[(String, String)],
    ignores_failures: bool,
    attributes: &Attributes<'_>,
    version: usize,
) -> Result<bool, Stop> {
    let variables = variables(attributes, version)?;
    match evaluate(conditions, &variables) {
        Ok(is_met) => Ok(is_met),
        // What only this server lacks is not ignored.
        Err(errors) if ignores_failures && !errors.contains(UNSUPPORTED) => Ok(false),
        Err(errors) => Err(attributes.forbidden(&errors).into()),
    }
}

/// Returns whether all conditions are true. A false one counts more than errors of others.
pub(super) fn evaluate(conditions: &[(String, String)], variables: &Variables) -> Result<bool, String> {
    let mut errors = Vec::new();
    for (_, expression) in conditions {
        match variables.evaluate(expression).map(|result| result.as_bool()) {
            Ok(Some(true)) => {}
            Ok(Some(false)) => return Ok(false),
            Ok(None) => errors.push(describe(expression, "the result is no bool")),
            Err(error) => errors.push(describe_error(expression, &error)),
        }
    }
    match &errors[..] {
        [] => Ok(true),
        [error] => Err(error.clone()),
        errors => Err(format!("[{}]", errors.join(", "))),
    }
}

fn describe(expression: &str, reason: &str) -> String {
    format!("expression '{expression}' resulted in error: {reason}")
}

/// Returns the error of an expression in the server's words.
pub(super) fn describe_error(expression: &str, error: &ExpressionError) -> String {
    match error {
        ExpressionError::Syntax(reason) => format!("compilation error: compilation failed: {reason}"),
        ExpressionError::Evaluation(reason) => describe(expression, reason),
    }
}

/// Returns the variables of all expressions of admission.
pub(super) fn variables(attributes: &Attributes<'_>, version: usize) -> Result<Variables, Stop> {
    let mut request = attributes.request(version)?;
    let mut take = |name: &str| request.as_object_mut().and_then(|members| members.remove(name)).unwrap_or(Value::Null);
    let (object, old) = (take("object"), take("oldObject"));
    request["uid"] = json!("");
    Ok(Variables::new([("object", &object), ("oldObject", &old), ("request", &request)]))
}
