//! Evaluation of expressions of admission: match conditions, and the expressions of policies.

use alloc::{
    borrow::ToOwned,
    string::{String, ToString},
    sync::Arc,
    vec::Vec,
};
use core::cell::RefCell;

use super::{
    Authorizer, Evaluation, EvaluationError, Run, ZoneSource, compile,
    error::{Evaluated, Stop},
    json,
    library::{
        LibraryValue,
        authorizer::{AuthorizationStep, AuthorizedResource},
    },
    program::Node,
    value::Value,
};
use crate::{
    cel::{CompileError, checker::Checked},
    json::Json,
};

/// A compiled expression of admission.
#[derive(Clone, Debug)]
pub struct AdmissionProgram {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    root: Node,
    slots: usize,
    /// The names of the variables, by their indexes.
    variables: Vec<String>,
}

impl AdmissionProgram {
    pub(in crate::cel) fn new(checked: &Checked, variables: Vec<String>) -> Result<Self, CompileError> {
        let (root, slots) = compile::compile(checked, &variables)?;
        Ok(Self { inner: Arc::new(Inner { root, slots, variables }) })
    }
}

/// A variable of a policy: its name, and its program or why it does not compile.
pub type ComposedVariable = (String, Result<AdmissionProgram, String>);

/// The values of the variables of expressions, for the evaluation of all expressions of a policy or of match conditions on one
/// request.
pub struct AdmissionInput<'v> {
    /// The JSON values, by the names of their variables.
    pub values: Vec<(&'static str, &'v Json<'v>)>,
    /// The parts of `variables`. Each of them is evaluated once, when it is first used.
    pub composed: &'v [ComposedVariable],
    /// Decides on the checks of `authorizer`.
    pub authorizer: Option<Authorizer<'v>>,
    /// The resource of the request, for `authorizer.requestResource`.
    pub resource: AuthorizedResource,
    /// The source of time zones.
    pub zones: Option<ZoneSource>,
}

/// An evaluation of the expressions of a policy or of match conditions on one request.
pub struct AdmissionRun<'v> {
    input: AdmissionInput<'v>,
    limit: u64,
    composed: RefCell<Composed<'v>>,
}

/// The values of composed variables so far, and what they cost.
struct Composed<'v> {
    values: Vec<Option<Evaluated<'v>>>,
    cost: u64,
}

/// The result of an expression.
#[derive(Clone, Debug)]
pub struct AdmissionValue<'v>(Value<'v>);

impl AdmissionValue<'_> {
    /// Returns the value, if it is a `bool`.
    pub const fn as_bool(&self) -> Option<bool> {
        match self.0 {
            Value::Bool(value) => Some(value),
            _ => None,
        }
    }

    /// Returns the value, if it is a `string`.
    pub fn as_str(&self) -> Option<&str> {
        match &self.0 {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Whether the value is null.
    pub const fn is_null(&self) -> bool {
        matches!(self.0, Value::Null)
    }

    /// Returns the name of the type.
    pub fn type_name(&self) -> &str {
        self.0.type_name()
    }
}

/// The value as errors show it.
impl core::fmt::Display for AdmissionValue<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        self.0.fmt(f)
    }
}

impl<'v> AdmissionRun<'v> {
    /// Starts an evaluation. The cost of each expression is limited.
    pub fn new(input: AdmissionInput<'v>, limit: u64) -> Self {
        let values = alloc::vec![None; input.composed.len()];
        Self { input, limit, composed: RefCell::new(Composed { values, cost: 0 }) }
    }

    /// Evaluates an expression. The cost is that of the expression and of the variables that it is the first to use.
    pub fn evaluate(&self, program: &'v AdmissionProgram) -> Evaluation<AdmissionValue<'v>> {
        self.composed.borrow_mut().cost = 0;
        let (result, cost) = self.run(program);
        let cost = cost.saturating_add(self.composed.borrow().cost);
        Evaluation { result: result.map(AdmissionValue).map_err(EvaluationError::from), cost }
    }

    fn run(&self, program: &'v AdmissionProgram) -> (Evaluated<'v>, u64) {
        let Inner { root, slots, variables } = &*program.inner;
        let variable = |index: usize| match variables.get(index) {
            Some(name) => self.variable(name),
            None => Err("no such attribute(s)".into()),
        };
        let composed = |name: &str| self.composed(name);
        let mut run = Run::new(*slots, &variable, self.limit);
        run.composed = variables.iter().position(|name| name == VARIABLES).map(|index| (index, &composed as _));
        run.authorizer = self.input.authorizer;
        run.zones = self.input.zones;
        let result = run.eval(root);
        (result, run.cost)
    }

    fn variable(&self, name: &str) -> Evaluated<'v> {
        if let Some((_, value)) = self.input.values.iter().find(|(variable, _)| *variable == name) {
            return json::value_of(value, &json::DYN);
        }
        let step = match name {
            "authorizer" => AuthorizationStep::Authorizer(None),
            "authorizer.requestResource" => AuthorizationStep::Resource(None, self.input.resource.clone()),
            _ => return Err(alloc::format!("no such attribute(s): {name}").into()),
        };
        Ok(Value::library(LibraryValue::Authorization(step)))
    }

    /// Returns the value of a composed variable; `None` if there is none of this name.
    fn composed(&self, name: &str) -> Option<Evaluated<'v>> {
        let composed = self.input.composed;
        let index = composed.iter().position(|(variable, _)| variable == name)?;
        if let Some(known) = &self.composed.borrow().values[index] {
            return Some(known.clone());
        }
        let value = self.evaluate_composed(&composed[index]);
        self.composed.borrow_mut().values[index] = Some(value.clone());
        Some(value)
    }

    fn evaluate_composed(&self, (name, program): &'v ComposedVariable) -> Evaluated<'v> {
        let failed = |how: &str, why: &str| {
            Err(Stop::from(alloc::format!("composited variable \"{name}\" fails to {how}: {why}")))
        };
        let program = match program {
            Ok(program) => program,
            Err(reason) => return failed("compile", reason),
        };
        let (value, cost) = self.run(program);
        let mut composed = self.composed.borrow_mut();
        composed.cost = composed.cost.saturating_add(cost);
        match value {
            Err(stop) => failed("evaluate", &EvaluationError::from(stop).to_string()),
            value => value,
        }
    }
}

/// The variable whose parts are the composed variables.
pub(in crate::cel) const VARIABLES: &str = "variables";

/// Returns the names of variables.
pub(in crate::cel) fn names<'n>(variables: impl Iterator<Item = &'n str>) -> Vec<String> {
    variables.map(ToOwned::to_owned).collect()
}
