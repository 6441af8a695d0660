//! A YAML writer whose output is readable and compatible with all parsers.

use serde_json::{Map, Value};

use super::{order::Order, scalar};

/// Formats a value as a YAML document.
pub fn document(value: &Value, order: Order) -> String {
    commented(value, order, &NoComments)
}

/// Returns objects as YAML, one document each.
pub fn documents<'a>(objects: impl IntoIterator<Item = &'a Value>) -> String {
    objects.into_iter().map(|object| format!("---\n{}", document(object, Order::MANIFEST))).collect()
}

/// Formats a value as a YAML document with comments.
pub fn commented(value: &Value, order: Order, comments: &dyn Comments) -> String {
    let mut writer = Writer { text: String::new(), path: Vec::new(), comments };
    writer.value(value, order, 0);
    writer.text.push('\n');
    writer.text
}

/// Comments on the fields of a document.
pub trait Comments {
    /// Returns the lines above a field. The last element of the path is its name; `[]` stands for the items of a list.
    fn above(&self, path: &[&str], indent: usize) -> Vec<String>;
}

struct NoComments;

impl Comments for NoComments {
    fn above(&self, _: &[&str], _: usize) -> Vec<String> {
        Vec::new()
    }
}

struct Writer<'a> {
    text: String,
    path: Vec<&'a str>,
    comments: &'a dyn Comments,
}

impl<'a> Writer<'a> {
    /// Writes a value at the current position, with further lines at this indentation.
    fn value(&mut self, value: &'a Value, order: Order, indent: usize) {
        match value {
            Value::Null => self.text.push_str("null"),
            Value::Bool(bool) => self.text.push_str(if *bool { "true" } else { "false" }),
            Value::Number(number) => self.text.push_str(&scalar::number(number)),
            Value::String(text) => self.text(text, indent),
            Value::Array(items) if items.is_empty() => self.text.push_str("[]"),
            Value::Array(items) => self.list(items, order, indent),
            Value::Object(object) if object.is_empty() => self.text.push_str("{}"),
            Value::Object(object) => self.object(object, order, indent),
        }
    }

    fn text(&mut self, text: &str, indent: usize) {
        let Some((header, lines)) = scalar::block(text) else {
            return self.text.push_str(&scalar::line(text));
        };
        self.text.push_str(header);
        // Without indentation, a line such as `---` would end the document.
        let indent = indent.max(2);
        for line in lines {
            // Empty lines are not indented.
            self.new_line(if line.is_empty() { 0 } else { indent });
            self.text.push_str(line);
        }
    }

    fn list(&mut self, items: &'a [Value], order: Order, indent: usize) {
        for (index, item) in items.iter().enumerate() {
            if index > 0 {
                self.new_line(indent);
            }
            self.text.push_str("- ");
            self.path.push("[]");
            self.value(item, order, indent + 2);
            self.path.pop();
        }
    }

    fn object(&mut self, object: &'a Map<String, Value>, order: Order, indent: usize) {
        for (index, (key, value, order)) in order.entries(object).into_iter().enumerate() {
            if index > 0 {
                self.new_line(indent);
            }
            self.path.push(key);
            self.comment(indent);
            self.text.push_str(&scalar::line(key));
            self.text.push(':');
            self.field(value, order, indent);
            self.path.pop();
        }
    }

    /// Writes the value of a key. Lists start in the column of the key, as in Kubernetes' own output.
    fn field(&mut self, value: &'a Value, order: Order, indent: usize) {
        match value {
            Value::Array(items) if !items.is_empty() => {
                self.new_line(indent);
                self.list(items, order, indent);
            }
            Value::Object(object) if !object.is_empty() => {
                self.new_line(indent + 2);
                self.object(object, order, indent + 2);
            }
            _ => {
                self.text.push(' ');
                self.value(value, order, indent + 2);
            }
        }
    }

    /// Writes the comment of the field at the current path, with further lines at this indentation.
    fn comment(&mut self, indent: usize) {
        for line in self.comments.above(&self.path, indent) {
            self.text.push_str(format!("# {line}").trim_end());
            self.new_line(indent);
        }
    }

