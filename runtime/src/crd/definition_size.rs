//! Sizes of definitions and of their parts.

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::{CustomResourceDefinition, JSONSchemaProps};
use serde::Serialize;

use crate::crd::{crd_accessors, structural::undescribed};

/// Returns the size of a value as JSON without spaces.
pub(crate) fn bytes(value: &impl Serialize) -> usize {
    json_text(value).len()
}

/// Returns a value as JSON without spaces. Its fields are in the order of names, which does not change the size.
///
/// By a `Value`, as it is rendered too: a writer of its own would compile the code of each type once more.
fn json_text(value: &impl Serialize) -> String {
    serde_json::to_value(value).map_or_else(|_| String::new(), |value| value.to_string())
}

/// Returns the size of a definition, and the total size of its annotations after client-side `kubectl apply` has added
/// its copy.
pub(crate) fn stored_and_applied(crd: &CustomResourceDefinition) -> (usize, usize) {
    const KEY: &str = "kubectl.kubernetes.io/last-applied-configuration";
    let stored = json_text(crd);
    // Go writes the copy: it escapes HTML characters, always writes `annotations`, and ends with a newline.
    let of_html = stored.bytes().filter(|byte| matches!(byte, b'<' | b'>' | b'&')).count();
    let copy = stored.len() + of_html * (r"\u003c".len() - 1);
    let annotations = crd.metadata.annotations.iter().flatten();
    let others: usize = annotations.map(|(key, value)| key.len() + value.len()).sum();
    let empty = match crd.metadata.annotations {
        Some(_) => 0,
        None => r#""annotations":{},"#.len(),
    };
    let applied = KEY.len() + copy + empty + "\n".len() + others;
    (stored.len(), applied)
}

/// A part of a schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SizedPart {
    pub(crate) path: String,
    /// The size as JSON, in bytes.
    pub(crate) bytes: usize,
    /// The size of the descriptions in it, in bytes.
    pub(crate) descriptions: usize,
}

/// Returns the largest parts of a schema, in descending order. The parts do not overlap, and none is inside a path of
/// `whole`, the paths of types from other crates.
pub(crate) fn heaviest(schema: &JSONSchemaProps, whole: &[String]) -> Vec<SizedPart> {
    let total = bytes(schema);
    let mut parts = Vec::new();
    let root = SizedNode { path: String::new(), bytes: total, schema };
    root.divide(total, whole, &mut parts);
    parts.sort_by_key(|part| std::cmp::Reverse(part.bytes));
    parts
}

struct SizedNode<'a> {
    path: String,
    bytes: usize,
    schema: &'a JSONSchemaProps,
}

impl SizedNode<'_> {
    /// Collects the parts that are large enough to report; this part itself if none of its own parts is.
    fn divide(&self, total: usize, whole: &[String], found: &mut Vec<SizedPart>) {
        let is_heavy = |node: &SizedNode| node.bytes * 20 >= total;
        let heavy: Vec<_> = self.children().into_iter().filter(is_heavy).collect();
        if heavy.is_empty() || whole.contains(&self.path) {
            found.push(self.part());
        } else {
            heavy.iter().for_each(|node| node.divide(total, whole, found));
        }
    }

    fn children(&self) -> Vec<SizedNode<'_>> {
        let node = |segment: String, schema| SizedNode {
            path: format!("{}{segment}", self.path),
            bytes: bytes(schema),
            schema,
        };
        let fields = self.schema.properties.iter().flatten().map(|(name, field)| node(format!(".{name}"), field));
        let items = crd_accessors::items(self.schema).map(|it| node("[]".to_owned(), it));
        let values = crd_accessors::values(self.schema).map(|it| node("[*]".to_owned(), it));
        fields.chain(items).chain(values).collect()
    }

    fn part(&self) -> SizedPart {
        SizedPart {
            path: self.path.clone(),
            bytes: self.bytes,
            descriptions: self.bytes - bytes(&undescribed(self.schema)),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn crd(description: &str) -> CustomResourceDefinition {
        serde_json::from_value(json!({
            "metadata": { "name": "foos.example.com", "annotations": { "a": "bc" } },
            "spec": {
                "group": "example.com",
                "names": { "kind": "Foo", "plural": "foos" },
                "scope": "Cluster",
                "versions": [{ "name": "v1", "served": true, "storage": true, "schema": {
                    "openAPIV3Schema": { "type": "object", "description": description }
                } }],
            },
        }))
        .unwrap()
    }

    #[test]
    fn sizes_are_those_of_json() {
        let crd = crd("a < b\n");
        let json = serde_json::to_string(&crd).unwrap();
        assert_eq!(bytes(&crd), json.len());
        let copy = json.replace('<', r"\u003c") + "\n";
        let key = "kubectl.kubernetes.io/last-applied-configuration";
        let annotations = key.len() + copy.len() + "abc".len();
        assert_eq!(stored_and_applied(&crd).1, annotations);
    }

    #[test]
    fn annotations_are_in_the_copy_even_if_there_are_none() {
        let mut crd = crd("");
        crd.metadata.annotations = None;
        let copy =
            serde_json::to_string(&crd).unwrap().replacen(r#""metadata":{"#, r#""metadata":{"annotations":{},"#, 1);
        let key = "kubectl.kubernetes.io/last-applied-configuration";
        assert_eq!(stored_and_applied(&crd).1, key.len() + copy.len() + 1);
    }

    #[test]
    fn parts_are_named_where_the_weight_is() {
        let text = |length: usize| json!({ "type": "string", "description": "x".repeat(length) });
        let schema = serde_json::from_value(json!({ "type": "object", "properties": {
            "spec": { "type": "object", "properties": {
                "list": { "type": "array", "items": { "type": "object", "properties": {
                    "a": text(3000), "b": text(5000), "c": text(10),
                } } },
                "theirs": { "type": "object", "properties": { "d": text(9000) } },
                "small": text(20),
            } },
            "status": text(100),
        } }))
        .unwrap();
        let parts = heaviest(&schema, &[".spec.theirs".to_owned()]);
        let paths: Vec<_> = parts.iter().map(|part| part.path.as_str()).collect();
        assert_eq!(paths, [".spec.theirs", ".spec.list[].b", ".spec.list[].a"]);
        let word = r#","description":"""#.len();
        assert_eq!(parts[1].descriptions, 5000 + word);
        assert_eq!(parts[1].bytes, parts[1].descriptions + r#"{"type":"string"}"#.len());
        assert_eq!(heaviest(&schema, &[])[0].path, ".spec.theirs.d");
    }
}
