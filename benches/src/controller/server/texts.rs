//! The text of objects, of lists and of bookmarks.

use crdkit_benches::objects::Shape;
use serde_json::Value;

use super::{log::Change, selector::Selector, selector::hash};

/// The objects, as one text. Each has the same length, and what changes is at the same places.
pub(super) struct Texts {
    text: Vec<u8>,
    hashes: Vec<u64>,
    size: usize,
    version: Place,
    generation: Place,
    changed: Place,
}

/// Digits in the text of an object.
#[derive(Clone, Copy)]
struct Place {
    at: usize,
    digits: usize,
}

/// The field with the time of an object's last change.
pub(crate) const CHANGED: &str = "example.com/changed";

impl Texts {
    pub(super) fn new(objects: usize) -> Self {
        let first = object(0, objects);
        let place = |key: &str, digits| {
            let at = first.find(key).expect("the key is in the object") + key.len();
            Place { at, digits }
        };
        let text: Vec<u8> = (0..objects).flat_map(|number| object(number, objects).into_bytes()).collect();
        assert_eq!(text.len(), first.len() * objects, "objects have the same length");
        Self {
            hashes: (0..objects).map(|number| hash(&uid(&object(number, objects)))).collect(),
            text,
            size: first.len(),
            version: place("\"resourceVersion\":\"", 8),
            generation: place("\"generation\":", 8),
            changed: place(&format!("\"{CHANGED}\":\""), 19),
        }
    }

    pub(super) fn len(&self) -> usize {
        self.hashes.len()
    }

    pub(super) fn object_size(&self) -> usize {
        self.size
    }

    /// The hash of the uid of an object.
    pub(super) fn hash(&self, number: usize) -> u64 {
        self.hashes[number]
    }

    /// The text of a state.
    pub(super) fn object<'t>(&self, change: &Change, text: &'t mut Vec<u8>) -> &'t [u8] {
        text.clear();
        text.extend_from_slice(&self.text[change.number * self.size..][..self.size]);
        // Each change is one of the specification.
        for (place, value) in
            [(self.version, change.version), (self.generation, change.version), (self.changed, change.at)]
        {
            let digits = format!("{value:0width$}", width = place.digits);
            text[place.at..][..place.digits].copy_from_slice(digits.as_bytes());
        }
        text
    }
}

fn object(number: usize, of: usize) -> String {
    let mut object: Value =
        serde_json::from_str(&Shape::VirtualMachines.json(number, of)).expect("the text of an object");
    object["metadata"]["generation"] = 10_000_000.into();
    object["metadata"]["annotations"][CHANGED] = "0".repeat(19).into();
    object.to_string()
}

fn uid(object: &str) -> String {
    let object: Value = serde_json::from_str(object).expect("the text of an object");
    object["metadata"]["uid"].as_str().unwrap_or_default().to_owned()
}

/// What comes before and after the items of a page.
pub(super) fn list_ends(newest: u64, next: Option<usize>, selector: &Selector) -> (String, String) {
    let next = next.map(|next| format!(r#""continue":"{next}","#)).unwrap_or_default();
    let shard = selector.text().map(|text| format!(r#","shardInfo":{{"selector":{}}}"#, Value::from(text)));
    let metadata = format!(r#"{{{next}"resourceVersion":"{newest}"{}}}"#, shard.unwrap_or_default());
    let tail = format!("],\"kind\":\"VirtualMachineList\",\"metadata\":{metadata}}}\n");
    (r#"{"apiVersion":"vm.test/v1","items":["#.to_owned(), tail)
}

/// The line of a bookmark, or of the one behind the last object of a streaming list.
pub(super) fn bookmark(version: u64, is_initial: bool) -> String {
    let annotations = if is_initial { r#""annotations":{"k8s.io/initial-events-end":"true"},"# } else { "" };
    let metadata = format!(r#"{{{annotations}"creationTimestamp":null,"resourceVersion":"{version}"}}"#);
    let object = format!(r#"{{"apiVersion":"vm.test/v1","kind":"VirtualMachine","metadata":{metadata}}}"#);
    format!("{{\"type\":\"BOOKMARK\",\"object\":{object}}}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_is_written_into_the_text() {
        let texts = Texts::new(1000);
        let mut text = Vec::new();
        let change = Change { number: 7, version: 10_000_042, at: 1_700_000_000_123_456_789 };
        let object: Value = serde_json::from_slice(texts.object(&change, &mut text)).unwrap();
        let metadata = &object["metadata"];
        assert_eq!(metadata["name"], "machine-0000007");
        assert_eq!(metadata["resourceVersion"], "10000042");
        assert_eq!(metadata["generation"], 10_000_042);
        assert_eq!(metadata["annotations"][CHANGED], "1700000000123456789");
    }

    #[test]
    fn lists_and_bookmarks_are_json() {
        let (head, tail) = list_ends(10_000_007, Some(5), &Selector::default());
        let list: Value = serde_json::from_str(&format!("{head}{tail}")).unwrap();
        assert_eq!(list["metadata"]["continue"], "5");
        let bookmark: Value = serde_json::from_str(&bookmark(10_000_007, true)).unwrap();
        assert_eq!(bookmark["object"]["metadata"]["annotations"]["k8s.io/initial-events-end"], "true");
    }
}
