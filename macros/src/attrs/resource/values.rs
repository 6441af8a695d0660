//! Values of a resource's attributes.

use darling::{Error, FromMeta, Result, util::Override};
use syn::Meta;

use crate::attrs::text::{Checked, FromText, Text, from_text, one_of};

/// Where the schema comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SchemaMode {
    Derived,
    Manual,
    Disabled,
}

impl FromText for SchemaMode {
    fn from_text(text: Text) -> Result<Self> {
        let modes = ["derived", "manual", "disabled"];
        let text = text.checked(|text| one_of("schema mode", text, &modes))?;
        Ok(match text.as_str() {
            "manual" => Self::Manual,
            "disabled" => Self::Disabled,
            _ => Self::Derived,
        })
    }
}

from_text!(SchemaMode, RootName);

/// The name of the root type.
#[derive(Clone, Debug)]
pub(crate) struct RootName(pub(crate) syn::Ident);

impl FromText for RootName {
    fn from_text(text: Text) -> Result<Self> {
        let mut root = syn::parse_str::<syn::Ident>(&text).map_err(|_| {
            Error::custom(format!(
                "`{}` is not the name of a Rust type: expected one such as `VirtualMachine`",
                text.as_str()
            ))
            .with_span(&text.span())
        })?;
        root.set_span(text.span());
        Ok(Self(root))
    }
}

/// What users of a deprecated version are told: the server's own words, or these.
#[derive(Clone, Debug)]
pub(crate) struct Deprecated(pub(crate) Override<Text>);

impl FromMeta for Deprecated {
    fn from_meta(item: &Meta) -> Result<Self> {
        match item {
            Meta::Path(_) => Ok(Self(Override::Inherit)),
            _ => Text::from_meta(item)?
                .checked(warning)
                .map(|text| Self(Override::Explicit(text))),
        }
    }
}

fn warning(text: &str) -> Checked<()> {
    if text.is_empty() {
        return Err("the warning is empty: write `deprecated` for the server's own".to_owned());
    }
    if text.len() > 256 {
        return Err(format!(
            "the warning has {} bytes: at most 256 are allowed",
            text.len()
        ));
    }
    match text
        .char_indices()
        .find(|(_, c)| c.is_control() || (c.is_whitespace() && *c != ' '))
    {
        Some((at, c)) => Err(format!(
            "the warning has the character {c:?} at {at}, which cannot be printed"
        )),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn warnings() {
        assert_eq!(warning("use v1"), Ok(()));
        for invalid in ["", "two\nlines", "a\u{a0}b", &"a".repeat(257)] {
            assert!(warning(invalid).is_err(), "{invalid:?}");
        }
    }
}
