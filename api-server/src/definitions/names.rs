//! The names of definitions: each belongs to one definition of a group, until that gives it up.

use std::collections::BTreeSet;

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinitionNames;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{QUALIFIED, conditions_of, is_established};
use crate::{controllers::conditions, definitions, state::State, store::Key};

type Names = CustomResourceDefinitionNames;

/// The names of a definition.
#[derive(Deserialize)]
struct Definition {
    spec: Spec,
    #[serde(default)]
    status: Status,
}

#[derive(Deserialize)]
struct Spec {
    names: Names,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Status {
    accepted_names: Option<Names>,
}

impl Definition {
    fn has_all_names(&self) -> bool {
        self.status.accepted_names.as_ref() == Some(&self.spec.names)
    }
}

/// The names that the definitions of a group have.
#[derive(Default)]
struct Taken {
    resources: BTreeSet<String>,
    kinds: BTreeSet<String>,
}

impl Taken {
    fn insert(&mut self, names: Names) {
        self.resources.insert(names.plural);
        self.resources.extend(names.singular.into_iter().chain(names.short_names.into_iter().flatten()));
        self.kinds.insert(names.kind);
        self.kinds.extend(names.list_kind);
    }
}

/// Why a definition does not get all its names: the reason and the message of a condition.
type Conflict = (&'static str, String);

/// Returns the names that a definition gets, and the last conflict of the others.
fn accept(requested: &Names, accepted: Names, taken: &Taken) -> (Names, Option<Conflict>) {
    let (mut new, mut conflict) = (accepted.clone(), None);
    let mut check = |wanted: &[&str], own: &[&str], taken: &BTreeSet<String>, reason| {
        let is_refused = |name: &&&str| !own.contains(*name) && taken.contains(**name);
        let mut messages: Vec<_> =
            wanted.iter().filter(is_refused).map(|name| format!("{name:?} is already in use")).collect();
        messages.dedup();
        let is_accepted = messages.is_empty();
        match messages.len() {
            0 => {}
            1 => conflict = messages.pop().map(|message| (reason, message)),
            _ => conflict = Some((reason, format!("[{}]", messages.join(", ")))),
        }
        is_accepted
    };
    let optional = |name: &Option<String>| name.clone().unwrap_or_default();
    let short_names = |names: &Names| names.short_names.clone().unwrap_or_default();
    if check(&[&requested.plural], &[&accepted.plural], &taken.resources, "PluralConflict") {
        new.plural.clone_from(&requested.plural);
    }
    let (wanted, own) = (optional(&requested.singular), optional(&accepted.singular));
    if check(&[&wanted], &[&own], &taken.resources, "SingularConflict") {
        new.singular.clone_from(&requested.singular);
    }
    let (wanted, own) = (short_names(requested), short_names(&accepted));
    let [wanted, own] = [&wanted, &own].map(|names| names.iter().map(String::as_str).collect::<Vec<_>>());
    if check(&wanted, &own, &taken.resources, "ShortNamesConflict") {
        new.short_names.clone_from(&requested.short_names);
    }
    if check(&[&requested.kind], &[&accepted.kind], &taken.kinds, "KindConflict") {
        new.kind.clone_from(&requested.kind);
    }
    let (wanted, own) = (optional(&requested.list_kind), optional(&accepted.list_kind));
    if check(&[&wanted], &[&own], &taken.kinds, "ListKindConflict") {
        new.list_kind.clone_from(&requested.list_kind);
    }
    new.categories.clone_from(&requested.categories);
    (new, conflict)
}

/// Gives a definition those of its names that no other definition of its group has. One with all its names is left as it is.
pub(super) fn accept_names(state: &mut State, definition: &mut Value) {
    let Ok(names) = Definition::deserialize(&*definition) else { return };
    if names.has_all_names() {
        return;
    }
    let mut taken = Taken::default();
    let group = definition["spec"]["group"].as_str().unwrap_or_default();
    for (_, other) in names_of_group(state, group) {
        other.status.accepted_names.into_iter().for_each(|names| taken.insert(names));
    }
    let accepted = names.status.accepted_names.unwrap_or_default();
    let (accepted, conflict) = accept(&names.spec.names, accepted, &taken);
    definition["status"]["acceptedNames"] = json!(accepted);
    let (time, mut conditions) = (state.clock.text(), conditions_of(definition));
    let mut set = |kind, status, reason, message: &str| {
        conditions::set(&time, &mut conditions, kind, status, reason, message);
    };
    match &conflict {
        None => set("NamesAccepted", "True", "NoConflicts", "no conflicts found"),
        Some((reason, message)) => {
            set("NamesAccepted", "False", reason, message);
            if !is_established(definition) {
                set("Established", "False", "NotAccepted", "not all names are accepted");
            }
        }
    }
    definition["status"]["conditions"] = conditions.into();
}

/// Gives definitions of a group the names that another one no longer has.
pub(super) fn accept_released_names(state: &mut State, group: &str) {
    let waiting: Vec<_> = names_of_group(state, group)
        .into_iter()
        .filter(|(_, names)| !names.has_all_names())
        .map(|(key, _)| key)
        .collect();
    for key in waiting {
        if let Some(definition) = state.store.find(QUALIFIED, &key) {
            definitions::define(state, &definition).expect("a definition that is stored was defined before");
        }
    }
}

fn names_of_group(state: &mut State, group: &str) -> Vec<(Key, Definition)> {
    let is_of_group = |key: &Key| key.name.split_once('.').is_some_and(|(_, it)| it == group);
    let stored = state.store.collection(QUALIFIED).objects().filter(|(key, _)| is_of_group(key));
    let read = stored.map(|(key, stored)| (key.clone(), serde_json::from_slice(&stored.json)));
    read.filter_map(|(key, names)| Some((key, names.ok()?))).collect()
}
