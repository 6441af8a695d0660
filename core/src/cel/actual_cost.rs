//! The cost of evaluating an expression on a value, as the server's runtime counts it.
//!
//! It follows cel-go: constants cost nothing, `&&`, `||` and `?:` skip operands, a loop ends early, and each call costs what
//! `CallCost` of the API server returns for its arguments. Where a value is not known, such as the result of a function of a
//! library, the cost is a lower limit.

use alloc::{rc::Rc, vec::Vec};

use super::{
    ast::{Comprehension, Element, Entry, Expr, ExprKind},
    checker::Checked,
    decl_type::DeclType,
};
use crate::{id_map::IdMap, json::Json, literal::regex::Matchers};

mod attributes;
mod calls;
mod constants;
mod functions;
mod value;

use value::Value;

/// The value that `oldSelf` has.
#[derive(Clone, Copy, Debug)]
pub(super) enum OldSelf<'v> {
    /// A value.
    Value(&'v Json<'v>),
    /// An optional value.
    Optional(Option<&'v Json<'v>>),
    /// Nothing: the server does not evaluate rules that use it.
    Absent,
}

/// An evaluation of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Evaluation {
    /// A lower limit of the cost if the rule is true, or a cost above the limit.
    pub cost: u64,
    /// Whether the rule is false, or cannot be evaluated; if not, it is true, or the result is not known.
    pub is_false: bool,
    /// Whether the rule is known to be true.
    pub is_true: bool,
}

/// Evaluates an expression until its cost exceeds the limit.
///
/// Parts that are not known count as true where the expression is otherwise not true.
pub(super) fn evaluate<'v>(
    checked: &Checked,
    declared: &'v DeclType,
    value: &'v Json<'v>,
    old: OldSelf<'v>,
    limit: u64,
) -> Evaluation {
    let of = |json| Value::of_json(json, declared);
    let old = match old {
        OldSelf::Value(old) => of(old),
        OldSelf::Optional(old) => Value::Optional(old.map(|old| Rc::new(of(old)))),
        OldSelf::Absent => Value::Unknown,
    };
    let mut run = Run {
        checked,
        constants: constants::of(checked),
        folded: IdMap::new(),
        matchers: Matchers::default(),
        locals: Vec::new(),
        value: of(value),
        old,
        cost: 0,
        limit,
        has_assumed: false,
    };
    let result = run.eval(&checked.expr, true);
    let is = |expected| matches!(result, Ok(Value::Bool(value)) if value == expected);
    Evaluation { cost: run.cost, is_false: is(false), is_true: is(true) && !run.has_assumed }
}

/// The limit of the cost is exceeded.
struct Exceeded;

type Evaluated<'v> = Result<Value<'v>, Exceeded>;

/// An evaluation.
struct Run<'v, 'c> {
    checked: &'c Checked,
    /// Whether the server folds an expression, by its id.
    constants: Vec<bool>,
    /// The values of folded expressions.
    folded: IdMap<Value<'v>>,
    /// Compiled regular expressions.
    matchers: Matchers,
    locals: Vec<Local<'v, 'c>>,
    value: Value<'v>,
    old: Value<'v>,
    cost: u64,
    limit: u64,
    /// Whether a part that is not known counts as true.
    has_assumed: bool,
}

/// A variable of a loop.
struct Local<'v, 'c> {
    name: &'c str,
    value: Lazy<'v, 'c>,
}

