//! The items of a column, before its form is determined.

use darling::{Error, Result};
use syn::{Meta, spanned::Spanned};

use super::{
    ColumnOptions, ConditionColumn, PathColumn, PrintColumn,
    values::{ColumnName, ColumnType, ConditionType, Priority},
};
use crate::attrs::{
    Errors, items,
    json_path::JsonPath,
    key::{Key, keys},
    value::BareKey,
};

#[derive(Default)]
pub(super) struct ColumnAttrs {
    pub(super) name: Option<ColumnName>,
    type_: Option<ColumnType>,
    json_path: Option<JsonPath>,
    condition: Option<ConditionType>,
    age: Option<BareKey>,
    pub(super) options: ColumnOptions,
    priority: Option<Priority>,
    /// All items, also those with errors.
    items: Vec<Meta>,
}

impl ColumnAttrs {
    pub(super) fn parse(items: Vec<Meta>, place: ColumnPlace, errors: &mut Errors) -> Self {
        let mut attrs = Self::default();
        for item in &items {
            match ColumnKey::of(item) {
                Some(key) if key.is_in(place) => attrs.parse_item(key, item, errors),
                Some(key @ (ColumnKey::Age | ColumnKey::Condition)) if place == ColumnPlace::Kube => {
                    errors.push(only_in_crd(item, key.name()));
                }
                _ => {
                    let is_known = |name: &&str| ColumnKey::from_name(name).is_some_and(|key| key.is_in(place));
                    let known: Vec<_> = ColumnKey::names().into_iter().filter(is_known).collect();
                    errors.push(items::unknown(item, &known));
                }
            }
        }
        attrs.options.priority = attrs.priority.map(|priority| priority.0);
        attrs.items = items;
        attrs
    }

    fn parse_item(&mut self, key: ColumnKey, item: &Meta, errors: &mut Errors) {
        match key {
            ColumnKey::Name => items::parse_once(&mut self.name, item, errors),
            ColumnKey::RawType | ColumnKey::Type => items::parse_once(&mut self.type_, item, errors),
            ColumnKey::JsonPath => items::parse_once(&mut self.json_path, item, errors),
            ColumnKey::Condition => items::parse_once(&mut self.condition, item, errors),
            ColumnKey::Age => items::parse_once(&mut self.age, item, errors),
            ColumnKey::Description => items::parse_once(&mut self.options.description, item, errors),
            ColumnKey::Format => items::parse_once(&mut self.options.format, item, errors),
            ColumnKey::Priority => items::parse_once(&mut self.priority, item, errors),
        }
    }

    fn has_key(&self, key: ColumnKey) -> bool {
        self.items.iter().any(|item| ColumnKey::of(item) == Some(key))
    }

    /// The column, in the form that its keys determine.
    pub(super) fn column(self, item: &Meta, mut errors: Errors) -> Result<PrintColumn> {
        if self.has_key(ColumnKey::Age) {
            self.reject_other_keys(ColumnKey::Age, &[], &mut errors);
            return errors.finish_with(PrintColumn::Age(item.path().span()));
        }
        if !self.has_key(ColumnKey::Condition) {
            return self.path_column(item, errors).map(PrintColumn::Path);
        }
        let beside = [ColumnKey::Name, ColumnKey::Description, ColumnKey::Priority];
        self.reject_other_keys(ColumnKey::Condition, &beside, &mut errors);
        errors.finish()?;
        let condition = self.condition.ok_or_else(incomplete)?;
        Ok(PrintColumn::Condition(ConditionColumn {
            condition: condition.0,
            name: self.name.map(|name| name.0),
            options: self.options,
        }))
    }

    /// Reports keys that a form does not have.
    fn reject_other_keys(&self, form: ColumnKey, beside: &[ColumnKey], errors: &mut Errors) {
        for item in &self.items {
            if let Some(key) = ColumnKey::of(item).filter(|key| *key != form && !beside.contains(key)) {
                let (form, key) = (form.name(), key.name());
                let message = format!("`{form}` already determines what the column shows: remove `{key}`");
                errors.push(Error::custom(message).with_span(item));
            }
        }
    }

    pub(super) fn path_column(self, item: &Meta, mut errors: Errors) -> Result<PathColumn> {
        if items::no_errors(&mut errors) {
            let keys = [
                ("name", "name = \"Replicas\"", self.name.is_some()),
                ("json_path", "json_path = \".spec.replicas\"", self.json_path.is_some()),
            ];
            let missing = items::missing_keys(&keys, str::to_owned);
            errors.extend(missing.map(|message| Error::custom(message).with_span(item)));
        }
        errors.finish()?;
        match (self.name, self.json_path) {
            (Some(name), Some(json_path)) => {
                Ok(PathColumn { name: name.0, type_: self.type_, json_path, options: self.options })
            }
            _ => Err(incomplete()),
        }
    }
}

fn only_in_crd(item: &Meta, form: &str) -> Error {
    Error::custom(format!("`{form}` belongs in `#[crd(printcolumn(...))]`: kube-derive has no such column"))
        .with_span(item.path())
}

fn incomplete() -> Error {
    Error::custom("the column is incomplete")
}

keys! {
    ColumnKey {
        Name = "name",
        RawType = "type_",
        Type = "type",
        JsonPath = "json_path",
        Description = "description",
        Format = "format",
        Priority = "priority",
        Condition = "condition",
        Age = "age",
    }
}

/// Where a column is written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ColumnPlace {
    /// `#[kube(printcolumn(...))]`.
    Kube,
    /// `#[crd(printcolumn(...))]`.
    Crd,
    /// `#[crd(column(...))]` on a field.
    Field,
}

impl ColumnKey {
    fn is_in(self, place: ColumnPlace) -> bool {
        match self {
            Self::Name | Self::Description | Self::Format | Self::Priority => true,
            Self::RawType | Self::JsonPath => place != ColumnPlace::Field,
            Self::Type | Self::Condition | Self::Age => place == ColumnPlace::Crd,
        }
    }
}
