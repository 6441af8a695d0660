//! Runs the expressions of a policy.

use serde_json::Value;

use super::{Denial, Policy, Validation};
use crate::{
    admission::{
        attributes::Attributes,
        conditions::{self, Problem},
        expression::{Evaluated, ExpressionError, Variables},
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

/// The values of `variables`, as far as they have one.
struct Composition {
    variables: Variables,
    /// The names of variables without a value, and why.
    failed: Vec<(String, ExpressionError)>,
}

impl Composition {
    fn new(policy: &Policy, mut variables: Variables) -> Self {
        let mut members: Vec<(String, Evaluated)> = Vec::new();
        let mut failed = Vec::new();
        if !policy.variables.is_empty() {
            variables.set_object("variables", &members);
        }
        for (name, expression) in &policy.variables {
            let composition = Self { variables, failed };
            let evaluated = composition.evaluate(expression);
            Self { variables, failed } = composition;
            match evaluated {
                Ok(value) => {
                    members.push((name.clone(), value));
                    variables.set_object("variables", &members);
                }
                Err(error) => failed.push((name.clone(), error)),
            }
        }
        Self { variables, failed }
    }

    fn evaluate(&self, expression: &str) -> Result<Evaluated, ExpressionError> {
        self.variables.evaluate(expression).map_err(|error| {
            let failed = self
                .failed
                .iter()
                .find(|(name, _)| error == ExpressionError::Evaluation(format!("no such key: {name}")));
            match failed {
                Some((name, ExpressionError::Evaluation(reason))) => {
                    ExpressionError::Evaluation(format!("composited variable \"{name}\" fails to evaluate: {reason}"))
                }
                Some((name, ExpressionError::Syntax(reason))) => {
                    ExpressionError::Evaluation(format!("composited variable \"{name}\" fails to compile: {reason}"))
                }
                Some((_, unsupported @ ExpressionError::Unsupported(_))) => unsupported.clone(),
                None => error,
            }
        })
    }
}

impl Policy {
    /// Returns why the policy denies a request.
    pub(super) fn evaluate(&self, input: &Input<'_>) -> Result<Vec<Denial>, Stop> {
        let mut variables = conditions::variables(input.attributes, input.version)?;
        variables.set("params", input.parameters);
        match conditions::evaluate(&self.conditions, &variables) {
            Ok(true) => {}
            Ok(false) => return Ok(Vec::new()),
            Err(problem) => return Ok(self.failed(problem)),
        }
        variables.set("namespaceObject", input.namespace.as_ref().unwrap_or(&Value::Null));
        let composition = Composition::new(self, variables);
        let mut denials = Vec::new();
        for validation in &self.validations {
            match composition.evaluate(&validation.expression) {
                Ok(result) if result.as_bool() == Some(true) => {}
                Ok(_) => denials.push(validation.denial(&composition)),
                Err(error) => denials.extend(self.failed(Problem::new(&validation.expression, &error))),
            }
        }
        for (_, expression) in &self.audit_annotations {
            match composition.evaluate(expression) {
                Ok(value) if value.as_str().is_some() || value.is_null() => {}
                Ok(_) => {
                    let error = format!("valueExpression '{expression}' resulted in unsupported return type");
                    denials.extend(self.failed(error.into()));
                }
                Err(error) => denials.extend(self.failed(Problem::new(expression, &error))),
            }
        }
        Ok(denials)
    }

    /// Returns the denial by an expression without a result.
    fn failed(&self, problem: Problem) -> Vec<Denial> {
        if problem.is_ignored(self.ignores_failures) { Vec::new() } else { vec![Denial::new(problem.message)] }
    }
}

impl Validation {
    fn denial(&self, composition: &Composition) -> Denial {
        /// The maximum length of an evaluated message, in bytes.
        const MAX_BYTES: usize = 5 * 1024;
        let value = match self.message_expression.as_str() {
            "" => None,
            expression => composition.evaluate(expression).ok(),
        };
        let evaluated = value
            .as_ref()
            .and_then(Evaluated::as_str)
            .map(str::trim)
            .filter(|it| it.len() <= MAX_BYTES && !it.contains('\n') && !it.is_empty());
        let message = match (evaluated, self.message.trim()) {
            (Some(message), _) => message.to_owned(),
            (None, "") => format!("failed expression: {}", self.expression.trim()),
            (None, message) => message.to_owned(),
        };
        Denial { message, reason: self.reason.clone() }
    }
}
