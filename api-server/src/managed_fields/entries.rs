//! The entries of `metadata.managedFields`.

use std::{borrow::Cow, collections::BTreeMap};

use crdkit_core::{go, json::Json};
use k8s_openapi::jiff::Timestamp;
use serde_json::{Map, Value};

use super::{Writer, field_set::FieldSet, reconcile::reconcile, topology::Topology};

/// The most entries of updates that an object has.
const MAX_UPDATE_MANAGERS: usize = 10;
/// The manager of the entries that replace the oldest entries of updates.
const ANCIENT_CHANGES: &str = "ancient-changes";

/// What an entry records: an apply, or a request of any other kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Operation {
    Apply,
    Update,
}

impl Operation {
    const fn name(self) -> &'static str {
        match self {
            Self::Apply => "Apply",
            Self::Update => "Update",
        }
    }
}

/// An entry of `metadata.managedFields`.
#[derive(Clone, Debug)]
pub(super) struct Entry<'a> {
    pub(super) manager: Cow<'a, str>,
    pub(super) operation: Operation,
    pub(super) api_version: Cow<'a, str>,
    pub(super) subresource: Cow<'a, str>,
    pub(super) time: Option<Cow<'a, str>>,
    fields: FieldSet<'a>,
    /// The fields as JSON, if they are still those of a stored object.
    stored: Option<&'a Value>,
}

impl<'a> Entry<'a> {
    /// Returns the entry of a request, which owns nothing yet.
    pub(super) fn of(writer: &Writer<'a>, operation: Operation) -> Self {
        let manager = if writer.manager.is_empty() { "unknown" } else { writer.manager };
        Self {
            manager: manager.into(),
            operation,
            api_version: writer.api_version.into(),
            subresource: writer.subresource.into(),
            time: None,
            fields: FieldSet::default(),
            stored: None,
        }
    }

    pub(super) fn fields(&self) -> &FieldSet<'a> {
        &self.fields
    }

    pub(super) fn take_fields(&mut self) -> FieldSet<'a> {
        self.stored = None;
        std::mem::take(&mut self.fields)
    }

    pub(super) fn set_fields(&mut self, fields: FieldSet<'a>) {
        (self.fields, self.stored) = (fields, None);
    }

    pub(super) fn with_fields(mut self, fields: FieldSet<'a>) -> Self {
        self.set_fields(fields);
        self
    }

    /// Returns the entry with another `apiVersion`.
    pub(super) fn in_version(self, api_version: &'a str) -> Self {
        Self { api_version: api_version.into(), ..self }
    }

    /// Adapts the fields to a schema.
    pub(super) fn reconcile(&mut self, topology: &Topology) {
        if reconcile(topology, &mut self.fields) {
            self.stored = None;
        }
    }

    /// Returns the entry of the same manager that owns nothing.
    pub(super) fn without_fields(&self) -> Self {
        let Self { manager, operation, api_version, subresource, time, fields: _, stored: _ } = self;
        Self {
            manager: manager.clone(),
            operation: *operation,
            api_version: api_version.clone(),
            subresource: subresource.clone(),
            time: time.clone(),
            fields: FieldSet::default(),
            stored: None,
        }
    }

    /// Whether both entries are of the same manager. An applier has one entry for all versions.
    pub(super) fn is_same_manager(&self, other: &Entry<'_>) -> bool {
        self.manager == other.manager
            && self.operation == other.operation
            && self.subresource == other.subresource
            && (self.operation == Operation::Apply || self.api_version == other.api_version)
    }

    /// Returns the identity of the manager as JSON, by which the server sorts managers.
    pub(super) fn identity(&self) -> String {
        let api_version = if self.operation == Operation::Update { &*self.api_version } else { "" };
        let fields = [
            ("manager", &*self.manager),
            ("operation", self.operation.name()),
            ("apiVersion", api_version),
            ("subresource", &*self.subresource),
        ];
        let members = fields
            .into_iter()
            .filter(|(_, value)| !value.is_empty())
            .map(|(name, value)| format!("\"{name}\":{}", go::json(&Json::String(value.into()))));
        format!("{{{}}}", members.collect::<Vec<_>>().join(","))
    }

    fn sort_key(&self) -> impl Ord {
        (self.operation, self.time.as_deref(), &*self.manager, &*self.api_version, &*self.subresource)
    }

    fn decode(entry: &'a Value) -> Option<Self> {
        let text = |name| match entry.get(name) {
            None | Some(Value::Null) => Some(""),
            Some(value) => value.as_str(),
        };
        let operation = match text("operation")? {
            "Apply" => Operation::Apply,
            "Update" => Operation::Update,
            _ => return None,
        };
        let api_version = text("apiVersion").filter(|version| !version.is_empty())?;
        text("fieldsType").filter(|form| *form == "FieldsV1")?;
        let time = match text("time")? {
            "" => None,
            time => Some(in_seconds(time)?),
        };
        let fields = match entry.get("fieldsV1") {
            Some(fields) => FieldSet::from_fields_v1(fields).ok()?,
            None => FieldSet::default(),
        };
        Some(Self {
            manager: text("manager")?.into(),
            operation,
            api_version: api_version.into(),
            subresource: text("subresource")?.into(),
            time,
            fields,
            stored: None,
        })
    }

    fn encode(&self) -> Value {
        let fields = [
            ("manager", &*self.manager),
            ("operation", self.operation.name()),
            ("apiVersion", &*self.api_version),
            ("time", self.time.as_deref().unwrap_or_default()),
            ("fieldsType", "FieldsV1"),
            ("subresource", &*self.subresource),
        ];
        let texts = fields.into_iter().filter(|(_, text)| !text.is_empty());
        let mut entry: Map<_, _> = texts.map(|(name, text)| (name.to_owned(), text.into())).collect();
        let fields = self.stored.cloned().unwrap_or_else(|| self.fields.to_fields_v1());
        entry.insert("fieldsV1".to_owned(), fields);
        Value::Object(entry)
    }
}

