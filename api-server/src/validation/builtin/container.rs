//! Containers of Pods.

use std::collections::BTreeSet;

use crdkit_core::cel::Quantity;
use serde_json::{Value, json};

use super::{common, each, environment, items, number};
use crate::{
    validation::report::{Place, Report},
    value::text,
};

/// What containers of a Pod refer to.
pub(super) struct Containers<'a> {
    pub(super) volumes: &'a BTreeSet<&'a str>,
    pub(super) grace_period: Option<i64>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    Regular,
    Init,
    Ephemeral,
}

impl Containers<'_> {
    /// `validateContainerCommon`, and what containers of a role have besides.
    pub(super) fn container(&self, report: &mut Report, place: &Place<'_>, container: &Value, role: Role) {
        match text(container, "name") {
            "" => report.required(&place.field("name"), ""),
            name => common::label(report, &place.field("name"), name),
        }
        if text(container, "image").is_empty() {
            report.required(&place.field("image"), "");
        }
        let policies = ["File", "FallbackToLogsOnError"];
        let policy = &container["terminationMessagePolicy"];
        report.required_one_of(&place.field("terminationMessagePolicy"), policy, &policies);
        ports(report, &place.field("ports"), &container["ports"]);
        environment::variables(report, &place.field("env"), &container["env"]);
        environment::sources(report, &place.field("envFrom"), &container["envFrom"]);
        self.volume_mounts(report, &place.field("volumeMounts"), container);
        let policies = ["Always", "IfNotPresent", "Never"];
        report.required_one_of(&place.field("imagePullPolicy"), &container["imagePullPolicy"], &policies);
        resources(report, &place.field("resources"), &container["resources"]);
        security_context(report, &place.field("securityContext"), &container["securityContext"]);
        if role == Role::Ephemeral {
            return;
        }
        if role == Role::Init {
            let policies = ["Always", "Never", "OnFailure"];
            report.one_of(&place.field("restartPolicy"), &container["restartPolicy"], &policies);
        }
        if role == Role::Init && container["restartPolicy"] != "Always" {
            const DETAIL: &str = "may not be set for init containers without restartPolicy=Always";
            let set = ["lifecycle", "livenessProbe", "readinessProbe", "startupProbe"];
            let set = set.into_iter().filter(|name| !container[*name].is_null());
            set.for_each(|name| report.forbidden(&place.field(name), DETAIL));
            return;
        }
        for name in ["postStart", "preStop"] {
            let hook = &container["lifecycle"][name];
            if hook.is_object() {
                self.handler(report, &place.field("lifecycle").field(name), hook);
            }
        }
        for name in ["livenessProbe", "readinessProbe", "startupProbe"] {
            if container[name].is_object() {
                self.probe(report, &place.field(name), &container[name], name != "readinessProbe");
            }
        }
    }

    /// `validateProbe`.
    fn probe(&self, report: &mut Report, place: &Place<'_>, probe: &Value, succeeds_once: bool) {
        self.handler(report, place, probe);
        let seconds =
            ["initialDelaySeconds", "timeoutSeconds", "periodSeconds", "successThreshold", "failureThreshold"];
        report.all_non_negative(place, probe, &seconds);
        if let Some(seconds) = probe["terminationGracePeriodSeconds"].as_i64()
            && seconds <= 0
        {
            let place = place.field("terminationGracePeriodSeconds");
            report.invalid(&place, &json!(seconds), "must be greater than 0");
        }
        if succeeds_once && probe["successThreshold"] != 1 {
            report.invalid(&place.field("successThreshold"), &probe["successThreshold"], "must be 1");
        }
    }

    /// `validateHandler`.
    fn handler(&self, report: &mut Report, place: &Place<'_>, handler: &Value) {
        let kinds = ["exec", "httpGet", "tcpSocket", "grpc", "sleep"];
        let mut set = kinds.into_iter().filter(|kind| handler[*kind].is_object());
        let Some(kind) = set.next() else {
            return report.required(place, "must specify a handler type");
        };
        let (action, at) = (&handler[kind], place.field(kind));
        match kind {
            "exec" if items(&action["command"]).is_empty() => report.required(&at.field("command"), ""),
            "httpGet" => {
                if text(action, "path").is_empty() {
                    report.required(&at.field("path"), "");
                }
                common::port_number_or_name(report, &at.field("port"), &action["port"]);
                report.one_of(&at.field("scheme"), &action["scheme"], &["HTTP", "HTTPS"]);
            }
            "tcpSocket" => common::port_number_or_name(report, &at.field("port"), &action["port"]),
            "grpc" => common::port_number(report, &at.field("port"), &action["port"]),
            "sleep" => {
                let seconds = number(&action["seconds"]);
                if seconds < 0 || self.grace_period.is_some_and(|period| seconds > period) {
                    let period = self.grace_period.unwrap_or_default();
                    let detail = format!(
                        "must be non-negative and less than terminationGracePeriodSeconds ({period}). Enable AllowPodLifecycleSleepActionZeroValue feature gate for zero sleep."
                    );
                    report.invalid(&at.field("seconds"), &json!(seconds), detail);
                }
            }
            _ => {}
        }
        for other in set {
            report.forbidden(&place.field(other), "may not specify more than 1 handler type");
        }
    }

    /// `ValidateVolumeMounts`.
    fn volume_mounts(&self, report: &mut Report, place: &Place<'_>, container: &Value) {
        let mut paths = BTreeSet::new();
        each(place, &container["volumeMounts"], |at, mount| {
            let (name, path) = (text(mount, "name"), text(mount, "mountPath"));
            if name.is_empty() {
                report.required(&at.field("name"), "");
            }
            if !self.volumes.contains(name) {
                report.not_found(&at.field("name"), name);
            }
            if path.is_empty() {
                report.required(&at.field("mountPath"), "");
            }
            if !paths.insert(path.to_owned()) {
                report.invalid_text(&at.field("mountPath"), path, "must be unique");
            }
            for name in ["subPath", "subPathExpr"].into_iter().filter(|name| !text(mount, name).is_empty()) {
                local_descending_path(report, &place.field(name), text(mount, name));
            }
        });
    }
}

