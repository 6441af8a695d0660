//! Compilation of rules and message expressions.

use alloc::vec::Vec;
use core::fmt;

use crate::{
    Arg, ErrorType, ServerError, Text, Violation,
    cel::{CompileError, CompiledRule, Display, Error, RuleScope, Scalar, TypeStep},
    go::write_text,
    schema::{AdditionalProperties, Items, SchemaProps, ValidationRule},
};

use super::{C10, C11, C12};

/// Returns `None` and reports [`C10`] or [`C11`] if the rule does not compile.
pub(super) fn compile_rule(
    value: &RuleScope,
    rule: &ValidationRule<'_>,
    report: &mut dyn FnMut(&Violation<'_>),
) -> Option<CompiledRule> {
    match value.compile_rule(&rule.rule, rule.optional_old_self == Some(true)) {
        Ok(compiled) => Some(compiled),
        Err(error) => {
            report_rule(rule, &error, report);
            None
        }
    }
}

/// Returns the steps of a rule's type check that depend on its schema, of which only the `value` is known. Reports [`C10`] or
/// [`C11`] if the server rejects the rule in any case.
pub fn rule_type_steps<'s>(
    value: &RuleScope,
    rule: &'s ValidationRule<'_>,
    report: &mut dyn FnMut(&Violation<'_>),
) -> Vec<TypeStep<'s>> {
    let steps = value.type_steps(&rule.rule, rule.optional_old_self == Some(true), Scalar::Bool);
    steps.unwrap_or_else(|error| {
        report_rule(rule, &first(error), report);
        Vec::new()
    })
}

/// Returns the steps of the type check of a message expression, as [`rule_type_steps`]. Reports [`C12`].
pub fn message_type_steps<'s>(
    value: &RuleScope,
    rule: &'s ValidationRule<'_>,
    report: &mut dyn FnMut(&Violation<'_>),
) -> Vec<TypeStep<'s>> {
    let Some(source) = rule.message_expression.as_deref() else {
        return Vec::new();
    };
    let steps = value.type_steps(source, rule.optional_old_self == Some(true), Scalar::String);
    steps.unwrap_or_else(|error| {
        report_message_expression(rule, source, &first(error), report);
        Vec::new()
    })
}

/// The first of several errors: a compiler reports one for one mistake.
fn first(error: CompileError) -> CompileError {
    match error {
        CompileError::Invalid(errors) => {
            CompileError::Invalid(errors.into_iter().min_by_key(|it| it.at).into_iter().collect())
        }
        other => other,
    }
}

fn report_rule(rule: &ValidationRule<'_>, error: &CompileError, report: &mut dyn FnMut(&Violation<'_>)) {
    let source = &*rule.rule;
    let quoted = Quoted(rule);
    match error {
        CompileError::Invalid(errors) => {
            let (for_crdkit, for_server) = displays(source, errors);
            let text = Text::new("the rule does not compile, at {}", &[Arg::Display(&for_crdkit)]);
            let detail = Text::new("compilation failed: {}", &[Arg::Display(&for_server)]);
            report(&invalid(&C10, ".rule", text, &quoted, detail));
        }
        CompileError::WrongResultType(found) => {
            let text = Text::new(
                "the rule `{}` evaluates to the type `{}`: write an expression that evaluates to a boolean",
                &[Arg::Text(source), Arg::Text(found)],
            );
            let detail = Text::literal("cel expression must evaluate to a bool");
            report(&invalid(&C11, ".rule", text, &quoted, detail));
        }
        CompileError::ConstantEvaluation(error) => {
            let errors = core::slice::from_ref(error);
            let (for_crdkit, _) = displays(source, errors);
            let text = Text::new("the rule cannot be evaluated, at {}", &[Arg::Display(&for_crdkit)]);
            let detail = Text::new("program instantiation failed: {}", &[Arg::Text(&error.message)]);
            report(&invalid(&C10, ".rule", text, &quoted, detail));
        }
        CompileError::ServerPanic(error) => {
            let (for_crdkit, _) = displays(source, core::slice::from_ref(error));
            let text = Text::new("the rule cannot be compiled, at {}", &[Arg::Display(&for_crdkit)]);
            report(&Violation::new(&C10, text));
        }
    }
}

