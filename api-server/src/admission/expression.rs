//! Runs one expression on variables without a schema, as admission does.

use std::{collections::HashMap, sync::Arc};

use crdkit::__internal::cel::{UNSUPPORTED, execution_error};
use kube::core::cel::{
    KubeCelExt,
    cel::{
        self, Context, ExecutionError, Program,
        objects::{Key, Map},
    },
};
use serde_json::Value;

use super::message_literals::message_type;

/// The variables of expressions.
pub(crate) struct Variables(Vec<(String, cel::Value)>);

/// Why an expression has no result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ExpressionError {
    /// The expression is malformed.
    Syntax(String),
    Evaluation(String),
    /// Only this server cannot evaluate the expression.
    Unsupported(String),
}

/// The result of an expression.
#[derive(Clone, Debug)]
pub(crate) struct Evaluated(cel::Value);

impl Evaluated {
    pub(crate) const fn as_bool(&self) -> Option<bool> {
        match self.0 {
            cel::Value::Bool(value) => Some(value),
            _ => None,
        }
    }

    pub(crate) fn as_str(&self) -> Option<&str> {
        match &self.0 {
            cel::Value::String(text) => Some(text),
            _ => None,
        }
    }

    pub(crate) const fn is_null(&self) -> bool {
        matches!(self.0, cel::Value::Null)
    }
}

impl Variables {
    pub(crate) fn new<'a>(variables: impl IntoIterator<Item = (&'a str, &'a Value)>) -> Self {
        Self(variables.into_iter().map(|(name, value)| (name.to_owned(), to_cel(value))).collect())
    }

    pub(crate) fn set(&mut self, name: &str, value: &Value) {
        self.0.push((name.to_owned(), to_cel(value)));
    }

    /// Sets a variable that is an object with these members.
    pub(crate) fn set_object(&mut self, name: &str, members: &[(String, Evaluated)]) {
        let entries = members.iter().map(|(name, value)| (key(name), value.0.clone()));
        let object = cel::Value::Map(Map { map: Arc::new(entries.collect::<HashMap<_, _>>()) });
        self.0.retain(|(other, _)| other != name);
        self.0.push((name.to_owned(), object));
    }

    /// Runs an expression.
    pub(crate) fn evaluate(&self, expression: &str) -> Result<Evaluated, ExpressionError> {
        let program = compile(expression).map_err(ExpressionError::Syntax)?;
        let mut context = Context::default().with_all();
        for (name, value) in &self.0 {
            context.add_variable_from_value(name, value.clone());
        }
        let evaluated = program.execute(&context);
        evaluated.map(Evaluated).map_err(|error| match &error {
            ExecutionError::UndeclaredReference(name) => ExpressionError::Unsupported(format!(
                "{UNSUPPORTED}, of which it lacks `{name}`; test it with a control plane"
            )),
            error => ExpressionError::Evaluation(execution_error(error).unwrap_or_else(|| error.to_string())),
        })
    }
}

/// Parses an expression. Admission has no types of messages, and the evaluator panics at their literals.
fn compile(expression: &str) -> Result<Program, String> {
    let program = Program::compile(expression).map_err(|error| error.to_string())?;
    match message_type(program.expression()) {
        None => Ok(program),
        Some(name) => Err(format!("undeclared reference to '{name}' (in container '')")),
    }
}

fn to_cel(value: &Value) -> cel::Value {
    match value {
        Value::Null => cel::Value::Null,
        Value::Bool(value) => cel::Value::Bool(*value),
        Value::Number(number) => match number.as_i64() {
            Some(integer) => cel::Value::Int(integer),
            None => cel::Value::Float(number.as_f64().unwrap_or_default()),
        },
        Value::String(text) => cel::Value::String(Arc::new(text.clone())),
        Value::Array(items) => cel::Value::List(Arc::new(items.iter().map(to_cel).collect())),
        Value::Object(members) => {
            let entries = members.iter().map(|(name, value)| (key(name), to_cel(value)));
            cel::Value::Map(Map { map: Arc::new(entries.collect::<HashMap<_, _>>()) })
        }
    }
}

fn key(name: &str) -> Key {
    Key::String(Arc::new(name.to_owned()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn expressions_use_variables() {
        let object = json!({ "spec": { "replicas": 5, "ratio": 0.5, "tags": ["a"] } });
        let mut variables = Variables::new([("object", &object), ("oldObject", &Value::Null)]);
        let double = variables.evaluate("object.spec.replicas * 2").unwrap();
        variables.set_object("variables", &[("double".to_owned(), double)]);
        for (expression, expected) in [
            ("variables.double == 10 && oldObject == null", true),
            ("has(object.spec.other) || 'b' in object.spec.tags", false),
            ("object.spec.ratio < 1.0", true),
        ] {
            assert_eq!(variables.evaluate(expression).unwrap().as_bool(), Some(expected), "{expression}");
        }
        assert_eq!(
            variables.evaluate("object.spec.other > 1").unwrap_err(),
            ExpressionError::Evaluation("no such key: other".to_owned())
        );
        for expression in ["authorizer.group('').resource('pods').check('get').allowed()", "object.spec.tags.other()"] {
            let result = variables.evaluate(expression);
            assert!(matches!(result, Err(ExpressionError::Unsupported(_))), "{expression}: {result:?}");
        }
        assert_eq!(variables.evaluate("'authorizer'").unwrap().as_str(), Some("authorizer"));
        assert!(matches!(variables.evaluate("1 +"), Err(ExpressionError::Syntax(_))));
        // The evaluator would panic.
        assert!(matches!(variables.evaluate("Object{size: 1} == object"), Err(ExpressionError::Syntax(_))));
    }
}
