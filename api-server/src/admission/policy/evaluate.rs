//! Runs the expressions of a policy.

use crdkit_core::rules::defaults::OUT_OF_BUDGET;
use serde_json::Value;

use super::{Denial, Policy, Validation};
use crate::{
    admission::{
        attributes::Attributes,
        conditions::{self, problem},
        expression::{BUDGET, BUDGET_OF_CONDITIONS, ExpressionError, PolicyVariables, Run, Variables},
    },
    webhook_calls::Stop,
};

/// What a policy runs on.
pub(super) struct Input<'a> {
    pub(super) attributes: &'a Attributes<'a>,
    /// The version of the objects.
    pub(super) version: usize,
    pub(super) parameters: &'a Value,
    /// The namespace of the object.
    pub(super) namespace: &'a Option<Value>,
}

impl Policy {
    /// Returns why the policy denies a request.
    pub(super) fn evaluate(&self, input: &Input<'_>) -> Result<Vec<Denial>, Stop> {
        let variables = Variables::of(input.attributes, input.version)?;
        let of_conditions = PolicyVariables { parameters: input.parameters, ..PolicyVariables::NONE };
        match variables.run(&of_conditions, BUDGET_OF_CONDITIONS, |run| conditions::evaluate(&self.conditions, run)) {
            Ok(true) => {}
            Ok(false) => return Ok(Vec::new()),
            Err(problem) => return Ok(self.failed(problem).into_iter().collect()),
        }
        let of_policy = PolicyVariables {
            parameters: input.parameters,
            namespace: input.namespace.as_ref().unwrap_or(&Value::Null),
            composed: &self.variables,
        };
        Ok(variables.run(&of_policy, BUDGET, |run| self.denials(run)))
    }

    fn denials<'e>(&'e self, run: &Run<'_, 'e>) -> Vec<Denial> {
        let mut results = Vec::new();
        for validation in &self.validations {
            let result = run.evaluate(&validation.expression);
            if matches!(result, Err(ExpressionError::OutOfBudget)) {
                return self.failed(OUT_OF_BUDGET.to_owned()).into_iter().collect();
            }
            results.push((validation, result));
        }
        let mut denials = Vec::new();
        for (validation, result) in results {
            match result {
                Ok(result) if result.as_bool() == Some(true) => {}
                Ok(_) => match validation.denial(run) {
                    Ok(denial) => denials.push(denial),
                    Err(problem) => denials.extend(self.failed(problem)),
                },
                Err(error) => denials.extend(self.failed(problem(&validation.expression, &error))),
            }
        }
        run.reset(BUDGET);
        for expression in &self.audit_annotations {
            match run.evaluate(expression) {
                Ok(value) if value.as_str().is_some() || value.is_null() => {}
                Ok(_) => {
                    let source = &expression.source;
                    let problem = format!("valueExpression '{source}' resulted in unsupported return type");
                    denials.extend(self.failed(problem));
                }
                Err(error) => denials.extend(self.failed(problem(expression, &error))),
            }
        }
        denials
    }

    /// Returns the denial by an expression without a result.
    fn failed(&self, problem: String) -> Option<Denial> {
        (!self.ignores_failures).then(|| Denial::new(problem))
    }
}

impl Validation {
    /// Returns the denial by a validation that is false. The error is why its message expression ends the evaluation.
    fn denial<'e>(&'e self, run: &Run<'_, 'e>) -> Result<Denial, String> {
        /// The maximum length of an evaluated message, in bytes.
        const MAX_BYTES: usize = 5 * 1024;
        let value = self.message_expression.as_ref().map(|expression| run.evaluate(expression));
        if let Some(Err(ExpressionError::OutOfBudget)) = value {
            return Err(format!("failed messageExpression: {OUT_OF_BUDGET}"));
        }
        let evaluated = value
            .as_ref()
            .and_then(|value| value.as_ref().ok()?.as_str())
            .map(str::trim)
            .filter(|it| it.len() <= MAX_BYTES && !it.contains('\n') && !it.is_empty());
        let message = match (evaluated, self.message.trim()) {
            (Some(message), _) => message.to_owned(),
            (None, "") => format!("failed expression: {}", self.expression.source.trim()),
            (None, message) => message.to_owned(),
        };
        Ok(Denial { message, reason: self.reason.clone() })
    }
}
