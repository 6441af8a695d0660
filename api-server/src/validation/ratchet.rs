//! Errors that were there before an update.

use crdkit_core::schema::SchemaProps;
use serde_json::Value;

/// Returns whether the value of an error, or one that contains it, has not changed. The server reports no
/// such error.
pub(super) fn is_unchanged(schema: &SchemaProps<'_>, old: &Value, new: &Value, place: &str) -> bool {
    let mut position = Position { schema: Some(schema), old, new };
    let mut rest = place;
    loop {
        if position.old == position.new {
            return true;
        }
        let next = match rest.strip_prefix('.') {
            Some(after) => {
                let end = after.find(['.', '[']).unwrap_or(after.len());
                rest = &after[end..];
                position.member(&after[..end])
            }
            None => match rest.strip_prefix('[').and_then(|after| after.split_once(']')) {
                Some((step, after)) => {
                    rest = after;
                    step.parse().map_or_else(|_| position.member(step.trim_matches('"')), |index| position.item(index))
                }
                None => None,
            },
        };
        match next {
            Some(next) => position = next,
            None => return false,
        }
    }
}

#[derive(Clone, Copy)]
struct Position<'a> {
    schema: Option<&'a SchemaProps<'a>>,
    old: &'a Value,
    new: &'a Value,
}

impl Position<'_> {
    fn member(self, name: &str) -> Option<Self> {
        let schema = self.schema.and_then(|it| it.property(name).or_else(|| it.values()));
        Some(Self { schema, old: self.old.get(name)?, new: self.new.get(name)? })
    }

    /// Items of lists correspond by their keys; those of other lists do not correspond.
    fn item(self, index: usize) -> Option<Self> {
        let schema = self.schema?;
        let new = self.new.get(index)?;
        let old = correlated(&schema.list_map_keys, self.old, new)?;
        Some(Self { schema: schema.items(), old, new })
    }
}

/// Returns the old item of a list with the keys of an item.
fn correlated<'v>(keys: &[impl AsRef<str>], old: &'v Value, item: &Value) -> Option<&'v Value> {
    let is_same = |old: &&Value| keys.iter().all(|key| old.get(key.as_ref()) == item.get(key.as_ref()));
    old.as_array().filter(|_| !keys.is_empty())?.iter().find(is_same)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crdkit::__internal::crd_accessors::read;

    #[test]
    fn unchanged_values_are_found() {
        let schema = json!({
            "type": "object",
            "properties": {
                "a": { "type": "object", "properties": { "b": { "type": "string" } } },
                "list": { "type": "array", "items": { "type": "object" },
                    "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["key"] },
                "atomic": { "type": "array", "items": { "type": "string" } },
            },
        });
        let schema = serde_json::from_value(schema).unwrap();
        let schema = read::schema(&schema);
        let old = json!({ "a": { "b": 1 }, "list": [{ "key": "x", "v": 1 }], "atomic": [1], "c": 1 });
        let new = json!({
            "a": { "b": 1 }, "list": [{ "key": "y" }, { "key": "x", "v": 1 }], "atomic": [1, 2], "c": 2,
        });
        for (place, expected) in [
            (".a.b", true),
            (".a", true),
            (".a.c", true),
            (".c", false),
            (".list[0].v", false),
            (".list[1].v", true),
            (".atomic[0]", false),
            ("", false),
        ] {
            assert_eq!(is_unchanged(&schema, &old, &new, place), expected, "{place}");
        }
    }
}
