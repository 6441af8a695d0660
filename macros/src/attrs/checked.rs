//! `checked(...)` on a function that returns webhooks: what the generated test of the function uses.

use darling::{Error, FromMeta};
use proc_macro2::TokenStream;
use syn::{Expr, Meta, Path, Token, parse::Parser, punctuated::Punctuated};

use super::{
    Errors, items,
    key::{Key, keys},
    value::PathValue,
};

/// The items of the attribute.
pub(crate) struct CheckedAttrs {
    /// Where the API server finds the webhooks.
    pub(crate) client: Option<Expr>,
    /// The arguments of the function.
    pub(crate) arguments: Vec<Expr>,
    /// The path of crdkit.
    pub(crate) crdkit: Option<Path>,
}

keys! {
    CheckedKey { Client = "client", Arguments = "arguments", Crate = "crate" }
}

impl CheckedAttrs {
    pub(crate) fn parse(tokens: &TokenStream, errors: &mut Errors) -> Self {
        let (mut client, mut arguments, mut crdkit) = (None, None::<Arguments>, None::<PathValue>);
        for item in &items::parse_items(tokens, errors) {
            match CheckedKey::of(item) {
                Some(CheckedKey::Client) => items::parse_once(&mut client, item, errors),
                Some(CheckedKey::Arguments) => items::parse_once(&mut arguments, item, errors),
                Some(CheckedKey::Crate) => items::parse_once(&mut crdkit, item, errors),
                None => errors.push(items::unknown(item, &CheckedKey::names())),
            }
        }
        Self {
            client,
            arguments: arguments.map(|arguments| arguments.0).unwrap_or_default(),
            crdkit: crdkit.map(|path| path.0),
        }
    }
}

/// `arguments(...)`.
struct Arguments(Vec<Expr>);

impl FromMeta for Arguments {
    fn from_meta(item: &Meta) -> darling::Result<Self> {
        let Meta::List(list) = item else {
            return Err(Error::custom("expected `arguments(...)`, with the arguments of the function").with_span(item));
        };
        let arguments = Punctuated::<Expr, Token![,]>::parse_terminated.parse2(list.tokens.clone())?;
        Ok(Self(arguments.into_iter().collect()))
    }
}