/// Returns `None` and reports [`C12`] if the message expression does not compile.
pub(super) fn compile_message_expression(
    value: &RuleScope,
    rule: &ValidationRule<'_>,
    source: &str,
    report: &mut dyn FnMut(&Violation<'_>),
) -> Option<CompiledRule> {
    match value.compile_message(source, rule.optional_old_self == Some(true)) {
        Ok(compiled) => Some(compiled),
        Err(error) => {
            report_message_expression(rule, source, &error, report);
            None
        }
    }
}

fn report_message_expression(
    rule: &ValidationRule<'_>,
    source: &str,
    error: &CompileError,
    report: &mut dyn FnMut(&Violation<'_>),
) {
    let quoted = Quoted(rule);
    let field = ".messageExpression";
    match error {
        CompileError::Invalid(errors) => {
            let (for_crdkit, for_server) = displays(source, errors);
            let text = Text::new("the message expression does not compile, at {}", &[Arg::Display(&for_crdkit)]);
            let detail = Text::new("messageExpression compilation failed: {}", &[Arg::Display(&for_server)]);
            report(&invalid(&C12, field, text, &quoted, detail));
        }
        CompileError::WrongResultType(found) => {
            let text = Text::new(
                "the message expression `{}` evaluates to the type `{}`: write one that evaluates to a string, such \
                 as `string(...)`",
                &[Arg::Text(source), Arg::Text(found)],
            );
            let detail = Text::literal("messageExpression must evaluate to a string");
            report(&invalid(&C12, field, text, &quoted, detail));
        }
        CompileError::ConstantEvaluation(error) => {
            let (for_crdkit, _) = displays(source, core::slice::from_ref(error));
            let text = Text::new("the message expression cannot be evaluated, at {}", &[Arg::Display(&for_crdkit)]);
            let detail = Text::new("messageExpression instantiation failed: {}", &[Arg::Text(&error.message)]);
            report(&invalid(&C12, field, text, &quoted, detail));
        }
        CompileError::ServerPanic(error) => {
            let (for_crdkit, _) = displays(source, core::slice::from_ref(error));
            let text = Text::new("the message expression cannot be compiled, at {}", &[Arg::Display(&for_crdkit)]);
            report(&Violation::new(&C12, text));
        }
    }
}

/// Formats errors for crdkit, with hints, and for the server.
fn displays<'a>(source: &'a str, errors: &'a [Error]) -> (Display<'a>, Display<'a>) {
    (Display::with_hints(source, errors), Display::new(source, errors))
}

fn invalid<'a>(
    rule: &'static crate::Rule,
    field: &'a str,
    text: Text<'a>,
    quoted: &'a Quoted<'a>,
    detail: Text<'a>,
) -> Violation<'a> {
    let mut server_error = ServerError::new(ErrorType::Invalid, field, "").with_value(Arg::Display(quoted));
    server_error.detail = detail;
    Violation::new(rule, text).with_server_error(server_error)
}

/// Whether all types within the schema are known. If not, another rule reports it.
pub(super) fn is_structural(schema: &SchemaProps<'_>) -> bool {
    let is_known = match schema.type_.as_deref().unwrap_or_default() {
        "" => schema.int_or_string || schema.preserves_unknown_fields(),
        "array" => matches!(schema.items, Some(Items::Schema(_))),
        type_ => matches!(type_, "boolean" | "integer" | "number" | "object" | "string"),
    };
    let properties = schema.properties.as_deref().unwrap_or_default();
    let values = match &schema.additional_properties {
        Some(AdditionalProperties::Bool(false)) if !properties.is_empty() => return false,
        Some(AdditionalProperties::Schema(_)) if !properties.is_empty() => return false,
        Some(AdditionalProperties::Schema(values)) => Some(&**values),
        _ => None,
    };
    let items = schema.items();
    let fields = properties.iter().map(|(_, property)| property);
    is_known && fields.chain(values).chain(items).all(is_structural)
}

/// A rule, formatted as the server quotes it.
#[derive(Debug)]
struct Quoted<'a>(&'a ValidationRule<'a>);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rule = self.0;
        f.write_str("{\"Rule\":")?;
        write_text(&rule.rule, f)?;
        f.write_str(",\"Message\":")?;
        write_text(rule.message.as_deref().unwrap_or_default(), f)?;
        f.write_str(",\"MessageExpression\":")?;
        write_text(rule.message_expression.as_deref().unwrap_or_default(), f)?;
        f.write_str(",\"Reason\":")?;
        match rule.reason.as_deref() {
            Some(reason) => write_text(reason, f)?,
            None => f.write_str("null")?,
        }
        f.write_str(",\"FieldPath\":")?;
        write_text(rule.field_path.as_deref().unwrap_or_default(), f)?;
        f.write_str(",\"OptionalOldSelf\":")?;
        match rule.optional_old_self {
            Some(is_optional) => write!(f, "{is_optional}}}"),
            None => f.write_str("null}"),
        }
    }
}
