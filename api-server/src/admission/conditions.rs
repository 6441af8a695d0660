//! Match conditions.

use crdkit_core::{
    cel::{AdmissionScope, ResultType},
    rules::defaults::OUT_OF_BUDGET,
};
use serde_json::Value;

use super::attributes::Attributes;
use crate::{
    admission::expression::{BUDGET_OF_CONDITIONS, Expression, ExpressionError, PolicyVariables, Run, Variables},
    failure::aggregate_texts,
    value::text,
    webhook_calls::Stop,
};

/// Compiles `matchConditions`.
pub(super) fn compile(object: &Value, scope: &AdmissionScope) -> Vec<Expression> {
    let conditions = object["matchConditions"].as_array().into_iter().flatten();
    conditions.map(|it| Expression::compile(text(it, "expression"), scope, ResultType::Bool)).collect()
}

/// Returns whether all conditions of a webhook are true.
pub(super) fn are_met(
    conditions: &[Expression],
    ignores_failures: bool,
    attributes: &Attributes<'_>,
    version: usize,
) -> Result<bool, Stop> {
    let variables = Variables::of(attributes, version)?;
    match variables.run(&PolicyVariables::NONE, BUDGET_OF_CONDITIONS, |run| evaluate(conditions, run)) {
        Ok(is_met) => Ok(is_met),
        Err(_) if ignores_failures => Ok(false),
        Err(problem) => Err(attributes.forbidden(&problem).into()),
    }
}

/// Returns why an expression has no result, in the server's words.
pub(super) fn problem(expression: &Expression, error: &ExpressionError) -> String {
    match error {
        ExpressionError::Compilation(reason) => format!("compilation error: {reason}"),
        ExpressionError::Evaluation(reason) => {
            format!("expression '{}' resulted in error: {reason}", expression.source)
        }
        ExpressionError::OutOfBudget => OUT_OF_BUDGET.to_owned(),
    }
}

/// Returns whether all conditions are true. A false one counts more than errors of others.
pub(super) fn evaluate<'e>(conditions: &'e [Expression], run: &Run<'_, 'e>) -> Result<bool, String> {
    let mut problems = Vec::new();
    for condition in conditions {
        let result = run.evaluate(condition).and_then(|result| {
            result.as_bool().ok_or_else(|| ExpressionError::Evaluation("the result is no bool".to_owned()))
        });
        match result {
            Ok(true) => {}
            Ok(false) => return Ok(false),
            Err(ExpressionError::OutOfBudget) => return Err(OUT_OF_BUDGET.to_owned()),
            Err(error) => problems.push(problem(condition, &error)),
        }
    }
    aggregate_texts(&problems).map_or(Ok(true), Err)
}
