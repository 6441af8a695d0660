//! Whether a text is an expression in CEL.

use kube_core::cel::cel::parser::{ParseError, Parser};

/// Why a text is no expression, and where; none if it is one, whatever its names and types are.
pub(crate) fn syntax_error(text: &str) -> Option<String> {
    let parsed = Parser::new().enable_optional_syntax(true).parse(text);
    let errors = parsed.err()?.errors;
    errors.iter().find_map(in_words)
}

/// None if the grammar has no objection: what else the parser reports may be its own fault, as with `-0x1F`.
fn in_words(error: &ParseError) -> Option<String> {
    let (line, column) = error.pos;
    let message = error.msg.strip_prefix("Syntax error: ")?;
    // The parser goes on with all tokens that could stand there.
    let message = message.split(" expecting {").next().unwrap_or_default();
    let unexpected = [
        "mismatched input",
        "extraneous input",
        "no viable alternative at input",
    ];
    let token = unexpected.iter().find_map(|it| message.strip_prefix(it));
    let message = token.map_or(message.to_owned(), |token| format!("unexpected{token}"));
    let message = message.replace("'<EOF>'", "end");
    Some(format!("{message} at line {line}, column {column}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_that_the_server_compiles() {
        for text in [
            "self.a == oldSelf.a",
            "self.?a.orValue(1) > 0 && self.list[?0].hasValue() && {?'a': self.?a} == {}",
            "self.list.all(i, v, i > 0 && v != '') || self.list.exists_one(it, it == 'a')",
            "self.map.transformList(key, value, key + value).size() > 0",
            "has(self.a) ? self.a.matches(r'^\\d+$') : type(self.b) == int",
            "self.__namespace__ == 'a' && self.a__dash__b in ['a', \"b\"]",
            "quantity(self.size).isLessThan(quantity('1Gi')) && duration('1h') > duration('1s')",
            "format.dns1123Label().validate(self.name).hasValue()",
            "self.list.map(it, it.a, it.b).sum() < 10u && b'abc' != b'' && 1.5e3 > -0x1F",
            "'''a\n'b' c''' != self.text // a comment",
            "cel.bind(size, self.a.size(), size > 1 && size < 3)",
            "self.a\n  .b",
        ] {
            assert_eq!(syntax_error(text), None, "{text}");
        }
    }

    #[test]
    fn mistakes_have_their_place() {
        let errors = [
            "self.imag != '' &&",
            "self.size > > 1",
            "self.size = 1",
            "(self.size > 1",
            "self.name == 'a",
            "self.a and self.b",
            "",
        ];
        let errors = errors.map(|text| syntax_error(text).unwrap_or_default());
        assert_eq!(
            errors,
            [
                "unexpected end at line 1, column 19",
                "unexpected '>' at line 1, column 13",
                "token recognition error at: '= ' at line 1, column 11",
                "missing ')' at end at line 1, column 15",
                "token recognition error at: ''a' at line 1, column 14",
                "unexpected 'and' at line 1, column 8",
                "unexpected end at line 1, column 1",
            ]
        );
    }
}
