//! Values of a resource's attributes.

use crdkit_core::rules::versions::warning_is_printable;
use darling::{Error, FromMeta, Result, util::Override};
use syn::Meta;

use crate::attrs::text::{FromText, Text, check_result, from_text, one_of};

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

/// The warning of a deprecated version: that of the API server, or this text.
#[derive(Clone, Debug)]
pub(crate) struct Deprecated(pub(crate) Override<Text>);

impl FromMeta for Deprecated {
    fn from_meta(item: &Meta) -> Result<Self> {
        match item {
            Meta::Path(_) => Ok(Self(Override::Inherit)),
            _ => Text::from_meta(item)?
                .checked(|text| check_result(warning_is_printable(text)))
                .map(|text| Self(Override::Explicit(text))),
        }
    }
}
