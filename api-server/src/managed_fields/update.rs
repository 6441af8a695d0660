//! The managers of an object after a write.

use std::{borrow::Cow, sync::LazyLock};

use serde_json::Value;

use super::{
    FieldPaths, Versions, Writer,
    compare::Comparison,
    entries::{Entry, ManagedFields, Operation},
    field_set::FieldSet,
    group_version_kind,
    topology::Topology,
    validate::{Duplicates, validate},
};

/// The fields without an owner.
const UNOWNED: &[&[&str]] = &[
    &["apiVersion"],
    &["kind"],
    &["metadata"],
    &["metadata", "clusterName"],
    &["metadata", "creationTimestamp"],
    &["metadata", "generation"],
    &["metadata", "managedFields"],
    &["metadata", "name"],
    &["metadata", "namespace"],
    &["metadata", "resourceVersion"],
    &["metadata", "selfLink"],
    &["metadata", "uid"],
];

/// A write to an object of a resource.
pub(super) struct Write<'a, V> {
    pub(super) versions: &'a V,
    pub(super) topology: &'a Topology,
    pub(super) writer: Writer<'a>,
}

impl<'a, V: Versions> Write<'a, V> {
    pub(super) fn new(versions: &'a V, writer: &Writer<'a>) -> Option<Self> {
        let topology = versions.topology(writer.api_version)?;
        Some(Self { versions, topology, writer: *writer })
    }

    /// Returns the managers after an update by `manager`.
    ///
    /// # Errors
    ///
    /// If an object has not the type that its topology declares.
    pub(super) fn update(
        &self,
        manager: &'a str,
        old: Option<&'a Value>,
        new: &'a Value,
        managed: ManagedFields<'a>,
    ) -> Result<ManagedFields<'a>, String> {
        let objects = [("new", Some(new)), ("live", old)];
        for (what, object) in objects.into_iter().filter_map(|(what, object)| Some((what, object?))) {
            validate(self.topology, object, Duplicates::Allowed).map_err(|errors| {
                format!("failed to convert {what} object ({}) to smd typed: {errors}", describe(object))
            })?;
        }
        let mut managed = self.reconcile(managed);
        let comparison = self.compare(old, new);
        let conflicts = self.conflicts(old, new, &comparison, &managed, None)?;
        give_up(&mut managed, &conflicts);
        let own = strip(comparison.modified.union(comparison.added));
        if !own.is_empty() {
            let mut entry = Entry::of(&Writer { manager, ..self.writer }, Operation::Update).with_fields(own);
            entry.time = Some(self.writer.time.into());
            if let Some(known) = managed.get_mut(&entry) {
                let own = entry.take_fields().union(known.take_fields());
                entry.set_fields(own);
            }
            managed.set(entry);
        }
        managed.cap_updates();
        Ok(managed)
    }

    /// Adapts the entries to the schema, and removes those of versions that the resource no longer has.
    pub(super) fn reconcile(&self, mut managed: ManagedFields<'a>) -> ManagedFields<'a> {
        managed.entries.retain_mut(|entry| {
            let Some(topology) = self.versions.topology(&entry.api_version) else {
                return false;
            };
            entry.reconcile(topology);
            true
        });
        managed
    }

    /// Compares two objects of the version of the request, without the fields that it cannot write.
    pub(super) fn compare<'b>(&self, old: Option<&'b Value>, new: &'b Value) -> Comparison<'b>
    where
        'a: 'b,
    {
        self.without_reset_fields(Comparison::new(self.topology, old, Some(new)), self.writer.api_version)
    }

    /// Returns what each manager but one owns of the fields that a write adds, modifies or removes.
    ///
    /// # Errors
    ///
    /// If an object of another version has not the type that its topology declares.
    pub(super) fn conflicts(
        &self,
        old: Option<&Value>,
        new: &Value,
        comparison: &Comparison<'_>,
        managed: &ManagedFields<'a>,
        except: Option<&Entry<'_>>,
    ) -> Result<Vec<Taken<'a>>, String> {
        let mut others: Vec<_> = managed.entries.iter().map(|entry| &*entry.api_version).collect();
        others.sort_unstable();
        others.dedup();
        others.retain(|version| *version != self.writer.api_version);
        let mut converted = Vec::new();
        for version in others {
            if let Some(topology) = self.versions.topology(version) {
                let old = old.map(|old| self.convert(old, version)).transpose()?;
                converted.push((version, topology, old, self.convert(new, version)?));
            }
        }
        let comparisons: Vec<_> = converted
            .iter()
            .map(|(version, topology, old, new)| {
                let comparison = Comparison::new(topology, old.as_deref(), Some(new));
                (*version, self.without_reset_fields(comparison, version))
            })
            .collect();
        let mut taken = Vec::new();
        for entry in &managed.entries {
            if except.is_some_and(|except| entry.is_same_manager(except)) {
                continue;
            }
            let other = comparisons.iter().find(|(version, _)| *version == entry.api_version);
            let comparison = other.map_or(comparison, |(_, comparison)| comparison);
            let changed =
                entry.fields().intersection(&comparison.modified).union(entry.fields().intersection(&comparison.added));
            let removed = entry.fields().intersection(&comparison.removed);
            if !changed.is_empty() || !removed.is_empty() {
                taken.push(Taken { entry: entry.without_fields(), changed, removed });
            }
        }
        Ok(taken)
    }

    fn without_reset_fields<'b>(&self, comparison: Comparison<'b>, api_version: &str) -> Comparison<'b> {
        match self.reset_fields(api_version) {
            [] => comparison,
            fields => comparison.without(&of_fields(fields)),
        }
    }

    /// Returns the fields that the request cannot write.
    pub(super) fn reset_fields(&self, api_version: &str) -> FieldPaths {
        match self.writer.subresource {
            "" | "finalize" if api_version == self.writer.api_version && self.versions.has_status(api_version) => {
                self.versions.fields_beside_object()
            }
            "status" if self.versions.has_status(api_version) => self.versions.fields_beside_status(),
            _ => &[],
        }
    }

    /// Returns an object in another version.
    ///
    /// # Errors
    ///
    /// If it has not the type that the topology of the version declares.
    pub(super) fn convert<'o>(&self, object: &'o Value, api_version: &str) -> Result<Cow<'o, Value>, String> {
        if object.get("apiVersion").and_then(Value::as_str) == Some(api_version) {
            return Ok(Cow::Borrowed(object));
        }
        let converted = self.versions.convert(object, api_version);
        if let Some(topology) = self.versions.topology(api_version) {
            validate(topology, &converted, Duplicates::Refused).map_err(|errors| errors.to_string())?;
        }
        Ok(Cow::Owned(converted))
    }
}

