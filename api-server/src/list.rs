//! Lists: selection, pages and resource versions.

use std::sync::Arc;

use crdkit_core::{ErrorType, go, object_processing::FieldError};
use serde_json::{Value, json};

use super::{
    failure::Failure,
    json_text,
    request::ResourceRequest,
    response::{Content, Items, List, Reply},
    selection::Selection,
    state::State,
    store::{Key, Stored},
    webhook_calls::Stop,
};

mod continue_token;
mod unreadable;

use continue_token::Continue;
use unreadable::{Corrupt, unreadable};

/// The parameters of a list request.
struct Options {
    limit: usize,
    revision: Option<u64>,
    is_exact: bool,
    start: Option<Continue>,
}

pub(super) fn list(state: &mut State, call: &ResourceRequest) -> Result<Reply, Stop> {
    let options = Options::parse(call, state.store.revision())?;
    let selection = Selection::parse(call, state.has_shards)?;
    let namespace = call.target.namespace.as_deref();
    let now = state.store.revision();
    let collection = state.store.collection(&call.resource.collection());
    let past = options.past(now);
    let after = options.start.as_ref().map(|start| start.last.clone());
    let page = match past {
        Some(revision) => {
            let objects =
                collection.range_at(revision, namespace, after.as_ref()).map_err(|_| options.expired(namespace))?;
            Page::collect(call, &selection, &options, objects)?
        }
        None => Page::collect(call, &selection, &options, collection.range(namespace, after.as_ref()))?,
    };
    let revision = past.unwrap_or(now);
    let list = List {
        is_custom: call.resource.is_custom,
        kind: call.resource.list_kind(),
        api_version: call.api_version(),
        revision: Some(revision),
        next: page.last.map(|last| Continue { revision: Some(revision), last }.encode(namespace)),
        remaining: page.remaining,
        shards: selection.shards(),
        items: page.items,
    };
    Ok(Reply::new(200, Content::List(list)))
}

impl Options {
    fn parse(call: &ResourceRequest, now: u64) -> Result<Self, Failure> {
        let query = &call.query;
        query.number::<i64>("timeoutSeconds")?;
        let limit = query.number::<i64>("limit")?.and_then(|limit| usize::try_from(limit).ok()).unwrap_or_default();
        let token = query.get("continue");
        let start = match token {
            "" => None,
            token => Some(Continue::decode(token, call.target.namespace.as_deref()).map_err(|problem| {
                Failure::bad_request(format!("invalid continue token: continue key is not valid: {problem}"))
            })?),
        };
        let text = query.get("resourceVersion");
        let matching = query.get("resourceVersionMatch");
        if query.has("sendInitialEvents") {
            let detail = "sendInitialEvents is forbidden for list";
            return Err(Failure::invalid_option(
                "ListOptions",
                "sendInitialEvents",
                ErrorType::Forbidden,
                None,
                detail,
            ));
        }
        check_match(text, matching, !token.is_empty())?;
        if start.is_some() && !matches!(text, "" | "0") {
            return Err(Failure::bad_request("specifying resource version is not allowed when using continue"));
        }
        let revision = match text {
            "" => None,
            text => Some(parse_revision(text)?),
        };
        // The server returns all objects that it has, whatever the limit.
        let limit = if text == "0" { 0 } else { limit };
        if let Some(revision) = revision.filter(|revision| *revision > now) {
            return Err(too_large(revision, now));
        }
        // With a limit, an unspecific version is exact, as in the server.
        let is_exact = matching == "Exact" || matching.is_empty() && limit > 0 && revision.is_some_and(|it| it > 0);
        Ok(Self { limit, revision, is_exact, start })
    }

    /// Returns the revision of the list, if it is an earlier one.
    fn past(&self, now: u64) -> Option<u64> {
        let revision = match &self.start {
            Some(start) => start.revision,
            None => self.revision.filter(|_| self.is_exact),
        };
        revision.filter(|revision| *revision < now)
    }

    /// The revision of the list is compacted.
    fn expired(&self, namespace: Option<&str>) -> Failure {
        const RESTART: &str = "The provided continue parameter is too old to display a consistent list result. You can start a new \
                               list without the continue parameter, or use the continue token in this response to retrieve the \
                               remainder of the results. Continuing with the provided token results in an inconsistent list - \
                               objects that were created, modified, or deleted between the time the first chunk was returned \
                               and now may show up in the list.";
        const TOO_OLD: &str = "The resourceVersion for the provided list is too old.";
        match &self.start {
            None => Failure::expired(TOO_OLD),
            Some(start) => {
                // Without a revision, the rest of the list is that of the current objects.
                let token = Continue { revision: None, last: start.last.clone() };
                let mut failure = Failure::expired(RESTART);
                failure.metadata.insert("continue".into(), token.encode(namespace).into());
                failure
            }
        }
    }
}

