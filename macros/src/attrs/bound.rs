//! `bound`, which schemars accepts in the same form as serde.

use darling::{Error, Result};
use syn::{
    Field, Meta, Token, WherePredicate,
    parse::{Parse, ParseStream},
    punctuated::Punctuated,
};

use super::{
    Errors, items,
    schemars::parse_string,
    serde_or_schemars::{self, Item},
};

pub(crate) type WherePredicates = Vec<WherePredicate>;

/// The `bound` among these items of `#[schemars(...)]`.
pub(crate) fn from_items(items: &[Meta], errors: &mut Errors) -> Option<WherePredicates> {
    let mut items = items.iter().filter(|item| item.path().is_ident("bound"));
    let bound = errors.handle(parse_item(items.next()?)).flatten();
    errors.extend(items.map(items::duplicate));
    bound
}

/// The bounds of a field. Errors are reported where its other attributes are parsed.
pub(crate) fn from_field(field: &Field) -> Option<WherePredicates> {
    let items = serde_or_schemars::items(&field.attrs, "schemars").unwrap_or_default();
    items.iter().find_map(|item| match item {
        Item::Meta(meta) if meta.path().is_ident("bound") => parse_item(meta).ok()?,
        _ => None,
    })
}

/// The bounds for deserialization, which the schema describes; none if there are only bounds for serialization.
fn parse_item(item: &Meta) -> Result<Option<WherePredicates>> {
    match item {
        Meta::List(list) => {
            let parts = list.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated)?;
            let (mut serialize, mut deserialize) = (None, None);
            for part in &parts {
                let slot = match items::name(part).as_str() {
                    "serialize" => &mut serialize,
                    "deserialize" => &mut deserialize,
                    _ => return Err(items::unknown(part, &["serialize", "deserialize"])),
                };
                if slot.replace(predicates(part)?).is_some() {
                    return Err(items::duplicate(part));
                }
            }
            Ok(deserialize)
        }
        Meta::Path(_) => Err(Error::custom("expected `bound = \"T: Trait\"`").with_span(item)),
        Meta::NameValue(_) => predicates(item).map(Some),
    }
}

fn predicates(item: &Meta) -> Result<WherePredicates> {
    parse_string::<Predicates>(item).map(|predicates| predicates.0)
}

struct Predicates(WherePredicates);

impl Parse for Predicates {
    fn parse(input: ParseStream) -> syn::Result<Self> {
        let predicates = Punctuated::<WherePredicate, Token![,]>::parse_terminated(input)?;
        Ok(Self(predicates.into_iter().collect()))
    }
}
