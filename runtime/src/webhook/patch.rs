//! JSON patches of what a defaulter changed.

use serde_json::{Value, json, value::RawValue};

use crate::{
    client::merge_patch::rebase,
    json::{json_pointer::escaped, raw_object::RawObject},
};

/// Returns the operations that apply a change to an object that the API server sent. `before` and `after` are its typed form, which
/// may lack fields of the object, and have defaults that the object does not have.
pub(super) fn of_change(original: &RawValue, before: &RawValue, after: &RawValue) -> serde_json::Result<Vec<Value>> {
    let mut operations = Vec::new();
    add_change(original, before, after, "", &mut operations)?;
    Ok(operations)
}

/// Decodes only what differs.
fn add_change(
    original: &RawValue,
    before: &RawValue,
    after: &RawValue,
    path: &str,
    operations: &mut Vec<Value>,
) -> serde_json::Result<()> {
    if before.get() == after.get() {
        return Ok(());
    }
    let [original_object, before_object, after_object] = [original, before, after].map(RawObject::of);
    let (Some(originals), Some(befores), Some(afters)) = (original_object, before_object, after_object) else {
        let (original, before, after) = (decode(original)?, decode(before)?, decode(after)?);
        if before != after {
            add_between(&original, &rebase(&original, &before, &after), path, operations);
        }
        return Ok(());
    };
    for name in befores.0.keys().filter(|name| !afters.0.contains_key(*name) && originals.0.contains_key(*name)) {
        operations.push(json!({ "op": "remove", "path": format!("{path}/{}", escaped(name)) }));
    }
    for (name, after) in &afters.0 {
        let before = befores.0.get(name);
        if before.is_some_and(|before| before.get() == after.get()) {
            continue;
        }
        let path = format!("{path}/{}", escaped(name));
        match (originals.0.get(name), before) {
            (Some(original), Some(before)) => add_change(original, before, after, &path, operations)?,
            (Some(original), None) => add_between(&decode(original)?, &decode(after)?, &path, operations),
            // A default that the type serializes, and that did not change.
            (None, Some(before)) if decode(before)? == decode(after)? => {}
            (None, _) => operations.push(json!({ "op": "add", "path": path, "value": decode(after)? })),
        }
    }
    Ok(())
}

fn decode(text: &RawValue) -> serde_json::Result<Value> {
    serde_json::from_str(text.get())
}

fn add_between(before: &Value, after: &Value, path: &str, operations: &mut Vec<Value>) {
    match (before, after) {
        (before, after) if before == after => {}
        (Value::Object(before), Value::Object(after)) => {
            for key in before.keys().filter(|key| !after.contains_key(*key)) {
                operations.push(json!({ "op": "remove", "path": format!("{path}/{}", escaped(key)) }));
            }
            for (key, after) in after {
                let path = format!("{path}/{}", escaped(key));
                match before.get(key) {
                    Some(before) => add_between(before, after, &path, operations),
                    None => operations.push(json!({ "op": "add", "path": path, "value": after })),
                }
            }
        }
        (Value::Array(before), Value::Array(after)) => add_between_lists(before, after, path, operations),
        (_, after) => operations.push(json!({ "op": "replace", "path": path, "value": after })),
    }
}

/// Items of equal ends stay. Those between are changed one by one, and the surplus is removed from the end, or added.
fn add_between_lists(before: &[Value], after: &[Value], path: &str, operations: &mut Vec<Value>) {
    let start = before.iter().zip(after).take_while(|(before, after)| before == after).count();
    let (before, after) = (&before[start..], &after[start..]);
    let end = before.iter().rev().zip(after.iter().rev()).take_while(|(before, after)| before == after).count();
    let (before, after) = (&before[..before.len() - end], &after[..after.len() - end]);
    let shared = before.len().min(after.len());
    for (index, (before, after)) in before.iter().zip(after).enumerate() {
        add_between(before, after, &format!("{path}/{}", start + index), operations);
    }
    for index in (shared..before.len()).rev() {
        operations.push(json!({ "op": "remove", "path": format!("{path}/{}", start + index) }));
    }
    for (index, value) in after.iter().enumerate().skip(shared) {
        operations.push(json!({ "op": "add", "path": format!("{path}/{}", start + index), "value": value }));
    }
}

