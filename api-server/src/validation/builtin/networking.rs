//! Ingresses, their classes, and addresses of Services.

use std::net::IpAddr;

use serde_json::{Value, json};

use super::{Change, common, each, items, number};
use crate::{
    validation::report::{Place, Report},
    value::text,
};

/// `ValidateIngress`.
pub(super) fn ingress(report: &mut Report, change: &Change<'_>) {
    if change.is_of_status() {
        return;
    }
    let (place, spec) = (Place::Root.field("spec"), change.spec());
    if items(&spec["rules"]).is_empty() && spec["defaultBackend"].is_null() {
        report.invalid(&place, &spec["rules"], "either `defaultBackend` or `rules` must be specified");
    }
    if spec["defaultBackend"].is_object() {
        ingress_backend(report, &place.field("defaultBackend"), &spec["defaultBackend"]);
    }
    each(&place.field("rules"), &spec["rules"], |place, rule| {
        let host = text(rule, "host");
        if host.parse::<IpAddr>().is_ok() {
            report.invalid_text(&place.field("host"), host, "must be a DNS name, not an IP address");
        }
        if !host.is_empty() {
            host_name(report, &place.field("host"), host);
        }
        let http = &rule["http"];
        if !http.is_object() {
            return;
        }
        let http_place = place.field("http");
        let paths = http_place.field("paths");
        if items(&http["paths"]).is_empty() {
            report.required(&paths, "");
        }
        each(&paths, &http["paths"], |place, path| ingress_path(report, place, path));
    });
    each(&place.field("tls"), &spec["tls"], |place, tls| {
        each(&place.field("hosts"), &tls["hosts"], |place, host| {
            host_name(report, place, host.as_str().unwrap_or_default());
        });
        let secret = text(tls, "secretName");
        if !secret.is_empty() {
            common::subdomain(report, &place.field("secretName"), secret);
        }
    });
    if let Some(class) = spec["ingressClassName"].as_str() {
        common::subdomain(report, &place.field("ingressClassName"), class);
    }
}

/// `IsDNS1123Subdomain`, or `IsWildcardDNS1123Subdomain` of a name with a `*`.
fn host_name(report: &mut Report, place: &Place<'_>, host: &str) {
    const MALFORMED: &str = "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character (e.g. '*.example.com', regex used for validation is '\\*\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
    if !host.contains('*') {
        return common::subdomain(report, place, host);
    }
    let rest = host.strip_prefix("*.");
    if rest.is_none_or(|rest| crdkit_core::literal::dns::subdomain(rest).is_err()) {
        report.invalid_text(place, host, MALFORMED);
    }
}

/// `validateHTTPIngressPath`.
fn ingress_path(report: &mut Report, place: &Place<'_>, path: &Value) {
    let (value, at) = (text(path, "path"), place.field("path"));
    let Some(type_) = path["pathType"].as_str() else {
        return report.required(&place.field("pathType"), "pathType must be specified");
    };
    let is_absolute = value.starts_with('/');
    match type_ {
        "Exact" | "Prefix" => {
            if !is_absolute {
                report.invalid_text(&at, value, "must be an absolute path");
            }
            for part in ["//", "/./", "/../", "%2f", "%2F"].into_iter().filter(|part| value.contains(part)) {
                report.invalid_text(&at, value, format!("must not contain '{part}'"));
            }
            for end in ["/..", "/."].into_iter().filter(|end| value.ends_with(end)) {
                report.invalid_text(&at, value, format!("cannot end with '{end}'"));
            }
        }
        "ImplementationSpecific" => {
            if !value.is_empty() && !is_absolute {
                report.invalid_text(&at, value, "must be an absolute path");
            }
        }
        _ => {
            let types = ["Exact", "ImplementationSpecific", "Prefix"];
            report.not_supported(&place.field("pathType"), &path["pathType"], &types);
        }
    }
    ingress_backend(report, &place.field("backend"), &path["backend"]);
}

