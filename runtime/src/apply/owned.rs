//! The part of an object that `metadata.managedFields` lists in `fieldsV1`.

use serde_json::{Map, Value};

use super::topology::TopologyNode;

/// An entry of `fieldsV1` that does not match the object.
#[derive(Debug, PartialEq)]
pub(super) struct FieldMismatch {
    /// The path, such as `.spec.disks[name="root"].size`.
    pub(super) path: String,
    /// Whether the object lacks the field. Otherwise, the key of the entry cannot be parsed.
    pub(super) is_missing: bool,
}

impl FieldMismatch {
    fn missing(path: String) -> Self {
        Self { path, is_missing: true }
    }

    fn unreadable(key: &str) -> Self {
        Self { path: format!(".({key})"), is_missing: false }
    }

    fn under(mut self, path: &str) -> Self {
        self.path.insert_str(0, path);
        self
    }
}

/// Returns the part of a value that `fields` lists.
pub(super) fn select(value: &Value, fields: &Value, node: TopologyNode) -> Result<Value, FieldMismatch> {
    let empty = Map::new();
    let fields = fields.as_object().unwrap_or(&empty);
    let mut below = fields.iter().filter(|(key, _)| *key != ".").peekable();
    if below.peek().is_none() {
        return Ok(node.without_children(value));
    }
    match value {
        Value::Object(members) => object(members, below, node),
        Value::Array(items) => list(items, below, node),
        _ => {
            let names = below.map(|(key, _)| key.as_str()).collect::<Vec<_>>();
            Err(FieldMismatch::missing(format!(".({})", names.join(" "))))
        }
    }
}

fn object<'a>(
    members: &Map<String, Value>,
    fields: impl Iterator<Item = (&'a String, &'a Value)>,
    node: TopologyNode,
) -> Result<Value, FieldMismatch> {
    let mut owned = Map::new();
    for (key, below) in fields {
        let name = key.strip_prefix("f:").ok_or_else(|| FieldMismatch::unreadable(key))?;
        let path = format!(".{name}");
        let Some(member) = members.get(name) else {
            return Err(FieldMismatch::missing(path));
        };
        let member = select(member, below, node.field(name));
        owned.insert(name.to_owned(), member.map_err(|mismatch| mismatch.under(&path))?);
    }
    Ok(Value::Object(owned))
}

fn list<'a>(
    items: &[Value],
    fields: impl Iterator<Item = (&'a String, &'a Value)>,
    node: TopologyNode,
) -> Result<Value, FieldMismatch> {
    let mut owned = vec![None; items.len()];
    for (key, below) in fields {
        let element = PathElement::parse(key).ok_or_else(|| FieldMismatch::unreadable(key))?;
        let path = element.path();
        let found = items.iter().enumerate().position(|(at, item)| element.matches(at, item));
        let at = found.ok_or_else(|| FieldMismatch::missing(path.clone()))?;
        let mut item = select(&items[at], below, node.items()).map_err(|mismatch| mismatch.under(&path))?;
        if let (PathElement::Keys(keys), Value::Object(members)) = (element, &mut item) {
            members.extend(keys);
        }
        owned[at] = Some(item);
    }
    Ok(owned.into_iter().flatten().collect())
}

/// How `fieldsV1` identifies an item of a list.
enum PathElement {
    /// By the fields that are its keys.
    Keys(Map<String, Value>),
    /// By its value.
    Value(Value),
    /// By its index.
    Index(usize),
}

impl PathElement {
    fn parse(key: &str) -> Option<Self> {
        let (kind, text) = key.split_once(':')?;
        match kind {
            "k" => serde_json::from_str(text).ok().map(Self::Keys),
            "v" => serde_json::from_str(text).ok().map(Self::Value),
            "i" => text.parse().ok().map(Self::Index),
            _ => None,
        }
    }

    fn matches(&self, at: usize, item: &Value) -> bool {
        match self {
            Self::Keys(keys) => keys.iter().all(|(key, value)| item.get(key) == Some(value)),
            Self::Value(value) => value == item,
            Self::Index(index) => *index == at,
        }
    }

    fn path(&self) -> String {
        match self {
            Self::Keys(keys) => {
                let keys = keys.iter().map(|(key, value)| format!("{key}={value}"));
                format!("[{}]", keys.collect::<Vec<_>>().join(","))
            }
            Self::Value(value) => format!("[={value}]"),
            Self::Index(index) => format!("[{index}]"),
        }
    }
}
