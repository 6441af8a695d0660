//! Whether an informer keeps an object that a response to a write has.

use kube_core::{DynamicObject, PartialObjectMeta};
use serde_json::Value;

use super::{
    LabelQuery,
    sharding::{ShardFilter, Sharding},
};
use crate::client::{
    error::ClientOperation,
    field_selector::{FieldSelector, SelectorField},
    request::Query,
};

/// The selection of an informer, for objects that its watches did not send.
pub(super) struct SelectionFilter {
    api_version: String,
    kind: String,
    labels: LabelQuery,
    fields: FieldSelector,
    sharding: Option<Sharding>,
}

impl SelectionFilter {
    /// Returns the filter of an informer with an operation and a query. A selector that cannot be parsed selects everything: the
    /// API server refuses it.
    pub(super) fn new(operation: &ClientOperation, query: &Query, sharding: Option<Sharding>) -> Self {
        let ClientOperation { group, version, kind, .. } = operation;
        let field = |label: &str| Ok(field(label, group, kind));
        Self {
            api_version: if group.is_empty() { version.clone() } else { format!("{group}/{version}") },
            kind: kind.clone(),
            labels: query.label_selector().parse().unwrap_or_default(),
            fields: FieldSelector::parse(query.field_selector(), field).unwrap_or_default(),
            sharding,
        }
    }

    /// Whether the informer keeps the object in this state, or may keep it: the response to a request for a subresource or for another
    /// version may lack what is selected by.
    pub(super) fn may_keep(&self, body: &[u8]) -> bool {
        if self.labels.is_empty() && self.fields.is_empty() && self.sharding.is_none() {
            return true;
        }
        let Ok(object) = serde_json::from_slice::<Value>(body) else {
            return true;
        };
        if object["apiVersion"] != self.api_version || object["kind"] != self.kind {
            return true;
        }
        self.fields.matches(&object) && self.may_keep_metadata(object)
    }

    fn may_keep_metadata(&self, object: Value) -> bool {
        let Ok(object) = serde_json::from_value::<PartialObjectMeta<DynamicObject>>(object) else {
            return true;
        };
        let is_in_shard = |sharding: &Sharding| {
            let filter = ShardFilter::new(sharding.key.clone(), sharding.held.borrow().clone());
            !filter.excludes(&object)
        };
        self.labels.matches(&object) && self.sharding.as_ref().is_none_or(is_in_shard)
    }
}

fn field(label: &str, group: &str, kind: &str) -> SelectorField {
    match label {
        "metadata.name" | "metadata.namespace" => SelectorField::at(label),
        _ => SelectorField::builtin(label, group, kind).unwrap_or_else(|| SelectorField::of_path(&format!(".{label}"))),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::client::request::Verb;

    fn filter(query: &Query) -> SelectionFilter {
        let operation = ClientOperation {
            verb: Verb::Watch,
            group: "example.com".to_owned(),
            version: "v1".to_owned(),
            kind: "Machine".to_owned(),
            plural: "machines".to_owned(),
            subresource: None,
            namespace: None,
            name: None,
            generate_name: None,
            quotes_values: false,
        };
        SelectionFilter::new(&operation, query, None)
    }

    fn machine() -> Value {
        json!({
            "apiVersion": "example.com/v1", "kind": "Machine",
            "metadata": { "name": "web", "namespace": "prod", "labels": { "app": "vm" } },
            "spec": { "zone": "a" },
        })
    }

    #[test]
    fn objects_are_selected_as_by_the_api_server() {
        let machine = machine().to_string();
        for (labels, fields, expected) in [
            ("", "", true),
            ("app=vm", "", true),
            ("app notin (vm)", "", false),
            ("", "metadata.name=web,spec.zone=a", true),
            ("", "spec.zone!=a", false),
            ("app=vm", "metadata.namespace=test", false),
            ("app=(", "spec.zone=\\", true),
        ] {
            let filter = filter(&Query::default().labels(&labels).fields(fields));
            assert_eq!(filter.may_keep(machine.as_bytes()), expected, "{labels} {fields}");
        }
    }

    #[test]
    fn other_forms_of_an_object_may_be_kept() {
        let filter = filter(&Query::default().labels(&"app=web"));
        assert!(!filter.may_keep(machine().to_string().as_bytes()));
        for (member, value) in [("kind", "Scale"), ("apiVersion", "example.com/v2")] {
            let mut other = machine();
            other[member] = value.into();
            assert!(filter.may_keep(other.to_string().as_bytes()), "{other}");
        }
        assert!(filter.may_keep(b"[") && filter.may_keep(b"[]"));
    }
}
