//! Fields of objects and messages.

use alloc::format;

use super::{
    super::{
        ast::{Expr, ExprKind, Literal},
        error::Error,
        hints,
        messages::Message,
        patch_types,
        types::Type,
    },
    Checker,
};
use crate::literal::cel::{escaped, is_identifier};

impl Checker<'_> {
    pub(super) fn select(&mut self, expr: &mut Expr) -> Type {
        if let Some(type_) = self.qualified(expr) {
            return type_;
        }
        let at = expr.at;
        let ExprKind::Select { operand, field, is_test } = &mut expr.kind else {
            return Type::Error;
        };
        let type_ = self.field(at, operand, field, false);
        if *is_test { Type::Bool } else { self.substitution.substitute(&type_) }
    }

    pub(super) fn optional_field(&mut self, id: usize, at: usize, args: &mut [Expr]) -> Type {
        self.overloads[id] = alloc::vec!["select_optional_field"];
        let [operand, name] = args else {
            return Type::Error;
        };
        let ExprKind::Literal(Literal::String(field)) = &name.kind else {
            return Type::Error;
        };
        let type_ = self.field(at, operand, field, true);
        self.substitution.substitute(&type_)
    }

    pub(super) fn field(&mut self, at: usize, operand: &mut Expr, field: &str, is_optional: bool) -> Type {
        let operand = self.check(operand);
        let operand = self.substitution.substitute(&operand);
        let (target, was_optional) = match &operand {
            Type::Optional(value) => (&**value, true),
            other => (other, false),
        };
        let result = match target {
            Type::Map(_, values) => (**values).clone(),
            Type::Object(name) => self.object_field(at, name, field),
            Type::Struct(name) => self.message_field(at, name, field),
            Type::Unknown => Type::Unknown,
            Type::Var(_) => {
                self.substitution.fit(&Type::Dyn, target);
                Type::Dyn
            }
            other => {
                if !other.is_dyn_or_error() {
                    self.error(at, format!("type '{other}' does not support field selection"));
                }
                Type::Dyn
            }
        };
        if was_optional || is_optional { Type::optional(result) } else { result }
    }

    fn object_field(&mut self, at: usize, object: &str, field: &str) -> Type {
        if let Some(type_) = self.patch_field(object, field) {
            return type_;
        }
        let fields = self.environment.value.object_named(object).unwrap_or_default();
        let reserved = format!("__{field}__");
        let is_reserved = escaped(field).as_ref() == Some(&reserved);
        let found = fields
            .iter()
            .find(|(name, _)| name == field || (is_reserved && !field.contains("__") && *name == reserved));
        if let Some((_, declared)) = found {
            return declared.type_.clone();
        }
        let mut error = Error::new(at, format!("undefined field '{field}'"));
        let names = fields.iter().map(|(name, _)| &**name).filter(|name| is_identifier(name));
        error.hint = hints::field_of_metadata(object, names.clone()).or_else(|| hints::field(field, names));
        self.errors.push(error);
        Type::Error
    }

    /// Returns the type of a field of a patch.
    fn patch_field(&self, type_: &str, field: &str) -> Option<Type> {
        if self.environment.has_patch_types { patch_types::field(type_, field) } else { None }
    }

    /// Returns the type of a field of a message.
    pub(super) fn message_field(&mut self, at: usize, message: &str, field: &str) -> Type {
        if let Some(type_) = self.patch_field(message, field) {
            return type_;
        }
        match (Message::named(message), message) {
            (Some(message), _) => {
                if let Some(type_) = message.field(field) {
                    return type_;
                }
            }
            // The server treats these types as messages.
            (None, "map") => return Type::Any,
            (None, "bool" | "bytes" | "double" | "int" | "string" | "uint") => {}
            (None, _) => {
                self.error(at, format!("unexpected failed resolution of '{message}'"));
                return Type::Error;
            }
        }
        self.error(at, format!("undefined field '{field}'"));
        Type::Error
    }
}
