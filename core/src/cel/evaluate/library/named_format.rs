//! The named formats of the API server.

use alloc::{
    borrow::Cow,
    format,
    string::{String, ToString},
    vec::Vec,
};

use crate::{
    go::quote,
    literal::{dns, formats::string_format, url},
};

/// A named format.
#[derive(Debug)]
pub(in crate::cel) struct NamedFormat {
    /// The name of the function, without its prefix.
    function: &'static str,
    /// The name by which formats are compared.
    pub(in crate::cel::evaluate) name: &'static str,
    /// The length of the regular expression, from which the cost is calculated.
    pub(in crate::cel::evaluate) regex_size: u64,
    messages: fn(&str) -> Vec<String>,
}

const fn named(
    function: &'static str,
    name: &'static str,
    regex_size: u64,
    messages: fn(&str) -> Vec<String>,
) -> NamedFormat {
    NamedFormat { function, name, regex_size, messages }
}

/// From `ConstantFormats` of the API server.
static FORMATS: [NamedFormat; 13] = [
    named("dns1123Label", "DNS1123Label", 30, label),
    named("dns1123Subdomain", "DNS1123Subdomain", 60, subdomain),
    named("dns1035Label", "DNS1035Label", 30, label_1035),
    named("qualifiedName", "QualifiedName", 60, |text| match dns::qualified_name(text) {
        Ok(()) => Vec::new(),
        Err(error) => texts(error.messages()),
    }),
    named("dns1123LabelPrefix", "DNS1123LabelPrefix", 30, |text| label(&without_dash(text))),
    named("dns1123SubdomainPrefix", "DNS1123SubdomainPrefix", 60, |text| subdomain(&without_dash(text))),
    named("dns1035LabelPrefix", "DNS1035LabelPrefix", 30, |text| label_1035(&without_dash(text))),
    named("labelValue", "LabelValue", 40, |text| {
        texts(dns::label_value(text).err().into_iter().flat_map(|error| dns::LABEL_VALUE.messages(error)))
    }),
    named("uri", "URI", 1103, |text| match url::parse_request(text) {
        Ok(_) => Vec::new(),
        Err(error) => alloc::vec![format!("parse {}: {error}", quote(text))],
    }),
    named("uuid", "uuid", 70, |text| of_string("uuid", text, "does not match the UUID format")),
    named("byte", "byte", 84, |text| of_string("byte", text, "invalid base64")),
    named("date", "date", 71, |text| of_string("date", text, "invalid date")),
    named("datetime", "datetime", 71, |text| of_string("date-time", text, "invalid datetime")),
];

impl NamedFormat {
    /// Returns the format with the name of a function.
    pub(in crate::cel::evaluate) fn of(function: &str) -> Option<&'static Self> {
        FORMATS.iter().find(|format| format.function == function)
    }

    /// Returns the server's messages about a string; none if it has the format.
    pub(in crate::cel::evaluate) fn messages(&self, text: &str) -> Vec<String> {
        (self.messages)(text)
    }
}

fn texts(messages: impl Iterator<Item = &'static str>) -> Vec<String> {
    messages.map(ToString::to_string).collect()
}

fn label(text: &str) -> Vec<String> {
    texts(dns::label_1123_messages(text))
}

fn label_1035(text: &str) -> Vec<String> {
    texts(dns::label_1035(text).err().into_iter().flat_map(|error| dns::LABEL_1035.messages(error)))
}

fn subdomain(text: &str) -> Vec<String> {
    texts(dns::subdomain(text).err().into_iter().flat_map(|error| dns::SUBDOMAIN.messages(error)))
}

/// Replaces a dash at the end, after which the server generates the rest of a name.
fn without_dash(text: &str) -> Cow<'_, str> {
    match text.strip_suffix('-') {
        Some(rest) if !rest.is_empty() => {
            let mut masked: String = rest.to_string();
            masked.pop();
            masked.push('a');
            Cow::Owned(masked)
        }
        _ => Cow::Borrowed(text),
    }
}

fn of_string(name: &str, text: &str, message: &str) -> Vec<String> {
    let is_right = string_format(name).is_none_or(|format| format.accepts(text));
    if is_right { Vec::new() } else { alloc::vec![message.to_string()] }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages() {
        for (function, right, wrong) in [
            ("dns1123Label", "a-b", "A"),
            ("dns1123Subdomain", "a.b", "a..b"),
            ("dns1035Label", "a1", "1a"),
            ("qualifiedName", "a.b/C", "a/b/c"),
            ("dns1123LabelPrefix", "a-", "-"),
            ("dns1123SubdomainPrefix", "a.b-", ".b-"),
            ("dns1035LabelPrefix", "ab-", "1ab-"),
            ("labelValue", "", "a b"),
            ("uri", "/a", "a"),
            ("uuid", "123e4567-e89b-12d3-a456-426614174000", "1"),
            ("byte", "YQ==", "Y"),
            ("date", "2024-02-29", "2023-02-29"),
            ("datetime", "2024-02-29T00:00:00Z", "2024-02-29"),
        ] {
            let format = NamedFormat::of(function).unwrap();
            assert_eq!(format.messages(right), Vec::<String>::new(), "{function}");
            assert_eq!(format.messages(wrong).len(), 1, "{function}");
        }
        assert_eq!(NamedFormat::of("uri").unwrap().messages("a b"), ["parse \"a b\": invalid URI for request"]);
        assert!(NamedFormat::of("email").is_none());
    }
}
