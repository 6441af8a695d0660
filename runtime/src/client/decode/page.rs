//! Decodes a page of a list item by item, without an intermediate representation: types that read their texts from the text of each
//! item, others from the whole.

mod streamed;

use kube_core::{ListMeta, Resource};
use serde::de::{DeserializeOwned, IgnoredAny};

use super::{
    Failure, ResponseError, decoder::Decoder, depth, explain, has_name, identity::identity, page_text::PageText, text,
};
use crate::{
    client::{
        error::is_too_deep,
        response_kind::{ExpectedTypes, NotExpected},
    },
    serde::object_text,
};

/// A page of a list.
#[derive(Debug)]
pub(crate) struct Page<T> {
    pub(crate) metadata: ListMeta,
    pub(crate) items: Vec<T>,
}

/// How `metadata.managedFields`, often the larger part of an object, is treated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ManagedFields {
    Retained,
    Dropped,
}

/// Decodes a page, after checking that it is a list of the expected kind.
pub(crate) fn page<T: Resource + DeserializeOwned>(
    json: &[u8],
    expected: &ExpectedTypes,
    managed_fields: ManagedFields,
    depth: usize,
) -> Result<Page<T>, ResponseError> {
    let json = text(json).map_err(Failure::from)?;
    if !object_text::is_requested_by::<T>()
        && let Some(page) = streamed::page(json, expected, managed_fields, depth)
    {
        return Ok(page);
    }
    let page = PageText::read(json).map_err(|error| not_a_page(json, expected, error))?;
    let texts = || page.items.clone().unwrap_or_default();
    expected.check_list(page.header(), texts).map_err(ResponseError::Unexpected)?;

    let mut decoder = Decoder::new(managed_fields, depth);
    let decode = |item| decode_item(&mut decoder, item, expected, depth);
    let items = page.items.unwrap_or_default().into_iter().map(decode).collect::<Result<_, ResponseError>>()?;
    Ok(Page { metadata: page.metadata, items })
}

/// The error for a response that cannot be split into items. An error of the parser would be useless for input that is
/// not an object.
fn not_a_page(json: &str, expected: &ExpectedTypes, error: serde_json::Error) -> ResponseError {
    match expected.check_text(json) {
        Err(NotExpected::Mismatch(mismatch)) => ResponseError::Unexpected(mismatch),
        _ => Failure::from(error).into(),
    }
}

fn decode_item<T: DeserializeOwned>(
    decoder: &mut Decoder,
    item: &str,
    expected: &ExpectedTypes,
    depth: usize,
) -> Result<T, ResponseError> {
    match identity(item) {
        Ok(identity) if !identity.name.is_empty() => Ok(decoder.decode(item, &identity)?),
        Err(error) if has_name(item) => {
            depth::check(item, depth)?;
            Err(explain::<T>(item, error).named(item).into())
        }
        // Every stored object has a name. A page of empty objects would take many times its size.
        _ => Err(broken(item).unwrap_or_else(|| nameless_item(expected))),
    }
}

/// The error of an item that is not JSON.
fn broken(item: &str) -> Option<ResponseError> {
    let error = serde_json::from_str::<IgnoredAny>(item).err()?;
    (!is_too_deep(&error)).then(|| Failure::from(error).into())
}

fn nameless_item(expected: &ExpectedTypes) -> ResponseError {
    let found = "a list with an item that is not a named object";
    ResponseError::Unexpected(expected.mismatch(found.to_owned()))
}

#[cfg(test)]
mod tests;
