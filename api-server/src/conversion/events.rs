//! Conversion of Events between `v1` and `events.k8s.io/v1`, which are one store.

use serde_json::{Map, Value};

use crate::kinds;

/// The members of both versions with different names: that in `v1`, and that in `events.k8s.io/v1`.
const NAMES: [(&str, &str); 7] = [
    ("count", "deprecatedCount"),
    ("firstTimestamp", "deprecatedFirstTimestamp"),
    ("involvedObject", "regarding"),
    ("lastTimestamp", "deprecatedLastTimestamp"),
    ("message", "note"),
    ("reportingComponent", "reportingController"),
    ("source", "deprecatedSource"),
];

/// Returns an Event in the other version.
pub(super) fn convert(event: Value, api_version: &str) -> Value {
    let group = api_version.split_once('/').map_or("", |(group, _)| group);
    let mut converted = kinds::empty(group, "v1", "Event").map_or_else(Map::new, |empty| empty.read.clone());
    let Value::Object(members) = event else { return event };
    for (name, value) in members {
        let name = renamed(&name, group);
        // `v1` writes some members even if they are empty, which the other version omits.
        if value == "" && !converted.contains_key(name) {
            continue;
        }
        converted.insert(name.to_owned(), value);
    }
    converted.insert("apiVersion".to_owned(), api_version.into());
    converted.into()
}

/// Returns the name of a member in the version of a group.
fn renamed<'n>(name: &'n str, group: &str) -> &'n str {
    let found = NAMES.into_iter().find_map(|(core, other)| match group {
        "" => (name == other).then_some(core),
        _ => (name == core).then_some(other),
    });
    found.unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn members_are_renamed() {
        let core = json!({
            "apiVersion": "v1", "kind": "Event", "metadata": { "name": "a" }, "involvedObject": { "name": "b" }, "message": "c",
            "eventTime": null, "firstTimestamp": null, "lastTimestamp": null, "source": {}, "reason": "d",
            "reportingComponent": "", "reportingInstance": "",
        });
        let event = convert(core.clone(), "events.k8s.io/v1");
        let expected = json!({
            "apiVersion": "events.k8s.io/v1", "kind": "Event", "metadata": { "name": "a" }, "regarding": { "name": "b" }, "note": "c",
            "eventTime": null, "deprecatedFirstTimestamp": null, "deprecatedLastTimestamp": null, "deprecatedSource": {}, "reason": "d",
        });
        assert_eq!(event, expected);
        assert_eq!(convert(event, "v1"), core);
    }
}