/// The rules of `validateEphemeralContainers` about fields that other containers have.
pub(super) fn only_ephemeral_fields(report: &mut Report, place: &Place<'_>, container: &Value) {
    const DETAIL: &str = "cannot be set for an Ephemeral Container";
    /// In the order of the fields in Go.
    const REFUSED: [&str; 9] = [
        "ports",
        "resources",
        "resizePolicy",
        "restartPolicy",
        "restartPolicyRules",
        "livenessProbe",
        "readinessProbe",
        "startupProbe",
        "lifecycle",
    ];
    let is_set = |value: &Value| !(value.is_null() || value == &json!([]) || value == &json!({}));
    for name in REFUSED.into_iter().filter(|name| is_set(&container[*name])) {
        report.forbidden(&place.field(name), DETAIL);
    }
    each(&place.field("volumeMounts"), &container["volumeMounts"], |place, mount| {
        for name in ["subPath", "subPathExpr"].into_iter().filter(|name| !text(mount, name).is_empty()) {
            report.forbidden(&place.field(name), DETAIL);
        }
    });
}

/// `validateLocalDescendingPath`.
fn local_descending_path(report: &mut Report, place: &Place<'_>, path: &str) {
    if path.starts_with('/') {
        report.invalid_text(place, path, "must be a relative path");
    }
    if path.split('/').any(|part| part == "..") {
        report.invalid_text(place, path, "must not contain '..'");
    }
}

/// `validateContainerPorts`.
fn ports(report: &mut Report, place: &Place<'_>, ports: &Value) {
    let mut names = BTreeSet::new();
    each(place, ports, |place, port| {
        let name = text(port, "name");
        let messages = common::port_name_messages(name);
        if name.is_empty() {
        } else if !messages.is_empty() {
            report.messages(&place.field("name"), name, messages);
        } else if !names.insert(name.to_owned()) {
            report.duplicate(&place.field("name"), &port["name"]);
        }
        match number(&port["containerPort"]) {
            0 => report.required(&place.field("containerPort"), ""),
            _ => common::port_number(report, &place.field("containerPort"), &port["containerPort"]),
        }
        if number(&port["hostPort"]) != 0 {
            common::port_number(report, &place.field("hostPort"), &port["hostPort"]);
        }
        common::protocol(report, &place.field("protocol"), &port["protocol"]);
    });
}

