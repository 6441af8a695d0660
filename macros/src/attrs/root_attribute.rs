//! Derives and attributes that the user adds to the generated root.

use darling::{Error, Result};
use syn::{LitStr, Meta, Path, parse::Parse};

use super::text::{FromText, Text, from_text};

/// `derive = "Trait"`.
#[derive(Clone, Debug)]
pub(crate) struct Derive(pub(crate) Path);

impl FromText for Derive {
    fn from_text(text: Text) -> Result<Self> {
        match parse(&text) {
            Some(path) => Ok(Self(path)),
            None => Err(Error::custom(format!(
                "`{}` is not the path of a derive: expected one such as `PartialEq`",
                text.as_str()
            ))
            .with_span(&text.span())),
        }
    }
}

/// `attr = "attribute"`.
#[derive(Clone, Debug)]
pub(crate) struct Attr(pub(crate) Meta);

impl FromText for Attr {
    fn from_text(text: Text) -> Result<Self> {
        let Some(meta) = parse::<Meta>(&text) else {
            return Err(Error::custom(format!(
                "`{}` is not an attribute: expected one such as `allow(deprecated)`",
                text.as_str()
            ))
            .with_span(&text.span()));
        };
        let owned = ["derive", "serde", "schemars"];
        match owned.iter().find(|name| meta.path().is_ident(name)) {
            None => Ok(Self(meta)),
            Some(&"derive") => {
                Err(Error::custom("to derive a trait for the root, write `derive = \"Trait\"`").with_span(&text.span()))
            }
            Some(name) => Err(Error::custom(format!(
                "`{name}` attributes are not allowed on the root: `CustomResource` \
                                           implements the traits that read them"
            ))
            .with_span(&text.span())),
        }
    }
}

from_text!(Derive, Attr);

/// The code in a string literal, with the span of the literal.
fn parse<T: Parse>(text: &Text) -> Option<T> {
    LitStr::new(text, text.span()).parse().ok()
}
