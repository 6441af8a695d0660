//! Computes differences as JSON merge patches (RFC 7396).

use serde_json::{Map, Value};

mod lists;

use lists::rebase_lists;

/// Returns the merge patch that transforms `before` into `after`, or `None` if they are equal.
pub(crate) fn between(before: &Value, after: &Value) -> Option<Value> {
    match (before, after) {
        (before, after) if before == after => None,
        (Value::Object(before), Value::Object(after)) => Some(between_objects(before, after).into()),
        (_, after) => Some(after.clone()),
    }
}

fn between_objects(before: &Map<String, Value>, after: &Map<String, Value>) -> Map<String, Value> {
    let removed = before.keys().filter(|key| !after.contains_key(*key)).map(|key| (key.clone(), Value::Null));
    let changed = after.iter().filter_map(|(key, value)| {
        let change = match before.get(key) {
            Some(before) => between(before, value)?,
            None => value.clone(),
        };
        Some((key.clone(), change))
    });
    removed.chain(changed).collect()
}

/// Returns whether `between` cannot express a difference: in a merge patch, `null` means to remove a member, and the API server
/// also drops each `null` inside of what the patch adds, whether in objects or in lists.
pub(crate) fn loses_null(before: &Value, after: &Value) -> bool {
    match (before, after) {
        (before, after) if before == after => false,
        (Value::Object(before), Value::Object(after)) => after.iter().any(|(key, after)| match before.get(key) {
            Some(before) => loses_null(before, after),
            None => has_null(after),
        }),
        (_, after) => has_null(after),
    }
}

fn has_null(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(items) => items.iter().any(has_null),
        Value::Object(members) => members.values().any(has_null),
        _ => false,
    }
}

/// Returns whether a patch of `before` replaces or removes a list with non-scalar items. Such items may contain fields
/// that the type of `before` does not declare.
pub(crate) fn replaces_objects(before: &Value, patch: &Value) -> bool {
    if let Value::Object(members) = patch {
        let mut members = members.iter();
        return members.any(|(key, patch)| replaces_objects(&before[key], patch));
    }
    has_objects(before) || has_objects(patch)
}

fn has_objects(list: &Value) -> bool {
    let mut items = list.as_array().into_iter().flatten();
    items.any(|item| item.is_object() || item.is_array())
}

/// Applies the difference between `before` and `after` to `stored`, which may contain fields that their type does not
/// declare.
///
/// A merge patch replaces whole lists, so items retain the fields that only `stored` has.
pub(crate) fn rebase(stored: &Value, before: &Value, after: &Value) -> Value {
    match (stored, before, after) {
        (stored, before, after) if before == after => stored.clone(),
        (Value::Object(stored), Value::Object(before), Value::Object(after)) => {
            rebase_objects(stored, before, after).into()
        }
        (Value::Array(stored), Value::Array(before), Value::Array(after)) => rebase_lists(stored, before, after).into(),
        _ => after.clone(),
    }
}

fn rebase_objects(
    stored: &Map<String, Value>,
    before: &Map<String, Value>,
    after: &Map<String, Value>,
) -> Map<String, Value> {
    let unknown =
        stored.iter().filter(|(key, _)| !before.contains_key(*key)).map(|(key, value)| (key.clone(), value.clone()));
    let known = after.iter().filter_map(|(key, after)| {
        let value = match (stored.get(key), before.get(key)) {
            (Some(stored), Some(before)) => rebase(stored, before, after),
            // A default that the type serializes but that is not set in the stored object.
            (None, Some(before)) if before == after => return None,
            _ => after.clone(),
        };
        Some((key.clone(), value))
    });
    unknown.chain(known).collect()
}

#[cfg(test)]
mod tests {
    use proptest::{collection, prelude::*};
    use serde_json::json;

    use super::*;
    use crate::json::merge_patch::merge;

    fn apply(mut target: Value, patch: &Value) -> Value {
        merge(&mut target, patch);
        target
    }

    fn scalar() -> impl Strategy<Value = Value> {
        prop_oneof![
            any::<bool>().prop_map(Value::from),
            (0..4).prop_map(Value::from),
            "[a-c]{0,2}".prop_map(Value::from),
        ]
    }

    /// JSON without nulls, with few names and values, so that two samples have much in common.
    fn value() -> impl Strategy<Value = Value> {
        scalar().prop_recursive(4, 32, 4, |inner| {
            prop_oneof![
                collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                collection::btree_map("[a-c]|name", inner, 0..4)
                    .prop_map(|members| Value::Object(members.into_iter().collect())),
            ]
        })
    }

    fn object() -> impl Strategy<Value = Value> {
        collection::btree_map("[a-e]", value(), 0..5).prop_map(|members| Value::Object(members.into_iter().collect()))
    }

