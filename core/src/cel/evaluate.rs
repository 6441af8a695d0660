//! Evaluation of expressions on values, as the server's runtime does it, with the server's errors and costs.
//!
//! An expression is compiled once to a [`Program`], which runs on many values. It follows cel-go's planner and interpreter with the
//! optimizations that the API server enables, and the API server's libraries.

use alloc::{
    boxed::Box,
    collections::BTreeSet,
    string::{String, ToString},
    sync::Arc,
    vec::Vec,
};
use core::fmt;

use super::{CompileError, checker::Checked, decl_type::DeclType};
use crate::{json::Json, literal::regex::Matchers};

pub(super) mod admission;
mod aggregate;
mod attributes;
mod calls;
mod compile;
mod cost;
mod equality;
mod error;
mod fold;
mod functions;
mod json;
mod key;
mod library;
mod program;
mod show;
mod time;
mod time_zone;
mod value;

pub use library::{
    authorizer::{AuthorizationCheck, AuthorizationDecision, AuthorizationTarget, AuthorizedResource},
    quantity::{Quantity, canonical_quantity},
};

use error::{Evaluated, Stop};
use key::Key;
use program::{Node, OrElse};
use value::{Text, Value};

/// A compiled rule or message expression.
#[derive(Clone, Debug)]
pub struct Program {
    inner: Arc<Inner>,
    zones: Option<ZoneSource>,
}

#[derive(Debug)]
struct Inner {
    root: Node,
    /// The number of variables of loops.
    slots: usize,
    declared: DeclType,
    is_old_self_optional: bool,
    uses_old_self: bool,
}

/// Compiles an expression only for the errors of its constants, which the server evaluates first.
pub(super) fn check_constants(checked: &Checked) -> Result<(), CompileError> {
    compile::compile(checked, &[]).map(drop)
}

/// The result of a rule on a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Evaluation<T = bool> {
    /// The value of the expression.
    pub result: Result<T, EvaluationError>,
    /// The cost that the server counts. If the evaluation exceeds the limit, it is a cost above the limit. If a loop over a map
    /// ends early, it is a lower limit: the server's order of the entries is random.
    pub cost: u64,
}

/// Why an expression has no value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EvaluationError {
    /// The evaluation fails, with the server's text.
    Failed(String),
    /// The cost exceeds the limit.
    CostLimitExceeded,
}

impl fmt::Display for EvaluationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Failed(text) => f.write_str(text),
            Self::CostLimitExceeded => f.write_str("operation cancelled: actual cost limit exceeded"),
        }
    }
}

impl core::error::Error for EvaluationError {}

impl From<Stop> for EvaluationError {
    fn from(stop: Stop) -> Self {
        match stop {
            Stop::Known(error) => Self::Failed(error.text().to_string()),
            Stop::Failed(text) | Stop::Panicked(text) => Self::Failed(text.into_owned()),
            Stop::CostLimitExceeded => Self::CostLimitExceeded,
        }
    }
}

impl Program {
    pub(super) fn new(
        checked: &Checked,
        declared: &DeclType,
        is_old_self_optional: bool,
    ) -> Result<Self, CompileError> {
        let globals = ["self".to_string(), "oldSelf".to_string()];
        let (root, slots) = compile::compile(checked, &globals)?;
        let inner = Inner {
            root,
            slots,
            declared: declared.clone(),
            is_old_self_optional,
            uses_old_self: checked.uses_old_self,
        };
        Ok(Self { inner: Arc::new(inner), zones: None })
    }

    /// Whether the expression uses `oldSelf`.
    pub fn uses_old_self(&self) -> bool {
        self.inner.uses_old_self
    }

    /// Returns the program with a source of time zones. Without one, it knows UTC and numeric offsets.
    #[must_use]
    pub fn with_zones(self, zones: ZoneSource) -> Self {
        Self { zones: Some(zones), ..self }
    }

    /// Evaluates a rule on a value until the cost exceeds `limit`. `old` is the value of `oldSelf`, if there is one.
    pub fn evaluate(&self, value: &Json<'_>, old: Option<&Json<'_>>, limit: u64) -> Evaluation {
        let is_optional = self.inner.is_old_self_optional;
        self.run(value, old, is_optional, limit, |value| match value {
            Value::Bool(is_true) => Ok(is_true),
            // Such as a null item of a list of booleans: what is not true, is a failure for the server.
            _ => Ok(false),
        })
    }

