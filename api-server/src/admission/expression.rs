//! Expressions of admission: compiled once, and evaluated on the variables of a request.

use std::{cell::Cell, marker::PhantomData};

use crdkit::__internal::{cel::zones, crd_accessors::read};
use crdkit_core::{
    cel::{
        AdmissionInput, AdmissionProgram, AdmissionRun, AdmissionScope, AdmissionValue, AuthorizedResource,
        ComposedVariable, EvaluationError, ResultType,
    },
    json::Json,
};
use serde_json::{Value, json};

use super::attributes::Attributes;
use crate::webhook_calls::Stop;

/// The maximum cost of one expression, as `PerCallLimit` of the API server.
const LIMIT: u64 = 1_000_000;

/// The maximum cost of the expressions of a policy on one request, as `RuntimeCELCostBudget` of the API server.
pub(super) const BUDGET: u64 = 10_000_000;

/// The maximum cost of match conditions on one request, as `RuntimeCELCostBudgetMatchConditions` of the API server.
pub(super) const BUDGET_OF_CONDITIONS: u64 = 2_500_000;

/// An expression.
pub(crate) struct Expression {
    pub(super) source: String,
    /// The program, or why it does not compile.
    program: Result<AdmissionProgram, String>,
}

/// Why an expression has no result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ExpressionError {
    /// The expression does not compile.
    Compilation(String),
    Evaluation(String),
    /// The expressions so far cost more than their budget.
    OutOfBudget,
}

/// The result of an expression.
pub(super) type Evaluated<'v> = Result<AdmissionValue<'v>, ExpressionError>;

impl Expression {
    pub(super) fn compile(source: &str, scope: &AdmissionScope, result: ResultType) -> Self {
        let program = scope.program(source, result).map_err(|error| error.admission_text(source, result));
        Self { source: source.to_owned(), program }
    }
}

/// Compiles a variable of a policy, and adds it to the scope.
pub(super) fn compile_variable(scope: &mut AdmissionScope, name: &str, source: &str) -> ComposedVariable {
    let program = scope.variable_program(name, source);
    (name.to_owned(), program.map_err(|error| error.admission_text(source, ResultType::Any)))
}

/// The variables of all expressions on a request.
pub(super) struct Variables<'a> {
    attributes: &'a Attributes<'a>,
    object: Value,
    old: Value,
    request: Value,
}

/// The variables that only policies have.
pub(super) struct PolicyVariables<'a> {
    pub(super) parameters: &'a Value,
    pub(super) namespace: &'a Value,
    pub(super) composed: &'a [ComposedVariable],
}

impl PolicyVariables<'_> {
    /// The variables of expressions that are not in a policy.
    pub(super) const NONE: PolicyVariables<'static> =
        PolicyVariables { parameters: &Value::Null, namespace: &Value::Null, composed: &[] };
}

impl<'a> Variables<'a> {
    /// Returns the variables of a request about the objects in a version.
    pub(super) fn of(attributes: &'a Attributes<'a>, version: usize) -> Result<Self, Stop> {
        let mut request = attributes.request(version)?;
        let mut take =
            |name: &str| request.as_object_mut().and_then(|members| members.remove(name)).unwrap_or(Value::Null);
        let (object, old) = (take("object"), take("oldObject"));
        request["uid"] = json!("");
        Ok(Self { attributes, object, old, request })
    }

    /// Evaluates expressions.
    pub(super) fn run<'e, T>(
        &self,
        policy: &PolicyVariables<'_>,
        budget: u64,
        evaluate: impl FnOnce(&Run<'_, 'e>) -> T,
    ) -> T {
        let values = [&self.object, &self.old, &self.request, policy.parameters, policy.namespace].map(read::json);
        let names = ["object", "oldObject", "request", "params", "namespaceObject"];
        let call = self.attributes.call;
        let authorizer = |check: &_| self.attributes.authorizer.check(&call.user, check);
        let resource = AuthorizedResource {
            group: call.resource.group.clone(),
            resource: call.resource.names.plural.clone(),
            subresource: self.attributes.subresource().to_owned(),
            namespace: self.attributes.namespace().to_owned(),
            name: self.attributes.name().to_owned(),
            ..AuthorizedResource::default()
        };
        let values: Vec<(&'static str, &Json<'_>)> = names.into_iter().zip(&values).collect();
        let input = AdmissionInput {
            values,
            composed: policy.composed,
            authorizer: Some(&authorizer),
            resource,
            zones: Some(zones),
        };
        let run = AdmissionRun::new(input, LIMIT);
        evaluate(&Run { run, budget: Cell::new(budget), expressions: PhantomData })
    }
}

/// An evaluation of expressions on the variables of a request.
pub(super) struct Run<'v, 'e> {
    run: AdmissionRun<'v>,
    /// What is left of it.
    budget: Cell<u64>,
    /// The expressions live longer than the variables.
    expressions: PhantomData<&'v &'e Expression>,
}

impl<'v, 'e> Run<'v, 'e> {
    pub(super) fn evaluate(&self, expression: &'e Expression) -> Evaluated<'v> {
        let program = expression.program.as_ref().map_err(|reason| ExpressionError::Compilation(reason.clone()))?;
        let evaluation = self.run.evaluate(program);
        let left = self.budget.get().checked_sub(evaluation.cost).ok_or(ExpressionError::OutOfBudget)?;
        self.budget.set(left);
        evaluation.result.map_err(|error: EvaluationError| ExpressionError::Evaluation(error.to_string()))
    }

    /// Starts again with a budget, as the server does for audit annotations.
    pub(super) fn reset(&self, budget: u64) {
        self.budget.set(budget);
    }
}
