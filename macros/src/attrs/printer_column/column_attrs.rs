//! The items of a column, before its form is determined.

use darling::{Error, Result};
use syn::{Meta, spanned::Spanned};

use super::{
    ColumnOptions, ConditionColumn, PathColumn, PrintColumn,
    values::{ColumnName, ColumnType, ConditionType, Priority},
};
use crate::attrs::{Errors, items, json_path::JsonPath, value::BareKey};

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
    pub(super) fn parse(items: Vec<Meta>, known: &[&str], errors: &mut Errors) -> Self {
        let mut attrs = Self::default();
        for item in &items {
            let key = items::name(item);
            match key.as_str() {
                key if known.contains(&key) => attrs.parse_item(key, item, errors),
                "age" | "condition" if known == PATH_KEYS => errors.push(only_in_crd(item, &key)),
                _ => errors.push(items::unknown(item, known)),
            }
        }
        attrs.options.priority = attrs.priority.map(|priority| priority.0);
        attrs.items = items;
        attrs
    }

    fn parse_item(&mut self, key: &str, item: &Meta, errors: &mut Errors) {
        match key {
            "name" => items::parse_once(&mut self.name, item, errors),
            "type_" | "type" => items::parse_once(&mut self.type_, item, errors),
            "json_path" => items::parse_once(&mut self.json_path, item, errors),
            "condition" => items::parse_once(&mut self.condition, item, errors),
            "age" => items::parse_once(&mut self.age, item, errors),
            "description" => items::parse_once(&mut self.options.description, item, errors),
            "format" => items::parse_once(&mut self.options.format, item, errors),
            "priority" => items::parse_once(&mut self.priority, item, errors),
            _ => {}
        }
    }

    fn has_key(&self, key: &str) -> bool {
        self.items.iter().any(|item| item.path().is_ident(key))
    }

    /// The column, in the form that its keys determine.
    pub(super) fn column(self, item: &Meta, mut errors: Errors) -> Result<PrintColumn> {
        if self.has_key("age") {
            self.reject_other_keys("age", &["age"], &mut errors);
            return errors.finish_with(PrintColumn::Age(item.path().span()));
        }
        if !self.has_key("condition") {
            return self.path_column(item, errors).map(PrintColumn::Path);
        }
        let beside = ["condition", "name", "description", "priority"];
        self.reject_other_keys("condition", &beside, &mut errors);
        errors.finish()?;
        let condition = self.condition.ok_or_else(incomplete)?;
        Ok(PrintColumn::Condition(ConditionColumn {
            condition: condition.0,
            name: self.name.map(|name| name.0),
            options: self.options,
        }))
    }

    /// Reports keys that a form does not have.
    fn reject_other_keys(&self, form: &str, keys: &[&str], errors: &mut Errors) {
        for item in &self.items {
            let key = items::name(item);
            if !keys.contains(&key.as_str()) && TYPE_KEYS.contains(&key.as_str()) {
                errors.push(
                    Error::custom(format!("`{form}` already determines what the column shows: remove `{key}`"))
                        .with_span(item),
                );
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

pub(super) const PATH_KEYS: &[&str] = &["name", "type_", "json_path", "description", "format", "priority"];
pub(super) const TYPE_KEYS: &[&str] =
    &["name", "type_", "type", "json_path", "description", "format", "priority", "condition", "age"];
pub(super) const FIELD_KEYS: &[&str] = &["name", "description", "format", "priority"];
