//! Paths in a document.

use std::fmt::Write as _;

use serde_json::Value;

/// A step from a value to a part of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Step {
    Name(String),
    At(usize),
}

/// A path from the root of a document to a value.
pub(super) type Place = Vec<Step>;

/// Returns all paths of a document, each before the paths below it.
pub(super) fn places(document: &Value) -> Vec<Place> {
    let mut all = Vec::new();
    add(document, &mut Vec::new(), &mut all);
    all
}

fn add(value: &Value, place: &mut Place, all: &mut Vec<Place>) {
    all.push(place.clone());
    let mut below = |step, value: &Value| {
        place.push(step);
        add(value, place, all);
        place.pop();
    };
    match value {
        Value::Object(members) => members.iter().for_each(|(name, value)| below(Step::Name(name.clone()), value)),
        Value::Array(items) => items.iter().enumerate().for_each(|(at, value)| below(Step::At(at), value)),
        _ => {}
    }
}

pub(super) fn get<'a>(document: &'a Value, place: &[Step]) -> Option<&'a Value> {
    place.iter().try_fold(document, |value, step| match step {
        Step::Name(name) => value.get(name),
        Step::At(at) => value.get(at),
    })
}

pub(super) fn get_mut<'a>(document: &'a mut Value, place: &[Step]) -> Option<&'a mut Value> {
    place.iter().try_fold(document, |value, step| match step {
        Step::Name(name) => value.get_mut(name),
        Step::At(at) => value.get_mut(at),
    })
}

/// Returns the document with another value at a path.
pub(super) fn with(document: &Value, place: &[Step], value: Value) -> Value {
    let mut changed = document.clone();
    if let Some(old) = get_mut(&mut changed, place) {
        *old = value;
    }
    changed
}

/// Returns the document without the value at a path; `None` for the root.
pub(super) fn without(document: &Value, place: &[Step]) -> Option<Value> {
    let (last, parent) = place.split_last()?;
    let mut changed = document.clone();
    match (last, get_mut(&mut changed, parent)?) {
        (Step::Name(name), Value::Object(members)) => drop(members.remove(name)),
        (Step::At(at), Value::Array(items)) => drop(items.remove(*at)),
        _ => return None,
    }
    Some(changed)
}

/// Formats a path, such as `.spec.disks[0].name`; `.` for the root.
pub(super) fn text(place: &[Step]) -> String {
    let mut text = String::new();
    for step in place {
        let _ = match step {
            Step::Name(name) => write!(text, ".{name}"),
            Step::At(at) => write!(text, "[{at}]"),
        };
    }
    shown(&text).to_owned()
}

/// Formats a path for output.
pub(super) fn shown(path: &str) -> &str {
    match path {
        "" => ".",
        path => path,
    }
}

/// Returns the first path at which two documents differ; numbers with the same value are equal.
pub(super) fn difference(one: &Value, other: &Value) -> Option<Place> {
    let below = |step: Step, inner: Option<Place>| inner.map(|inner| [vec![step], inner].concat());
    match (one, other) {
        (Value::Object(one), Value::Object(other)) => one.keys().chain(other.keys()).find_map(|name| {
            let step = Step::Name(name.clone());
            match (one.get(name), other.get(name)) {
                (Some(one), Some(other)) => below(step, difference(one, other)),
                _ => Some(vec![step]),
            }
        }),
        (Value::Array(one), Value::Array(other)) if one.len() == other.len() => {
            let mut pairs = one.iter().zip(other).enumerate();
            pairs.find_map(|(at, (one, other))| below(Step::At(at), difference(one, other)))
        }
        (Value::Number(one), Value::Number(other)) if one.as_f64() == other.as_f64() => None,
        _ => (one != other).then(Vec::new),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn places_are_reached_and_changed() {
        let document = json!({ "a": [1, { "b": null }] });
        let all: Vec<_> = places(&document).iter().map(|place| text(place)).collect();
        assert_eq!(all, [".", ".a", ".a[0]", ".a[1]", ".a[1].b"]);
        let last = &places(&document)[4];
        assert_eq!(get(&document, last), Some(&Value::Null));
        assert_eq!(with(&document, last, json!(2)), json!({ "a": [1, { "b": 2 }] }));
        assert_eq!(without(&document, last), Some(json!({ "a": [1, {}] })));
        assert_eq!(without(&document, &[]), None);
    }

    #[test]
    fn differences() {
        let of = |one, other| difference(&one, &other).map(|place| text(&place));
        assert_eq!(of(json!({ "a": [1, 2.0] }), json!({ "a": [1.0, 2] })), None);
        assert_eq!(of(json!({ "a": [1, 2] }), json!({ "a": [1, 3] })), Some(".a[1]".into()));
        assert_eq!(of(json!({ "a": 1 }), json!({ "b": 1 })), Some(".a".into()));
        assert_eq!(of(json!([1]), json!([1, 2])), Some(".".into()));
    }
}
