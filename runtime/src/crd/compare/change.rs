//! One change, and its words.

use std::fmt;

use crate::crd::compare::{
    Audience, ChangeSeverity, Check,
    judgement::{ALL, judge},
};

/// A change between two definitions or schemas.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Change {
    /// The version; `None` if the change concerns all of them.
    pub version: Option<String>,
    /// The path, such as `.spec.note`, `.spec.disks[*].size` for all items of a list, or `.spec.labels.*` for all
    /// fields that the schema does not declare. It is empty for a version, a definition or the root.
    pub path: String,
    /// What the change concerns.
    pub check: Check,
    /// The direction of the change.
    pub kind: ChangeKind,
    /// The old value, such as `integer`; `None` if there was none.
    pub from: Option<String>,
    /// The new value.
    pub to: Option<String>,
    /// Whether the version was neither served nor stored.
    pub(super) is_unused: bool,
    /// Whether a tightened keyword also accepts values that it did not accept before.
    pub(super) is_also_loosened: bool,
    /// The field whose schema changes.
    pub(super) field: FieldContext,
}

/// What the schema of an object states about a field, which decides about the effect of some changes of the field's schema.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct FieldContext {
    pub(super) was_required: bool,
    pub(super) is_required: bool,
    pub(super) had_default: bool,
    pub(super) has_default: bool,
    /// Whether the values are items of a list, where the server does not drop null.
    pub(super) is_item: bool,
}

impl FieldContext {
    pub(super) const fn reversed(self) -> Self {
        Self {
            was_required: self.is_required,
            is_required: self.was_required,
            had_default: self.has_default,
            has_default: self.had_default,
            is_item: self.is_item,
        }
    }
}

/// The direction of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum ChangeKind {
    /// It did not exist before.
    Added,
    /// More is accepted than before.
    Loosened,
    /// Neither more nor less is accepted, or this is unknown.
    Changed,
    /// Less is accepted than before.
    Tightened,
    /// It no longer exists.
    Removed,
}

impl ChangeKind {
    /// Returns the name, such as `tightened`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Added => "added",
            Self::Loosened => "loosened",
            Self::Changed => "changed",
            Self::Tightened => "tightened",
            Self::Removed => "removed",
        }
    }

    /// Returns the opposite direction.
    pub(super) const fn reversed(self) -> Self {
        match self {
            Self::Added => Self::Removed,
            Self::Removed => Self::Added,
            Self::Loosened => Self::Tightened,
            Self::Tightened => Self::Loosened,
            Self::Changed => Self::Changed,
        }
    }
}

impl Change {
    pub(super) fn new(check: Check, kind: ChangeKind) -> Self {
        Self {
            version: None,
            path: String::new(),
            check,
            kind,
            from: None,
            to: None,
            is_unused: false,
            is_also_loosened: false,
            field: FieldContext::default(),
        }
    }

    pub(super) fn between(mut self, from: Option<String>, to: Option<String>) -> Self {
        (self.from, self.to) = (from, to);
        self
    }

    pub(super) fn of_version(mut self, version: &str) -> Self {
        self.version = Some(version.to_owned());
        self
    }

    pub(super) fn at(mut self, path: impl Into<String>) -> Self {
        self.path = path.into();
        self
    }

    /// Returns how severe the change is.
    pub fn severity(&self) -> ChangeSeverity {
        if self.is_unused { ChangeSeverity::Compatible } else { judge(self).severity }
    }

    /// Returns whether the change is breaking.
    pub fn is_breaking(&self) -> bool {
        self.severity() == ChangeSeverity::Breaking
    }

