//! Errors of malformed JSON, in the words of Go's library.

use serde_json::{Value, error::Category};

use super::json_type;

/// Describes why a text is no JSON.
pub(super) fn syntax_error(text: &[u8], error: &serde_json::Error) -> String {
    if error.classify() == Category::Eof {
        return "unexpected end of JSON input".to_owned();
    }
    let description = error.to_string();
    let context = [
        ("trailing characters", "after top-level value"),
        ("expected `:`", "after object key"),
        ("expected `,` or `}`", "after object key:value pair"),
        ("expected `,` or `]`", "after array element"),
        ("key must be a string", "looking for beginning of object key string"),
        ("trailing comma", "looking for beginning of object key string"),
        ("control character", "in string literal"),
        ("invalid escape", "in string escape code"),
        ("expected value", "looking for beginning of value"),
    ];
    let found = context.into_iter().find(|(start, _)| description.starts_with(start));
    match found.zip(character(text, error.line(), error.column())) {
        Some(((_, context), character)) => format!("invalid character {} {context}", quote(character)),
        None => description,
    }
}

/// Returns the character at a line and a column, which count from one.
fn character(text: &[u8], line: usize, column: usize) -> Option<char> {
    let line = text.split(|byte| *byte == b'\n').nth(line.checked_sub(1)?)?;
    let rest = line.get(column.checked_sub(1)?..)?;
    String::from_utf8_lossy(&rest[..rest.len().min(4)]).chars().next()
}

fn quote(character: char) -> String {
    match character {
        '\'' => r"'\''".to_owned(),
        '"' => "'\"'".to_owned(),
        other => format!("'{}'", other.escape_debug()),
    }
}

/// Describes why a document has no readable `apiVersion` and `kind`.
pub(crate) fn type_error(document: &Value) -> Option<String> {
    let wrong = |value: &Value, place: &str| {
        Some(format!(
            "couldn't get version/kind; json parse error: json: cannot unmarshal {} into Go {place}",
            json_type(value)
        ))
    };
    let members = match document {
        Value::Object(members) => members,
        Value::Null => return None,
        other => {
            return wrong(
                other,
                "value of type struct { APIVersion string \"json:\\\"apiVersion,omitempty\\\"\"; Kind string \
                 \"json:\\\"kind,omitempty\\\"\" }",
            );
        }
    };
    ["apiVersion", "kind"].into_iter().find_map(|name| match members.get(name) {
        None | Some(Value::Null | Value::String(_)) => None,
        Some(value) => wrong(value, &format!("struct field .{name} of type string")),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_those_of_go() {
        for (text, expected) in [
            ("", "unexpected end of JSON input"),
            ("{", "unexpected end of JSON input"),
            ("{}x", "invalid character 'x' after top-level value"),
            ("{\"a\" 1}", "invalid character '1' after object key"),
            ("{\"a\":1 2}", "invalid character '2' after object key:value pair"),
            ("[1 2]", "invalid character '2' after array element"),
            ("{,}", "invalid character ',' looking for beginning of object key string"),
            ("\n\n x", "invalid character 'x' looking for beginning of value"),
        ] {
            let error = serde_json::from_str::<Value>(text).unwrap_err();
            assert_eq!(syntax_error(text.as_bytes(), &error), expected, "{text}");
        }
    }
}