/// Returns a time in UTC, without fractions of a second.
fn in_seconds(time: &str) -> Option<Cow<'_, str>> {
    if time.len() == "2026-01-31T12:30:00Z".len() && time.ends_with('Z') {
        return Some(time.into());
    }
    let time: Timestamp = time.parse().ok()?;
    Some(Timestamp::from_second(time.as_second()).ok()?.to_string().into())
}

/// All entries of an object.
#[derive(Clone, Debug, Default)]
pub(super) struct ManagedFields<'a> {
    pub(super) entries: Vec<Entry<'a>>,
}

impl<'a> ManagedFields<'a> {
    /// Reads the entries of an object. Returns `None` if one is malformed.
    pub(super) fn decode(entries: Option<&'a Value>) -> Option<Self> {
        let mut managed = Self::default();
        for entry in entries.and_then(Value::as_array).into_iter().flatten() {
            managed.set(Entry::decode(entry)?);
        }
        Some(managed)
    }

    /// As [`Self::decode`], of an object of the store, whose entries need not be encoded again if they do not change.
    pub(super) fn decode_stored(entries: Option<&'a Value>) -> Option<Self> {
        let mut managed = Self::decode(entries)?;
        let entries = entries.and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        if entries.len() == managed.entries.len() {
            for (entry, stored) in managed.entries.iter_mut().zip(entries) {
                entry.stored = stored.get("fieldsV1");
            }
        }
        Some(managed)
    }

    /// Returns the sorted entries, or `None` if there are none.
    pub(super) fn encode(mut self) -> Option<Value> {
        self.entries.sort_by(|one, other| one.sort_key().cmp(&other.sort_key()));
        let entries: Vec<_> = self.entries.iter().map(Entry::encode).collect();
        (!entries.is_empty()).then_some(Value::Array(entries))
    }

    /// Returns the entry of a manager.
    pub(super) fn get_mut(&mut self, manager: &Entry<'_>) -> Option<&mut Entry<'a>> {
        self.entries.iter_mut().find(|entry| entry.is_same_manager(manager))
    }

    /// Adds an entry, or replaces that of the same manager.
    pub(super) fn set(&mut self, entry: Entry<'a>) {
        match self.get_mut(&entry) {
            Some(known) => *known = entry,
            None => self.entries.push(entry),
        }
    }

    /// Removes the entries that own nothing.
    pub(super) fn remove_empty(&mut self) {
        self.entries.retain(|entry| !entry.fields.is_empty());
    }

    /// Merges the oldest entries of updates, so that there are at most 10.
    pub(super) fn cap_updates(&mut self) {
        let updates = self.entries.iter().filter(|entry| entry.operation == Operation::Update);
        let mut count = updates.clone().count();
        if count <= MAX_UPDATE_MANAGERS {
            return;
        }
        let mut updates: Vec<_> = updates.map(Entry::without_fields).collect();
        updates.sort_by_cached_key(|entry| (entry.time.clone(), entry.identity()));
        let mut first_of_version = BTreeMap::new();
        for update in updates {
            if count <= MAX_UPDATE_MANAGERS {
                break;
            }
            match first_of_version.get(&update.api_version) {
                None => drop(first_of_version.insert(update.api_version.clone(), update)),
                Some(first) => {
                    self.merge_into_bucket(&update, first);
                    count -= 1;
                }
            }
        }
    }

    /// Merges an entry into that of all ancient changes of its version. The first one of a version becomes this entry once
    /// there is a second one.
    fn merge_into_bucket(&mut self, update: &Entry<'a>, first: &Entry<'a>) {
        let bucket = Entry { manager: ANCIENT_CHANGES.into(), subresource: "".into(), ..update.clone() };
        let Some(known) = self.take(&bucket).or_else(|| self.take(first)) else {
            return;
        };
        // The server loses a bucket that is not older than all other entries.
        if let Some(merged) = self.take(update) {
            self.entries.push(bucket.with_fields(known.fields.union(merged.fields)));
        }
    }

    /// Removes the entry of a manager, and returns it.
    pub(super) fn take(&mut self, manager: &Entry<'_>) -> Option<Entry<'a>> {
        let at = self.entries.iter().position(|entry| entry.is_same_manager(manager))?;
        Some(self.entries.swap_remove(at))
    }
}
