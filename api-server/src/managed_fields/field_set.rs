//! Sets of fields.

use std::{iter::Peekable, mem, slice::Iter};

use serde_json::{Map, Value};

use super::{
    path_element::{MalformedKey, PathElement},
    topology::{Topology, TypeId},
};

/// A set of fields: a tree whose nodes are paths, of which some are members.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct FieldSet<'a> {
    /// The nodes below this path, sorted; each is a member or has a member below it.
    pub(super) nodes: Vec<Node<'a>>,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Node<'a> {
    pub(super) element: PathElement<'a>,
    pub(super) is_member: bool,
    pub(super) below: FieldSet<'a>,
}

impl<'a> FieldSet<'a> {
    pub(super) const fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Returns a set with one member, a path of fields.
    pub(super) fn of_path(path: &[&'a str]) -> Self {
        let mut set = Self::default();
        let Some((first, rest)) = path.split_first() else {
            return set;
        };
        set.insert(PathElement::field(first), rest.is_empty(), Self::of_path(rest));
        set
    }

    /// Whether a path of fields is a member.
    pub(super) fn contains(&self, path: &[&str]) -> bool {
        let Some((first, rest)) = path.split_first() else {
            return false;
        };
        let node = self.get(&PathElement::field(first));
        node.is_some_and(|node| if rest.is_empty() { node.is_member } else { node.below.contains(rest) })
    }

    pub(super) fn get(&self, element: &PathElement<'_>) -> Option<&Node<'a>> {
        let at = self.nodes.binary_search_by(|node| node.element.cmp(element)).ok()?;
        self.nodes.get(at)
    }

    /// Adds a path and those below it.
    pub(super) fn insert(&mut self, element: PathElement<'a>, is_member: bool, below: Self) {
        if !is_member && below.is_empty() {
            return;
        }
        let at = match self.nodes.last() {
            Some(last) if last.element >= element => self.nodes.binary_search_by(|node| node.element.cmp(&element)),
            _ => Err(self.nodes.len()),
        };
        match at {
            Ok(at) => {
                let node = &mut self.nodes[at];
                node.is_member |= is_member;
                node.below = mem::take(&mut node.below).union(below);
            }
            Err(at) => self.nodes.insert(at, Node { element, is_member, below }),
        }
    }

    /// Returns the members of either set.
    pub(super) fn union(self, other: Self) -> Self {
        let (mut union, smaller) = if self.nodes.len() < other.nodes.len() { (other, self) } else { (self, other) };
        for node in smaller.nodes {
            union.insert(node.element, node.is_member, node.below);
        }
        union
    }

    /// Returns the members of both sets.
    pub(super) fn intersection(&self, other: &FieldSet<'_>) -> Self {
        let mut others = other.nodes.iter().peekable();
        let nodes = self.nodes.iter().filter_map(|node| {
            let other = seek(&mut others, &node.element)?;
            let common = Node {
                element: node.element.clone(),
                is_member: node.is_member && other.is_member,
                below: node.below.intersection(&other.below),
            };
            (!common.is_empty()).then_some(common)
        });
        Self { nodes: nodes.collect() }
    }

    /// Returns the members that are not in another set.
    pub(super) fn difference(mut self, other: &FieldSet<'_>) -> Self {
        let mut others = other.nodes.iter().peekable();
        self.nodes.retain_mut(|node| {
            let Some(other) = seek(&mut others, &node.element) else {
                return true;
            };
            node.is_member &= !other.is_member;
            node.below = mem::take(&mut node.below).difference(&other.below);
            !node.is_empty()
        });
        self
    }

    /// Returns the members that are not in another set, nor below a member of it.
    pub(super) fn recursive_difference(mut self, other: &FieldSet<'_>) -> Self {
        let mut others = other.nodes.iter().peekable();
        self.nodes.retain_mut(|node| match seek(&mut others, &node.element) {
            None => true,
            Some(other) if other.is_member => false,
            Some(other) => {
                node.below = mem::take(&mut node.below).recursive_difference(&other.below);
                !node.is_empty()
            }
        });
        self
    }

    /// Adds the fields that the schema declares and that have members below them.
    pub(super) fn with_declared(mut self, topology: &Topology, type_: TypeId) -> Self {
        let type_ = topology.get(type_);
        for node in &mut self.nodes {
            let below = match (&node.element, &type_.map, &type_.list) {
                (PathElement::Field(name), Some(map), _) => {
                    node.is_member |= map.declares(name);
                    Some(map.field(name))
                }
                (PathElement::Key(_), _, Some(list)) => Some(list.items),
                _ => None,
            };
            if let Some(below) = below {
                node.below = mem::take(&mut node.below).with_declared(topology, below);
            }
        }
        self
    }

    /// Calls a function with the path of each member, as errors name it.
    pub(super) fn for_each_path(&self, prefix: &str, call: &mut impl FnMut(String)) {
        for node in self.nodes.iter().filter(|node| node.is_member) {
            call(format!("{prefix}{}", node.element));
        }
        for node in &self.nodes {
            node.below.for_each_path(&format!("{prefix}{}", node.element), call);
        }
    }

    /// Reads `fieldsV1`.
    ///
    /// # Errors
    ///
    /// If it is malformed.
    pub(super) fn from_fields_v1(fields: &'a Value) -> Result<Self, MalformedKey> {
        let Value::Object(fields) = fields else {
            return if fields.is_null() { Ok(Self::default()) } else { Err(MalformedKey) };
        };
        let mut set = Self::default();
        for (key, value) in fields.iter().filter(|(key, _)| *key != ".") {
            let Some(element) = PathElement::from_key(key)? else {
                continue;
            };
            let below = Self::from_fields_v1(value)?;
            let is_member = below.is_empty() || value.get(".").is_some();
            set.insert(element, is_member, below);
        }
        Ok(set)
    }

    /// Returns the set as `fieldsV1`.
    pub(super) fn to_fields_v1(&self) -> Value {
        Value::Object(self.to_map())
    }

    fn to_map(&self) -> Map<String, Value> {
        let fields = self.nodes.iter().map(|node| {
            let mut below = node.below.to_map();
            if node.is_member && !below.is_empty() {
                below.insert(".".to_owned(), Value::Object(Map::new()));
            }
            (node.element.to_key(), Value::Object(below))
        });
        fields.collect()
    }
}

impl Node<'_> {
    const fn is_empty(&self) -> bool {
        !self.is_member && self.below.is_empty()
    }
}

/// Advances to an element. Elements are sought in their order.
fn seek<'n, 'a>(nodes: &mut Peekable<Iter<'n, Node<'a>>>, element: &PathElement<'_>) -> Option<&'n Node<'a>> {
    while nodes.next_if(|node| node.element < *element).is_some() {}
    nodes.next_if(|node| node.element == *element)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn set(fields: &Value) -> FieldSet<'_> {
        FieldSet::from_fields_v1(fields).unwrap()
    }

