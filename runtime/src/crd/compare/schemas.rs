//! All changes between two schemas.

use std::collections::BTreeSet;

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::{
    JSONSchemaProps as Props, ValidationRule as Rule,
};
use serde_json::{Map, Value, json};

use crate::crd::compare::{
    Change, ChangeKind, Check, Pruning,
    branches::any_of,
    keywords::truncated_json,
    normalized::normalized,
    walk::{Pair, filled_default, traverse},
};

/// Keywords whose values are compared part by part.
const STRUCTURE: [&str; 5] = ["properties", "items", "additionalProperties", "required", "x-kubernetes-validations"];

/// Returns the changes between two schemas, sorted by path.
pub(super) fn changes(old: &Props, new: &Props, pruning: Pruning) -> Vec<Change> {
    let (old, new) = (&normalized(old), &normalized(new));
    let (tightened, pairs) = traverse(old, new, pruning);
    let (loosened, _) = traverse(new, old, pruning.reversed());
    let mut changes: Vec<_> = tightened.into_iter().map(|it| it.change).collect();
    for change in loosened.into_iter().filter_map(|it| reversed(it.change)) {
        let mut same = changes.iter_mut();
        match same.find(|it| it.path == change.path && it.check == change.check) {
            Some(tightened) => add_direction(tightened),
            None => changes.push(change),
        }
    }
    for pair in &pairs {
        add_equivalent(pair, &mut changes);
        changes.extend(rules(pair));
    }
    without_parts_of_any(&mut changes);
    changes.sort_by(|first, second| (&first.path, first.check).cmp(&(&second.path, second.check)));
    changes
}

/// Returns what the new schema does not accept or keep of objects that the old one accepts.
pub(super) fn conflicts(old: &Props, new: &Props, pruning: Pruning) -> Vec<Change> {
    let is_loss = |change: &Change| {
        matches!(change.kind, ChangeKind::Removed | ChangeKind::Tightened) || change.check == Check::Type
    };
    changes(old, new, pruning).into_iter().filter(|change| change.is_breaking() && is_loss(change)).collect()
}

/// Returns the change in the other direction. A field that is no longer required, but has a default, is never absent.
fn reversed(change: Change) -> Option<Change> {
    let field = change.field.reversed();
    let check = match change.check {
        Check::ExistingFieldRemoval => Check::NewField,
        Check::Required if field.has_default => return None,
        check => check,
    };
    Some(Change { check, kind: change.kind.reversed(), from: change.to, to: change.from, field, ..change })
}

/// Records that a tightened keyword is also loosened.
fn add_direction(change: &mut Change) {
    change.is_also_loosened = true;
    if change.check == Check::Type {
        change.kind = ChangeKind::Changed;
    }
}

/// Adds the keywords that differ without accepting more or less.
fn add_equivalent(pair: &Pair<'_>, changes: &mut Vec<Change>) {
    let [old, new] = [pair.old, pair.new].map(own_keywords);
    let names: BTreeSet<_> = old.keys().chain(new.keys()).collect();
    for name in names {
        let Some(check) = Check::of_keyword(name).filter(|_| old.get(name) != new.get(name)) else {
            continue;
        };
        let concerns = |it: &Change| {
            let is_same = it.path == pair.path && (it.check == check || covers(it.check, check));
            is_same || check == Check::PreserveUnknownFields && it.path == format!("{}.*", pair.path)
        };
        if changes.iter().any(concerns) {
            continue;
        }
        let kind = match (old.get(name), new.get(name)) {
            (None, _) => ChangeKind::Added,
            (_, None) => ChangeKind::Removed,
            _ => ChangeKind::Changed,
        };
        let text = |of: &Map<String, Value>| of.get(name).and_then(text);
        if check == Check::Default && filled_default(pair.old) == filled_default(pair.new) {
            continue;
        }
        let change = Change { field: pair.field, ..Change::new(check, kind) };
        changes.push(change.at(pair.path.clone()).between(text(&old), text(&new)));
    }
}

/// Whether a change of one keyword includes that of another.
fn covers(reported: Check, other: Check) -> bool {
    match reported {
        Check::Type => {
            matches!(other, Check::IntOrString | Check::AnyOf | Check::Format | Check::PreserveUnknownFields)
        }
        Check::ListType => other == Check::ListMapKeys,
        Check::Minimum => other == Check::ExclusiveMinimum,
        Check::Maximum => other == Check::ExclusiveMaximum,
        _ => false,
    }
}

fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        value => truncated_json(Some(value)),
    }
}

/// Returns the keywords of the value itself.
fn own_keywords(of: &Props) -> Map<String, Value> {
    let mut of = of.clone();
    (of.properties, of.items, of.additional_properties) = (None, None, None);
    of.any_of = Some(any_of(&of)).filter(|branches| !branches.is_empty());
    let Value::Object(mut keywords) = json!(of) else {
        return Map::new();
    };
    keywords.retain(|name, _| !STRUCTURE.contains(&name.as_str()));
    keywords
}

/// Returns the changes of CEL rules, which are identified by their expression.
fn rules(pair: &Pair<'_>) -> Vec<Change> {
    let all = |of: &Props| of.x_kubernetes_validations.clone().unwrap_or_default();
    let (old, new) = (all(pair.old), all(pair.new));
    let same = |one: &Rule, other: &Rule| one.rule == other.rule && one.optional_old_self == other.optional_old_self;
    let text = |rule: &Rule| Some(rule.rule.clone());
    let change = |kind, from, to| Change::new(Check::Rules, kind).at(pair.path.clone()).between(from, to);
    let mut changes = Vec::new();
    for rule in &old {
        match new.iter().find(|other| same(rule, other)) {
            None => changes.push(change(ChangeKind::Loosened, text(rule), None)),
            Some(other) if other == rule => {}
            Some(other) => changes.push(change(ChangeKind::Changed, text(rule), text(other))),
        }
    }
    let added = new.iter().filter(|rule| !old.iter().any(|other| same(rule, other)));
    changes.extend(added.map(|rule| change(ChangeKind::Tightened, None, text(rule))));
    changes
}

/// Removes the changes below a value that has, or had, any type: they follow from that change.
fn without_parts_of_any(changes: &mut Vec<Change>) {
    let is_any = |change: &Change| {
        change.check == Check::Type && [&change.from, &change.to].iter().any(|type_| type_.as_deref() == Some("any"))
    };
    let any: Vec<_> = changes.iter().filter(|change| is_any(change)).map(|change| change.path.clone()).collect();
    let is_below =
        |path: &str, whole: &String| path.strip_prefix(whole.as_str()).is_some_and(|rest| rest.starts_with(['.', '[']));
    changes.retain(|change| !any.iter().any(|whole| is_below(&change.path, whole)));
}