/// `checkHostPortConflicts`.
pub(super) fn host_port_conflicts(report: &mut Report, place: &Place<'_>, containers: &[Value]) {
    let mut used = BTreeSet::new();
    for (index, container) in containers.iter().enumerate() {
        each(&place.index(index).field("ports"), &container["ports"], |place, port| {
            let host_port = number(&port["hostPort"]);
            if host_port == 0 {
                return;
            }
            let key = format!("{}/{}/{host_port}", text(port, "protocol"), text(port, "hostIP"));
            if !used.insert(key.clone()) {
                report.duplicate(&place.field("hostPort"), &json!(key));
            }
        });
    }
}

/// On the network of the host, ports are those of the host.
pub(super) fn host_network_ports(report: &mut Report, place: &Place<'_>, containers: &Value) {
    each(place, containers, |place, container| {
        each(&place.field("ports"), &container["ports"], |place, port| {
            if number(&port["hostPort"]) != number(&port["containerPort"]) {
                let detail = "must match `containerPort` when `hostNetwork` is true";
                report.invalid(&place.field("hostPort"), &json!(number(&port["hostPort"])), detail);
            }
        });
    });
}

/// `validateResourceRequirements`, without claims and huge pages.
fn resources(report: &mut Report, place: &Place<'_>, resources: &Value) {
    let quantity = |value: &Value| value.as_str().and_then(|text| Quantity::parse(text).ok());
    for list in ["limits", "requests"] {
        let at = place.field(list);
        for (name, value) in resources[list].as_object().into_iter().flatten() {
            let at = at.key(name);
            resource_name(report, &at, name);
            let Some(amount) = quantity(value) else { continue };
            if amount.sign() < 0 {
                report.invalid(&at, value, "must be greater than or equal to 0");
            }
            let Some(limit) = resources["limits"].get(name).filter(|_| list == "requests") else { continue };
            if quantity(limit).is_some_and(|limit| amount.order(&limit).is_gt()) {
                let detail =
                    format!("must be less than or equal to {name} limit of {}", limit.as_str().unwrap_or_default());
                report.invalid(&place.field("requests"), value, detail);
            }
        }
    }
}

/// `ValidateContainerResourceName`.
pub(super) fn resource_name(report: &mut Report, place: &Place<'_>, name: &str) {
    common::label_name(report, place, name);
    let is_standard = matches!(name, "cpu" | "memory" | "ephemeral-storage") || name.starts_with("hugepages-");
    if !name.contains('/') && !is_standard {
        report.invalid_text(place, name, "must be a standard resource type or fully qualified");
        report.invalid_text(place, name, "must be a standard resource for containers");
    }
}

/// `ValidateSecurityContext`, without profiles.
fn security_context(report: &mut Report, place: &Place<'_>, context: &Value) {
    for name in ["runAsUser", "runAsGroup"] {
        user_id(report, &place.field(name), &context[name]);
    }
    report.one_of(&place.field("procMount"), &context["procMount"], &["Default", "Unmasked"]);
    if context["allowPrivilegeEscalation"] == false && context["privileged"] == true {
        let detail = "cannot set `allowPrivilegeEscalation` to false and `privileged` to true";
        report.invalid(place, &Value::Null, detail);
    }
}

/// `IsValidUserID`, `IsValidGroupID`.
pub(super) fn user_id(report: &mut Report, place: &Place<'_>, id: &Value) {
    if id.as_i64().is_some_and(|id| !(0..=i64::from(i32::MAX)).contains(&id)) {
        report.invalid(place, id, "must be between 0 and 2147483647, inclusive");
    }
}