/// What a write takes from a manager.
pub(super) struct Taken<'a> {
    /// The manager.
    pub(super) entry: Entry<'a>,
    /// The fields that the write adds or modifies.
    pub(super) changed: FieldSet<'a>,
    /// The fields that the write removes.
    pub(super) removed: FieldSet<'a>,
}

/// Removes what a write takes from managers.
pub(super) fn give_up(managed: &mut ManagedFields<'_>, all: &[Taken<'_>]) {
    for taken in all {
        if let Some(entry) = managed.get_mut(&taken.entry) {
            let fields = entry.take_fields().difference(&taken.changed).difference(&taken.removed);
            entry.set_fields(fields);
        }
    }
    managed.remove_empty();
}

/// Removes the fields without an owner.
pub(super) fn strip(fields: FieldSet<'_>) -> FieldSet<'_> {
    static FIELDS: LazyLock<FieldSet<'static>> =
        LazyLock::new(|| UNOWNED.iter().fold(FieldSet::default(), |set, path| set.union(FieldSet::of_path(path))));
    fields.difference(&FIELDS)
}

pub(super) fn of_fields(fields: FieldPaths) -> FieldSet<'static> {
    fields.iter().fold(FieldSet::default(), |set, path| set.union(FieldSet::of_path(path)))
}

/// Formats the identity of an object as errors name it.
pub(crate) fn describe(object: &Value) -> String {
    let text = |path| object.pointer(path).and_then(Value::as_str).unwrap_or_default();
    let kind = group_version_kind(text("/apiVersion"), text("/kind"));
    format!("{}/{}; {kind}", text("/metadata/namespace"), text("/metadata/name"))
}
