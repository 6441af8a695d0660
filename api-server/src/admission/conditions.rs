//! Match conditions.

use serde_json::{Value, json};

use super::attributes::Attributes;
use crate::{
    admission::expression::{ExpressionError, Variables},
    failure::aggregate_texts,
    webhook_calls::Stop,
};

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
        Err(problem) if problem.is_ignored(ignores_failures) => Ok(false),
        Err(problem) => Err(attributes.forbidden(&problem.message).into()),
    }
}

/// Why expressions have no result, in the server's words.
#[derive(Debug)]
pub(super) struct Problem {
    pub(super) message: String,
    /// Whether only this server has it.
    is_unsupported: bool,
}

impl Problem {
    pub(super) fn new(expression: &str, error: &ExpressionError) -> Self {
        let message = match error {
            ExpressionError::Syntax(reason) => format!("compilation error: compilation failed: {reason}"),
            ExpressionError::Evaluation(reason) | ExpressionError::Unsupported(reason) => {
                format!("expression '{expression}' resulted in error: {reason}")
            }
        };
        Self { message, is_unsupported: matches!(error, ExpressionError::Unsupported(_)) }
    }

    /// Returns whether a configuration ignores it that ignores failures. What only this server lacks is not ignored.
    pub(super) fn is_ignored(&self, ignores_failures: bool) -> bool {
        ignores_failures && !self.is_unsupported
    }
}

impl From<String> for Problem {
    fn from(message: String) -> Self {
        Self { message, is_unsupported: false }
    }
}

/// Returns whether all conditions are true. A false one counts more than errors of others.
pub(super) fn evaluate(conditions: &[(String, String)], variables: &Variables) -> Result<bool, Problem> {
    let mut problems = Vec::new();
    for (_, expression) in conditions {
        let result = variables.evaluate(expression).and_then(|result| {
            result.as_bool().ok_or_else(|| ExpressionError::Evaluation("the result is no bool".to_owned()))
        });
        match result {
            Ok(true) => {}
            Ok(false) => return Ok(false),
            Err(error) => problems.push(Problem::new(expression, &error)),
        }
    }
    let is_unsupported = problems.iter().any(|problem| problem.is_unsupported);
    let messages: Vec<_> = problems.into_iter().map(|problem| problem.message).collect();
    aggregate_texts(&messages).map_or(Ok(true), |message| Err(Problem { message, is_unsupported }))
}

/// Returns the variables of all expressions of admission.
pub(super) fn variables(attributes: &Attributes<'_>, version: usize) -> Result<Variables, Stop> {
    let mut request = attributes.request(version)?;
    let mut take = |name: &str| request.as_object_mut().and_then(|members| members.remove(name)).unwrap_or(Value::Null);
    let (object, old) = (take("object"), take("oldObject"));
    request["uid"] = json!("");
    Ok(Variables::new([("object", &object), ("oldObject", &old), ("request", &request)]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_only_this_server_lacks_is_not_ignored() {
        let variables = Variables::new([("object", &json!({}))]);
        for (expression, is_ignored) in [("object.absent == 1", true), ("1 +", true), ("authorizer.check()", false)] {
            let problem = evaluate(&[(String::new(), expression.to_owned())], &variables).unwrap_err();
            assert_eq!(problem.is_ignored(true), is_ignored, "{expression}: {}", problem.message);
        }
    }
}
