//! `pattern`.

use crate::{
    literal::regex::{self, Error},
    rules::{NodeReport, report_at_node},
    violation::{Arg, ErrorType, ServerError, Text, Violation},
    walk::Node,
};

rules! {
    O10 Error [Derive, Validate] "A pattern is a valid regular expression of Go.";
}

/// Checks the family at one node.
pub(super) fn check_node(node: &Node<'_, '_>, report: &mut NodeReport<'_>) {
    if let Some(pattern) = node.schema.pattern.as_deref()
        && let Err(error) = regex::parse(pattern)
    {
        report_at_node(node, Err(invalid_pattern(pattern, &error)), report);
    }
}

/// [`O10`], with the error of [`regex::parse`].
pub const fn invalid_pattern<'a>(pattern: &'a str, error: &'a Error<'a>) -> Violation<'a> {
    let message = Text::new("the server cannot parse this pattern: {}", &[Arg::Display(error)]);
    let server_error = ServerError {
        detail: Text::new(
            "must be a valid regular expression, but isn't: error parsing regexp: {}: `{}`",
            &[Arg::Text(error.kind().as_str()), Arg::Text(error.fragment())],
        ),
        ..ServerError::new(ErrorType::Invalid, ".pattern", "")
    };
    Violation::new(&O10, message).with_server_error(server_error.with_value(Arg::Quoted(pattern)))
}

#[cfg(test)]
mod tests {
    use alloc::{string::ToString, vec};

    use crate::{
        literal::regex::parse,
        rules::tests::{broken, object, of},
    };

    #[test]
    fn patterns_wherever_they_stand() {
        let pattern = |text: &'static str| of(|it| it.pattern = Some(text.into()));
        let mut field = pattern("^a+$");
        field.type_ = Some("string".into());
        assert_eq!(broken(&object("a", field.clone())), [""; 0]);
        field.any_of = vec![pattern("(?=a)"), pattern("")];
        assert_eq!(broken(&object("a", field)), ["O10 .a.anyOf[0]"]);
    }

    #[test]
    fn what_the_server_answers() {
        let error = parse("+").expect_err("it repeats nothing");
        let violation = super::invalid_pattern("+", &error);
        let server_error = violation.server_error.map(|it| it.to_string());
        let expected = "Invalid value: \"+\": must be a valid regular expression, but isn't: error parsing regexp: missing \
                        argument to repetition operator: `+`";
        assert_eq!(server_error.as_deref(), Some(expected));
    }
}
