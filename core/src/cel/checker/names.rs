//! Names of variables and types.

use alloc::{borrow::ToOwned, format, string::String, vec::Vec};

use super::{
    super::{
        ast::{Expr, ExprKind},
        decl_type::Inner,
        error::Error,
        functions, hints,
        messages::{self, Message},
        patch_types,
        types::Type,
    },
    Checker, Named,
};

impl Checker<'_> {
    pub(super) fn ident(&mut self, id: usize, at: usize, name: &str) -> Type {
        let global = name.strip_prefix('.').unwrap_or(name);
        // It shadows every other meaning.
        self.uses_old_self |= global == "oldSelf";
        if let Some(type_) = self.local(name) {
            return type_;
        }
        self.global(id, global).unwrap_or_else(|| {
            let locals = self.locals.iter().map(|(name, _)| &**name);
            let hint = hints::nearest(name, self.variables().into_iter().chain(locals));
            self.undeclared(at, name, hint);
            Type::Error
        })
    }

    fn local(&self, name: &str) -> Option<Type> {
        let local = self.locals.iter().rev().find(|(local, _)| local == name);
        local.map(|(_, type_)| type_.clone())
    }

    /// Returns the names of the variables that are declared everywhere.
    fn variables(&self) -> Vec<&str> {
        match (&self.environment.value.inner, self.environment.is_admission) {
            (Inner::Fields(variables), true) => variables.iter().map(|(name, _)| &**name).collect(),
            _ => alloc::vec!["self", "oldSelf"],
        }
    }

    fn variable(&self, name: &str) -> Option<Type> {
        let value = self.environment.value;
        if self.environment.is_admission {
            let Inner::Fields(variables) = &value.inner else { return None };
            let (_, declared) = variables.iter().find(|(variable, _)| variable == name)?;
            return Some(declared.type_.clone());
        }
        match name {
            "self" => Some(value.type_.clone()),
            "oldSelf" if self.environment.is_old_self_optional => Some(Type::optional(value.type_.clone())),
            "oldSelf" => Some(value.type_.clone()),
            _ => None,
        }
    }

    fn global(&mut self, id: usize, name: &str) -> Option<Type> {
        if let Some(type_) = self.variable(name) {
            return Some(type_);
        }
        if let Some(number) = messages::constant(name) {
            self.constants.insert(id, Named::Number(number));
            return Some(Type::Int);
        }
        let type_ = self.type_named(name)?;
        let named = if is_value(name) { Named::Type } else { Named::UnknownType(name.to_owned()) };
        self.constants.insert(id, named);
        Some(Type::Meta(type_.into()))
    }

    /// Returns the type with a name.
    pub(super) fn type_named(&self, name: &str) -> Option<Type> {
        let of_patches = || if self.environment.has_patch_types { patch_types::named_type(name) } else { None };
        functions::named_type(name).or_else(|| Message::named(name).map(Message::type_)).or_else(of_patches)
    }

    /// Replaces an expression with the qualified name that it is, if it is one.
    pub(super) fn qualified(&mut self, expr: &mut Expr) -> Option<Type> {
        let name = expr.qualified_name()?;
        let first = name.split('.').find(|part| !part.is_empty()).unwrap_or_default();
        if !name.starts_with('.') && self.locals.iter().any(|(it, _)| it == first) {
            return None;
        }
        let name = name.strip_prefix('.').unwrap_or(&name);
        let type_ = self.global(expr.id, name)?;
        expr.kind = ExprKind::Ident(name.to_owned());
        Some(type_)
    }

    pub(super) fn undeclared(&mut self, at: usize, name: &str, hint: Option<String>) {
        let mut error = Error::new(at, format!("undeclared reference to '{name}' (in container '')"));
        error.hint = hint;
        self.errors.push(error);
    }
}

/// Whether the type exists at run time; others exist only at compile time.
fn is_value(type_: &str) -> bool {
    match type_ {
        "timestamp" | "duration" => false,
        "google.protobuf.Timestamp" | "google.protobuf.Duration" => true,
        name => match Message::named(name) {
            Some(message) => matches!(message.type_(), Type::Struct(_)),
            None => true,
        },
    }
}
