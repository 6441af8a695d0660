//! Lists whose items are different: sets and maps.

use alloc::{borrow::Cow, collections::BTreeMap, format, string::String, vec::Vec};

use super::{
    Finding, Way, go,
    parts::{Described, each},
    way::Step,
};
use crate::{json::Json, schema::SchemaProps, violation::AnswerKind};

/// The items of sets and maps that stand in their list a second time.
pub fn lists(schema: &SchemaProps<'_>, value: &Json<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    each(schema, value, &Way::ROOT, Described::Twice, &mut |schema, value, way| {
        let Json::Array(items) = value else { return };
        match schema.list_type.as_deref() {
            Some("set") => repeated(items.iter().cloned(), way, &mut findings),
            Some("map") => entries(schema, items, way, &mut findings),
            _ => {}
        }
    });
    findings
}

fn entries(schema: &SchemaProps<'_>, items: &[Json<'_>], way: &Way<'_>, findings: &mut Vec<Finding>) {
    let is_entry = |item: &Json<'_>| matches!(item, Json::Null | Json::Object(_));
    if let Some(at) = items.iter().position(|item| !is_entry(item)) {
        findings.push(Finding {
            place: way.then(Step::Item(at)).place(),
            kind: AnswerKind::Invalid,
            value: Some(go::quoted(&items[at])),
            detail: "must be an object for an array of list-type map".into(),
        });
        return;
    }
    let keys = items.iter().map(|item| {
        let keys = schema.list_map_keys.iter();
        let there = keys.filter_map(|key| Some((key.clone(), item.get(key)?.clone())));
        Json::Object(there.collect())
    });
    repeated(keys, way, findings);
}

/// Finds the second of those that are the same, and no third.
fn repeated<'a>(items: impl Iterator<Item = Json<'a>>, way: &Way<'_>, findings: &mut Vec<Finding>) {
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for (at, item) in items.enumerate() {
        let times = seen.entry(identity(&item)).or_default();
        *times += 1;
        if *times == 2 {
            findings.push(Finding {
                place: way.then(Step::Item(at)).place(),
                kind: AnswerKind::Duplicate,
                value: Some(go::quoted(&item)),
                detail: String::new(),
            });
        }
    }
}

/// What tells an item from others: a number that was written with a fraction is none without.
fn identity(item: &Json<'_>) -> String {
    match item {
        Json::Object(members) if members.len() == 1 => {
            let (name, value) = &members[0];
            format!("{{{}:{}}}", Cow::Borrowed(&**name), identity(value))
        }
        Json::Float(_) | Json::Unsigned(_) => format!("float {}", go::json(item)),
        other => go::json(other),
    }
}
