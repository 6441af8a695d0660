//! Label selectors and qualified names.

use crdkit_core::{
    ErrorType, Rule,
    go::quote,
    literal::dns::{LABEL_VALUE, label_value, qualified_name},
    rules::admission_registration::H14,
};
use serde_json::Value;

use crate::crd::admission_registration::{Errors, items, text};

impl Errors<'_> {
    pub(super) fn qualified_name(&mut self, rule: &'static Rule, field: &str, name: &str) {
        if let Err(error) = qualified_name(name) {
            error.messages().for_each(|message| self.invalid(rule, field, quote(name), message));
        }
    }

    fn label_value(&mut self, field: &str, value: &str) {
        if let Err(error) = label_value(value) {
            LABEL_VALUE.messages(error).for_each(|message| self.invalid(&H14, field, quote(value), message));
        }
    }

    pub(super) fn label_selector(&mut self, selector: &Value) {
        for (name, value) in selector["matchLabels"].as_object().into_iter().flatten() {
            self.qualified_name(&H14, "matchLabels", name);
            self.label_value("matchLabels", value.as_str().unwrap_or_default());
        }
        for (index, requirement) in items(&selector["matchExpressions"]) {
            self.below(&format!("matchExpressions[{index}]")).requirement(requirement);
        }
    }

    fn requirement(&mut self, requirement: &Value) {
        let has_values = items(&requirement["values"]).next().is_some();
        match text(requirement, "operator") {
            "In" | "NotIn" if !has_values => {
                self.required(&H14, "values", "must be specified when `operator` is 'In' or 'NotIn'");
            }
            "Exists" | "DoesNotExist" if has_values => {
                let detail = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'";
                self.add(&H14, "values", ErrorType::Forbidden, None, detail);
            }
            "In" | "NotIn" | "Exists" | "DoesNotExist" => {}
            other => self.invalid(&H14, "operator", quote(other), "not a valid selector operator"),
        }
        self.qualified_name(&H14, "key", text(requirement, "key"));
        for (index, value) in items(&requirement["values"]) {
            self.label_value(&format!("values[{index}]"), value.as_str().unwrap_or_default());
        }
    }
}
