//! The formats that the API server knows: it warns of any other, and ignores it.

use darling::{Error, Result};

use super::{
    nearest::advice,
    text::{FromText, Text, from_text},
};

/// A format that the server knows.
#[derive(Clone, Copy)]
pub(crate) struct Format {
    pub(crate) name: &'static str,
}

const OF_TEXT: &[&str] = &[
    "bsonobjectid",
    "byte",
    "cidr",
    "creditcard",
    "date",
    "date-time",
    "datetime",
    "duration",
    "email",
    "hexcolor",
    "hostname",
    "ipv4",
    "ipv6",
    "isbn",
    "isbn10",
    "isbn13",
    "k8s-long-name",
    "k8s-short-name",
    "mac",
    "password",
    "rgbcolor",
    "ssn",
    "uri",
    "uuid",
    "uuid3",
    "uuid4",
    "uuid5",
];
const OF_NUMBERS: &[&str] = &["int32", "int64", "float", "double"];

impl FromText for Format {
    fn from_text(text: Text) -> Result<Self> {
        let among = |names: &'static [&'static str]| names.iter().find(|name| **name == &*text);
        match (among(OF_TEXT), among(OF_NUMBERS)) {
            (Some(name), _) | (_, Some(name)) => Ok(Self { name }),
            _ => Err(Error::custom(unknown(&text)).with_span(&text.span())),
        }
    }
}

from_text!(Format);

fn unknown(text: &str) -> String {
    let all = [OF_TEXT, OF_NUMBERS].concat();
    match text {
        "ip" => "the server knows no format `ip`: write `ipv4` or `ipv6`, or a rule, \
                 `validation = Rule::new(\"isIP(self)\")`"
            .to_owned(),
        _ => format!(
            "the server knows no format `{text}`: {}",
            advice(text, &all)
        ),
    }
}