/// The value of a variable. An accumulator is initialized when it is first used.
enum Lazy<'v, 'c> {
    Value(Value<'v>),
    Pending(&'c Expr),
}

impl<'v, 'c> Run<'v, 'c> {
    fn spend(&mut self, cost: u64) -> Result<(), Exceeded> {
        self.cost = self.cost.saturating_add(cost);
        if self.cost > self.limit { Err(Exceeded) } else { Ok(()) }
    }

    /// Evaluates an expression. With `is_true`, it is a condition without which the whole expression is not true.
    fn eval(&mut self, expr: &'c Expr, is_true: bool) -> Evaluated<'v> {
        if self.constants[expr.id] {
            return Ok(self.folded(expr));
        }
        let value = match &expr.kind {
            ExprKind::Literal(literal) => Value::of_literal(literal),
            ExprKind::Select { operand, field, is_test: true } => self.presence(operand, field)?,
            ExprKind::Ident(_) | ExprKind::Select { .. } => self.attribute(expr, is_true)?,
            ExprKind::Call { function, target: None, args } => match (function.as_str(), args.as_slice()) {
                (name, _) if attributes::is_selection(name) => self.attribute(expr, is_true)?,
                ("_&&_", terms) => self.logical(terms, true, is_true)?,
                ("_||_", terms) => self.logical(terms, false, is_true)?,
                ("@in", [item, list]) if constants::is_set(expr, list, self.checked, &self.constants) => {
                    let item = self.eval(item, false)?;
                    self.folded(list).contains(&item)
                }
                _ => self.call(expr)?,
            },
            ExprKind::Call { function, target: Some(target), args } => match (function.as_str(), args.as_slice()) {
                ("or" | "orValue", [otherwise]) => self.or_value(function, target, otherwise)?,
                _ => self.call(expr)?,
            },
            ExprKind::List(elements) => self.list(elements)?,
            ExprKind::Map(entries) => self.map(entries)?,
            ExprKind::Struct { fields, .. } => {
                for field in fields {
                    self.eval(&field.value, false)?;
                }
                self.spend(40)?;
                Value::Unknown
            }
            ExprKind::Comprehension(it) => self.fold(it, is_true)?,
        };
        Ok(match value {
            Value::Unknown if is_true => {
                self.has_assumed = true;
                Value::Bool(true)
            }
            value => value,
        })
    }

    /// Evaluates `&&` or `||` until a term decides it: the one that is not `neutral`.
    fn logical(&mut self, terms: &'c [Expr], neutral: bool, is_true: bool) -> Evaluated<'v> {
        for (at, term) in terms.iter().enumerate() {
            let is_needed = is_true && (neutral || at + 1 == terms.len());
            match self.eval(term, is_needed)? {
                Value::Bool(value) if value == neutral => {}
                value => return Ok(value),
            }
        }
        Ok(Value::Bool(neutral))
    }

    /// Evaluates `or` or `orValue` of an optional value, which cost nothing.
    fn or_value(&mut self, function: &str, target: &'c Expr, otherwise: &'c Expr) -> Evaluated<'v> {
        match (self.eval(target, false)?, function) {
            (Value::Optional(None), _) => self.eval(otherwise, false),
            (Value::Optional(Some(value)), "orValue") => Ok(Value::clone(&value)),
            (value, _) => Ok(value),
        }
    }

    fn list(&mut self, elements: &'c [Element]) -> Evaluated<'v> {
        let mut items = Some(Vec::new());
        for element in elements {
            let item = self.eval(&element.value, false)?;
            match (element.is_optional, item) {
                (false, item) => items.iter_mut().for_each(|items| items.push(item.clone())),
                (true, Value::Optional(item)) => {
                    items.iter_mut().for_each(|items| items.extend(item.as_deref().cloned()));
                }
                (true, _) => items = None,
            }
        }
        self.spend(10)?;
        Ok(items.map_or(Value::Unknown, |items| Value::List(Rc::new(items))))
    }

    fn map(&mut self, entries: &'c [Entry]) -> Evaluated<'v> {
        let mut all = Some(Vec::new());
        for entry in entries {
            let key = self.eval(&entry.key, false)?;
            let value = self.eval(&entry.value, false)?;
            match (entry.is_optional, value) {
                (false, value) => all.iter_mut().for_each(|all| all.push((key.clone(), value.clone()))),
                (true, Value::Optional(value)) => {
                    let value = value.as_deref().cloned();
                    all.iter_mut().for_each(|all| all.extend(value.clone().map(|value| (key.clone(), value))));
                }
                (true, _) => all = None,
            }
        }
        self.spend(30)?;
        Ok(all.map_or(Value::Unknown, |all| Value::Map(Rc::new(all))))
    }

    fn fold(&mut self, it: &'c Comprehension, is_true: bool) -> Evaluated<'v> {
        let range = self.eval(&it.range, false)?;
        let Some(count) = range.count() else {
            return Ok(Value::Unknown);
        };
        let is_all = is_true && is_all(it);
        let outer = self.locals.len();
        self.locals.push(Local { name: &it.accu, value: Lazy::Pending(&it.init) });
        // The server iterates over the entries of a map in random order, and so may end the loop earlier or later.
        let is_random = range.is_map() && count > 1;
        let (cost, limit) = (self.cost, self.limit);
        if is_random {
            self.limit = u64::MAX;
        }
        let is_known = self.iterate(it, &range, count, is_all)?;
        let result = if is_known { self.eval(&it.result, is_true)? } else { Value::Unknown };
        if is_random {
            if !is_all && self.ends_early(it)? {
                self.cost = cost;
            }
            self.limit = limit;
            self.spend(0)?;
        }
        self.locals.truncate(outer);
        Ok(if is_random { result.unordered() } else { result })
    }

    /// Iterates over a range. Returns whether the accumulator is known.
    fn iterate(
        &mut self,
        it: &'c Comprehension,
        range: &Value<'v>,
        count: usize,
        is_all: bool,
    ) -> Result<bool, Exceeded> {
        let outer = self.locals.len();
        for at in 0..count {
            let [var, var2] = range.entry(at, it.var2.is_some());
            self.locals.push(Local { name: &it.var, value: Lazy::Value(var) });
            if let Some(name) = &it.var2 {
                self.locals.push(Local { name, value: Lazy::Value(var2) });
            }
            let condition = self.eval(&it.condition, is_all)?;
            if let Value::Bool(true) = condition {
                let next = self.eval(&it.step, is_all)?;
                self.locals[outer - 1].value = Lazy::Value(next);
            }
            self.locals.truncate(outer);
            match condition {
                Value::Bool(true) => {}
                Value::Bool(false) => break,
                _ => return Ok(false),
            }
        }
        Ok(true)
    }

    /// Whether the condition of a loop is not known to hold after it.
    fn ends_early(&mut self, it: &'c Comprehension) -> Result<bool, Exceeded> {
        let cost = self.cost;
        let condition = self.eval(&it.condition, false)?;
        self.cost = cost;
        Ok(!matches!(condition, Value::Bool(true)))
    }
}

/// Whether this is the loop of `all`.
fn is_all(it: &Comprehension) -> bool {
    let function = |expr: &Expr, name| matches!(&expr.kind, ExprKind::Call { function, .. } if function == name);
    function(&it.condition, "@not_strictly_false") && function(&it.step, "_&&_")
}
