//! The type checker.

use alloc::{format, string::String, vec::Vec};

use super::{
    ast::{Comprehension, Expr, ExprKind, Literal},
    decl_type::DeclType,
    error::Error,
    parser::Parsed,
    types::{Substitution, Type},
};
use crate::id_map::IdMap;

mod aggregates;
mod calls;
mod fields;
mod names;

/// The variables and functions of an expression.
pub(super) struct Environment<'a> {
    /// The type of `self`, or the object of all variables.
    pub(super) value: &'a DeclType,
    /// Whether the fields of the value are the variables.
    pub(super) is_admission: bool,
    /// Whether the types of patches exist.
    pub(super) has_patch_types: bool,
    /// Whether `oldSelf` is optional.
    pub(super) is_old_self_optional: bool,
    /// The minor version of Kubernetes that determines the functions.
    pub(super) minor: u32,
}

/// A type-checked expression.
pub(super) struct Checked {
    pub(super) expr: Expr,
    /// The types, by the ids of expressions.
    pub(super) types: Vec<Type>,
    /// The possible overloads of calls.
    pub(super) overloads: Vec<Vec<&'static str>>,
    pub(super) uses_old_self: bool,
    /// The meaning of names that are not variables, by the ids of expressions.
    pub(super) constants: IdMap<Named>,
}

/// The meaning of a name that is not a variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Named {
    /// A type.
    Type,
    /// A type that exists only at compile time, and its name.
    UnknownType(String),
    /// A constant of an enumeration.
    Number(i64),
}

pub(super) fn check(parsed: Parsed, environment: &Environment<'_>) -> Result<Checked, Vec<Error>> {
    let mut expr = parsed.expr;
    let mut checker = Checker {
        environment,
        types: alloc::vec![Type::Error; parsed.ids],
        overloads: alloc::vec![Vec::new(); parsed.ids],
        substitution: Substitution::default(),
        locals: Vec::new(),
        errors: Vec::new(),
        uses_old_self: false,
        constants: IdMap::new(),
    };
    checker.check(&mut expr);
    if !checker.errors.is_empty() {
        return Err(checker.errors);
    }
    let substitution = checker.substitution;
    Ok(Checked {
        expr,
        types: checker.types.iter().map(|it| substitution.finished(it)).collect(),
        overloads: checker.overloads,
        uses_old_self: checker.uses_old_self,
        constants: checker.constants,
    })
}

struct Checker<'a> {
    environment: &'a Environment<'a>,
    types: Vec<Type>,
    overloads: Vec<Vec<&'static str>>,
    substitution: Substitution,
    locals: Vec<(String, Type)>,
    errors: Vec<Error>,
    uses_old_self: bool,
    constants: IdMap<Named>,
}

impl Checker<'_> {
    fn error(&mut self, at: usize, message: impl Into<String>) {
        self.errors.push(Error::new(at, message));
    }

    fn mismatch(&mut self, at: usize, expected: &Type, found: &Type) {
        self.error(at, format!("expected type '{expected}' but found '{found}'"));
    }

    /// Determines the types of an expression and all nested ones.
    fn check(&mut self, expr: &mut Expr) -> Type {
        let (id, at) = (expr.id, expr.at);
        let type_ = match &mut expr.kind {
            ExprKind::Literal(literal) => literal_type(literal),
            ExprKind::Ident(name) => self.ident(id, at, name),
            ExprKind::Select { .. } => self.select(expr),
            ExprKind::Call { .. } => self.call(expr),
            ExprKind::List(elements) => self.list(elements),
            ExprKind::Map(entries) => self.map(entries),
            ExprKind::Struct { name, fields } => self.message(at, name, fields),
            ExprKind::Comprehension(comprehension) => self.comprehension(comprehension),
        };
        self.types[id] = type_.clone();
        type_
    }

    fn comprehension(&mut self, it: &mut Comprehension) -> Type {
        let range = self.check(&mut it.range);
        let accu = self.check(&mut it.init);
        let range = self.substitution.substitute(&range);
        let outer = self.locals.len();
        self.locals.push((it.accu.clone(), accu.clone()));
        let (var, var2) = match &range {
            Type::List(items) if it.var2.is_some() => (Type::Int, (**items).clone()),
            Type::List(items) => ((**items).clone(), Type::Error),
            Type::Map(keys, values) => ((**keys).clone(), (**values).clone()),
            Type::Unknown => (Type::Unknown, Type::Unknown),
            Type::Dyn | Type::Error | Type::Var(_) => {
                self.substitution.fit(&Type::Dyn, &range);
                (Type::Dyn, Type::Dyn)
            }
            other => {
                let message = format!(
                    "expression of type '{other}' cannot be range of a comprehension (must be list, \
                     map, or dynamic)"
                );
                self.error(it.range.at, message);
                (Type::Error, Type::Error)
            }
        };
        self.locals.push((it.var.clone(), var));
        if let Some(name) = &it.var2 {
            self.locals.push((name.clone(), var2));
        }
        let condition = self.check(&mut it.condition);
        self.assert(&it.condition, &Type::Bool, &condition);
        let step = self.check(&mut it.step);
        self.assert(&it.step, &accu, &step);
        self.locals.truncate(outer + 1);
        let result = self.check(&mut it.result);
        self.locals.truncate(outer);
        self.substitution.substitute(&result)
    }

    fn assert(&mut self, expr: &Expr, expected: &Type, found: &Type) {
        if !self.substitution.fit(expected, found) {
            self.mismatch(expr.at, expected, found);
        }
    }
}

pub(super) const fn literal_type(literal: &Literal) -> Type {
    match literal {
        Literal::Null => Type::Null,
        Literal::Bool(_) => Type::Bool,
        Literal::Int(_) => Type::Int,
        Literal::Uint(_) => Type::Uint,
        Literal::Double(_) => Type::Double,
        Literal::String(_) => Type::String,
        Literal::Bytes(_) => Type::Bytes,
    }
}
