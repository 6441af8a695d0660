//! Checks of a rule's fields that do not depend on the schema.

use super::{C1, C2, C3, C4, C5, C6, C7};
use crate::{Arg, ErrorType, ServerError, Text, Violation, literal::cel::REASONS, schema::ValidationRule};

/// Checks the fields of a rule, without its schema.
pub fn check_fields<'a>(rule: &'a ValidationRule<'_>, check: &mut dyn FnMut(Result<(), Violation<'a>>)) {
    let message = present(rule.message.as_deref());
    check(rule_is_not_blank(&rule.rule));
    if rule_is_not_blank(&rule.rule).is_ok() {
        if let Some(message) = message {
            check(message_is_not_blank(message));
            check(message_has_one_line(message));
        }
        check(long_rule_has_message(&rule.rule, message));
    }
    if let Some(expression) = present(rule.message_expression.as_deref()) {
        check(message_expression_is_not_blank(expression));
    }
    if let Some(reason) = rule.reason.as_deref() {
        check(reason_is_supported(reason));
    }
    if let Some(path) = present(rule.field_path.as_deref()) {
        check(field_path_is_not_blank(path));
        check(field_path_has_one_line(path));
    }
}

/// Treats an empty string as absent.
pub(super) fn present(text: Option<&str>) -> Option<&str> {
    text.filter(|text| !text.is_empty())
}

/// [`C1`].
pub fn rule_is_not_blank(rule: &str) -> Result<(), Violation<'_>> {
    if !rule.trim().is_empty() {
        return Ok(());
    }
    let message = Text::literal("the rule is empty: write an expression in CEL, or remove it");
    let server_error = ServerError::new(ErrorType::Required, ".rule", "rule is not specified");
    Err(Violation::new(&C1, message).with_server_error(server_error))
}

/// [`C2`].
pub fn message_is_not_blank(message: &str) -> Result<(), Violation<'_>> {
    if !message.trim().is_empty() {
        return Ok(());
    }
    let text = Text::literal("the message is empty: describe what is wrong, or remove it");
    let detail = "must be non-empty if specified";
    let server_error = ServerError::new(ErrorType::Invalid, ".message", detail).with_value(Arg::Quoted(message));
    Err(Violation::new(&C2, text).with_server_error(server_error))
}

/// [`C3`].
pub fn message_has_one_line(message: &str) -> Result<(), Violation<'_>> {
    if !has_line_break(message.trim()) {
        return Ok(());
    }
    let text = Text::literal("the message has more than one line: put it on one");
    let detail = "must not contain line breaks";
    let server_error = ServerError::new(ErrorType::Invalid, ".message", detail).with_value(Arg::Quoted(message));
    Err(Violation::new(&C3, text).with_server_error(server_error))
}

/// [`C4`]. A message expression does not count.
pub fn long_rule_has_message<'a>(rule: &'a str, message: Option<&'a str>) -> Result<(), Violation<'a>> {
    if message.is_some() || !has_line_break(rule.trim()) {
        return Ok(());
    }
    let text = Text::literal(
        "a rule of more than one line needs a message, as the server cannot quote it: add one, or \
         put the rule on one line",
    );
    let detail = "message must be specified if rule contains line breaks";
    let server_error = ServerError::new(ErrorType::Required, ".message", detail);
    Err(Violation::new(&C4, text).with_server_error(server_error))
}

/// [`C5`].
pub fn message_expression_is_not_blank(expression: &str) -> Result<(), Violation<'_>> {
    if !expression.trim().is_empty() {
        return Ok(());
    }
    let text = Text::literal(
        "the message expression is empty: write an expression that evaluates to a string, or \
                              remove it",
    );
    let detail = "messageExpression must be non-empty if specified";
    let server_error = ServerError::new(ErrorType::Required, ".messageExpression", detail);
    Err(Violation::new(&C5, text).with_server_error(server_error))
}

/// [`C6`].
pub fn reason_is_supported(reason: &str) -> Result<(), Violation<'_>> {
    if REASONS.contains(&reason) {
        return Ok(());
    }
    let text = Text::new(
        "`{}` is not a reason: write `FieldValueInvalid`, `FieldValueForbidden`, `FieldValueRequired` \
         or `FieldValueDuplicate`",
        &[Arg::Text(reason)],
    );
    let detail = "supported values: \"FieldValueDuplicate\", \"FieldValueForbidden\", \
                  \"FieldValueInvalid\", \"FieldValueRequired\"";
    let server_error = ServerError::new(ErrorType::NotSupported, ".reason", detail).with_value(Arg::Quoted(reason));
    Err(Violation::new(&C6, text).with_server_error(server_error))
}

/// [`C7`].
pub fn field_path_is_not_blank(path: &str) -> Result<(), Violation<'_>> {
    if !path.trim().is_empty() {
        return Ok(());
    }
    let text = "the field path is empty: write the path to a field, such as `.name`, or remove it";
    let detail = "must be non-empty if specified";
    let server_error = ServerError::new(ErrorType::Invalid, ".fieldPath", detail).with_value(Arg::Quoted(path));
    Err(Violation::new(&C7, Text::literal(text)).with_server_error(server_error))
}

/// [`C7`].
pub fn field_path_has_one_line(path: &str) -> Result<(), Violation<'_>> {
    if !has_line_break(path) {
        return Ok(());
    }
    let text = "the field path has more than one line: put it on one";
    let detail = "must not contain line breaks";
    let server_error = ServerError::new(ErrorType::Invalid, ".fieldPath", detail).with_value(Arg::Quoted(path));
    Err(Violation::new(&C7, Text::literal(text)).with_server_error(server_error))
}

/// Whether the text has a line break of CEL's grammar.
fn has_line_break(text: &str) -> bool {
    text.contains(['\n', '\r'])
}
