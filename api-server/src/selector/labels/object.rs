//! Label selectors as objects of the API have them.

use serde_json::Value;

use super::{LabelSelector, Operator, Requirement};

impl LabelSelector {
    /// Returns the selector of an object with `matchLabels` and `matchExpressions`. An empty one selects everything.
    pub(crate) fn of_object(selector: &Value) -> Self {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let labels = selector["matchLabels"].as_object().into_iter().flatten().map(|(key, value)| Requirement {
            key: key.clone(),
            operator: Operator::In,
            values: [text(value)].into(),
        });
        let expressions = selector["matchExpressions"].as_array().into_iter().flatten().map(|expression| Requirement {
            key: text(&expression["key"]),
            operator: match expression["operator"].as_str() {
                Some("In") => Operator::In,
                Some("NotIn") => Operator::NotIn,
                Some("DoesNotExist") => Operator::DoesNotExist,
                _ => Operator::Exists,
            },
            values: expression["values"].as_array().into_iter().flatten().map(text).collect(),
        });
        Self { requirements: labels.chain(expressions).collect() }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn objects_are_selectors() {
        let selector = LabelSelector::of_object(&json!({
            "matchLabels": { "app": "web" },
            "matchExpressions": [
                { "key": "tier", "operator": "NotIn", "values": ["test"] },
                { "key": "old", "operator": "DoesNotExist" },
            ],
        }));
        let matches = |labels| selector.matches(&json!({ "metadata": { "labels": labels } }));
        assert!(matches(json!({ "app": "web" })));
        assert!(!matches(json!({ "app": "web", "tier": "test" })));
        assert!(!matches(json!({ "app": "web", "old": "" })));
        assert!(LabelSelector::of_object(&json!({})).matches(&json!({})));
    }
}
