//! Compilation of CEL expressions and estimation of their cost, as the server does it.
//!
//! The parser, the macros, the type checker and the functions match the server's environment. Errors have the server's wording.

use alloc::{
    string::{String, ToString},
    vec::Vec,
};

use crate::{literal::cel::escaped, schema::SchemaProps};

mod admission;
mod ast;
mod checker;
mod code;
mod cost;
mod decl_type;
mod error;
mod evaluate;
mod format;
mod functions;
mod hints;
mod lexer;
mod literals;
mod macros;
mod messages;
mod parser;
mod patch_types;
mod scalar;
mod type_steps;
mod types;
mod unescape;

pub use admission::{AdmissionScope, ResultType};
pub use code::{uses_old_self, without_comments};
pub use cost::Unbounded;
pub use error::{Display, Error};
pub use evaluate::{
    AuthorizationCheck, AuthorizationDecision, AuthorizationTarget, AuthorizedResource, Authorizer, Evaluation,
    EvaluationError, Program, Quantity, ZoneSource,
    admission::{AdmissionInput, AdmissionProgram, AdmissionRun, AdmissionValue, ComposedVariable},
    canonical_quantity,
};
pub use scalar::{ABSENT, Scalar};
pub use type_steps::{MAX_ARGS, TypeStep, TypeStepKind};

use checker::{Checked, Environment};
use decl_type::{DeclType, Inner, MAX_REQUEST};
use types::Type;

/// The minor version of Kubernetes whose functions are available: servers accept the functions of the previous version in new
/// definitions.
pub const MINOR: u32 = 36;

/// The environment of the rules on one value: the type of `self`, and the version of the functions.
#[derive(Clone, Debug)]
pub struct RuleScope {
    declared: DeclType,
    minor: u32,
}

/// A compiled expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompiledRule {
    /// The server's estimate of the maximum cost for one value.
    pub cost: u64,
    /// The unbounded lists, maps and strings that affect the cost, sorted.
    pub unbounded: Vec<Unbounded>,
    /// Whether the expression uses `oldSelf`.
    pub uses_old_self: bool,
}

/// Why the server rejects an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CompileError {
    /// Syntax errors, or errors of names and types.
    Invalid(Vec<Error>),
    /// The expression evaluates to this other type.
    WrongResultType(String),
    /// The evaluation of a constant fails.
    ConstantEvaluation(Error),
    /// The server panics while it compiles the expression.
    ServerPanic(Error),
}

impl RuleScope {
    /// Returns the scope of a schema; `None` if the schema has no type in CEL. `is_root` applies to resources, including embedded
    /// ones.
    pub fn of(schema: &SchemaProps<'_>, is_root: bool) -> Option<Self> {
        Some(Self { declared: DeclType::of(schema, is_root, "self")?, minor: MINOR })
    }

    /// Returns the scope of a value whose schema is not known.
    pub fn unknown() -> Self {
        Self { declared: DeclType::simple(Type::Unknown, 1), minor: MINOR }
    }

