//! Finds the smallest document that fails.

use serde_json::{Number, Value, json};

use super::place::{Place, get, places, with, without};

/// The maximum number of documents to try.
const TRIES: usize = 3000;

/// Returns the smallest document that still `fails`, found by removing and shortening parts.
pub(super) fn smallest(document: &Value, fails: &dyn Fn(&Value) -> bool) -> Value {
    let mut smallest = document.clone();
    let mut tries = TRIES;
    let mut at = 0;
    // Paths are visited from the outside in; each one repeatedly, as long as it can be reduced.
    while let Some(place) = places(&smallest).get(at).cloned() {
        let candidates = smaller(&smallest, &place).into_iter().take(tries);
        let tried: Vec<_> = candidates.collect();
        tries -= tried.len();
        match tried.into_iter().find(|candidate| fails(candidate)) {
            Some(found) => smallest = found,
            None => at += 1,
        }
    }
    smallest
}

/// Returns documents that are slightly smaller at a path.
fn smaller(document: &Value, place: &Place) -> Vec<Value> {
    let mut all: Vec<_> = without(document, place).into_iter().collect();
    let shorter = match get(document, place) {
        Some(Value::String(text)) => shorter_texts(text),
        Some(Value::Number(number)) => smaller_numbers(number),
        Some(Value::Array(items)) if items.len() > 1 => vec![json!(items[..items.len() / 2])],
        _ => Vec::new(),
    };
    all.extend(shorter.into_iter().map(|value| with(document, place, value)));
    all
}

fn smaller_numbers(number: &Number) -> Vec<Value> {
    let half = number.as_i64().map_or(0, |number| number / 2);
    let is_smaller = |it: &i64| (*it as f64).abs() < number.as_f64().unwrap_or_default().abs();
    [0, 1, half].into_iter().filter(is_smaller).map(Value::from).collect()
}

fn shorter_texts(text: &str) -> Vec<Value> {
    let length = text.chars().count();
    let cuts = [0, length / 2, length.saturating_sub(1)];
    let shorter = cuts.into_iter().filter(|cut| *cut < length);
    shorter.map(|cut| text.chars().take(cut).collect::<String>().into()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_matters_is_left() {
        let document = json!({ "a": [1, { "b": "long text", "c": 7 }], "d": { "e": null } });
        let fails = |document: &Value| document["a"].to_string().contains('x') || document["a"][0] == 1;
        assert_eq!(smallest(&document, &fails), json!({ "a": [1] }));
        let fails = |document: &Value| document["a"][1]["b"].as_str().is_some_and(|text| text.len() > 2);
        assert_eq!(smallest(&document, &fails), json!({ "a": [0, { "b": "lon" }] }));
    }
}
