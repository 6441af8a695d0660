//! Shrinks definitions as long as they show the same difference.

use crdkit_tests::ControlPlane;
use serde_json::Value;

use crate::comparison::{self, Comparison, Difference, Verb};

/// A smaller definition with the same difference.
pub(crate) async fn shrunk(plane: &ControlPlane, mut crd: Value, difference: Difference) -> Value {
    loop {
        let parts = parts(&crd);
        let everywhere = parts.iter().map(|part| without_in_all(&crd, part));
        let once = parts.iter().map(|part| without(&crd, part));
        let smaller: Vec<Value> = everywhere.flatten().chain(once).collect();
        let requests = smaller.iter().map(|it| (Verb::Create, it.clone())).collect();
        let verdicts = comparison::verdicts(plane, requests).await;
        let found = smaller.into_iter().zip(verdicts).find(|(smaller, verdict)| {
            Comparison::new(Verb::Create, verdict.clone(), smaller).difference() == Some(difference)
        });
        match found {
            Some((smaller, _)) => crd = smaller,
            None => return crd,
        }
    }
}

/// The paths of all parts that can be left out, the larger ones first.
fn parts(crd: &Value) -> Vec<Vec<String>> {
    let mut parts = Vec::new();
    for name in ["metadata", "spec"] {
        add(&crd[name], &mut vec![name.to_owned()], &mut parts);
    }
    parts.retain(|way| !is_needed(way));
    parts.sort_by_key(Vec::len);
    parts
}

/// Whether a definition without the part breaks rules that are not searched for here.
fn is_needed(way: &[String]) -> bool {
    let way: Vec<&str> = way.iter().map(String::as_str).collect();
    match way[..] {
        ["metadata", "name"] | ["spec", "group" | "names" | "scope" | "versions"] => true,
        ["spec", "names", "plural" | "kind"] => true,
        ["spec", "versions", _, "name" | "served" | "storage" | "schema"] => true,
        ["spec", "versions", _, "schema", "openAPIV3Schema"] => true,
        ["spec", "versions", _, "schema", "openAPIV3Schema", part] => part == "type",
        _ => false,
    }
}

fn add(value: &Value, way: &mut Vec<String>, parts: &mut Vec<Vec<String>>) {
    let below: Vec<(String, &Value)> = match value {
        Value::Object(members) => members.iter().map(|(name, it)| (name.clone(), it)).collect(),
        Value::Array(items) => items.iter().enumerate().map(|(at, it)| (at.to_string(), it)).collect(),
        _ => return,
    };
    for (name, value) in below {
        way.push(name);
        parts.push(way.clone());
        add(value, way, parts);
        way.pop();
    }
}

/// The definition without a part of the first version, and without the same of the others.
fn without_in_all(crd: &Value, way: &[String]) -> Option<Value> {
    let others = crd["spec"]["versions"].as_array()?.len().checked_sub(1)?;
    if others == 0 || way.get(1)? != "versions" || way.get(2)? != "0" || way.len() < 4 {
        return None;
    }
    let mut crd = without(crd, way);
    for at in 1..=others {
        let mut way = way.to_vec();
        way[2] = at.to_string();
        if pointed(&mut crd, &way).is_some() {
            crd = without(&crd, &way);
        }
    }
    Some(crd)
}

/// The part, if it is there.
fn pointed<'v>(crd: &'v mut Value, way: &[String]) -> Option<&'v mut Value> {
    way.iter().try_fold(crd, |holder, name| match holder {
        Value::Array(items) => items.get_mut(name.parse::<usize>().ok()?),
        holder => holder.get_mut(name),
    })
}

fn without(crd: &Value, way: &[String]) -> Value {
    let mut crd = crd.clone();
    let (last, holders) = way.split_last().expect("a part has a name");
    match pointed(&mut crd, holders).expect("it holds the part") {
        Value::Array(items) => drop(items.remove(last.parse().expect("it is an index"))),
        Value::Object(members) => drop(members.remove(last)),
        _ => {}
    }
    crd
}