    fn new_line(&mut self, indent: usize) {
        self.text.push('\n');
        self.text.extend(std::iter::repeat_n(' ', indent));
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn sorted(value: &Value) -> String {
        document(value, Order::Sorted)
    }

    #[test]
    fn a_document_reads_well() {
        let value = json!({
            "a": [1, { "b": "text", "c": [] }, ["v", "w"], {}],
            "d": { "on": true, "text": "One line.\n\nTwo more\nlines.", "z": null },
        });
        assert_eq!(
            sorted(&value),
            "\
a:
- 1
- b: text
  c: []
- - v
  - w
- {}
d:
  \"on\": true
  text: |-
    One line.

    Two more
    lines.
  z: null
"
        );
    }

    #[test]
    fn blocks_stand_in_lists() {
        let value = json!({ "a": ["b\nc\n", "d"] });
        assert_eq!(sorted(&value), "a:\n- |\n  b\n  c\n- d\n");
        assert_eq!(read(&sorted(&value)), value);
    }

    #[test]
    fn a_block_ends_no_document() {
        let value = json!("a\n---\nb");
        assert_eq!(sorted(&value), "|-\n  a\n  ---\n  b\n");
        assert_eq!(read(&sorted(&value)), value);
    }

    #[test]
    fn text_ends_no_document() {
        assert_eq!(serde_saphyr::from_str::<Option<String>>("...\n").unwrap(), None);
        for value in [json!("..."), json!("... a"), json!({ "...": 1, "... b": 2 })] {
            assert_eq!(read(&sorted(&value)), value);
        }
    }

    fn read(yaml: &str) -> Value {
        serde_saphyr::from_str(yaml).unwrap_or_else(|error| panic!("{error}\n{yaml}"))
    }

    /// Generates strings that parsers often read as something else.
    fn text() -> impl Strategy<Value = String> {
        let words = prop::sample::select(vec![
            "yes",
            "No",
            "on",
            "~",
            "null",
            "0x1f",
            "1e3",
            "-0",
            "1_0",
            "12:30",
            "2020-01-01",
            ".inf",
            "a: b",
            "- a",
            "# a",
            "a #b",
            "|",
            "> a",
            "&a",
            "*a",
            "!!str",
            "{a}",
            "[a]",
            "'",
            "\"",
            "\\",
            "%",
            "@",
            "---",
            "...",
            "?",
            "a\nb",
            "\n",
            "a\n\n",
            "\ta",
            "a \nb",
            "\u{85}",
            "\u{feff}",
            "\u{2028}",
            "\u{a0}",
            "é",
            "😀",
            "<<",
            "=",
            "a\n# b\n",
            "a\n\tb",
            "a\n---\nb",
        ]);
        prop_oneof![
            words.clone().prop_map(str::to_owned),
            (words.clone(), words).prop_map(|(first, second)| format!("{first}{second}")),
            "[ -~]{0,8}",
            "[-+.0-9a-fxoeE_:TZ ]{1,8}",
            "([ a:#-]{0,4}\n){1,4}[a-c]?",
            "\\PC{0,6}",
            any::<String>(),
        ]
    }

    fn number() -> impl Strategy<Value = Value> {
        prop_oneof![
            any::<i64>().prop_map(Value::from),
            any::<u64>().prop_map(Value::from),
            any::<i16>().prop_map(|whole| Value::from(f64::from(whole))),
            (-1e15..1e15).prop_map(Value::from),
            (-1e-3..1e-3).prop_map(Value::from),
            prop::num::f64::NORMAL.prop_map(Value::from),
            prop::num::f64::SUBNORMAL.prop_map(Value::from),
        ]
    }

    fn value() -> impl Strategy<Value = Value> {
        let scalar = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            number(),
            text().prop_map(Value::from),
        ];
        scalar.prop_recursive(4, 32, 5, |below| {
            prop_oneof![
                prop::collection::vec(below.clone(), 0..4).prop_map(Value::from),
                prop::collection::btree_map(text(), below, 0..4).prop_map(Value::from_iter),
            ]
        })
    }

    /// Converts numbers to one type, because `255.0` is written as `255`.
    fn comparable(value: Value) -> Value {
        match value {
            Value::Number(number) if number.is_f64() => {
                scalar::number(&number).parse::<i64>().map_or(Value::Number(number), Value::from)
            }
            Value::Array(items) => items.into_iter().map(comparable).collect(),
            Value::Object(object) => object.into_iter().map(|(key, value)| (key, comparable(value))).collect(),
            other => other,
        }
    }

    proptest! {
        #[test]
        fn what_is_written_reads_back(value in value()) {
            let yaml = sorted(&value);
            prop_assert_eq!(comparable(read(&yaml)), comparable(value), "{}", yaml);
        }

        #[test]
        fn no_line_ends_with_a_blank(value in value()) {
            let yaml = sorted(&value);
            prop_assert!(yaml.lines().all(|line| !line.ends_with([' ', '\t'])), "{}", yaml);
        }
    }
}