    /// Evaluates a message expression on a value until the cost exceeds `limit`.
    ///
    /// As in the server, `oldSelf` never is optional here, also if it is where the expression is compiled.
    pub fn evaluate_text(&self, value: &Json<'_>, old: Option<&Json<'_>>, limit: u64) -> Evaluation<String> {
        self.run(value, old, false, limit, |value| match value {
            Value::Text(text) => Ok((*text).to_string()),
            _ => Err("messageExpression failed to convert to string".into()),
        })
    }

    fn run<T>(
        &self,
        value: &Json<'_>,
        old: Option<&Json<'_>>,
        is_old_self_optional: bool,
        limit: u64,
        result: impl FnOnce(Value<'_>) -> Result<T, Stop>,
    ) -> Evaluation<T> {
        let Inner { root, slots, declared, .. } = &*self.inner;
        let variables = |index| match (index, old) {
            (0, _) => json::value_of(value, declared),
            (_, Some(old)) if is_old_self_optional => json::value_of(old, declared).map(Value::some),
            (_, Some(old)) => json::value_of(old, declared),
            (_, None) if is_old_self_optional => Ok(Value::Optional(None)),
            (_, None) => Err("no such attribute(s): oldSelf".into()),
        };
        let mut run = Run::new(*slots, &variables, limit);
        run.zones = self.zones;
        let data = |json| Some((json, json::type_of_data(json, declared)?));
        run.data = [data(value), old.filter(|_| !is_old_self_optional).and_then(data)];
        let evaluated = run.eval(root).and_then(result);
        Evaluation { result: evaluated.map_err(EvaluationError::from), cost: run.cost }
    }
}

/// Returns the data of a time zone of the IANA database, such as `Europe/Berlin`, in the format of RFC 9636.
pub type ZoneSource = fn(&str) -> Option<Vec<u8>>;

/// Decides on authorization checks.
pub type Authorizer<'r> = &'r dyn Fn(&AuthorizationCheck) -> AuthorizationDecision;

/// The value of a variable of the environment, by its index.
type Variables<'r, 'v> = &'r dyn Fn(usize) -> Evaluated<'v>;

/// The value of a composed variable, by its name; `None` if there is none.
type ComposedVariables<'r, 'v> = &'r dyn Fn(&str) -> Option<Evaluated<'v>>;

/// An evaluation.
struct Run<'v, 'r> {
    variables: Variables<'r, 'v>,
    /// The variables of the environment that are lists, maps or objects of a schema, by their indexes.
    data: [Option<(&'v Json<'v>, &'v DeclType)>; 2],
    slots: Vec<Slot<'v>>,
    /// The source of the data of time zones.
    zones: Option<ZoneSource>,
    authorizer: Option<Authorizer<'r>>,
    /// The variable with the composed variables.
    composed: Option<(usize, ComposedVariables<'r, 'v>)>,
    /// Regular expressions that are not constant.
    matchers: Option<Box<Matchers>>,
    cost: u64,
    /// Whether the server has panicked, which counts no cost of the steps around.
    has_panicked: bool,
    limit: u64,
    /// What evaluations may still cost that only find out the least cost of loops.
    aside: u64,
    /// The memory that the results of functions may still take, in bytes.
    memory: usize,
}

/// The cost of all evaluations that find out which entry of a map ends a loop at the least cost: in nested loops, their number is the
/// product of the sizes of the maps. It is the limit of one rule, as `PerCallLimit` of the API server.
const MAX_ASIDE: u64 = 1_000_000;

/// The value of a variable of a loop. An accumulator is initialized when it is first used.
#[derive(Clone)]
enum Slot<'v> {
    Value(Evaluated<'v>),
    Pending(&'v Node),
}

/// The memory of the results of functions in one evaluation: some of them cost little for large results. It is many times that of the
/// largest object.
const MAX_MEMORY: usize = 256 << 20;

impl<'v, 'r> Run<'v, 'r> {
    fn new(slots: usize, variables: Variables<'r, 'v>, limit: u64) -> Self {
        let slots = alloc::vec![Slot::Value(Ok(Value::Null)); slots];
        Self {
            variables,
            data: [None; 2],
            slots,
            zones: None,
            authorizer: None,
            composed: None,
            matchers: None,
            cost: 0,
            has_panicked: false,
            limit,
            aside: MAX_ASIDE,
            memory: MAX_MEMORY,
        }
    }

    #[inline]
    fn spend(&mut self, cost: u64) -> Result<(), Stop> {
        if self.has_panicked {
            return Ok(());
        }
        self.cost = self.cost.saturating_add(cost);
        if self.cost > self.limit { Err(Stop::CostLimitExceeded) } else { Ok(()) }
    }

    /// Counts the memory of a result before it is allocated.
    fn allocate(&mut self, bytes: usize) -> Result<(), Stop> {
        self.memory = self.memory.checked_sub(bytes).ok_or(Stop::CostLimitExceeded)?;
        Ok(())
    }

    fn allocate_items(&mut self, count: usize) -> Result<(), Stop> {
        self.allocate(count.saturating_mul(size_of::<Value<'_>>()))
    }

    fn global(&self, index: usize) -> Evaluated<'v> {
        (self.variables)(index)
    }

    fn eval(&mut self, node: &'v Node) -> Evaluated<'v> {
        match node {
            Node::Constant(Value::Text(text)) => Ok(Value::Text(Text::Borrowed(text))),
            Node::Constant(value) => Ok(value.copied()),
            Node::Attribute(attribute) => self.attribute(attribute),
            Node::Presence(attribute) => self.presence(attribute),
            Node::And(terms) => self.logical(terms, true),
            Node::Or(terms) => self.logical(terms, false),
            Node::Equal(operands, kind) => self.equality(operands, *kind),
            Node::Call(call) => self.call(call),
            Node::NotStrictlyFalse(arg) => self.not_strictly_false(arg).map(Value::Bool),
            Node::OrElse(it) => self.or_else(it),
            Node::InSet(item, keys) => self.in_set(item, keys),
            Node::List(items) => self.list(items),
            Node::Map(entries) => self.map(entries),
            Node::Message(init) => self.message(init),
            Node::Fold(fold) => self.fold(fold),
        }
    }

    /// Whether a value is not false; an error is not.
    fn not_strictly_false(&mut self, arg: &'v Node) -> Result<bool, Stop> {
        let value = self.eval(arg);
        if let Err(stop) = &value
            && stop.is_final()
        {
            return Err(stop.clone());
        }
        self.spend(1)?;
        Ok(!matches!(value, Ok(Value::Bool(false))))
    }

    fn or_else(&mut self, it: &'v OrElse) -> Evaluated<'v> {
        match self.eval(&it.optional)? {
            Value::Optional(None) => self.eval(&it.otherwise),
            Value::Optional(Some(value)) if it.unwraps => Ok(Value::clone(&value)),
            value @ Value::Optional(Some(_)) => Ok(value),
            _ => Err(Stop::NO_OVERLOAD),
        }
    }

    fn in_set(&mut self, item: &'v Node, keys: &BTreeSet<Key<'static>>) -> Evaluated<'v> {
        let item = self.eval(item)?;
        if Key::of_entry(&item).is_none() {
            self.has_panicked = true;
            return Err(Stop::unhashable(&item));
        }
        Ok(Value::Bool(Key::of(&item).is_some_and(|key| !key.is_nan() && keys.contains(&key))))
    }

    /// Evaluates `&&` or `||` until a term decides it: the one that is not `neutral`. An error of another term does not matter then.
    fn logical(&mut self, terms: &'v [Node], neutral: bool) -> Evaluated<'v> {
        let mut error = None;
        for term in terms {
            match self.eval(term) {
                Ok(Value::Bool(value)) if value == neutral => {}
                Ok(Value::Bool(value)) => return Ok(Value::Bool(value)),
                Ok(_) => error = error.or(Some(Stop::NO_OVERLOAD)),
                Err(stop) if stop.is_final() => return Err(stop),
                Err(failed) => error = error.or(Some(failed)),
            }
        }
        error.map_or(Ok(Value::Bool(neutral)), Err)
    }
}

impl Run<'static, '_> {
    /// Evaluates a node that uses no variables, without a cost.
    fn constant(node: &Node) -> Evaluated<'static> {
        calls::constant(node)
    }
}

#[cfg(test)]
mod tests;
