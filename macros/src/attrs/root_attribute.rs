//! What the user adds to the generated root: derives and attributes.

use darling::{Error, FromMeta, Result};
use syn::{Lit, LitStr, Meta, Path};

/// `derive = "Trait"`.
#[derive(Clone, Debug)]
pub(crate) struct Derive(pub(crate) Path);

impl FromMeta for Derive {
    fn from_value(lit: &Lit) -> Result<Self> {
        let text = string(lit)?;
        let path = text.parse().map_err(|_| {
            Error::custom(format!(
                "`{}` is not the path of a derive: expected one such as `PartialEq`",
                text.value()
            ))
            .with_span(lit)
        })?;
        Ok(Self(path))
    }
}

/// `attr = "attribute"`.
#[derive(Clone, Debug)]
pub(crate) struct Attr(pub(crate) Meta);

impl FromMeta for Attr {
    fn from_value(lit: &Lit) -> Result<Self> {
        let text = string(lit)?;
        let meta: Meta = text.parse().map_err(|_| {
            Error::custom(format!(
                "`{}` is not an attribute: expected one such as `allow(deprecated)`",
                text.value()
            ))
            .with_span(lit)
        })?;
        let owned = ["derive", "serde", "schemars"];
        match owned.iter().find(|name| meta.path().is_ident(name)) {
            None => Ok(Self(meta)),
            Some(&"derive") => Err(Error::custom(
                "a derive of the root is written `derive = \"Trait\"`",
            )
            .with_span(lit)),
            Some(name) => Err(Error::custom(format!(
                "`{name}` attributes of the root are written by `CustomResource` itself"
            ))
            .with_span(lit)),
        }
    }
}

fn string(lit: &Lit) -> Result<&LitStr> {
    match lit {
        Lit::Str(text) => Ok(text),
        _ => Err(Error::unexpected_lit_type(lit).with_span(lit)),
    }
}
