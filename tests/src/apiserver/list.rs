use std::{ops::Bound, sync::Arc};

use super::{
    Object, Storage,
    object::kind,
    refusal::Refusal,
    request::Request,
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
    pub(crate) fn read(storage: &Storage, request: &Request, largest: usize) -> Result<Self, Refusal> {
        let (version, after) = position(storage, request)?;
        if version > storage.version() {
            return Err(Refusal::of(504));
        }
        let objects = storage.objects_at(version).map_err(|_| Refusal::of(410))?;
        let limit = number(request, "limit")?.filter(|limit| *limit > 0);
        let limit = limit.and_then(|limit| usize::try_from(limit).ok());
        // Without a limit nobody looks for a further page.
        let limit = limit.map_or(usize::MAX, |limit| limit.min(largest));
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
        // Custom resources come with their keys in this order.
        format!(
            r#"{{"apiVersion":"{}","items":[{}],"kind":"{}List","metadata":{metadata}}}{}"#,
            kind::api_version(),
            items.join(","),
            kind::KIND,
            '\n',
        )
    }

    /// Opaque to clients, and with characters that mean something in a query.
    fn token(&self) -> String {
        let last = self.items.last().expect("a page that is not the last has items");
        format!("{}&{}/{}+=", self.version, last.namespace, last.name)
    }
}

/// Which version is read, and after which key.
fn position(storage: &Storage, request: &Request) -> Result<(u64, Option<Key>), Refusal> {
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
    let malformed = || Refusal::bad_request("the continue token is malformed".to_owned());
    let (version, key) = parts.ok_or_else(malformed)?;
    Ok((version, Some(key)))
}

fn selected(objects: &Objects, after: Option<Key>, request: &Request) -> Vec<Arc<Object>> {
    let start = after.map_or(Bound::Unbounded, Bound::Excluded);
    objects
        .range((start, Bound::Unbounded))
        .map(|(_, object)| object)
        .filter(|object| request.sees(object))
        .cloned()
        .collect()
}

fn number(request: &Request, parameter: &str) -> Result<Option<u64>, Refusal> {
    let number = request.number(parameter);
    number.map_err(|error| Refusal::bad_request(format!("{error:#}")))
}