    /// Returns whom the change affects; empty if it is compatible.
    pub fn affects(&self) -> &'static [Audience] {
        let loosened = || judge(&Self { kind: ChangeKind::Loosened, ..self.clone() });
        if self.is_unused {
            &[]
        } else if self.is_also_loosened && !loosened().affects.is_empty() {
            ALL
        } else {
            judge(self).affects
        }
    }

    /// Returns why the change has this severity, as a part of a sentence.
    pub fn reason(&self) -> &'static str {
        if self.is_unused { "the version was neither served nor stored" } else { judge(self).reason }
    }

    /// Returns a sentence without the version, such as ``the type of `.spec.size` changes from integer to string``.
    pub fn summary(&self) -> String {
        let path = match self.path.as_str() {
            "" => "the root".to_owned(),
            path => format!("`{path}`"),
        };
        let [from, to] = [&self.from, &self.to].map(|it| it.as_deref().unwrap_or("none"));
        let verb = match self.kind {
            ChangeKind::Added => "is added",
            ChangeKind::Removed => "is removed",
            _ => "changes",
        };
        match self.check {
            Check::ExistingFieldRemoval => format!("{path} is removed"),
            Check::NewField => format!("{path} is added"),
            Check::Required if self.kind == ChangeKind::Loosened => format!("{path} is no longer required"),
            Check::Required => format!("{path} is required, without a default"),
            Check::Type => format!("the type of {path} changes from {from} to {to}"),
            Check::Rules => self.rule_summary(&path),
            Check::Description | Check::Title | Check::Example | Check::ExternalDocs => {
                format!("the {} of {path} {verb}", self.check.name())
            }
            check => match check.keyword() {
                Some(keyword) => format!("`{keyword}` of {path} changes from {from} to {to}"),
                None => self.definition_summary(from, to, verb),
            },
        }
    }

    fn rule_summary(&self, path: &str) -> String {
        let rule = self.to.as_ref().or(self.from.as_ref()).map_or("", String::as_str);
        match self.kind {
            ChangeKind::Tightened => format!("the rule `{rule}` of {path} is added"),
            ChangeKind::Loosened => format!("the rule `{rule}` of {path} is removed"),
            _ => format!("the message of the rule `{rule}` of {path} changes"),
        }
    }

    fn definition_summary(&self, from: &str, to: &str, verb: &str) -> String {
        let value = match self.kind {
            ChangeKind::Removed => from,
            _ => to,
        };
        match (self.check, self.kind) {
            (Check::Definition, ChangeKind::Removed) => "the definition is removed".to_owned(),
            (Check::Definition, _) => "the definition is added".to_owned(),
            (Check::ServedVersionRemoval, ChangeKind::Added) => "the version is added".to_owned(),
            (Check::ServedVersionRemoval, _) => "the version is no longer served".to_owned(),
            (Check::StoredVersionRemoval, _) => "the version is removed, in which objects may be stored".to_owned(),
            (Check::StorageVersion, _) => format!("the storage version changes from {from} to {to}"),
            (Check::ServedVersions, _) => format!("differs from version `{from}`, without a conversion: {to}"),
            (Check::Deprecation, ChangeKind::Removed) => "the version is no longer deprecated".to_owned(),
            (Check::Deprecation, _) => "the version is deprecated".to_owned(),
            (Check::Status | Check::Scale, ChangeKind::Added | ChangeKind::Removed) => {
                format!("the {} subresource {verb}", self.check)
            }
            (Check::Scale, _) => format!("{} of the scale subresource changes from {from} to {to}", self.path),
            (Check::Columns, ChangeKind::Added | ChangeKind::Removed) => format!("the column `{value}` {verb}"),
            (Check::Columns, _) => format!("the column `{}` changes from {from} to {to}", self.path),
            (Check::SelectableFields, _) => format!("the selectable field `{value}` {verb}"),
            (Check::Names, ChangeKind::Added | ChangeKind::Removed) => format!("the {} `{value}` {verb}", self.path),
            (Check::Names, _) => format!("the {} changes from {from} to {to}", self.path),
            (Check::Conversion, _) => format!("the conversion changes from {from} to {to}"),
            (check, _) => format!("the {check} changes from {from} to {to}"),
        }
    }
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(version) = &self.version {
            write!(f, "version `{version}`: ")?;
        }
        f.write_str(&self.summary())
    }
}
