//! Evaluation of the JSON paths of printer columns and selectable fields, as client-go's `util/jsonpath` does it.
//!
//! A path with `range` or `end` has no result, and neither has `*` in a string, whose bytes client-go returns.

use std::{borrow::Cow, cmp::Ordering};

use crdkit_core::literal::json_path::{self, Filter, JsonPathError, Node, Slice};
use serde_json::{Number, Value};

/// A compiled path.
#[derive(Debug)]
pub(super) struct JsonPath {
    /// The nodes of each pair of braces.
    actions: Vec<Vec<Node>>,
}

/// A value that a path leads to, or a literal in the path.
type Found<'v> = Cow<'v, Value>;

/// The path does not fit the value, such as an index of an object.
#[derive(Debug)]
pub(super) struct Mismatch;

impl JsonPath {
    pub(super) fn new(path: &str) -> Result<Self, JsonPathError> {
        json_path::parse(path).map(|actions| Self { actions })
    }

    /// Returns the first value that the path leads to. Missing fields are no error.
    pub(super) fn first<'v>(&self, value: &'v Value) -> Result<Option<Found<'v>>, Mismatch> {
        let mut results = Vec::with_capacity(self.actions.len());
        for nodes in &self.actions {
            results.push(evaluate(nodes, vec![Cow::Borrowed(value)])?);
        }
        Ok(results.into_iter().next().and_then(|first| first.into_iter().next()))
    }
}

fn evaluate<'v>(nodes: &[Node], start: Vec<Found<'v>>) -> Result<Vec<Found<'v>>, Mismatch> {
    nodes.iter().try_fold(start, |found, node| step(node, found))
}

fn step<'v>(node: &Node, input: Vec<Found<'v>>) -> Result<Vec<Found<'v>>, Mismatch> {
    let literal = |value: Value| Ok(vec![Cow::Owned(value); input.len()]);
    match node {
        Node::Field(name) => Ok(input.into_iter().filter_map(|value| field(value, name)).collect()),
        Node::Items(slice) => items(slice, input),
        Node::Wildcard => Ok(input.into_iter().flat_map(children).collect()),
        Node::Descent => Ok(descendants(input)),
        Node::Union(parts) => {
            let mut all = Vec::new();
            for part in parts {
                all.extend(evaluate(part, input.clone())?);
            }
            Ok(all)
        }
        Node::Filter(condition) => filter(condition, input),
        Node::Text(text) => Ok(vec![Cow::Owned(Value::String(text.clone()))]),
        Node::Integer(value) => literal((*value).into()),
        Node::Float(value) => literal(Number::from_f64(*value).map_or(Value::Null, Value::Number)),
        Node::Word(word) => match word.as_str() {
            "true" => literal(true.into()),
            "false" => literal(false.into()),
            _ => Err(Mismatch),
        },
    }
}

fn field<'v>(value: Found<'v>, name: &str) -> Option<Found<'v>> {
    match value {
        Cow::Borrowed(value) => value.as_object()?.get(name).map(Cow::Borrowed),
        Cow::Owned(mut value) => value.as_object_mut()?.remove(name).map(Cow::Owned),
    }
}

/// Returns the items of a list or the values of an object.
fn children(value: Found<'_>) -> Vec<Found<'_>> {
    match value {
        Cow::Borrowed(Value::Array(items)) => items.iter().map(Cow::Borrowed).collect(),
        Cow::Borrowed(Value::Object(members)) => members.values().map(Cow::Borrowed).collect(),
        _ => Vec::new(),
    }
}

/// Returns the lists, objects and strings at any depth that are not empty.
fn descendants(input: Vec<Found<'_>>) -> Vec<Found<'_>> {
    let mut all = Vec::new();
    for value in input {
        let below = children(value.clone());
        if !below.is_empty() || value.as_str().is_some_and(|text| !text.is_empty()) {
            all.push(value);
            all.extend(descendants(below));
        }
    }
    all
}

fn list(value: Found<'_>) -> Result<Vec<Found<'_>>, Mismatch> {
    match value {
        Cow::Borrowed(Value::Array(items)) => Ok(items.iter().map(Cow::Borrowed).collect()),
        _ => Err(Mismatch),
    }
}

fn items<'v>(slice: &Slice, input: Vec<Found<'v>>) -> Result<Vec<Found<'v>>, Mismatch> {
    let mut all = Vec::new();
    for value in input {
        if value.is_null() {
            continue;
        }
        let items = list(value)?;
        let length = i64::try_from(items.len()).map_err(|_| Mismatch)?;
        let from_end = |at: i64| if at < 0 { at + length } else { at };
        let start = from_end(slice.start.unwrap_or(0));
        let end = match slice.end {
            None => length,
            Some(0) if slice.is_index => length,
            Some(end) => from_end(end),
        };
        if start == end {
            return Ok(all);
        }
        if !(0..length).contains(&start) || !(0..=length).contains(&end) || start > end {
            return Err(Mismatch);
        }
        let step = slice.step.unwrap_or(1);
        let [start, end, step] = [start, end, step].map(|at| usize::try_from(at).map_err(|_| Mismatch));
        let step = step.ok().filter(|step| *step > 0).ok_or(Mismatch)?;
        all.extend(items.into_iter().take(end?).skip(start?).step_by(step));
    }
    Ok(all)
}

fn filter<'v>(condition: &Filter, input: Vec<Found<'v>>) -> Result<Vec<Found<'v>>, Mismatch> {
    let mut all = Vec::new();
    for value in input {
        for item in list(value)? {
            if accepts(condition, &item)? {
                all.push(item);
            }
        }
    }
    Ok(all)
}

