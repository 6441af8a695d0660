//! The formats that the API server supports. It ignores others with a warning.

use crdkit_core::{
    literal::formats::{INTEGER_FORMATS, NUMBER_FORMATS, STRING_FORMATS},
    suggest::suggestion,
};
use darling::{Error, Result};

use super::text::{FromText, Text, from_text};

/// A format that the API server supports.
#[derive(Clone, Copy)]
pub(crate) struct Format {
    pub(crate) name: &'static str,
}

impl FromText for Format {
    fn from_text(text: Text) -> Result<Self> {
        match all_names().find(|name| *name == &*text) {
            Some(name) => Ok(Self { name }),
            None => Err(Error::custom(unknown(&text)).with_span(&text.span())),
        }
    }
}

/// All formats. `date-time` is known with and without the hyphen, which CEL rules distinguish.
fn all_names() -> impl Iterator<Item = &'static str> {
    let string_formats = STRING_FORMATS.iter().map(|format| format.name);
    let number_formats = INTEGER_FORMATS.iter().chain(NUMBER_FORMATS).copied();
    string_formats.chain(["datetime"]).chain(number_formats)
}

from_text!(Format);

fn unknown(text: &str) -> String {
    let all: Vec<_> = all_names().collect();
    match text {
        "ip" => "the API server has no format `ip`: write `ipv4` or `ipv6`, or the rule `validation = \"isIP(self)\"`"
            .to_owned(),
        _ => format!("the API server has no format `{text}`: {}", suggestion(text, &all)),
    }
}
