//! The expressions that the server folds when it creates a program; their evaluation costs nothing.

use alloc::{borrow::Cow, rc::Rc, vec::Vec};

use super::{
    super::{
        ast::{Expr, ExprKind, Literal},
        checker::{Checked, Named},
        constants::{Constant, converted},
    },
    Run,
    value::Value,
};

/// Returns whether each expression is constant, by the ids of expressions.
pub(super) fn of(checked: &Checked) -> Vec<bool> {
    let mut constants = alloc::vec![false; checked.types.len()];
    mark(&checked.expr, checked, &mut constants);
    constants
}

fn mark(expr: &Expr, checked: &Checked, constants: &mut [bool]) {
    let children = expr.children();
    for child in &children {
        mark(child, checked, constants);
    }
    let all = |constants: &[bool]| children.iter().all(|child| constants[child.id]);
    constants[expr.id] = match &expr.kind {
        ExprKind::Literal(_) => true,
        ExprKind::Ident(_) => checked.constants.get(expr.id).is_some(),
        ExprKind::List(_) | ExprKind::Map(_) => all(constants),
        ExprKind::Call { function, target: None, args } => match (function.as_str(), args.as_slice()) {
            ("@in", [_, list]) => matches!(&list.kind, ExprKind::List(items) if items.is_empty()),
            (name, [_]) => is_conversion(name) && all(constants),
            _ => false,
        },
        _ => false,
    };
}

fn is_conversion(function: &str) -> bool {
    matches!(
        function,
        "bool" | "bytes" | "double" | "duration" | "dyn" | "int" | "string" | "timestamp" | "type" | "uint"
    )
}

/// Whether the server replaces a constant list of an `in` with a set, whose lookup costs nothing.
pub(super) fn is_set(call: &Expr, list: &Expr, checked: &Checked, constants: &[bool]) -> bool {
    let is_hashable = |item: &Expr| match &item.kind {
        ExprKind::Literal(Literal::Null | Literal::Bytes(_)) => false,
        kind => matches!(kind, ExprKind::Literal(_)),
    };
    checked.overloads[call.id] == ["in_list"]
        && constants[list.id]
        && matches!(&list.kind, ExprKind::List(items) if items.iter().all(|item| is_hashable(&item.value)))
}

impl<'v> Run<'v, '_> {
    /// Returns the value of a constant expression.
    pub(super) fn folded(&mut self, expr: &Expr) -> Value<'v> {
        if let Some(value) = self.folded.get(expr.id) {
            return value.clone();
        }
        let value = match &expr.kind {
            ExprKind::Literal(literal) => Value::of_literal(literal),
            ExprKind::Ident(name) => match self.checked.constants.get(expr.id) {
                Some(Named::Number(number)) => Value::Int(*number),
                Some(Named::Type) => Value::Type(Cow::Owned(name.clone())),
                _ => Value::Unknown,
            },
            ExprKind::List(items) => Value::List(Rc::new(items.iter().map(|item| self.folded(&item.value)).collect())),
            ExprKind::Map(entries) => {
                let entries = entries.iter().map(|entry| (self.folded(&entry.key), self.folded(&entry.value)));
                Value::Map(Rc::new(entries.collect()))
            }
            ExprKind::Call { function, args, .. } => match (function.as_str(), args.as_slice()) {
                ("@in", _) => Value::Bool(false),
                ("dyn", [arg]) => self.folded(arg),
                (name, [Expr { kind: ExprKind::Literal(literal), .. }]) => {
                    match converted(name, &Constant::Literal(literal.clone())) {
                        Ok(Some(Constant::Literal(literal))) => Value::of_literal(&literal),
                        _ => Value::Unknown,
                    }
                }
                _ => Value::Unknown,
            },
            _ => Value::Unknown,
        };
        self.folded.insert(expr.id, value.clone());
        value
    }
}
