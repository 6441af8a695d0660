//! The objects of a server.

use crate::objects::Shape;

/// All objects, as one text. Each has the same length and its resourceVersion at the same place.
pub(super) struct Storage {
    kind: &'static str,
    text: Vec<u8>,
    size: usize,
    version_at: usize,
    newest: u64,
    /// The number of changes.
    changes: u64,
}

/// The response of an API server without streaming lists.
pub(super) const NO_STREAMS: &str = r#"{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"ListOptions.meta.k8s.io \"\" is invalid: sendInitialEvents: Forbidden: sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled","reason":"Invalid","details":{"group":"meta.k8s.io","kind":"ListOptions","causes":[{"reason":"FieldValueForbidden","message":"Forbidden: sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled","field":"sendInitialEvents"}]},"code":422}"#;

/// The last event of a watch whose resourceVersion has expired.
pub(super) const EXPIRED: &str = concat!(
    r#"{"type":"ERROR","object":{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","#,
    r#""message":"The resourceVersion for the provided watch is too old.","reason":"Expired","code":410}}"#,
    "\n",
);

/// The first resourceVersion. All have as many digits.
const FIRST: u64 = 10_000_000;
const DIGITS: usize = 8;

impl Storage {
    pub(super) fn new(shape: Shape, objects: usize) -> Self {
        let first = shape.json(0, objects);
        let key = "\"resourceVersion\":\"";
        let version_at = first.find(key).expect("objects have a resourceVersion") + key.len();
        let mut text = Vec::with_capacity(first.len() * objects);
        for number in 0..objects {
            text.extend(shape.json(number, objects).into_bytes());
        }
        assert_eq!(text.len(), first.len() * objects, "objects have the same length");
        Self { kind: shape.kind(), text, size: first.len(), version_at, newest: FIRST, changes: 0 }
    }

    pub(super) fn len(&self) -> usize {
        self.text.len() / self.size
    }

    pub(super) fn object_size(&self) -> usize {
        self.size
    }

    pub(super) fn newest(&self) -> u64 {
        self.newest
    }

    pub(super) fn object(&self, number: usize) -> &[u8] {
        &self.text[number * self.size..][..self.size]
    }

    /// Changes one object.
    pub(super) fn modify(&mut self) -> &[u8] {
        let number = (scatter(self.changes) % self.len() as u64) as usize;
        self.changes += 1;
        let version = self.advance_version().to_string();
        let object = &mut self.text[number * self.size..][..self.size];
        object[self.version_at..][..DIGITS].copy_from_slice(version.as_bytes());
        object
    }

    /// Advances the version, as a change of another kind does.
    pub(super) fn advance_version(&mut self) -> u64 {
        self.newest += 1;
        self.newest
    }

    /// Returns the text before and after the items of a page that ends before an object.
    pub(super) fn list_ends(&self, to: usize) -> (String, String) {
        let (kind, newest) = (self.kind, self.newest);
        let next = match self.len() - to {
            0 => String::new(),
            more => format!(r#""continue":"{to}","remainingItemCount":{more},"#),
        };
        let head = r#"{"apiVersion":"vm.test/v1","items":["#.to_owned();
        let metadata = format!(r#"{{{next}"resourceVersion":"{newest}"}}"#);
        (head, format!("],\"kind\":\"{kind}List\",\"metadata\":{metadata}}}\n"))
    }

    /// Returns the bookmark after the last object of a streaming list.
    pub(super) fn initial_events_end(&self) -> String {
        let (kind, newest) = (self.kind, self.newest);
        let annotations = r#"{"k8s.io/initial-events-end":"true"}"#;
        let metadata =
            format!(r#"{{"annotations":{annotations},"creationTimestamp":null,"resourceVersion":"{newest}"}}"#);
        let object = format!(r#"{{"apiVersion":"vm.test/v1","kind":"{kind}","metadata":{metadata}}}"#);
        format!("{{\"type\":\"BOOKMARK\",\"object\":{object}}}\n")
    }
}

/// Returns pseudorandom numbers, the same in each run (SplitMix64).
fn scatter(number: u64) -> u64 {
    let mut mixed = number.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    fn read(text: &[u8]) -> Value {
        serde_json::from_slice(text).unwrap()
    }

    #[test]
    fn a_change_leaves_a_new_version_behind() {
        let mut storage = Storage::new(Shape::VirtualMachines, 100);
        let changed = read(storage.modify());
        assert_eq!(changed["metadata"]["resourceVersion"], "10000001");
        let known = (0..100).filter(|number| read(storage.object(*number)) == changed);
        assert_eq!((known.count(), storage.newest()), (1, 10_000_001));
    }

    #[test]
    fn answers_are_json() {
        let storage = Storage::new(Shape::Volumes, 100);
        let page = |to| {
            let (head, tail) = storage.list_ends(to);
            read(format!("{head}{tail}").as_bytes())["metadata"].take()
        };
        assert_eq!((&page(60)["continue"], &page(60)["remainingItemCount"]), (&"60".into(), &40.into()));
        assert_eq!(page(100)["continue"], Value::Null);
        let end = read(storage.initial_events_end().as_bytes());
        assert_eq!(end["object"]["metadata"]["annotations"]["k8s.io/initial-events-end"], "true");
        assert_eq!(read(EXPIRED.as_bytes())["object"]["code"], 410);
        assert_eq!(read(NO_STREAMS.as_bytes())["code"], 422);
    }
}