/// `validateIngressBackend`.
fn ingress_backend(report: &mut Report, place: &Place<'_>, backend: &Value) {
    let (service, resource) = (&backend["service"], &backend["resource"]);
    match (service.is_object(), resource.is_object()) {
        (true, true) => report.invalid_text(place, "", "cannot set both resource and service backends"),
        (false, false) => report.invalid_text(place, "", "resource or service backend is required"),
        (false, true) => {
            for name in ["kind", "name"].into_iter().filter(|name| text(resource, name).is_empty()) {
                report.required(&place.field("resource").field(name), "");
            }
        }
        (true, false) => {
            let (at, name, port) = (place.field("service"), text(service, "name"), &service["port"]);
            if name.is_empty() {
                report.required(&at.field("name"), "");
            } else {
                common::label(report, &at.field("name"), name);
            }
            let (port_name, port_place) = (text(port, "name"), at.field("port"));
            match (port_name.is_empty(), number(&port["number"]) == 0) {
                (false, false) => report.invalid_text(place, "", "cannot set both port name & port number"),
                (false, true) => {
                    let messages = common::port_name_messages(port_name);
                    report.messages(&port_place.field("name"), port_name, messages);
                }
                (true, false) => common::port_number(report, &port_place.field("number"), &port["number"]),
                (true, true) => report.required(place, "port name or number is required"),
            }
        }
    }
}

/// `ValidateIngressClass`.
pub(super) fn ingress_class(report: &mut Report, change: &Change<'_>) {
    let (place, spec) = (Place::Root.field("spec"), change.spec());
    let controller = text(spec, "controller");
    if controller.is_empty() {
        report.required(&place.field("controller"), "");
    } else if controller.split_once('/').is_none_or(|(domain, path)| domain.is_empty() || path.is_empty()) {
        let detail = "must be a domain-prefixed path (such as \"acme.io/foo\")";
        report.invalid_text(&place.field("controller"), controller, detail);
    }
    if change.old.is_some_and(|old| text(&old["spec"], "controller") != controller) {
        report.invalid_text(&place.field("controller"), controller, "field is immutable");
    }
    let (parameters, at) = (&spec["parameters"], place.field("parameters"));
    if !parameters.is_object() {
        return;
    }
    for name in ["kind", "name"] {
        match text(parameters, name) {
            "" => report.required(&at.field(name), ""),
            value => common::path_segment(report, &at.field(name), value),
        }
    }
    report.one_of(&at.field("scope"), &parameters["scope"], &["Cluster", "Namespace"]);
}

/// `ValidateEndpointSlice`, of the addresses and their type.
pub(super) fn endpoint_slice(report: &mut Report, change: &Change<'_>) {
    let (root, slice) = (Place::Root, change.new);
    report.required_one_of(&root.field("addressType"), &slice["addressType"], &["FQDN", "IPv4", "IPv6"]);
    if let Some(old) = change.old {
        report.immutable(&root.field("addressType"), &old["addressType"], &slice["addressType"]);
    }
    each(&root.field("endpoints"), &slice["endpoints"], |place, endpoint| {
        let addresses = place.field("addresses");
        if items(&endpoint["addresses"]).is_empty() {
            report.required(&addresses, "");
        }
        each(&addresses, &endpoint["addresses"], |place, address| {
            let address = address.as_str().unwrap_or_default();
            if slice["addressType"] != "FQDN" && address.parse::<IpAddr>().is_err() {
                let detail = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)";
                report.invalid_text(place, address, detail);
            }
        });
    });
}

/// `ValidateEndpoints`, without special addresses.
pub(super) fn endpoints(report: &mut Report, change: &Change<'_>) {
    each(&Place::Root.field("subsets"), &change.new["subsets"], |place, subset| {
        let lists = ["addresses", "notReadyAddresses"];
        if lists.iter().all(|list| items(&subset[*list]).is_empty()) {
            report.required(place, "must specify `addresses` or `notReadyAddresses`");
        }
        for list in lists {
            each(&place.field(list), &subset[list], |place, address| {
                let ip = text(address, "ip");
                if ip.parse::<IpAddr>().is_err() {
                    let detail = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)";
                    report.invalid_text(&place.field("ip"), ip, detail);
                    report.invalid_text(&place.field("ip"), ip, "must be a valid IP address");
                }
            });
        }
        let needs_names = items(&subset["ports"]).len() > 1;
        each(&place.field("ports"), &subset["ports"], |place, port| {
            match text(port, "name") {
                "" if needs_names => report.required(&place.field("name"), ""),
                "" => {}
                name => common::label(report, &place.field("name"), name),
            }
            common::port_number(report, &place.field("port"), &json!(number(&port["port"])));
            common::protocol(report, &place.field("protocol"), &port["protocol"]);
        });
    });
}
