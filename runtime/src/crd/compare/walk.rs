//! The traversal of two schemas.

use std::collections::BTreeSet;

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::{JSON, JSONSchemaProps as Props};
use serde_json::Value;

use crate::crd::compare::{
    Change, ChangeKind, Check,
    change::FieldContext,
    keywords,
    parts::{ANY, ComparedPart, META, TEXT, accepts, is_embedded, is_endless},
};

/// A change, and the values that it affects.
pub(crate) struct Difference {
    pub(crate) change: Change,
    #[cfg_attr(not(any(feature = "client", test)), expect(dead_code))] // for objects
    pub(super) place: Vec<WalkStep>,
    #[cfg_attr(not(any(feature = "client", test)), expect(dead_code))] // for objects
    pub(super) impact: Impact,
}

/// A step from a value to parts of it.
#[derive(Clone)]
#[cfg_attr(not(any(feature = "client", test)), expect(dead_code))] // for objects
pub(super) enum WalkStep {
    Name(String),
    /// All members except these.
    Others(BTreeSet<String>),
    Items,
}

/// The values at a path that are dropped or rejected.
pub(super) enum Impact {
    /// All values except null and the default.
    Present { default: Option<Value> },
    /// Objects without this field.
    Without(String),
    /// Null.
    Null,
    /// Values that the old keywords accept and the new ones do not.
    Schemas { old: Box<Props>, new: Box<Props> },
}

/// Whether definitions prune unknown fields: all do, except with `spec.preserveUnknownFields`.
#[derive(Clone, Copy, Default)]
pub(crate) struct Pruning {
    pub(crate) old_keeps_all: bool,
    pub(crate) new_keeps_all: bool,
}

impl Pruning {
    pub(super) fn reversed(self) -> Self {
        Self { old_keeps_all: self.new_keeps_all, new_keeps_all: self.old_keeps_all }
    }
}

/// The schemas of a value that both schemas describe.
pub(super) struct Pair<'a> {
    pub(super) path: String,
    pub(super) old: &'a Props,
    pub(super) new: &'a Props,
    pub(super) field: FieldContext,
}

/// Returns what the new schema does not accept or keep, with the affected values.
#[cfg(any(feature = "client", test))]
pub(crate) fn differences(old: &Props, new: &Props, pruning: Pruning) -> Vec<Difference> {
    use super::normalized::normalized;

    traverse(&normalized(old), &normalized(new), pruning).0
}

/// Returns what the new schema does not accept or keep, and the schemas of each value that both describe. Both are
/// normalized.
pub(super) fn traverse<'a>(old: &'a Props, new: &'a Props, pruning: Pruning) -> (Vec<Difference>, Vec<Pair<'a>>) {
    let mut walk = Walk {
        pruning,
        place: Vec::new(),
        path: String::new(),
        field: FieldContext::default(),
        found: Vec::new(),
        pairs: Vec::new(),
    };
    walk.compare(old, new);
    (walk.found, walk.pairs)
}

struct Walk<'a> {
    pruning: Pruning,
    place: Vec<WalkStep>,
    path: String,
    /// The value that is compared, as a part of the enclosing one.
    field: FieldContext,
    found: Vec<Difference>,
    pairs: Vec<Pair<'a>>,
}

impl<'a> Walk<'a> {
    fn compare(&mut self, old: &'a Props, new: &'a Props) {
        if ![old, new].iter().any(|schema| std::ptr::eq(*schema, &raw const *ANY)) {
            self.pairs.push(Pair { path: self.path.clone(), old, new, field: self.field });
        }
        for (change, impact) in keywords::narrowed(old, new, self.field.is_item) {
            self.add(change, impact);
        }
        self.compare_required(old, new);
        self.compare_members(old, new);
        if !(is_endless(old) && is_endless(new)) {
            self.compare_part(WalkStep::Items, [ComparedPart::items(old), ComparedPart::items(new)], [old, new]);
        }
    }

    fn compare_required(&mut self, old: &Props, new: &Props) {
        if !accepts(old, "object") {
            return;
        }
        let has_meta = self.place.is_empty() || is_embedded(new);
        for name in new.required.iter().flatten() {
            if has_meta && META.contains(&name.as_str()) {
                continue;
            }
            if !is_always_there(old, name) && default(new, name).is_none() {
                let path = format!("{}.{name}", self.path);
                let path = std::mem::replace(&mut self.path, path);
                let field = std::mem::replace(&mut self.field, field(name, [old, new]));
                self.add(Change::new(Check::Required, ChangeKind::Tightened), Impact::Without(name.clone()));
                (self.path, self.field) = (path, field);
            }
        }
    }

