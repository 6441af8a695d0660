//! Services.

use std::collections::BTreeSet;

use crdkit_core::go;
use serde_json::{Value, json};

use super::{Change, common, each, items, number};
use crate::{
    validation::report::{Place, Report},
    value::text,
};

const TYPES: [&str; 4] = ["ClusterIP", "ExternalName", "LoadBalancer", "NodePort"];

/// The longest affinity to a client: a day, in seconds.
const MAX_AFFINITY: i64 = 86_400;

/// `ValidateServiceCreate`, `ValidateServiceUpdate`.
pub(super) fn service(report: &mut Report, change: &Change<'_>) {
    if change.is_of_status() {
        return;
    }
    let (place, spec) = (Place::Root.field("spec"), change.spec());
    if let Some(old) = change.old {
        cluster_ips_update(report, &place, &old["spec"], spec);
    }
    let type_ = text(spec, "type");
    if items(&spec["ports"]).is_empty() && !is_headless(spec) && type_ != "ExternalName" {
        report.required(&place.field("ports"), "");
    }
    of_type(report, &place, spec, type_);
    let needs_names = items(&spec["ports"]).len() > 1;
    let mut names = BTreeSet::new();
    each(&place.field("ports"), &spec["ports"], |place, port| {
        service_port(report, place, port, needs_names, &mut names);
    });
    common::labels(report, &place.field("selector"), &spec["selector"]);
    affinity(report, &place, spec);
    report.required_one_of(&place.field("type"), &spec["type"], &TYPES);
    ports_are_distinct(report, &place.field("ports"), spec);
    if !spec["allocateLoadBalancerNodePorts"].is_null() && type_ != "LoadBalancer" {
        let place = place.field("allocateLoadBalancerNodePorts");
        report.forbidden(&place, "may only be used when `type` is 'LoadBalancer'");
    }
    traffic_policies(report, &place, spec, type_);
}

fn is_headless(spec: &Value) -> bool {
    spec["clusterIP"] == "None" || spec["clusterIPs"][0] == "None"
}

/// What the types of Services need and refuse.
fn of_type(report: &mut Report, place: &Place<'_>, spec: &Value, type_: &str) {
    let addresses = place.field("clusterIPs");
    match type_ {
        "LoadBalancer" | "NodePort" if is_headless(spec) => {
            let detail = format!("may not be set to 'None' for {type_} services");
            report.invalid_text(&addresses.index(0), "None", detail);
        }
        "ExternalName" => {
            if !items(&spec["clusterIPs"]).is_empty() {
                report.forbidden(&addresses, "may not be set for ExternalName services");
            }
            let name = text(spec, "externalName");
            match name.strip_suffix('.').unwrap_or(name) {
                "" => report.required(&place.field("externalName"), ""),
                name => common::subdomain(report, &place.field("externalName"), name),
            }
        }
        _ => {}
    }
}

/// `validateServicePort`.
fn service_port(report: &mut Report, place: &Place<'_>, port: &Value, needs_name: bool, names: &mut BTreeSet<String>) {
    match text(port, "name") {
        "" if needs_name => report.required(&place.field("name"), ""),
        "" => {}
        name => {
            common::label(report, &place.field("name"), name);
            if !names.insert(name.to_owned()) {
                report.duplicate(&place.field("name"), &port["name"]);
            }
        }
    }
    common::port_number(report, &place.field("port"), &json!(number(&port["port"])));
    common::protocol(report, &place.field("protocol"), &port["protocol"]);
    common::port_number_or_name(report, &place.field("targetPort"), &port["targetPort"]);
    if let Some(protocol) = port["appProtocol"].as_str() {
        common::label_name(report, &place.field("appProtocol"), protocol);
    }
}

fn affinity(report: &mut Report, place: &Place<'_>, spec: &Value) {
    let (affinity, at) = (&spec["sessionAffinity"], place.field("sessionAffinity"));
    report.required_one_of(&at, affinity, &["ClientIP", "None"]);
    let seconds = &spec["sessionAffinityConfig"]["clientIP"]["timeoutSeconds"];
    if affinity == "ClientIP" && seconds.as_i64().is_some_and(|seconds| !(1..=MAX_AFFINITY).contains(&seconds)) {
        let config = place.field("sessionAffinityConfig");
        let client = config.field("clientIP");
        let detail = format!("must be greater than 0 and less than {MAX_AFFINITY}");
        report.invalid(&client.field("timeoutSeconds"), seconds, detail);
    }
}

fn ports_are_distinct(report: &mut Report, place: &Place<'_>, spec: &Value) {
    if spec["type"] == "ClusterIP" {
        each(place, &spec["ports"], |place, port| {
            if number(&port["nodePort"]) != 0 {
                report.forbidden(&place.field("nodePort"), "may not be used when `type` is 'ClusterIP'");
            }
        });
    }
    let mut node_ports = BTreeSet::new();
    each(place, &spec["ports"], |place, port| {
        let key = (text(port, "protocol").to_owned(), number(&port["nodePort"]));
        if key.1 != 0 && !node_ports.insert(key) {
            report.duplicate(&place.field("nodePort"), &port["nodePort"]);
        }
    });
    let mut ports = BTreeSet::new();
    each(place, &spec["ports"], |place, port| {
        let (protocol, number) = (text(port, "protocol"), number(&port["port"]));
        if !ports.insert((protocol.to_owned(), number)) {
            // As the internal type of the server prints it.
            let shown = format!(
                r#"{{"Name":"","Protocol":{},"AppProtocol":null,"Port":{number},"TargetPort":0,"NodePort":0}}"#,
                go::quote(protocol)
            );
            report.duplicate_struct(place, shown);
        }
    });
}

fn traffic_policies(report: &mut Report, place: &Place<'_>, spec: &Value, type_: &str) {
    let policies = ["Cluster", "Local"];
    let has_addresses = !items(&spec["externalIPs"]).is_empty();
    let is_external = matches!(type_, "LoadBalancer" | "NodePort") || type_ == "ClusterIP" && has_addresses;
    let (external, at) = (&spec["externalTrafficPolicy"], place.field("externalTrafficPolicy"));
    if !is_external && !external.is_null() {
        report.invalid(&at, external, "may only be set for externally-accessible services");
    } else if is_external {
        report.required_one_of(&at, external, &policies);
    }
    report.one_of(&place.field("internalTrafficPolicy"), &spec["internalTrafficPolicy"], &policies);
}

/// `validateUpgradeDowngradeClusterIPs`, for one family of addresses.
fn cluster_ips_update(report: &mut Report, place: &Place<'_>, old: &Value, new: &Value) {
    let is_named = [old, new].iter().any(|spec| spec["type"] == "ExternalName");
    if is_named || is_headless(old) && is_headless(new) {
        return;
    }
    let (before, after) = (items(&old["clusterIPs"]), items(&new["clusterIPs"]));
    let list = place.field("clusterIPs");
    match (before.first(), after.first()) {
        (Some(_), None) => report.invalid(&list.index(0), &new["clusterIPs"], "primary clusterIP can not be unset"),
        (Some(before), Some(after)) if before != after => {
            report.invalid(&list.index(0), &new["clusterIPs"], "may not change once set");
        }
        _ => {}
    }
}
