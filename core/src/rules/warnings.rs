//! Parts that the server accepts with a warning.

use crate::{
    literal::formats,
    merged_keywords::MergedKeywords,
    rules::{
        NodeReport, report_at_node,
        topology::{set_lists_are_atomic, set_objects_are_atomic},
    },
    text::equal,
    violation::{Arg, ErrorType, ServerError, Text, Violation},
    walk::Node,
};

rules! {
    W1 Warning [Derive, Const, Validate] "A format is one that the server supports for the type.";
    W2 Warning [Const, Validate] "The items of a set are booleans, numbers or strings.";
}

/// Checks the family at one node.
pub(super) fn check_node(node: &Node<'_, '_>, report: &mut NodeReport<'_>) {
    let schema = node.schema;
    let mut check = |result| report_at_node(node, result, report);
    let type_ = schema.type_name().unwrap_or_default();
    check(schema.format.as_deref().map_or(Ok(()), |it| format_is_supported(type_, it)));
    if let (Some("set"), Some(items)) = (schema.list_type.as_deref(), schema.items()) {
        let items = MergedKeywords::from_schema(items);
        if set_objects_are_atomic(&items).is_ok() && set_lists_are_atomic(&items).is_ok() {
            check(set_items_are_scalars(&items));
        }
    }
}

/// [`W1`].
pub const fn format_is_supported<'a>(type_: &'a str, format: &'a str) -> Result<(), Violation<'a>> {
    if format.is_empty() || formats::is_known(type_, format) {
        return Ok(());
    }
    let message = if type_.is_empty() {
        Text::new("the server does not know the format `{}` and ignores it: remove it", &[Arg::Text(format)])
    } else {
        Text::new(
            "the server does not know the format `{}` of the type `{}` and ignores it: remove it",
            &[Arg::Text(format), Arg::Text(type_)],
        )
    };
    let mut server_error = ServerError::new(ErrorType::Warning, "", "");
    server_error.detail = Text::new("unrecognized format {}", &[Arg::Quoted(format)]);
    Err(Violation::new(&W1, message).with_server_error(server_error))
}

/// [`W2`].
pub const fn set_items_are_scalars<'a>(items: &MergedKeywords<'a>) -> Result<(), Violation<'a>> {
    if !equal(items.type_name, "array") && !equal(items.type_name, "object") {
        return Ok(());
    }
    let message = Text::new(
        "the items of the set are {}: server-side apply and rules in CEL do not support sets of such items",
        &[Arg::Text(items.kind.plural())],
    );
    let mut server_error = ServerError::new(ErrorType::Warning, "", "");
    server_error.detail = Text::new(
        "x-kubernetes-list-type: set for items of type {} is not supported by server-side apply or CEL validation rules",
        &[Arg::Quoted(items.type_name)],
    );
    Err(Violation::new(&W2, message).with_server_error(server_error))
}

#[cfg(test)]
mod tests {
    use alloc::{boxed::Box, string::ToString};

    use super::*;
    use crate::{
        rules::tests::{broken, object, typed},
        schema::{Items, SchemaProps},
    };

    #[test]
    fn formats() {
        for (type_, format) in [
            ("string", "date-time"),
            ("string", "k8s-short-name"),
            ("", "uuid"),
            ("integer", "int64"),
            ("number", "double"),
            ("string", ""),
        ] {
            assert!(format_is_supported(type_, format).is_ok(), "{type_} {format}");
        }
        for (type_, format) in [
            ("string", "int32"),
            ("string", "date-times"),
            ("string", "dat"),
            ("integer", "uint8"),
            ("integer", "double"),
            ("boolean", "date"),
            ("", "int32"),
        ] {
            let server_error = format_is_supported(type_, format).unwrap_err().server_error.unwrap();
            let expected = alloc::format!("unrecognized format \"{format}\"");
            assert_eq!(server_error.to_string(), expected, "{type_}");
        }
    }

    #[test]
    fn sets() {
        let set = |items| SchemaProps {
            list_type: Some("set".into()),
            items: Some(Items::Schema(Box::new(items))),
            ..typed("array")
        };
        let list = SchemaProps { items: Some(Items::Schema(Box::new(typed("string")))), ..typed("array") };
        assert_eq!(broken(&object("a", set(list))), ["W2 .a"]);
        assert_eq!(broken(&object("a", set(typed("string")))), [""; 0]);
    }
}
