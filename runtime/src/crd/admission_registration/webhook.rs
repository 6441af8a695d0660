//! Webhooks in ValidatingWebhookConfigurations and MutatingWebhookConfigurations.

use crdkit_core::{
    ErrorType, Rule, ServerError, Violation,
    cel::AdmissionScope,
    go::{json, quote},
    literal::dns::{LABEL_1035, SUBDOMAIN, label_1035, subdomain},
    rules::{
        admission_registration::{H1, H2, H3, H4, H5, H6, H7, H8, H9, timeout_is_in_range, webhook_name_is_subdomain},
        conversion::{check_url, port_is_in_range},
    },
};
use serde_json::Value;

use crate::crd::{
    admission_registration::{BrokenRule, Errors, items, text, texts},
    crd_accessors::read,
};

pub(super) fn check(configuration: &Value, errors: &mut Vec<BrokenRule>) {
    let scope = AdmissionScope::new();
    let mut names = Vec::new();
    for (index, webhook) in items(&configuration["webhooks"]) {
        let mut of = Errors { path: format!(".webhooks[{index}]"), errors };
        let name = text(webhook, "name");
        of.violation(&H1, "", webhook_name_is_subdomain(name));
        for (index, rule) in items(&webhook["rules"]) {
            of.below(&format!("rules[{index}]")).rule(rule);
        }
        of.one_of(&H8, webhook, "failurePolicy", &["Fail", "Ignore"]);
        of.one_of(&H8, webhook, "matchPolicy", &["Equivalent", "Exact"]);
        of.side_effects(webhook);
        of.violation(&H2, "", webhook["timeoutSeconds"].as_i64().map_or(Ok(()), timeout_is_in_range));
        for field in ["namespaceSelector", "objectSelector"] {
            of.below(field).label_selector(&webhook[field]);
        }
        of.one_of(&H8, webhook, "reinvocationPolicy", &["IfNeeded", "Never"]);
        of.client_config(&webhook["clientConfig"]);
        of.conditions(webhook, &scope);
        of.review_versions(webhook);
        if !name.is_empty() && names.contains(&name) {
            of.duplicate(&H3, "name", name);
        }
        names.push(name);
    }
}

impl Errors<'_> {
    /// Adds the server's error about a broken rule.
    fn violation(&mut self, rule: &'static Rule, field: &str, result: Result<(), Violation<'_>>) {
        let Err(Violation { server_error: Some(error), .. }) = result else { return };
        let ServerError { field: below, kind, value, detail } = error;
        let place = format!("{field}{below}");
        let value = value.map(|value| value.to_string());
        self.add(rule, place.trim_start_matches('.'), kind, value, &detail.to_string());
    }

    fn client_config(&mut self, config: &Value) {
        let url = config["url"].as_str();
        if url.is_some() == config["service"].is_object() {
            return self.required(&H4, "clientConfig", "exactly one of url or service is required");
        }
        match url {
            Some(url) => check_url(url, &mut |violation| self.violation(&H5, "clientConfig.url", Err(violation))),
            None => self.service(&config["service"]),
        }
    }

    fn service(&mut self, service: &Value) {
        for field in ["namespace", "name"] {
            if text(service, field).is_empty() {
                self.required(&H6, &format!("clientConfig.service.{field}"), "");
            }
        }
        let port = service["port"].as_i64().and_then(|port| i32::try_from(port).ok()).unwrap_or(443);
        self.violation(&H6, "clientConfig.service", port_is_in_range(port));
        self.service_path(text(service, "path"));
    }

    /// Checks all segments of a path.
    fn service_path(&mut self, path: &str) {
        const FIELD: &str = "clientConfig.service.path";
        let Some(steps) = path.strip_prefix('/') else {
            if !path.is_empty() {
                self.invalid(&H6, FIELD, quote(path), "must start with a '/'");
            }
            return;
        };
        if steps.is_empty() {
            return;
        }
        for (index, step) in steps.strip_suffix('/').unwrap_or(steps).split('/').enumerate() {
            match subdomain(step) {
                Ok(()) => {}
                Err(_) if step.is_empty() => {
                    self.invalid(&H6, FIELD, quote(path), &format!("segment[{index}] may not be empty"));
                }
                Err(error) => SUBDOMAIN.messages(error).for_each(|message| {
                    self.invalid(&H6, FIELD, quote(path), &format!("segment[{index}]: {message}"));
                }),
            }
        }
    }

    fn side_effects(&mut self, webhook: &Value) {
        match text(webhook, "sideEffects") {
            "" => self.required(&H7, "sideEffects", "must specify one of None, NoneOnDryRun"),
            _ => self.one_of(&H7, webhook, "sideEffects", &["None", "NoneOnDryRun"]),
        }
    }

    fn review_versions(&mut self, webhook: &Value) {
        let versions = texts(&webhook["admissionReviewVersions"]);
        if versions.is_empty() {
            return self.required(&H9, "admissionReviewVersions", "must specify one of v1, v1beta1");
        }
        for (index, version) in versions.iter().enumerate() {
            let field = format!("admissionReviewVersions[{index}]");
            if versions[..index].contains(version) {
                self.invalid(&H9, &field, quote(version), "duplicate version");
            } else if let Err(error) = label_1035(version) {
                LABEL_1035.messages(error).for_each(|message| self.invalid(&H9, &field, quote(version), message));
            }
        }
        if !versions.iter().any(|version| matches!(*version, "v1" | "v1beta1")) {
            let value = json(&read::json(&webhook["admissionReviewVersions"]));
            self.add(
                &H9,
                "admissionReviewVersions",
                ErrorType::Invalid,
                Some(value),
                "must include at least one of v1, v1beta1",
            );
        }
    }
}
