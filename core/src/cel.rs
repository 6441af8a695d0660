//! Expressions in CEL: what the server's compiler says of them, and what it estimates that they cost.
//!
//! The parser, the macros, the type checker and the table of functions are those of the server's environment; whatever it
//! refuses is refused, in its words.

use alloc::{
    collections::BTreeSet,
    string::{String, ToString},
    vec::Vec,
};

use crate::{literal::cel::escaped, schema::SchemaProps};

mod ast;
mod checker;
mod constants;
mod cost;
mod decl_type;
mod error;
mod format;
mod functions;
mod hints;
mod lexer;
mod literals;
mod macros;
mod messages;
mod parser;
mod types;
mod unescape;

pub use cost::Unbounded;
pub use error::{Display, Error};

use checker::{Checked, Environment};
use decl_type::{DeclType, Inner, MAX_REQUEST};
use types::Type;

/// The minor version of Kubernetes whose functions servers take into new definitions: the one before the newest.
pub const MINOR: u32 = 36;

/// What rules see of the value that they stand on.
#[derive(Clone, Debug)]
pub struct RuleScope {
    declared: DeclType,
    minor: u32,
}

/// An expression that the server compiles.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompiledRule {
    /// What the server estimates that it costs at most, for one value.
    pub cost: u64,
    /// The lists, maps and texts that it may read and that the schema does not bound.
    pub unbounded: BTreeSet<Unbounded>,
    /// Whether it names `oldSelf`.
    pub uses_old_self: bool,
}

/// Why the server does not compile an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CompileError {
    /// It is no expression, or its names and types are wrong.
    Invalid(Vec<Error>),
    /// It gives a value of another type, which is this.
    WrongResultType(String),
    /// A constant in it is wrong.
    ConstantEvaluation(Error),
    /// The server breaks off while it compiles it, and gives no answer.
    ServerPanic(Error),
}

impl RuleScope {
    /// What rules see of a schema; none if they do not see it. `is_root` is for resources, also embedded ones.
    pub fn of(schema: &SchemaProps<'_>, is_root: bool) -> Option<Self> {
        Some(Self { declared: DeclType::of(schema, is_root, "self")?, minor: MINOR })
    }

    /// The value of a field, by its name in the schema.
    pub fn field(&self, name: &str) -> Option<Self> {
        let Inner::Fields(fields) = &self.declared.inner else {
            return None;
        };
        let name = escaped(name)?;
        let (_, declared) = fields.iter().find(|(field, _)| *field == name)?;
        Some(self.inner(declared))
    }

    /// The items of a list, or the values of a map.
    pub fn elements(&self) -> Option<Self> {
        match &self.declared.inner {
            Inner::Items(declared) | Inner::Values(declared) => Some(self.inner(declared)),
            Inner::Nothing | Inner::Fields(_) => None,
        }
    }

    fn inner(&self, declared: &DeclType) -> Self {
        Self { declared: declared.clone(), minor: self.minor }
    }

    /// How often the value may stand in an object of which the schema bounds nothing.
    pub const fn max_cardinality(&self) -> u64 {
        MAX_REQUEST / (self.declared.min_size + 1)
    }

    /// Compiles a rule.
    ///
    /// # Errors
    ///
    /// If the server does not compile it, or it does not give a boolean.
    pub fn compile_rule(&self, source: &str, is_old_self_optional: bool) -> Result<CompiledRule, CompileError> {
        self.compile(source, is_old_self_optional, &Type::Bool)
    }

    /// Compiles a message expression.
    ///
    /// # Errors
    ///
    /// If the server does not compile it, or it does not give a text.
    pub fn compile_message(&self, source: &str, is_old_self_optional: bool) -> Result<CompiledRule, CompileError> {
        self.compile(source, is_old_self_optional, &Type::String)
    }

    fn compile(&self, source: &str, is_old_self_optional: bool, result: &Type) -> Result<CompiledRule, CompileError> {
        let environment = Environment { value: &self.declared, is_old_self_optional, minor: self.minor };
        let checked = check(source, &environment)?;
        let found = &checked.types[checked.expr.id];
        if found != result || matches!(found, Type::Wrapper(_)) {
            return Err(CompileError::WrongResultType(found.to_string()));
        }
        if let Some(error) = constants::error(&checked) {
            return Err(error);
        }
        let estimate = cost::estimate(&checked, &self.declared);
        Ok(CompiledRule { cost: estimate.cost, unbounded: estimate.unbounded, uses_old_self: checked.uses_old_self })
    }
}

fn check(source: &str, environment: &Environment<'_>) -> Result<Checked, CompileError> {
    let parsed = parser::parse(source).map_err(CompileError::Invalid)?;
    let checked = checker::check(parsed, environment).map_err(CompileError::Invalid)?;
    if let Some(error) = literals::server_panic(&checked, &checked.expr) {
        return Err(CompileError::ServerPanic(error));
    }
    let errors = literals::validate(&checked);
    match errors.is_empty() {
        true => Ok(checked),
        false => Err(CompileError::Invalid(errors)),
    }
}

/// Whether an expression names a variable; none if the text is no expression.
pub fn uses_variable(source: &str, variable: &str) -> Option<bool> {
    let parsed = parser::parse(source).ok()?;
    let mut is_named = false;
    parsed.expr.walk(&mut |expr| {
        if let ast::ExprKind::Ident(name) = &expr.kind {
            is_named |= name.strip_prefix('.').unwrap_or(name) == variable;
        }
    });
    Some(is_named)
}

/// Why a text is no expression, whatever its names and types are; none if it is one.
pub fn syntax_error(source: &str) -> Option<Error> {
    let errors = parser::parse(source).err()?;
    errors.into_iter().min_by_key(|error| error.at)
}

#[cfg(test)]
mod tests;