    fn compare_members(&mut self, old: &'a Props, new: &'a Props) {
        let is_root = self.place.is_empty();
        let has_meta = is_root || is_embedded(old) && is_embedded(new);
        let mut names: BTreeSet<String> = [old, new]
            .into_iter()
            .flat_map(|schema| schema.properties.iter().flatten())
            .map(|(name, _)| name.clone())
            .collect();
        if is_root || is_embedded(old) || is_embedded(new) {
            names.extend(META.map(str::to_owned));
        }
        for name in &names {
            if !(is_root && META.contains(&name.as_str()) || has_meta && name == "metadata") {
                let is_text = META.contains(&name.as_str()) && is_embedded(old) && is_embedded(new);
                let parts = [old, new].map(|of| match ComparedPart::member(of, name) {
                    ComparedPart::Any if is_text => ComparedPart::Schema(&TEXT),
                    part => part,
                });
                self.compare_part(WalkStep::Name(name.clone()), parts, [old, new]);
            }
        }
        if has_meta {
            self.compare_metadata(old, new);
        }
        self.compare_part(WalkStep::Others(names), [old, new].map(ComparedPart::others), [old, new]);
    }

    /// Compares the fields of an object's metadata that its schema can restrict.
    fn compare_metadata(&mut self, old: &'a Props, new: &'a Props) {
        let restricted = |of: &'a Props, name: &str| {
            let metadata = of.properties.as_ref()?.get("metadata")?;
            metadata.properties.as_ref()?.get(name)
        };
        for name in ["name", "generateName"] {
            let [old, new] = [old, new].map(|of| restricted(of, name));
            if old.is_some() || new.is_some() {
                let [old, new] = [old, new].map(|schema| schema.unwrap_or(&TEXT));
                self.at(WalkStep::Name("metadata".to_owned()), |walk| {
                    walk.at(WalkStep::Name(name.to_owned()), |walk| walk.compare(old, new));
                });
            }
        }
    }

    /// Compares a part of two schemas. `within` are the schemas of the enclosing value.
    fn compare_part(&mut self, step: WalkStep, [old, new]: [ComparedPart<'a>; 2], within: [&'a Props; 2]) {
        let whole = match step {
            WalkStep::Items => "array",
            _ => "object",
        };
        if !accepts(within[1], whole) {
            return; // the type changes, so that no part of the value remains
        }
        let old = old.or_any(self.pruning.old_keeps_all);
        let new = new.or_any(self.pruning.new_keeps_all);
        let field = match &step {
            WalkStep::Name(name) => field(name, within),
            WalkStep::Others(_) => FieldContext::default(),
            WalkStep::Items => FieldContext { is_item: true, ..FieldContext::default() },
        };
        let mut compare = |old, new: &'a Props| {
            let outer = std::mem::replace(&mut self.field, field);
            self.at(step.clone(), |walk| walk.compare(old, new));
            self.field = outer;
        };
        match (old, new) {
            (ComparedPart::Dropped, _) | (_, ComparedPart::Any) => {}
            (ComparedPart::Schema(old), ComparedPart::Schema(new)) => compare(old, new),
            (ComparedPart::Any, ComparedPart::Schema(new)) => compare(&ANY, new),
            (ComparedPart::Schema(old), ComparedPart::Dropped) => {
                let default = filled_default(old);
                self.at(step, |walk| walk.add_removed(default));
            }
            (ComparedPart::Any, ComparedPart::Dropped) => self.at(step, |walk| walk.add_removed(None)),
        }
    }

    fn at(&mut self, step: WalkStep, compare: impl FnOnce(&mut Self)) {
        let length = self.path.len();
        match &step {
            WalkStep::Name(name) => {
                self.path.push('.');
                self.path.push_str(name);
            }
            WalkStep::Others(_) => self.path.push_str(".*"),
            WalkStep::Items => self.path.push_str("[*]"),
        }
        self.place.push(step);
        compare(self);
        self.place.pop();
        self.path.truncate(length);
    }

    fn add_removed(&mut self, default: Option<Value>) {
        self.add(Change::new(Check::ExistingFieldRemoval, ChangeKind::Removed), Impact::Present { default });
    }

    fn add(&mut self, change: Change, impact: Impact) {
        let change = Change { field: self.field, ..change.at(self.path.clone()) };
        self.found.push(Difference { change, place: self.place.clone(), impact });
    }
}

/// Whether the field is required and has no default.
fn is_always_there(of: &Props, name: &str) -> bool {
    let is_required = of.required.iter().flatten().any(|required| required == name);
    is_required && default(of, name).is_none()
}

/// Returns what the schemas of an object state about a field.
fn field(name: &str, [old, new]: [&Props; 2]) -> FieldContext {
    let is_required = |of: &Props| of.required.iter().flatten().any(|required| required == name);
    FieldContext {
        was_required: is_required(old),
        is_required: is_required(new),
        had_default: default(old, name).is_some(),
        has_default: default(new, name).is_some(),
        is_item: false,
    }
}

fn default<'a>(of: &'a Props, name: &str) -> Option<&'a JSON> {
    of.properties.as_ref()?.get(name)?.default.as_ref()
}

/// Returns the default that the server sets, including nested defaults.
pub(super) fn filled_default(of: &Props) -> Option<Value> {
    let JSON(default) = of.default.as_ref()?;
    Some(crate::crd::object_processing::admit(of, default))
}
