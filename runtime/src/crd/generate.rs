//! Random values for a schema, for round-trip tests and samples.

use std::collections::BTreeSet;

use crdkit_core::schema::{AppliesTo, CountBound, Side};
use serde_json::{Map, Value, json};

use crate::crd::crd_accessors::count;

mod formats;
pub(crate) mod node;
mod pattern;
mod random;
mod scalars;
mod value;

pub use formats::format;
pub use node::SchemaNode;
pub(crate) use node::Values;
pub use pattern::Pattern;
pub use random::Random;
#[cfg(any(feature = "testing", test, doc))]
pub(crate) use value::check;

#[cfg(not(any(feature = "testing", test, doc)))]
use value::check;
use value::{is_resource, is_unique};

/// The maximum number of optional members and items of a document.
const FUEL: usize = 80;
/// The maximum number of attempts to generate a value that its schema accepts.
const TRIES: usize = 24;
/// Names of map entries and of unknown fields.
const NAMES: &[&str] = &["a", "b", "name", "1", "20", "example.com/a-b", "ß", ""];

/// Returns a value that the schema of `node` accepts, if one is found.
pub fn value(node: &SchemaNode, random: &mut Random) -> Value {
    let mut generator = Generator { random, fuel: FUEL };
    generator.value(&[node])
}

/// Returns a value of any type.
pub(crate) fn unrelated_value(random: &mut Random) -> Value {
    random.pick(&unrelated_values()).clone()
}

/// Returns values of all types.
pub(crate) fn unrelated_values() -> [Value; 12] {
    [
        json!(-1),
        json!(0),
        json!(0.5),
        json!(65),
        json!("a"),
        json!("1"),
        json!(""),
        json!(true),
        json!([]),
        json!(["a"]),
        json!({}),
        json!({ "a": 1 }),
    ]
}

struct Generator<'a> {
    random: &'a mut Random,
    fuel: usize,
}