fn check_match(revision: &str, matching: &str, is_continued: bool) -> Result<(), Failure> {
    let error = |kind, value, detail: &str| {
        Err(Failure::invalid_option("ListOptions", "resourceVersionMatch", kind, value, detail))
    };
    let forbidden = ErrorType::Forbidden;
    match (matching, revision) {
        ("", _) => Ok(()),
        _ if is_continued => error(forbidden, None, "resourceVersionMatch is forbidden when continue is provided"),
        (_, "") => error(forbidden, None, "resourceVersionMatch is forbidden unless resourceVersion is provided"),
        ("Exact", "0") => {
            error(forbidden, None, "resourceVersionMatch \"exact\" is forbidden for resourceVersion \"0\"")
        }
        ("Exact" | "NotOlderThan", _) => Ok(()),
        (other, _) => error(
            ErrorType::NotSupported,
            Some(format!("\"{other}\"")),
            "supported values: \"Exact\", \"NotOlderThan\", \"\"",
        ),
    }
}

fn parse_revision(text: &str) -> Result<u64, Failure> {
    revision(text).map_err(|error| Failure::bad_request(format!("invalid resource version: {error}")))
}

pub(super) fn revision(text: &str) -> Result<u64, FieldError> {
    text.parse().map_err(|_| FieldError {
        place: ".resourceVersion".to_owned(),
        kind: ErrorType::Invalid,
        value: Some(go::quote(text)),
        detail: format!("strconv.ParseUint: parsing {}: invalid syntax", go::quote(text)),
    })
}

/// The client has seen a version that the server has not.
pub(super) fn too_large(revision: u64, now: u64) -> Failure {
    let message = format!("Too large resource version: {revision}, current: {now}");
    let cause = json!([{ "reason": "ResourceVersionTooLarge", "message": "Too large resource version" }]);
    Failure::new(504, "Timeout", format!("Timeout: {message}"))
        .with_detail("causes", cause)
        .with_detail("retryAfterSeconds", 1)
}

struct Page {
    items: Items,
    /// The key of the last object, if more follow.
    last: Option<Key>,
    remaining: Option<usize>,
}

impl Page {
    fn collect<'a>(
        call: &ResourceRequest,
        selection: &Selection,
        options: &Options,
        objects: impl Iterator<Item = (&'a Key, &'a Arc<Stored>)>,
    ) -> Result<Self, Stop> {
        let mut objects = objects.peekable();
        let is_stored_version = call.resource.stores(call.version);
        let (mut stored, mut converted, mut corrupt) = (Vec::new(), Vec::new(), Vec::new());
        let mut last = None;
        let mut remaining = None;
        let mut awaits_webhooks = false;
        while let Some((key, object)) = objects.next() {
            if call.resource.is_current(object, call.version) {
                if !selection.selects(call, object)? {
                    continue;
                }
                stored.push(object.clone());
            } else {
                match call.resource.decode(&call.external, object, call.version) {
                    Ok(value) if !selection.matches(&value) => continue,
                    // The object was written in another version, or under another schema.
                    Ok(value) if is_stored_version => {
                        let json = json_text::to_bytes(&value);
                        stored.push(Arc::new(Stored { revision: object.revision, schema: call.resource.schema, json }));
                    }
                    Ok(value) => converted.push(value),
                    // The answers about all objects are waited for at the same time.
                    Err(Stop::AwaitsWebhooks) => {
                        awaits_webhooks = true;
                        converted.push(Value::Null);
                    }
                    Err(Stop::Fails(failure)) => corrupt.push(Corrupt::new(call, key, object, &failure)),
                }
            }
            let is_full = options.limit > 0 && stored.len() + converted.len() == options.limit;
            if is_full && objects.peek().is_some() {
                last = Some(key.clone());
                // The server does not count objects that a selector might exclude.
                remaining = selection.is_everything().then(|| objects.count());
                break;
            }
        }
        if awaits_webhooks {
            return Err(Stop::AwaitsWebhooks);
        }
        if !corrupt.is_empty() {
            return Err(unreadable(&call.resource, &corrupt).into());
        }
        let items = if is_stored_version { Items::Stored(stored) } else { Items::Objects(converted) };
        Ok(Self { items, last, remaining })
    }
}

impl List {
    /// Returns the metadata of the list.
    pub(super) fn metadata(&self) -> Value {
        let mut metadata = json!({});
        if let Some(revision) = self.revision {
            metadata["resourceVersion"] = revision.to_string().into();
        }
        if let Some(next) = &self.next {
            metadata["continue"] = next.as_str().into();
        } else if self.is_custom {
            metadata["continue"] = "".into();
        }
        if let Some(remaining) = self.remaining {
            metadata["remainingItemCount"] = remaining.into();
        }
        if let Some(selector) = &self.shards {
            metadata["shardInfo"] = json!({ "selector": selector });
        }
        metadata
    }
}
