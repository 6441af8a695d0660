//! A parser of JSON. It replaces `serde_json`, which every program would compile once more for the derives alone.

use crdkit_core::json::Json;

type Parsed<T> = Result<T, String>;

/// The depth of lists and objects, as in `serde_json`.
const MAX_DEPTH: usize = 128;

/// Parses a document. The error names the line and the column.
pub(super) fn parse(text: &str) -> Parsed<Json<'static>> {
    let mut parser = Parser { text, at: 0, depth: 0 };
    let value = parser.document();
    value.map_err(|problem| {
        let before = &text[..parser.at];
        let line = before.matches('\n').count() + 1;
        let column = before.chars().rev().take_while(|c| *c != '\n').count() + 1;
        format!("{problem} at line {line} column {column}")
    })
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
}

impl Parser<'_> {
    fn document(&mut self) -> Parsed<Json<'static>> {
        let value = self.value()?;
        match self.peek() {
            None => Ok(value),
            Some(_) => Err("trailing characters".into()),
        }
    }

    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn next_char(&self) -> Option<char> {
        self.rest().chars().next()
    }

    /// The next character that is no white space.
    fn peek(&mut self) -> Option<char> {
        self.at = self.text.len() - self.rest().trim_start_matches([' ', '\t', '\n', '\r']).len();
        self.next_char()
    }

    fn skip(&mut self, token: &str) -> bool {
        let found = self.rest().starts_with(token);
        self.at += if found { token.len() } else { 0 };
        found
    }

    fn value(&mut self) -> Parsed<Json<'static>> {
        match self.peek() {
            Some('{') => self.nested(Self::object),
            Some('[') => self.nested(Self::array),
            Some('"') => self.string().map(|text| Json::String(text.into())),
            Some('-' | '0'..='9') => self.number(),
            Some(_) if self.skip("null") => Ok(Json::Null),
            Some(_) if self.skip("true") => Ok(Json::Bool(true)),
            Some(_) if self.skip("false") => Ok(Json::Bool(false)),
            Some(_) => Err("expected value".into()),
            None => Err("EOF while parsing a value".into()),
        }
    }

    fn nested(&mut self, parse: fn(&mut Self) -> Parsed<Json<'static>>) -> Parsed<Json<'static>> {
        if self.depth == MAX_DEPTH {
            return Err("recursion limit exceeded".into());
        }
        self.at += 1;
        self.depth += 1;
        let value = parse(self);
        self.depth -= 1;
        value
    }

    fn object(&mut self) -> Parsed<Json<'static>> {
        let mut members = Vec::new();
        while !self.ends('}', members.is_empty(), "an object")? {
            if self.peek() != Some('"') {
                return Err("key must be a string".into());
            }
            let name = self.string()?.into();
            if self.peek() != Some(':') {
                return Err("expected `:`".into());
            }
            self.at += 1;
            let value = self.value()?;
            members.retain(|(earlier, _)| *earlier != name);
            members.push((name, value));
        }
        Ok(Json::Object(members))
    }

    fn array(&mut self) -> Parsed<Json<'static>> {
        let mut items = Vec::new();
        while !self.ends(']', items.is_empty(), "a list")? {
            items.push(self.value()?);
        }
        Ok(Json::Array(items))
    }

    /// Whether a list or an object ends here; skips its end, or the comma before its next element.
    fn ends(&mut self, end: char, is_empty: bool, what: &str) -> Parsed<bool> {
        match self.peek() {
            Some(c) if c == end => {
                self.at += 1;
                Ok(true)
            }
            Some(',') if !is_empty => {
                self.at += 1;
                if self.peek() == Some(end) {
                    return Err("trailing comma".into());
                }
                Ok(false)
            }
            Some(_) if is_empty => Ok(false),
            Some(_) => Err(format!("expected `,` or `{end}`")),
            None => Err(format!("EOF while parsing {what}")),
        }
    }

    fn string(&mut self) -> Parsed<String> {
        let mut text = String::new();
        self.at += 1;
        loop {
            let c = self.next_char().ok_or("EOF while parsing a string")?;
            match c {
                '"' | '\\' => self.at += 1,
                '\0'..=' ' if c != ' ' => return Err("control character in a string".into()),
                _ => self.at += c.len_utf8(),
            }
            match c {
                '"' => return Ok(text),
                '\\' => text.push(self.escape()?),
                _ => text.push(c),
            }
        }
    }

    fn escape(&mut self) -> Parsed<char> {
        let c = self.next_char().ok_or("EOF while parsing a string")?;
        let meant = match c {
            '"' | '\\' | '/' => c,
            'b' => '\u{8}',
            'f' => '\u{c}',
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'u' => return self.unicode_escape(),
            _ => return Err("invalid escape".into()),
        };
        self.at += 1;
        Ok(meant)
    }

    /// One code unit of UTF-16, or two that form a surrogate pair.
    fn unicode_escape(&mut self) -> Parsed<char> {
        let mut units = vec![self.code_unit()?];
        if (0xd800..0xdc00).contains(&units[0]) && self.skip("\\") {
            units.push(self.code_unit()?);
        }
        let mut chars = char::decode_utf16(units);
        match (chars.next(), chars.next()) {
            (Some(Ok(c)), None) => Ok(c),
            _ => Err("lone surrogate in a string".into()),
        }
    }

    fn code_unit(&mut self) -> Parsed<u16> {
        let digits = self
            .rest()
            .strip_prefix('u')
            .and_then(|rest| rest.get(..4))
            .filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()));
        let unit = digits.and_then(|digits| u16::from_str_radix(digits, 16).ok()).ok_or("invalid escape")?;
        self.at += 5;
        Ok(unit)
    }

    fn number(&mut self) -> Parsed<Json<'static>> {
        let start = self.at;
        self.skip("-");
        if !self.skip("0") {
            self.digits()?;
        }
        if self.skip(".") {
            self.digits()?;
        }
        if self.skip("e") || self.skip("E") {
            let _sign = self.skip("+") || self.skip("-");
            self.digits()?;
        }
        let text = &self.text[start..self.at];
        let number = match (text.parse(), text.parse(), text.parse()) {
            (Ok(integer), _, _) if text != "-0" => Json::Integer(integer),
            (_, Ok(unsigned), _) => Json::Unsigned(unsigned),
            (_, _, Ok(float)) if f64::is_finite(float) => Json::Float(float),
            _ => return Err("number out of range".into()),
        };
        Ok(number)
    }

    fn digits(&mut self) -> Parsed<()> {
        let rest = self.rest();
        let length = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        self.at += length;
        if length == 0 { Err("invalid number".into()) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::parse;

    /// Texts around each production of the grammar.
    const TEXTS: &[&str] = &[
        "",
        " ",
        "{",
        "}",
        "[",
        "]",
        "{}",
        "[]",
        "[[]]",
        "{]",
        "[}",
        "null",
        "nul",
        "nulll",
        "true",
        "false",
        "True",
        " \t\r\n{ \n} \t",
        "\u{a0}{}",
        "{} {}",
        "{},",
        ",",
        "[,]",
        "[1,]",
        "[1 2]",
        "[1,2]",
        "[1,,2]",
        "[1",
        "[1,",
        r#"{"a"}"#,
        r#"{"a":}"#,
        r#"{"a":1}"#,
        r#"{"a":1,}"#,
        r#"{"a":1 "b":2}"#,
        r#"{"a":1,"b":[2,{"c":null}]}"#,
        r"{a:1}",
        r"{1:1}",
        r#"{"a":1"#,
        r#"{"a""#,
        r#"{"a","#,
        r#"{"a":1,"b":2,"a":3}"#,
        r"{'a':1}",
        "0",
        "-0",
        "-",
        "00",
        "01",
        "-01",
        "1.",
        "1.5",
        ".5",
        "-1.5",
        "1e3",
        "1E+3",
        "1e-3",
        "1e",
        "1e+",
        "1.e3",
        "+1",
        "9223372036854775807",
        "9223372036854775808",
        "-9223372036854775808",
        "-9223372036854775809",
        "18446744073709551615",
        "18446744073709551616",
        "1e400",
        "-1e400",
        "1e-400",
        "0x1",
        "NaN",
        "1a",
        r#""""#,
        r#"""#,
        r#""a"#,
        r#""a\"#,
        r#""\"""#,
        r#""\\""#,
        r#""\/""#,
        r#""\b\f\n\r\t""#,
        r#""\a""#,
        r#""\'""#,
        r#""\u0041""#,
        r#""\u004""#,
        r#""\u00e9é""#,
        r#""\u00fé""#,
        r#""\u+041""#,
        r#""\ud83d\ude00""#,
        r#""\ud83d""#,
        r#""\ude00""#,
        r#""\ud83d\u0041""#,
        r#""\ud83dx""#,
        r#""\ud83d\n""#,
        r#""\uD83D\uDE00""#,
        "\"\n\"",
        "\"\t\"",
        "\"\u{7f}\"",
        "\"\u{1f}\"",
        "\"😀\"",
        "/* */ {}",
    ];

    #[test]
    fn the_same_documents_as_serde_json() {
        for text in TEXTS {
            let expected: Option<serde_json::Value> = serde_json::from_str(text).ok();
            let actual = parse(text).ok();
            let again = actual.as_ref().map(|value| serde_json::from_str(&value.to_string()).unwrap());
            assert_eq!(again, expected, "{text}: {actual:?}");
        }
    }

    #[test]
    fn depth() {
        let nested = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
        assert!(parse(&nested(127)).is_ok());
        assert_eq!(parse(&nested(127)).is_ok(), serde_json::from_str::<serde_json::Value>(&nested(127)).is_ok());
        assert!(parse(&nested(129)).is_err());
    }

    #[test]
    fn places() {
        let fails = |text, message: &str| assert_eq!(parse(text).unwrap_err(), message);
        fails("{\n  \"a\": 1,\n}", "trailing comma at line 3 column 1");
        fails("[\"é\" 1]", "expected `,` or `]` at line 1 column 6");
        fails("", "EOF while parsing a value at line 1 column 1");
    }
}
