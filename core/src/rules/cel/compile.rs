//! What the server's compiler says of rules.

use alloc::{format, string::String};
use core::fmt;

use crate::{
    Answer, AnswerKind, Arg, Text, Violation,
    admission::go::write_text,
    cel::{self, Compiled, Display, Error, Fault, Value},
    schema::{Additional, Items, SchemaProps, ValidationRule},
};

use super::{C10, C11, C12};

/// A rule compiles, with the names and types of its schema. `None` if it does not.
pub(super) fn c10(
    value: &Value,
    rule: &ValidationRule<'_>,
    report: &mut dyn FnMut(&Violation<'_>),
) -> Option<Compiled> {
    let source = &*rule.rule;
    let fault = match value.rule(source, rule.optional_old_self == Some(true)) {
        Ok(compiled) => return Some(compiled),
        Err(fault) => fault,
    };
    let quoted = Quoted(rule);
    match &fault {
        Fault::Source(errors) => {
            let (said, answered) = displays(source, errors);
            let text = Text::new("the rule does not compile, at {}", &[Arg::Display(&said)]);
            let detail = Text::new("compilation failed: {}", &[Arg::Display(&answered)]);
            report(&invalid(&C10, ".rule", text, &quoted, detail));
        }
        Fault::Result(found) => {
            let text = Text::new(
                "the rule `{}` gives a value of the type `{}`: write an expression that is true or \
                 false",
                &[Arg::Text(source), Arg::Text(found)],
            );
            let detail = Text::plain("cel expression must evaluate to a bool");
            report(&invalid(&C11, ".rule", text, &quoted, detail));
        }
        Fault::Constant(error) => {
            let errors = core::slice::from_ref(error);
            let (said, _) = displays(source, errors);
            let text = Text::new("the rule cannot be run, at {}", &[Arg::Display(&said)]);
            let detail = Text::new("program instantiation failed: {}", &[Arg::Text(&error.message)]);
            report(&invalid(&C10, ".rule", text, &quoted, detail));
        }
        Fault::Crash(error) => {
            let (said, _) = displays(source, core::slice::from_ref(error));
            let text = Text::new("the rule cannot be compiled, at {}", &[Arg::Display(&said)]);
            report(&Violation::new(&C10, text));
        }
    }
    None
}

/// What is wrong with the text of a rule, or of the message expression that `what` names, whatever its schema is: the sentence of
/// C10 or C12. None if it is an expression, whose names and types only a schema decides.
pub fn syntax(what: &str, source: &str) -> Option<String> {
    let error = cel::syntax_error(source)?;
    let (said, _) = displays(source, core::slice::from_ref(&error));
    Some(format!("{what} does not compile, at {said}"))
}

/// A message expression compiles, and gives a text. `None` if it does not.
pub(super) fn c12(
    value: &Value,
    rule: &ValidationRule<'_>,
    source: &str,
    report: &mut dyn FnMut(&Violation<'_>),
) -> Option<Compiled> {
    let fault = match value.message(source, rule.optional_old_self == Some(true)) {
        Ok(compiled) => return Some(compiled),
        Err(fault) => fault,
    };
    let quoted = Quoted(rule);
    let field = ".messageExpression";
    match &fault {
        Fault::Source(errors) => {
            let (said, answered) = displays(source, errors);
            let text = Text::new("the message expression does not compile, at {}", &[Arg::Display(&said)]);
            let detail = Text::new("messageExpression compilation failed: {}", &[Arg::Display(&answered)]);
            report(&invalid(&C12, field, text, &quoted, detail));
        }
        Fault::Result(found) => {
            let text = Text::new(
                "the message expression `{}` gives a value of the type `{}`: write one that gives a \
                 text, such as `write_text(...)`",
                &[Arg::Text(source), Arg::Text(found)],
            );
            let detail = Text::plain("messageExpression must evaluate to a string");
            report(&invalid(&C12, field, text, &quoted, detail));
        }
        Fault::Constant(error) => {
            let (said, _) = displays(source, core::slice::from_ref(error));
            let text = Text::new("the message expression cannot be run, at {}", &[Arg::Display(&said)]);
            let detail = Text::new("messageExpression instantiation failed: {}", &[Arg::Text(&error.message)]);
            report(&invalid(&C12, field, text, &quoted, detail));
        }
        Fault::Crash(error) => {
            let (said, _) = displays(source, core::slice::from_ref(error));
            let text = Text::new("the message expression cannot be compiled, at {}", &[Arg::Display(&said)]);
            report(&Violation::new(&C12, text));
        }
    }
    None
}

/// For crdkit, and for the server.
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
    let mut answer = Answer::new(AnswerKind::Invalid, field, "").quoting(Arg::Display(quoted));
    answer.detail = detail;
    Violation::new(rule, text).answered(answer)
}

/// Whether all types are known that rules of a schema see; where they are not, that is what is wrong.
pub(super) fn is_structural(schema: &SchemaProps<'_>) -> bool {
    let is_known = match schema.type_.as_deref().unwrap_or_default() {
        "" => schema.int_or_string || schema.preserves_unknown_fields(),
        "array" => matches!(schema.items, Some(Items::Schema(_))),
        type_ => matches!(type_, "boolean" | "integer" | "number" | "object" | "string"),
    };
    let properties = schema.properties.as_deref().unwrap_or_default();
    let values = match &schema.additional_properties {
        Some(Additional::Bool(false)) if !properties.is_empty() => return false,
        Some(Additional::Schema(_)) if !properties.is_empty() => return false,
        Some(Additional::Schema(values)) => Some(&**values),
        _ => None,
    };
    let items = schema.items();
    let fields = properties.iter().map(|(_, property)| property);
    is_known && fields.chain(values).chain(items).all(is_structural)
}

/// A rule as the server quotes it.
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
