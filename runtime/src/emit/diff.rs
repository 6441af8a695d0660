//! The changes since other definitions, as text, Markdown and JSON.

use std::fmt::Write as _;

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use serde_json::{Value, json};

use super::{exceptions::Exceptions, markdown, phrase::Phrase, style::Style};
use crate::crd::compare::{Audience, Change, ChangeSeverity, set_changes};

/// The number of changes of a definition above which only the breaking ones are shown; JSON has all. A new version of a Kubernetes
/// type in a schema can make hundreds.
const MAX_SHOWN: usize = 100;

/// The changes between two sets of definitions, with those that the project allows.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct CrdsDiff {
    /// The definitions that change, sorted by name.
    pub definitions: Vec<DefinitionDiff>,
}

/// The changes of a definition.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct DefinitionDiff {
    /// The name of the definition.
    pub name: String,
    /// Its changes, the most severe ones first.
    pub changes: Vec<DiffEntry>,
}

/// A change, and whether the project allows it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct DiffEntry {
    /// The change.
    pub change: Change,
    /// The reason of the [exception](super::Crds::allow) that allows it.
    pub allowed: Option<String>,
}

impl DefinitionDiff {
    /// Returns the changes to show, and the number of the others.
    fn shown(&self) -> (impl Iterator<Item = &DiffEntry>, usize) {
        let is_shown = |(at, it): &(usize, &DiffEntry)| *at < MAX_SHOWN || it.severity() == ChangeSeverity::Breaking;
        let shown: Vec<_> = self.changes.iter().enumerate().filter(is_shown).map(|(_, it)| it).collect();
        let hidden = self.changes.len() - shown.len();
        (shown.into_iter(), hidden)
    }
}

impl DiffEntry {
    /// Returns the severity; an allowed change is compatible.
    pub fn severity(&self) -> ChangeSeverity {
        match self.allowed {
            Some(_) => ChangeSeverity::Compatible,
            None => self.change.severity(),
        }
    }

    fn label(&self) -> &'static str {
        match self.allowed {
            Some(_) => "allowed",
            None => self.change.severity().name(),
        }
    }

    fn affects(&self) -> String {
        let names: Vec<_> = self.change.affects().iter().map(|audience| audience.name()).collect();
        names.join(", ")
    }

    fn json(&self) -> Value {
        let change = &self.change;
        json!({
            "version": change.version,
            "path": change.path,
            "check": change.check.name(),
            "kind": change.kind.name(),
            "severity": change.severity().name(),
            "affects": change.affects().iter().map(|it| key(*it)).collect::<Vec<_>>(),
            "from": change.from,
            "to": change.to,
            "summary": change.summary(),
            "reason": change.reason(),
            "allowed": self.allowed,
        })
    }
}

fn key(audience: Audience) -> &'static str {
    match audience {
        Audience::StoredObjects => "storedObjects",
        audience => audience.name(),
    }
}

impl CrdsDiff {
    pub(super) fn new(
        old: &[CustomResourceDefinition],
        new: &[CustomResourceDefinition],
        exceptions: &Exceptions,
    ) -> Self {
        let definitions = set_changes(old, new).into_iter().map(|definition| {
            let entry = |change: Change| {
                let version = change.version.as_deref();
                let reason = exceptions.reason(change.check.name(), &definition.name, version, &change.path);
                DiffEntry { allowed: reason.map(str::to_owned), change }
            };
            let mut changes: Vec<_> = definition.changes.into_iter().map(entry).collect();
            changes.sort_by_key(|it| (it.allowed.is_some(), std::cmp::Reverse(it.change.severity())));
            DefinitionDiff { name: definition.name, changes }
        });
        Self { definitions: definitions.collect() }
    }

    /// Returns the changes that are breaking, and not allowed.
    pub(super) fn breaking(mut self) -> Self {
        self.definitions.retain_mut(|definition| {
            definition.changes.retain(|it| it.severity() == ChangeSeverity::Breaking);
            !definition.changes.is_empty()
        });
        self
    }

    fn all(&self) -> impl Iterator<Item = &DiffEntry> {
        self.definitions.iter().flat_map(|definition| &definition.changes)
    }

    /// Returns the severity of the most severe change; `None` if nothing changes.
    pub fn worst(&self) -> Option<ChangeSeverity> {
        self.all().map(DiffEntry::severity).max()
    }

    /// Returns one line for each severity that occurs, such as `1 breaking, 2 compatible`.
    fn counts(&self) -> String {
        let labels = ["breaking", "risky", "compatible", "allowed"];
        let of_labels = labels.map(|label| (self.all().filter(|it| it.label() == label).count(), label));
        let counts: Vec<_> = of_labels.iter().filter(|(count, _)| *count > 0).collect();
        if counts.is_empty() {
            "no changes".to_owned()
        } else {
            counts.iter().map(|(count, label)| format!("{count} {label}")).collect::<Vec<_>>().join(", ")
        }
    }

    /// Returns the changes as text for a terminal, without colors.
    pub fn to_text(&self) -> String {
        self.text(Style::PLAIN)
    }

    pub(super) fn text(&self, style: Style) -> String {
        let mut text = String::new();
        for definition in &self.definitions {
            let _ = writeln!(text, "{}", style.bold(&definition.name));
            let (shown, hidden) = definition.shown();
            for it in shown {
                let label = style.severity(it.label(), &format!("{:<10}", it.label()));
                let _ = writeln!(text, "  {label} {} {}", it.change, style.dim(&format!("[{}]", it.change.check)));
                let explanation = match (&it.allowed, it.affects()) {
                    (Some(reason), _) => format!("allowed: {reason}"),
                    (None, affects) if affects.is_empty() => continue,
                    (None, affects) => format!("{}; affects {affects}", it.change.reason()),
                };
                let _ = writeln!(text, "             {explanation}");
            }
            if hidden > 0 {
                let _ = writeln!(text, "  ... and {hidden} more, which `--format json` shows");
            }
            text.push('\n');
        }
        let _ = writeln!(text, "{}", self.counts());
        text
    }

    /// Returns the changes as Markdown, for a comment on a change request.
    pub fn to_markdown(&self) -> String {
        let mut text = format!("## API changes: {}\n", self.counts());
        for definition in &self.definitions {
            let _ = write!(text, "\n### `{}`\n\n", definition.name);
            text += "| severity | version | change | why | affects | check |\n|---|---|---|---|---|---|\n";
            let (shown, hidden) = definition.shown();
            for it in shown {
                let change = &it.change;
                let severity = match it.severity() {
                    ChangeSeverity::Breaking => "**breaking**",
                    _ => it.label(),
                };
                let reason =
                    it.allowed.as_ref().map_or(change.reason().to_owned(), |reason| format!("allowed: {reason}"));
                let version = change.version.as_deref().unwrap_or_default();
                let cells = [severity, version, &change.summary(), &reason, &it.affects(), change.check.name()]
                    .map(|cell| markdown::line(&Phrase::parse(cell)));
                let _ = writeln!(text, "| {} |", cells.join(" | "));
            }
            if hidden > 0 {
                let _ = writeln!(text, "\n... and {hidden} more, which `--format json` shows");
            }
        }
        text
    }

    /// Returns the changes as JSON.
    pub fn to_json(&self) -> Value {
        let definitions = self.definitions.iter().map(|definition| {
            let changes: Vec<_> = definition.changes.iter().map(DiffEntry::json).collect();
            json!({ "name": definition.name, "changes": changes })
        });
        json!({
            "severity": self.worst().map(ChangeSeverity::name),
            "definitions": definitions.collect::<Vec<_>>(),
        })
    }
}
