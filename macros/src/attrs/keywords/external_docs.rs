//! `external_docs(url = "...", description = "...")`.

use darling::{Error, FromMeta, Result};
use syn::Meta;

use crate::attrs::{items, text::Text};

/// A link to external documentation.
pub(crate) struct ExternalDocs {
    pub(crate) url: Text,
    pub(crate) description: Option<Text>,
}

const EXPECTED: &str = "expected `external_docs(url = \"https://...\")`";

impl FromMeta for ExternalDocs {
    fn from_meta(item: &Meta) -> Result<Self> {
        let Meta::List(list) = item else {
            return Err(Error::custom(EXPECTED).with_span(item));
        };
        let mut errors = Error::accumulator();
        let (mut url, mut description) = (None, None);
        for part in &items::parse_list(list, &mut errors) {
            match items::name(part).as_str() {
                "url" => items::parse_once(&mut url, part, &mut errors),
                "description" => items::parse_once(&mut description, part, &mut errors),
                _ => errors.push(items::unknown(part, &["url", "description"])),
            }
        }
        errors.finish()?;
        match url {
            Some(url) => Ok(Self { url, description }),
            None => Err(Error::custom(EXPECTED).with_span(item)),
        }
    }
}
