use std::{ops::Bound, sync::Arc};

use super::{
    Object, Storage,
    object::kind,
    request::Request,
    status_error::StatusError,
    storage::{Key, Objects},
};

/// A page of a list.
#[derive(Default)]
pub(crate) struct Page {
    pub(crate) version: u64,
    items: Vec<Arc<Object>>,
    remaining: usize,
}

impl Page {
    pub(crate) fn read(storage: &Storage, request: &Request, largest: usize) -> Result<Self, StatusError> {
        let (version, after) = position(storage, request)?;
        if version > storage.version() {
            return Err(StatusError::of(504));
        }
        let objects = storage.objects_at(version).map_err(|_| StatusError::of(410))?;
        let requested =
            number(request, "limit")?.filter(|limit| *limit > 0).and_then(|limit| usize::try_from(limit).ok());
        // A client that sets no limit does not request further pages.
        let limit = requested.map_or(usize::MAX, |limit| limit.min(largest));
        let mut items = selected(&objects, after, request);
        let remaining = items.len().saturating_sub(limit);
        items.truncate(limit);
        Ok(Self { version, items, remaining })
    }

    pub(crate) fn json(&self) -> String {
        let items: Vec<_> = self.items.iter().map(|object| object.json()).collect();
        let mut metadata = serde_json::json!({ "resourceVersion": self.version.to_string() });
        if self.remaining > 0 {
            metadata["continue"] = self.token().into();
            metadata["remainingItemCount"] = self.remaining.into();
        }
        // The API server writes the keys of custom resources in this order.
        format!(
            r#"{{"apiVersion":"{}","items":[{}],"kind":"{}List","metadata":{metadata}}}{}"#,
            kind::api_version(),
            items.join(","),
            kind::KIND,
            '\n',
        )
    }

    /// Returns a continue token that is opaque to clients and has characters that must be escaped in a query.
    fn token(&self) -> String {
        let last = self.items.last().expect("a page that is not the last has items");
        format!("{}&{}/{}+=", self.version, last.namespace, last.name)
    }
}

/// Returns the version to read, and the key after which the page starts.
fn position(storage: &Storage, request: &Request) -> Result<(u64, Option<Key>), StatusError> {
    let Some(token) = request.get("continue") else {
        let exact = request.get("resourceVersionMatch") == Some("Exact");
        let version = number(request, "resourceVersion")?.filter(|_| exact);
        return Ok((version.unwrap_or_else(|| storage.version()), None));
    };
    let parts = token.strip_suffix("+=").and_then(|token| {
        let (version, key) = token.split_once('&')?;
        let (namespace, name) = key.split_once('/')?;
        Some((version.parse().ok()?, (namespace.to_owned(), name.to_owned())))
    });
    let malformed = || StatusError::bad_request("the continue token is malformed".to_owned());
    let (version, key) = parts.ok_or_else(malformed)?;
    Ok((version, Some(key)))
}

fn selected(objects: &Objects, after: Option<Key>, request: &Request) -> Vec<Arc<Object>> {
    let start = after.map_or(Bound::Unbounded, Bound::Excluded);
    objects
        .range((start, Bound::Unbounded))
        .map(|(_, object)| object)
        .filter(|object| request.selects(object))
        .cloned()
        .collect()
}

fn number(request: &Request, parameter: &str) -> Result<Option<u64>, StatusError> {
    let number = request.number(parameter);
    number.map_err(|error| StatusError::bad_request(format!("{error:#}")))
}
