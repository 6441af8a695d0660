//! Applying a configuration.

use std::borrow::Cow;

use serde_json::Value;

use super::{
    ApplyError, Versions, conflict_error,
    entries::{Entry, ManagedFields, Operation},
    field_set::FieldSet,
    merge::{merge, remove},
    owned::field_set,
    update::{Write, describe, give_up, of_fields, strip},
    validate::{Duplicates, validate},
    values,
};

/// The manager of the fields of an object without managed fields, once something is applied to it.
const BEFORE_FIRST_APPLY: &str = "before-first-apply";

impl<'a, V: Versions> Write<'a, V> {
    /// Merges a configuration into an object.
    ///
    /// # Errors
    ///
    /// If a value has the wrong type, or, without `force`, other managers own fields with other values.
    pub(super) fn apply(
        &self,
        live: &'a Value,
        configuration: &'a Value,
        managed: ManagedFields<'a>,
        force: bool,
    ) -> Result<(Value, Option<Value>), ApplyError> {
        let mut managed = self.with_first_manager(live, managed)?;
        if configuration.pointer("/metadata/managedFields").is_some_and(|fields| !fields.is_null()) {
            return Err(ApplyError::BadRequest("metadata.managedFields must be nil".to_owned()));
        }
        let typed = |object, duplicates, what: &str| {
            validate(self.topology, object, duplicates).map_err(|errors| {
                internal(format!("failed to create typed {what} object ({}): {errors}", describe(object)))
            })
        };
        typed(configuration, Duplicates::Refused, "patch")?;
        typed(live, Duplicates::Allowed, "live")?;
        managed = self.reconcile(managed);

        let merged = merge(self.topology, live, configuration);
        let reset = of_fields(self.reset_fields(self.writer.api_version));
        let own = field_set(self.topology, configuration).recursive_difference(&reset);
        let mut entry = Entry::of(&self.writer, Operation::Apply).with_fields(own);
        let last = managed.get_mut(&entry).map(|last| {
            entry.time.clone_from(&last.time);
            last.without_fields().with_fields(last.take_fields())
        });
        let applier = entry.without_fields();
        managed.set(entry);
        let new = match last {
            Some(last) if !last.fields().is_empty() => self.prune(merged, &managed, &last)?,
            _ => merged,
        };

        let comparison = self.compare(Some(live), &new);
        let taken = self.conflicts(Some(live), &new, &comparison, &managed, Some(&applier)).map_err(internal)?;
        let conflicts: Vec<_> = taken
            .iter()
            .filter(|taken| !taken.changed.is_empty())
            .map(|taken| (taken.entry.clone(), taken.changed.clone()))
            .collect();
        if !force && !conflicts.is_empty() {
            return Err(conflict_error::apply_error(&conflicts));
        }
        give_up(&mut managed, &taken);
        let is_unchanged = values::equal_besides(live, &new, "metadata")
            && values::equal_besides(&live["metadata"], &new["metadata"], "managedFields");
        if let Some(entry) = managed.get_mut(&applier) {
            let fields = strip(entry.take_fields());
            entry.set_fields(fields);
            if !is_unchanged {
                entry.time = Some(self.writer.time.into());
            }
        }
        managed.remove_empty();
        let entries = managed.encode();
        Ok((new, entries))
    }

    /// Returns the managers of an object, whose fields have a manager if it was not tracked before.
    fn with_first_manager(&self, live: &'a Value, managed: ManagedFields<'a>) -> Result<ManagedFields<'a>, ApplyError> {
        if !managed.entries.is_empty() {
            return Ok(managed);
        }
        let managed = self.update(BEFORE_FIRST_APPLY, None, live, managed);
        managed.map_err(|error| internal(format!("failed to create manager for existing fields: {error}")))
    }

    /// Removes what the manager applied before, does not apply now, and no other manager owns.
    fn prune(&self, merged: Value, managed: &ManagedFields<'a>, last: &Entry<'a>) -> Result<Value, ApplyError> {
        let Some(topology) = self.versions.topology(&last.api_version) else {
            return Ok(merged);
        };
        let convert = |object| self.convert(object, &last.api_version).map_err(internal);
        let merged = convert(&merged)?;
        let declared = |fields: FieldSet<'a>| fields.with_declared(topology, topology.root());
        let last_fields = declared(last.fields().clone());
        let pruned = remove(topology, &merged, &last_fields);
        let pruned = self.add_back_owned(&merged, pruned, managed, &last.api_version)?;
        let pruned = convert(&pruned)?;

        // What the manager did not apply before stays.
        let kept = field_set(topology, &pruned).with_declared(topology, topology.root());
        let all = field_set(topology, &merged).with_declared(topology, topology.root());
        let dangling = all.difference(&kept).intersection(&last_fields);
        let pruned = remove(topology, &merged, &dangling);
        self.convert(&pruned, self.writer.api_version).map(Cow::into_owned).map_err(internal)
    }

    /// Adds what was removed from an object and is owned by a manager.
    fn add_back_owned(
        &self,
        merged: &Value,
        mut pruned: Value,
        managed: &ManagedFields<'a>,
        first: &str,
    ) -> Result<Value, ApplyError> {
        let mut versions: Vec<_> = managed.entries.iter().map(|entry| &*entry.api_version).collect();
        versions.sort_unstable_by_key(|version| (*version != first, *version));
        versions.dedup();
        for version in versions {
            let Some(topology) = self.versions.topology(version) else {
                continue;
            };
            let declared = |fields: FieldSet<'a>| fields.with_declared(topology, topology.root());
            let entries = managed.entries.iter().filter(|entry| entry.api_version == version);
            let owned = entries.fold(FieldSet::default(), |set, entry| set.union(entry.fields().clone()));
            let owned = declared(owned);
            let merged = self.convert(merged, version).map_err(internal)?;
            let converted = self.convert(&pruned, version).map_err(internal)?;
            let kept = field_set(topology, &converted).with_declared(topology, topology.root());
            let all = field_set(topology, &merged).with_declared(topology, topology.root());
            pruned = remove(topology, &merged, &all.difference(&kept).difference(&owned));
        }
        Ok(pruned)
    }
}

fn internal(message: String) -> ApplyError {
    ApplyError::Internal(message)
}