impl Generator<'_> {
    /// Returns a value that all of these accept.
    fn value(&mut self, nodes: &[&SchemaNode]) -> Value {
        let mut last = Value::Null;
        for _ in 0..TRIES {
            let all = self.chosen(nodes);
            last = self.plain(&all);
            // Values of schemas without branches are made to fit. A check would refuse the fields that the server drops.
            let is_sure = all.len() == nodes.len() && nodes.iter().all(|node| node.not.is_none());
            if is_sure || nodes.iter().all(|node| check(node, &last).is_ok()) {
                break;
            }
        }
        last
    }

    /// Returns the nodes, with one branch where a branch must be selected.
    fn chosen<'a>(&mut self, nodes: &[&'a SchemaNode]) -> Vec<&'a SchemaNode> {
        let mut all = nodes.to_vec();
        let mut at = 0;
        while let Some(node) = all.get(at).copied() {
            all.extend(&node.all_of);
            for branches in [&node.any_of, &node.one_of] {
                if !branches.is_empty() {
                    all.push(self.random.pick(branches));
                }
            }
            at += 1;
        }
        all
    }

    fn plain(&mut self, all: &[&SchemaNode]) -> Value {
        if let Some(node) = all.iter().find(|node| !node.only.is_empty()) {
            return self.random.pick(&node.only).clone();
        }
        let allowed = all.iter().filter(|node| node.keywords.enum_.is_some());
        let is_enum = allowed.clone().next().is_some();
        if !is_enum && all.iter().any(|node| node.is_nullable()) && self.random.one_in(8) {
            return Value::Null;
        }
        if is_enum {
            let fits = |value: &&Value| allowed.clone().all(|node| node.allowed().any(|it| it == *value));
            let common: Vec<_> = allowed.clone().flat_map(|node| node.allowed()).filter(fits).collect();
            return if common.is_empty() { Value::Null } else { (*self.random.pick(&common)).clone() };
        }
        match all.iter().find_map(|node| node.types()).map(|types| *self.random.pick(types)) {
            None => self.anything(2),
            Some("boolean") => self.random.one_in(2).into(),
            Some("integer") => scalars::integer(all, self.random),
            Some("number") => scalars::number(all, self.random),
            Some("array") => self.list(all),
            Some("object") => self.object(all),
            Some(_) => scalars::text(all, self.random).into(),
        }
    }

    fn anything(&mut self, depth: usize) -> Value {
        match self.random.below(if depth == 0 { 2 } else { 4 }) {
            0 => Value::Null,
            1 => unrelated_value(self.random),
            2 => json!([self.anything(depth - 1)]),
            _ => json!({ *self.random.pick(NAMES): self.anything(depth - 1) }),
        }
    }

    /// Returns whether to generate another part.
    fn goes_on(&mut self) -> bool {
        self.fuel = self.fuel.saturating_sub(1);
        self.fuel > 0 && self.random.one_in(2)
    }

    fn list(&mut self, all: &[&SchemaNode]) -> Value {
        let (min, max) = sizes(all, AppliesTo::Lists);
        let inner: Vec<_> = all.iter().filter_map(|node| node.items.as_deref()).collect();
        if inner.iter().any(|node| node.is_skipped) {
            return json!([]);
        }
        let lists = |items: &[Value]| {
            let whole = Value::from(items.to_vec());
            all.iter().all(|node| node.keywords.x_kubernetes_list_type.is_none() || is_unique(node, &whole))
        };
        let mut items = Vec::new();
        let mut tries = TRIES;
        while tries > 0 && items.len() < max && (items.len() < min || self.goes_on()) {
            let item = if inner.is_empty() { self.anything(1) } else { self.value(&inner) };
            items.push(item);
            if !lists(&items) {
                items.pop();
                tries -= 1;
            }
        }
        items.into()
    }

    fn object(&mut self, all: &[&SchemaNode]) -> Value {
        let mut members = Map::new();
        let required: BTreeSet<_> = all.iter().flat_map(|node| node.required()).collect();
        let is_skipped = |name: &&String| {
            let mut here = all.iter().filter_map(|node| node.properties.get(*name));
            here.any(|member| member.is_skipped)
        };
        let mut named: BTreeSet<_> = all.iter().flat_map(|node| node.properties.keys()).collect();
        named.retain(|name| !is_skipped(name));
        let avoided: BTreeSet<_> = all.iter().flat_map(|node| avoided(node, all)).collect();
        let (least, most) = sizes(all, AppliesTo::Objects);
        let mut room = most.saturating_sub(required.len());
        for name in named.union(&required) {
            let is_required = required.contains(name);
            if is_required || room > 0 && !avoided.contains(name) && self.goes_on() {
                room -= usize::from(!is_required);
                self.member(all, name, is_required, &mut members);
            }
        }
        self.entries(all, &mut members);
        if all.iter().any(|node| node.is_embedded()) {
            members.entry("apiVersion").or_insert_with(|| json!("v1"));
            members.entry("kind").or_insert_with(|| json!("Pod"));
            members.entry("metadata").or_insert_with(|| json!({ "name": "a" }));
            if !is_resource(&members) {
                members.insert("apiVersion".to_owned(), json!("v1"));
                members.insert("kind".to_owned(), json!("Pod"));
            }
        }
        for name in named {
            // The server may drop a null.
            let has = members.values().filter(|value| !value.is_null()).count();
            if has < least && members.get(name).is_none_or(Value::is_null) {
                self.member(all, name, true, &mut members);
            }
        }
        members.into()
    }

    fn member(&mut self, all: &[&SchemaNode], name: &str, is_required: bool, members: &mut Map<String, Value>) {
        let inner: Vec<_> = all.iter().filter_map(|node| node.member(name)).collect();
        let value = if inner.is_empty() {
            self.anything(1)
        } else if !is_required && self.random.one_in(16) {
            // The server drops it.
            Value::Null
        } else {
            self.value(&inner)
        };
        members.insert(name.to_owned(), value);
    }

    /// Generates entries of a map, or unknown fields of an object that preserves them.
    fn entries(&mut self, all: &[&SchemaNode], members: &mut Map<String, Value>) {
        let is_map = |node: &&&SchemaNode| matches!(node.values, Values::Of(_) | Values::Allowed) || node.preserves();
        let is_skipped = |node: &SchemaNode| matches!(&node.values, Values::Of(values) if values.is_skipped);
        if !all.iter().any(|node| is_map(&node)) || all.iter().any(|node| is_skipped(node)) {
            return;
        }
        let (least, most) = sizes(all, AppliesTo::Objects);
        let patterns: Vec<_> = all.iter().flat_map(|node| &node.key_patterns).collect();
        // There may be fewer keys that match all patterns than `minProperties` requires.
        let tries = if patterns.is_empty() { usize::MAX } else { least.saturating_add(TRIES) };
        for at in 0..tries {
            if members.len() >= least && (at >= 4 || !self.goes_on()) || members.len() >= most {
                return;
            }
            let name = match patterns.first() {
                Some(pattern) => pattern.sample(self.random),
                None if at < NAMES.len() => (*self.random.pick(NAMES)).to_owned(),
                None => at.to_string(),
            };
            if !members.contains_key(&name) && patterns.iter().all(|pattern| pattern.is_match(&name)) {
                self.member(all, &name, true, members);
            }
        }
    }
}

/// Returns names that should be absent, as far as this is known: those that other branches and `not` require.
fn avoided<'a>(node: &'a SchemaNode, chosen: &[&SchemaNode]) -> Vec<&'a String> {
    let others = node.one_of.iter().filter(|branch| !chosen.iter().any(|it| std::ptr::eq(*it, *branch)));
    let mut refusing: Vec<_> = others.collect();
    if let Some(not) = node.not.as_deref() {
        refusing.push(not);
        refusing.extend(&not.any_of);
    }
    let single = |node: &&&SchemaNode| node.required().count() == 1;
    refusing.iter().filter(single).flat_map(|node| node.required()).collect()
}

/// Returns the minimum and the maximum number of characters, items or entries.
fn sizes(all: &[&SchemaNode], about: AppliesTo) -> (usize, usize) {
    let ends = |side| {
        let ends = CountBound::applying_to(about).filter(move |end| end.side() == side);
        ends.flat_map(|end| all.iter().filter_map(move |node| count(&node.keywords, end)))
    };
    let size = |count: i64| usize::try_from(count).unwrap_or(0);
    let least = ends(Side::Min).max().map_or(0, size);
    (least, ends(Side::Max).min().map_or(usize::MAX, size))
}

#[cfg(test)]
mod tests;
