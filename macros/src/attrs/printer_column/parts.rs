//! A column's items before it is known which form they make up.

use darling::{Error, Result};
use syn::{Meta, spanned::Spanned};

use super::{
    ConditionColumn, Look, PathColumn, PrintColumn,
    values::{ColumnName, ColumnType, ConditionType, Priority},
};
use crate::attrs::{Errors, items, json_path::JsonPath, text::Word};

#[derive(Default)]
pub(super) struct Parts {
    pub(super) name: Option<ColumnName>,
    type_: Option<ColumnType>,
    json_path: Option<JsonPath>,
    condition: Option<ConditionType>,
    age: Option<Word>,
    pub(super) look: Look,
    priority: Option<Priority>,
    /// Every item that was written, readable or not.
    written: Vec<Meta>,
}

impl Parts {
    pub(super) fn parse(items: Vec<Meta>, known: &[&str], errors: &mut Errors) -> Self {
        let mut parts = Self::default();
        for item in &items {
            let key = items::name(item);
            match key.as_str() {
                key if known.contains(&key) => parts.read(key, item, errors),
                "age" | "condition" if known == PATH_KEYS => errors.push(only_in_crd(item, &key)),
                _ => errors.push(items::unknown(item, known)),
            }
        }
        parts.look.priority = parts.priority.map(|priority| priority.0);
        parts.written = items;
        parts
    }

    fn read(&mut self, key: &str, item: &Meta, errors: &mut Errors) {
        match key {
            "name" => items::once(&mut self.name, item, errors),
            "type_" | "type" => items::once(&mut self.type_, item, errors),
            "json_path" => items::once(&mut self.json_path, item, errors),
            "condition" => items::once(&mut self.condition, item, errors),
            "age" => items::once(&mut self.age, item, errors),
            "description" => items::once(&mut self.look.description, item, errors),
            "format" => items::once(&mut self.look.format, item, errors),
            "priority" => items::once(&mut self.priority, item, errors),
            _ => {}
        }
    }

    fn wrote(&self, key: &str) -> bool {
        self.written.iter().any(|item| item.path().is_ident(key))
    }

    /// The column, in the form that its keys choose.
    pub(super) fn column(self, item: &Meta, mut errors: Errors) -> Result<PrintColumn> {
        if self.wrote("age") {
            self.refuse_beside("age", &["age"], &mut errors);
            return errors.finish_with(PrintColumn::Age(item.path().span()));
        }
        if !self.wrote("condition") {
            return self.path_column(item, errors).map(PrintColumn::Path);
        }
        let beside = ["condition", "name", "description", "priority"];
        self.refuse_beside("condition", &beside, &mut errors);
        errors.finish()?;
        let condition = self.condition.ok_or_else(incomplete)?;
        Ok(PrintColumn::Condition(ConditionColumn {
            condition: condition.0,
            name: self.name.map(|name| name.0),
            look: self.look,
        }))
    }

    /// No key is there but those that a form has.
    fn refuse_beside(&self, form: &str, keys: &[&str], errors: &mut Errors) {
        for item in &self.written {
            let key = items::name(item);
            if !keys.contains(&key.as_str()) && TYPE_KEYS.contains(&key.as_str()) {
                errors.push(
                    Error::custom(format!(
                        "a column of the form `{form}` knows by itself what it shows: `{key}` has \
                         no place beside it"
                    ))
                    .with_span(item),
                );
            }
        }
    }

    pub(super) fn path_column(self, item: &Meta, mut errors: Errors) -> Result<PathColumn> {
        if items::none_failed(&mut errors) {
            let keys = [
                ("name", "name = \"Replicas\"", self.name.is_some()),
                ("json_path", "json_path = \".spec.replicas\"", self.json_path.is_some()),
            ];
            let missing = items::missing(&keys, str::to_owned);
            errors.extend(missing.map(|message| Error::custom(message).with_span(item)));
        }
        errors.finish()?;
        match (self.name, self.json_path) {
            (Some(name), Some(json_path)) => {
                Ok(PathColumn { name: name.0, type_: self.type_, json_path, look: self.look })
            }
            _ => Err(incomplete()),
        }
    }
}

fn only_in_crd(item: &Meta, form: &str) -> Error {
    Error::custom(format!("`{form}` belongs to `#[crd(printcolumn(...))]`: kube-derive has no such column"))
        .with_span(item.path())
}

fn incomplete() -> Error {
    Error::custom("the column is incomplete")
}

pub(super) const PATH_KEYS: &[&str] = &["name", "type_", "json_path", "description", "format", "priority"];
pub(super) const TYPE_KEYS: &[&str] =
    &["name", "type_", "type", "json_path", "description", "format", "priority", "condition", "age"];
pub(super) const FIELD_KEYS: &[&str] = &["name", "description", "format", "priority"];