fn accepts(condition: &Filter, item: &Found<'_>) -> Result<bool, Mismatch> {
    let left = evaluate(&condition.left, vec![item.clone()]);
    let Some((operator, right)) = &condition.comparison else {
        return Ok(left.is_ok_and(|left| !left.is_empty()));
    };
    let left = left?;
    if left.is_empty() {
        return Ok(false);
    }
    let [left] = left.as_slice() else {
        return Err(Mismatch);
    };
    let right = evaluate(right, vec![item.clone()])?;
    match right.as_slice() {
        [] => Ok(false),
        [right] => compare(left, operator, right),
        _ => Err(Mismatch),
    }
}

/// Compares values of the same type. Integers and floats are different types, and booleans have no order.
fn compare(left: &Value, operator: &str, right: &Value) -> Result<bool, Mismatch> {
    let has_order = matches!(operator, "<" | "<=" | ">" | ">=");
    let ordering = match (left, right) {
        (Value::Bool(left), Value::Bool(right)) if !has_order => left.cmp(right),
        (Value::String(left), Value::String(right)) => left.cmp(right),
        (Value::Number(left), Value::Number(right)) => match (left.as_i64(), right.as_i64()) {
            (Some(left), Some(right)) => left.cmp(&right),
            (None, None) => left.as_f64().partial_cmp(&right.as_f64()).ok_or(Mismatch)?,
            _ => return Err(Mismatch),
        },
        _ => return Err(Mismatch),
    };
    match operator {
        "==" => Ok(ordering == Ordering::Equal),
        "!=" => Ok(ordering != Ordering::Equal),
        "<" => Ok(ordering.is_lt()),
        "<=" => Ok(ordering.is_le()),
        ">" => Ok(ordering.is_gt()),
        ">=" => Ok(ordering.is_ge()),
        _ => Err(Mismatch),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn first(path: &str, value: &Value) -> Result<Option<Value>, Mismatch> {
        let path = JsonPath::new(path).unwrap();
        path.first(value).map(|found| found.map(Cow::into_owned))
    }

    #[test]
    fn results() {
        let value = json!({
            "a": { "b": 1, "c.d": true, "e": null },
            "l": [{ "t": "Ready", "n": 2 }, { "t": "Live", "n": 1.5 }, { "t": "Old", "n": 3, "x": {} }],
            "s": "ab",
        });
        for (path, expected) in [
            (".a.b", Some(json!(1))),
            (".a.x", None),
            (".a.b.c", None),
            (r".a.c\.d", Some(json!(true))),
            (".a.e", Some(Value::Null)),
            (".a.e.f", None),
            (".a.e[0]", None),
            (".l[0].t", Some(json!("Ready"))),
            (".l[-1].t", Some(json!("Old"))),
            (".l[1:].t", Some(json!("Live"))),
            (".l[:-2].t", Some(json!("Ready"))),
            (".l[::2].t", Some(json!("Ready"))),
            (".l[1:1].t", None),
            (".l[*].n", Some(json!(2))),
            (".l[].n", Some(json!(2))),
            (".l[2,1].t", Some(json!("Old"))),
            (".l.*.t", Some(json!("Ready"))),
            (".s.*", None),
            (".l[?(@.t==\"Live\")].n", Some(json!(1.5))),
            (".l[?(@.t=='Live')].n", Some(json!(1.5))),
            (".l[?(@.t!='Ready')].t", Some(json!("Live"))),
            (".l[?(@.t>'M')].t", Some(json!("Ready"))),
            (".l[?(@.x)].t", Some(json!("Old"))),
            (".l[?(@.y)].t", None),
            (".l[?(@.y==1)].t", None),
            (".l[?(@[0])].t", None),
            ("..t", Some(json!("Ready"))),
            ("", Some(value.clone())),
            (" 'x'", Some(json!("x"))),
            (" 12", Some(json!(12))),
            (" true", Some(json!(true))),
            (".a.b}{.s", Some(json!(1))),
        ] {
            let found = first(path, &value).unwrap_or_else(|_| panic!("{path} does not fit"));
            assert_eq!(found, expected, "{path}");
        }
    }

    #[test]
    fn mismatches() {
        let value = json!({ "a": { "b": 1 }, "l": [{ "t": "x", "n": 1 }, { "t": 2.5 }, { "t": true }] });
        for path in [
            ".a[0]",
            ".a.b[0]",
            ".a[?(@.b)]",
            ".x[3]}{.l[9]",
            ".l[3]",
            ".l[-4]",
            ".l[2:1]",
            ".l[0:2:0]",
            ".l[?(@.t==1)]",
            ".l[?(@.n==1.5)]",
            ".l[2][?(@.t<true)]",
            ".l[?(@.*=='x')]",
            ".a.b x",
        ] {
            assert!(first(path, &value).is_err(), "{path}");
        }
    }
}