#[cfg(test)]
mod tests {
    use serde_json::value::to_raw_value;

    use super::*;

    fn of_change(original: &Value, before: &Value, after: &Value) -> Vec<Value> {
        let [original, before, after] = [original, before, after].map(|value| to_raw_value(value).unwrap());
        super::of_change(&original, &before, &after).unwrap()
    }

    #[test]
    fn only_changes_are_sent_and_undeclared_fields_remain() {
        let original = json!({ "spec": { "unknown": 1, "disks": [{ "name": "a", "unknown": 2 }], "cpu": null } });
        let before = json!({ "spec": { "disks": [{ "name": "a" }], "replicas": 1, "zone": "eu" } });
        let after =
            json!({ "spec": { "disks": [{ "name": "b" }, { "name": "a", "size": 1 }], "replicas": 1, "cpu": "2" } });
        let operations = of_change(&original, &before, &after);
        let patched = apply(&original, &operations);
        assert_eq!(patched["spec"]["disks"], json!([{ "name": "b" }, { "name": "a", "size": 1, "unknown": 2 }]));
        assert_eq!(patched["spec"]["unknown"], 1);
        assert_eq!(patched["spec"]["cpu"], "2");
        assert!(patched["spec"].get("replicas").is_none(), "a default that did not change is not sent");
        assert_eq!(of_change(&original, &before, &before), [] as [Value; 0]);
    }

    fn apply(original: &Value, operations: &[Value]) -> Value {
        let patch: json_patch::Patch = serde_json::from_value(operations.into()).unwrap();
        let mut patched = original.clone();
        json_patch::patch(&mut patched, &patch).unwrap();
        patched
    }

    #[test]
    fn names_are_escaped_and_lists_shrink_from_the_end() {
        let before = json!({ "labels": { "a/b~c": "1" }, "args": [1, 2, 3, 4] });
        let after = json!({ "args": [1, 4], "labels": {} });
        let expected = json!([
            { "op": "remove", "path": "/args/2" },
            { "op": "remove", "path": "/args/1" },
            { "op": "remove", "path": "/labels/a~1b~0c" },
        ]);
        let operations = of_change(&before, &before, &after);
        assert_eq!(Value::from(operations), expected);
    }

    mod random {
        use proptest::prelude::*;

        use super::*;

        fn value() -> impl Strategy<Value = Value> {
            let leaf =
                prop_oneof![Just(Value::Null), any::<bool>().prop_map(Value::from), (0..3).prop_map(Value::from)];
            leaf.prop_recursive(4, 24, 4, |inner| {
                prop_oneof![
                    prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                    prop::collection::btree_map("[a-c/~]{1,2}", inner, 0..4)
                        .prop_map(|members| Value::Object(members.into_iter().collect())),
                ]
            })
        }

        proptest! {
            #[test]
            fn a_patch_of_a_fully_declared_object_leads_to_the_result(before in value(), after in value()) {
                let (before, after) = (json!({ "x": before }), json!({ "x": after }));
                let operations = of_change(&before, &before, &after);
                prop_assert_eq!(apply(&before, &operations), after);
            }

            #[test]
            fn a_patch_of_texts_leads_to_the_result_of_values(
                original in value(),
                before in value(),
                after in value(),
                is_pretty in any::<[bool; 3]>(),
            ) {
                let [original, before, after] = [original, before, after].map(|value| json!({ "x": value }));
                let mut is_pretty = is_pretty.into_iter();
                let texts = [&original, &before, &after].map(|value| {
                    let text = if is_pretty.next() == Some(true) { format!("{value:#}") } else { value.to_string() };
                    RawValue::from_string(text).unwrap()
                });
                let operations = super::super::of_change(&texts[0], &texts[1], &texts[2]).unwrap();
                prop_assert_eq!(apply(&original, &operations), rebase(&original, &before, &after));
            }
        }
    }
}