    proptest! {
        #[test]
        fn patch_transforms_before_into_after(before in object(), after in object()) {
            let patched = match between(&before, &after) {
                Some(patch) => apply(before, &patch),
                None => before,
            };
            prop_assert_eq!(patched, after);
        }

        #[test]
        fn only_what_has_no_null_is_a_merge_patch(before in object(), mut after in object()) {
            prop_assert!(!loses_null(&before, &after));
            after["a"] = json!({ "b": [{ "c": null }] });
            prop_assert!(loses_null(&before, &after));
            prop_assert!(!loses_null(&after, &after));
            prop_assert!(!loses_null(&after, &before));
        }

        #[test]
        fn fully_declared_objects_are_replaced(before in object(), after in object()) {
            prop_assert_eq!(rebase(&before, &before, &after), after);
        }

        #[test]
        fn undeclared_fields_are_preserved(mut stored in object(), before in object(), after in object()) {
            let unknown = stored.clone();
            let members = stored.as_object_mut().unwrap();
            members.retain(|key, _| before.get(key).is_none() && after.get(key).is_none());
            members.extend(before.as_object().unwrap().clone());
            let rebased = rebase(&stored, &before, &after);
            for (key, value) in unknown.as_object().unwrap() {
                if before.get(key).is_none() && after.get(key).is_none() {
                    prop_assert_eq!(&rebased[key], value);
                }
            }
            for (key, value) in after.as_object().unwrap() {
                prop_assert_eq!(&rebased[key], value);
            }
        }
    }

    #[test]
    fn only_a_null_that_changes_is_lost() {
        assert!(loses_null(&json!({ "a": 1 }), &json!({ "a": null })));
        assert!(loses_null(&json!({ "a": [null] }), &json!({ "a": [null, 1] })));
        assert!(!loses_null(&json!({ "a": null, "b": 1 }), &json!({ "a": null, "b": 2 })));
    }

    #[test]
    fn patch_contains_only_changes() {
        let before = json!({ "a": 1, "b": { "c": 2, "d": 3 }, "e": [1, 2], "f": 4 });
        let after = json!({ "a": 1, "b": { "c": 2, "d": 4 }, "e": [2], "g": 5 });
        let patch = json!({ "b": { "d": 4 }, "e": [2], "f": null, "g": 5 });
        assert_eq!(between(&before, &after), Some(patch));
        assert_eq!(between(&before, &before), None);
    }

    #[test]
    fn lists_of_objects_are_distinguished_from_lists_of_scalars() {
        let before = json!({
            "spec": { "args": ["a"], "disks": [{ "name": "a" }], "size": 1 }, "labels": { "a": "b" },
        });
        let replaces = |patch: Value| replaces_objects(&before, &patch);
        assert!(!replaces(json!({ "spec": { "size": 2, "args": ["b"], "new": { "a": null } } })));
        assert!(!replaces(json!({ "spec": { "args": null, "sizes": [1] }, "labels": null })));
        assert!(replaces(json!({ "spec": { "disks": [{ "name": "b" }] } })));
        assert!(replaces(json!({ "spec": { "disks": [] } })));
        assert!(replaces(json!({ "spec": { "disks": null } })));
        assert!(replaces(json!({ "status": { "conditions": [{ "type": "Ready" }] } })));
        assert!(replaces(json!({ "spec": { "matrix": [[1]] } })));
    }

    #[test]
    fn items_retain_undeclared_fields() {
        let item = |name: &str, size: i32| json!({ "name": name, "size": size });
        let known = |items: &[Value]| json!({ "disks": items });
        let mut stored = known(&[item("a", 1), item("b", 2)]);
        stored["disks"][0]["new"] = json!("A");
        stored["disks"][1]["new"] = json!("B");
        let before = known(&[item("a", 1), item("b", 2)]);
        let after = known(&[item("c", 3), item("b", 4), item("a", 1)]);
        let expected = json!({ "disks": [
            { "name": "c", "size": 3 },
            { "name": "b", "size": 4, "new": "B" },
            { "name": "a", "size": 1, "new": "A" },
        ] });
        assert_eq!(rebase(&stored, &before, &after), expected);
    }

    #[test]
    fn items_without_a_name_are_paired_by_index() {
        let stored = json!([{ "port": 1, "new": "A" }, { "port": 2, "new": "B" }]);
        let before = json!([{ "port": 1 }, { "port": 2 }]);
        let changed = json!([{ "port": 1 }, { "port": 3 }]);
        let expected = json!([{ "port": 1, "new": "A" }, { "port": 3, "new": "B" }]);
        assert_eq!(rebase(&stored, &before, &changed), expected);
        let removed = json!([{ "port": 2 }]);
        let expected = json!([{ "port": 2, "new": "B" }]);
        assert_eq!(rebase(&stored, &before, &removed), expected);
    }

    #[test]
    fn unset_defaults_are_not_written() {
        let stored = json!({ "disks": [{ "name": "a" }] });
        let before = json!({ "disks": [{ "name": "a", "boot": false }] });
        let after = json!({ "disks": [{ "name": "a", "boot": false }, { "name": "b", "boot": true }] });
        let expected = json!({ "disks": [{ "name": "a" }, { "name": "b", "boot": true }] });
        assert_eq!(rebase(&stored, &before, &after), expected);
    }
}