    #[test]
    fn fields_are_read_and_written() {
        let fields = json!({"f:a": {}, "f:b": {".": {}, r#"k:{"name":"x"}"#: {"f:c": {}}}, "f:d": {"v:1": {}}});
        assert_eq!(set(&fields).to_fields_v1(), fields);
        assert_eq!(set(&json!({"f:a": null, "f:b": {"z:?": {}}})).to_fields_v1(), json!({"f:a": {}, "f:b": {}}));
        FieldSet::from_fields_v1(&json!({"f:a": 1})).unwrap_err();
    }

    #[test]
    fn operations() {
        let one = json!({"f:a": {}, "f:b": {".": {}, "f:c": {}, "f:d": {}}, "f:e": {"f:f": {}}});
        let other = json!({"f:b": {"f:c": {}}, "f:e": {}, "f:g": {}});
        let union = json!({"f:a": {}, "f:b": {".": {}, "f:c": {}, "f:d": {}}, "f:e": {".": {}, "f:f": {}}, "f:g": {}});
        assert_eq!(set(&one).union(set(&other)).to_fields_v1(), union);
        assert_eq!(set(&other).union(set(&one)).to_fields_v1(), union);
        assert_eq!(set(&one).intersection(&set(&other)).to_fields_v1(), json!({"f:b": {"f:c": {}}}));
        let difference = json!({"f:a": {}, "f:b": {".": {}, "f:d": {}}, "f:e": {"f:f": {}}});
        assert_eq!(set(&one).difference(&set(&other)).to_fields_v1(), difference);
        let difference = json!({"f:a": {}, "f:b": {".": {}, "f:d": {}}});
        assert_eq!(set(&one).recursive_difference(&set(&other)).to_fields_v1(), difference);
        assert!(set(&one).contains(&["e", "f"]) && !set(&one).contains(&["e"]) && !set(&one).contains(&[]));
        assert_eq!(FieldSet::of_path(&["e", "f"]).to_fields_v1(), json!({"f:e": {"f:f": {}}}));
    }

    #[test]
    fn paths_of_a_level_come_before_those_below() {
        let fields = json!({"f:a": {"f:b": {}}, "f:c": {".": {}, "f:d": {}}});
        let mut paths = Vec::new();
        set(&fields).for_each_path("", &mut |path| paths.push(path));
        assert_eq!(paths, [".c", ".a.b", ".c.d"]);
    }
}
