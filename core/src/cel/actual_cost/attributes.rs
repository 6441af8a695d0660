//! Variables, with the fields and elements that are selected from them.
//!
//! cel-go evaluates a variable and all selections from it as one step: it costs one, and each selection costs one. In a branch
//! of a conditional and in an index, the step itself costs nothing.

use alloc::{rc::Rc, vec::Vec};
use core::mem;

use super::{
    super::ast::{Expr, ExprKind},
    Evaluated, Lazy, Local, Run,
    value::Value,
};

impl<'v, 'c> Run<'v, 'c> {
    /// Evaluates an attribute as a step.
    pub(super) fn attribute(&mut self, expr: &'c Expr, is_true: bool) -> Evaluated<'v> {
        let value = self.resolve(expr, is_true)?;
        if !is_conditional(expr) {
            self.spend(1)?;
        }
        Ok(value)
    }

    /// Evaluates the test for the presence of a field.
    pub(super) fn presence(&mut self, operand: &'c Expr, field: &str) -> Evaluated<'v> {
        let value = self.operand(operand, false)?;
        if let Value::Optional(_) = value {
            return Ok(Value::Unknown);
        }
        self.spend(1)?;
        Ok(match value.has(field) {
            Some(is_present) => Value::Bool(is_present),
            None => Value::Unknown,
        })
    }

    fn resolve(&mut self, expr: &'c Expr, is_true: bool) -> Evaluated<'v> {
        match &expr.kind {
            ExprKind::Ident(name) => self.variable(name),
            ExprKind::Select { operand, field, .. } => {
                let value = self.operand(operand, false)?;
                self.select(value, false, |value| value.field(field), |value| value.has(field))
            }
            ExprKind::Call { function, args, .. } => match (function.as_str(), args.as_slice()) {
                ("_?_:_", [condition, then, otherwise]) => match self.eval(condition, false)? {
                    Value::Bool(true) => self.operand(then, is_true),
                    Value::Bool(false) => self.operand(otherwise, is_true),
                    _ => Ok(Value::Unknown),
                },
                (name, [value, index]) => {
                    let value = self.operand(value, false)?;
                    let index = self.operand(index, false)?;
                    let is_optional = name != "_[_]";
                    match &index {
                        Value::Text(field) if !value.is_list() => {
                            self.select(value, is_optional, |value| value.field(field), |value| value.has(field))
                        }
                        index => {
                            self.select(value, is_optional, |value| value.index(index), |value| value.has_item(index))
                        }
                    }
                }
                _ => Ok(Value::Unknown),
            },
            _ => Ok(Value::Unknown),
        }
    }

    /// Selects a field or an element. Of an optional value, or with `?`, the selection is optional, and costs nothing if there is
    /// no such part.
    fn select(
        &mut self,
        value: Value<'v>,
        is_optional: bool,
        part: impl FnOnce(&Value<'v>) -> Value<'v>,
        has: impl FnOnce(&Value<'v>) -> Option<bool>,
    ) -> Evaluated<'v> {
        let value = match value {
            Value::Optional(None) => return Ok(value),
            Value::Optional(Some(value)) => value,
            value if is_optional => Rc::new(value),
            value => {
                self.spend(1)?;
                return Ok(part(&value));
            }
        };
        match has(&value) {
            Some(true) => {
                self.spend(1)?;
                Ok(match part(&value) {
                    Value::Unknown => Value::Unknown,
                    part => Value::Optional(Some(Rc::new(part))),
                })
            }
            Some(false) => Ok(Value::Optional(None)),
            None => Ok(Value::Unknown),
        }
    }

    /// Evaluates an expression that is part of an attribute.
    fn operand(&mut self, expr: &'c Expr, is_true: bool) -> Evaluated<'v> {
        if self.is_attribute(expr) { self.resolve(expr, is_true) } else { self.eval(expr, is_true) }
    }

    fn is_attribute(&self, expr: &Expr) -> bool {
        match &expr.kind {
            _ if self.constants[expr.id] => false,
            ExprKind::Ident(_) | ExprKind::Select { is_test: false, .. } => true,
            ExprKind::Call { function, .. } => is_selection(function),
            _ => false,
        }
    }

    fn variable(&mut self, name: &str) -> Evaluated<'v> {
        let Some(at) = self.locals.iter().rposition(|local| local.name == name) else {
            return Ok(match name.strip_prefix('.').unwrap_or(name) {
                "self" => self.value.clone(),
                "oldSelf" => self.old.clone(),
                _ => Value::Unknown,
            });
        };
        let init = match &self.locals[at].value {
            Lazy::Value(value) => return Ok(value.clone()),
            Lazy::Pending(init) => *init,
        };
        let inner: Vec<Local<'v, 'c>> = self.locals.drain(at..).collect();
        let value = self.eval(init, false)?;
        self.locals.extend(inner);
        self.locals[at].value = Lazy::Value(value.clone());
        Ok(value)
    }

    /// Moves the value out of an accumulator that the step then replaces, so that it is not copied.
    pub(super) fn take_accumulator(&mut self, expr: &Expr) -> Option<Value<'v>> {
        let ExprKind::Ident(name) = &expr.kind else {
            return None;
        };
        let local = self.locals.iter_mut().rfind(|local| local.name == *name)?;
        match &mut local.value {
            Lazy::Value(value) if *name == super::super::ast::ACCUMULATOR => Some(mem::replace(value, Value::Unknown)),
            _ => None,
        }
    }
}

/// Whether a function selects a part or one of two values.
pub(super) fn is_selection(function: &str) -> bool {
    matches!(function, "_[_]" | "_[?_]" | "_?._" | "_?_:_")
}

/// Whether the outermost value of an attribute is a conditional, whose step costs nothing.
fn is_conditional(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Select { operand, .. } => is_conditional(operand),
        ExprKind::Call { function, args, .. } => match function.as_str() {
            "_?_:_" => true,
            name if is_selection(name) => args.first().is_some_and(is_conditional),
            _ => false,
        },
        _ => false,
    }
}
