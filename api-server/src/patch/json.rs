//! JSON patches, as the server's library applies them: a member that an object lacks is null, unless it is removed.

use std::slice;

use json_patch::{AddOperation, PatchErrorKind, PatchOperation, jsonptr::Pointer};
use serde_json::Value;

/// Applies a patch.
pub(crate) fn apply(object: &mut Value, patch: json_patch::Patch) -> Result<(), String> {
    let mut operations = patch.0.into_iter();
    operations.try_for_each(|operation| {
        apply_one(object, &operation).map_err(|error| problem(object, &operation).unwrap_or_else(|| error.to_string()))
    })
}

fn apply_one(object: &mut Value, operation: &PatchOperation) -> Result<(), PatchErrorKind> {
    let add = |path: &Pointer, value| PatchOperation::Add(AddOperation { path: path.to_owned(), value });
    let changed;
    let operation = match operation {
        PatchOperation::Test(test) if test.value.is_null() && lacks_member(object, &test.path) => return Ok(()),
        PatchOperation::Replace(replace) if lacks_member(object, &replace.path) => {
            changed = add(&replace.path, replace.value.clone());
            &changed
        }
        PatchOperation::Copy(copy) if lacks_member(object, &copy.from) => {
            changed = add(&copy.path, Value::Null);
            &changed
        }
        other => other,
    };
    json_patch::patch(object, slice::from_ref(operation)).map_err(|error| error.kind)
}

/// Returns why an operation does not apply to an object, in the words of the server's library, if it does not.
fn problem(object: &Value, operation: &PatchOperation) -> Option<String> {
    let has_parent = |path: &Pointer| {
        path.split_back().is_none_or(|(parent, _)| object.pointer(parent.as_str()).is_some_and(|it| !it.is_null()))
    };
    match operation {
        PatchOperation::Add(add) if !has_parent(&add.path) => {
            Some(format!("add operation does not apply: doc is missing path: \"{}\": missing value", add.path))
        }
        PatchOperation::Remove(remove) if !has_parent(&remove.path) => {
            Some(format!("remove operation does not apply: doc is missing path: \"{}\": missing value", remove.path))
        }
        PatchOperation::Remove(remove) if lacks_member(object, &remove.path) => {
            let (path, last) = (&remove.path, remove.path.last()?);
            let key = last.decoded();
            Some(format!("error in remove for path: '{path}': Unable to remove nonexistent key: {key}: missing value"))
        }
        PatchOperation::Replace(replace) if !has_parent(&replace.path) => {
            Some(format!("replace operation does not apply: doc is missing path: {}: missing value", replace.path))
        }
        PatchOperation::Test(test) => Some(format!("testing value {} failed: test failed", test.path)),
        _ => None,
    }
}

/// Returns whether a path ends at a member that its object lacks.
fn lacks_member(object: &Value, path: &Pointer) -> bool {
    let Some((parent, name)) = path.split_back() else {
        return false;
    };
    let parent = object.pointer(parent.as_str()).and_then(Value::as_object);
    parent.is_some_and(|members| !members.contains_key(&*name.decoded()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn absent_members_are_null() {
        for (operation, expected) in [
            (json!({ "op": "test", "path": "/b", "value": null }), Some(json!({ "a": [1] }))),
            (json!({ "op": "test", "path": "/b", "value": 1 }), None),
            (json!({ "op": "test", "path": "/b/c", "value": null }), None),
            (json!({ "op": "test", "path": "/a/-", "value": null }), None),
            (json!({ "op": "replace", "path": "/b", "value": 1 }), Some(json!({ "a": [1], "b": 1 }))),
            (json!({ "op": "replace", "path": "/a/3", "value": 1 }), None),
            (json!({ "op": "copy", "from": "/b", "path": "/c" }), Some(json!({ "a": [1], "c": null }))),
            (json!({ "op": "move", "from": "/b", "path": "/c" }), None),
            (json!({ "op": "remove", "path": "/b" }), None),
        ] {
            let mut object = json!({ "a": [1] });
            let result = apply_one(&mut object, &serde_json::from_value(operation.clone()).unwrap());
            assert_eq!(result.ok().map(|()| object), expected, "{operation}");
        }
    }
}