    /// Returns the scope of an object with fields of these names, whose schemas are not known.
    pub fn with_fields<'n>(names: impl Iterator<Item = &'n str>) -> Self {
        let fields = names.filter_map(|name| Some((escaped(name)?, DeclType::simple(Type::Unknown, 1))));
        Self { declared: DeclType::object_with("object", fields.collect()), minor: MINOR }
    }

    /// Returns the scope of a resource with the fields that each one has, and others of these names, whose schemas are not known.
    pub fn resource_with_fields<'n>(names: impl Iterator<Item = &'n str>) -> Self {
        let mut scope = Self::with_fields(names);
        if let Inner::Fields(fields) = &mut scope.declared.inner {
            fields.extend(DeclType::fields_of_resources());
        }
        scope
    }

    /// Returns the scope of a field, by its name in the schema.
    pub fn field(&self, name: &str) -> Option<Self> {
        let Inner::Fields(fields) = &self.declared.inner else {
            return None;
        };
        let name = escaped(name)?;
        let (_, declared) = fields.iter().find(|(field, _)| *field == name)?;
        Some(self.inner(declared))
    }

    /// Returns the scope of the items of a list or the values of a map.
    pub fn elements(&self) -> Option<Self> {
        match &self.declared.inner {
            Inner::Items(declared) | Inner::Values(declared) => Some(self.inner(declared)),
            Inner::Nothing | Inner::Fields(_) => None,
        }
    }

    fn inner(&self, declared: &DeclType) -> Self {
        Self { declared: declared.clone(), minor: self.minor }
    }

    /// Returns the maximum number of such values in one object if nothing is bounded.
    pub const fn max_cardinality(&self) -> u64 {
        MAX_REQUEST / (self.declared.min_size + 1)
    }

    /// Compiles a rule.
    ///
    /// # Errors
    ///
    /// If the server rejects it, or it does not evaluate to a boolean.
    pub fn compile_rule(&self, source: &str, is_old_self_optional: bool) -> Result<CompiledRule, CompileError> {
        self.compile(source, is_old_self_optional, &Type::Bool)
    }

    /// Compiles a message expression.
    ///
    /// # Errors
    ///
    /// If the server rejects it, or it does not evaluate to a string.
    pub fn compile_message(&self, source: &str, is_old_self_optional: bool) -> Result<CompiledRule, CompileError> {
        self.compile(source, is_old_self_optional, &Type::String)
    }

    /// Checks what a rule or a message expression, whose `result` is a string, is without the schema, and returns the steps that
    /// depend on it.
    ///
    /// # Errors
    ///
    /// If the server rejects it with any schema of this scope.
    pub fn type_steps<'s>(
        &self,
        source: &'s str,
        is_old_self_optional: bool,
        result: Scalar,
    ) -> Result<Vec<TypeStep<'s>>, CompileError> {
        let checked = self.check_with_constants(source, is_old_self_optional, &result.into())?;
        Ok(type_steps::steps(source, &checked, is_old_self_optional, result))
    }

    /// Compiles a rule to a program, which evaluates it.
    ///
    /// # Errors
    ///
    /// As [`compile_rule`](Self::compile_rule).
    pub fn program(&self, source: &str, is_old_self_optional: bool) -> Result<Program, CompileError> {
        self.program_of(source, is_old_self_optional, &Type::Bool)
    }

    /// Compiles a message expression to a program.
    ///
    /// # Errors
    ///
    /// As [`compile_message`](Self::compile_message).
    pub fn message_program(&self, source: &str, is_old_self_optional: bool) -> Result<Program, CompileError> {
        self.program_of(source, is_old_self_optional, &Type::String)
    }

    fn program_of(&self, source: &str, is_old_self_optional: bool, result: &Type) -> Result<Program, CompileError> {
        let checked = self.check(source, is_old_self_optional, result)?;
        Program::new(&checked, &self.declared, is_old_self_optional)
    }

    fn environment(&self, is_old_self_optional: bool) -> Environment<'_> {
        Environment {
            value: &self.declared,
            is_admission: false,
            has_patch_types: false,
            is_old_self_optional,
            minor: self.minor,
        }
    }

    /// Checks the names and types of an expression, and the type of its result.
    fn check(&self, source: &str, is_old_self_optional: bool, result: &Type) -> Result<Checked, CompileError> {
        let checked = check(source, &self.environment(is_old_self_optional))?;
        let found = &checked.types[checked.expr.id];
        if (found != result && *found != Type::Unknown) || matches!(found, Type::Wrapper(_)) {
            return Err(CompileError::WrongResultType(found.to_string()));
        }
        Ok(checked)
    }

    /// Checks all but the cost of an expression.
    fn check_with_constants(
        &self,
        source: &str,
        is_old_self_optional: bool,
        result: &Type,
    ) -> Result<Checked, CompileError> {
        let checked = self.check(source, is_old_self_optional, result)?;
        evaluate::check_constants(&checked)?;
        Ok(checked)
    }

    fn compile(&self, source: &str, is_old_self_optional: bool, result: &Type) -> Result<CompiledRule, CompileError> {
        let checked = self.check_with_constants(source, is_old_self_optional, result)?;
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
    if errors.is_empty() { Ok(checked) } else { Err(CompileError::Invalid(errors)) }
}

/// Whether an expression uses a variable; `None` if the expression has syntax errors.
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

/// Returns the string literals in an expression; none if the expression has syntax errors.
pub fn string_literals(source: &str) -> Vec<String> {
    let mut literals = Vec::new();
    if let Ok(parsed) = parser::parse(source) {
        parsed.expr.walk(&mut |expr| {
            if let ast::ExprKind::Literal(ast::Literal::String(text)) = &expr.kind {
                literals.push(text.clone());
            }
        });
    }
    literals
}

#[cfg(test)]
mod tests;
