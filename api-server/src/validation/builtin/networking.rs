//! Ingresses, NetworkPolicies and Endpoints.

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

/// `ValidateNetworkPolicy`.
pub(super) fn network_policy(report: &mut Report, change: &Change<'_>) {
    let (place, spec) = (Place::Root.field("spec"), change.spec());
    common::label_selector(report, &place.field("podSelector"), &spec["podSelector"]);
    for (direction, peers) in [("ingress", "from"), ("egress", "to")] {
        each(&place.field(direction), &spec[direction], |place, rule| {
            each(&place.field("ports"), &rule["ports"], |place, port| policy_port(report, place, port));
            each(&place.field(peers), &rule[peers], |place, peer| policy_peer(report, place, peer));
        });
    }
    let (types, types_place) = (&spec["policyTypes"], place.field("policyTypes"));
    if items(types).len() > 2 {
        return report.invalid(&types_place, types, "may not specify more than two policyTypes");
    }
    each(&types_place, types, |place, type_| report.one_of(place, type_, &["Ingress", "Egress"]));
}

/// `ValidateNetworkPolicyPort`.
fn policy_port(report: &mut Report, place: &Place<'_>, port: &Value) {
    report.one_of(&place.field("protocol"), &port["protocol"], &["TCP", "UDP", "SCTP"]);
    let (at, end_place, end) = (place.field("port"), place.field("endPort"), &port["endPort"]);
    let refuse_end = |report: &mut Report, detail: &str| {
        if !end.is_null() {
            report.invalid(&end_place, end, detail);
        }
    };
    match &port["port"] {
        Value::Null => refuse_end(report, "may not be specified when `port` is not specified"),
        Value::String(name) => {
            refuse_end(report, "may not be specified when `port` is non-numeric");
            report.messages(&at, name, common::port_name_messages(name));
        }
        start => {
            common::port_number(report, &at, start);
            if !end.is_null() {
                if number(end) < number(start) {
                    report.invalid(&end_place, end, "must be greater than or equal to `port`");
                }
                common::port_number(report, &end_place, end);
            }
        }
    }
}

/// `ValidateNetworkPolicyPeer`.
fn policy_peer(report: &mut Report, place: &Place<'_>, peer: &Value) {
    let selectors = ["podSelector", "namespaceSelector"].into_iter().filter(|name| !peer[*name].is_null());
    let selectors: Vec<_> = selectors.collect();
    for name in &selectors {
        common::label_selector(report, &place.field(name), &peer[*name]);
    }
    let has_block = peer["ipBlock"].is_object();
    if has_block {
        ip_block(report, &place.field("ipBlock"), &peer["ipBlock"]);
    }
    if selectors.is_empty() && !has_block {
        report.required(place, "must specify a peer");
    } else if !selectors.is_empty() && has_block {
        report.forbidden(place, "may not specify both ipBlock and another peer");
    }
}

/// `ValidateIPBlock`.
fn ip_block(report: &mut Report, place: &Place<'_>, block: &Value) {
    let text_of = text(block, "cidr");
    if text_of.is_empty() {
        return report.required(&place.field("cidr"), "");
    }
    address_range(report, &place.field("cidr"), text_of);
    let Some(range) = cidr(text_of) else { return };
    each(&place.field("except"), &block["except"], |place, except| {
        let text = except.as_str().unwrap_or_default();
        match cidr(text) {
            None => address_range(report, place, text),
            Some(inner) if !is_strict_subset(inner, range) => {
                report.invalid_text(place, text, "must be a strict subset of `cidr`");
            }
            Some(_) => {}
        }
    });
}

/// `IsValidCIDRForLegacyField`.
pub(super) fn address_range(report: &mut Report, place: &Place<'_>, range: &str) {
    if cidr(range).is_none() {
        report.invalid_text(place, range, "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)");
    }
}

/// Returns an address and the length of its prefix.
fn cidr(text: &str) -> Option<(IpAddr, u32)> {
    let (address, length) = text.split_once('/')?;
    let (address, length): (IpAddr, u32) = (address.parse().ok()?, length.parse().ok()?);
    (length <= if address.is_ipv4() { 32 } else { 128 }).then_some((address, length))
}

fn is_strict_subset((inner, inner_length): (IpAddr, u32), (outer, length): (IpAddr, u32)) -> bool {
    let prefix = |address: IpAddr, length: u32| match address {
        IpAddr::V4(address) => u128::from(address.to_bits()).checked_shr(32 - length).unwrap_or(0),
        IpAddr::V6(address) => address.to_bits().checked_shr(128 - length).unwrap_or(0),
    };
    inner.is_ipv4() == outer.is_ipv4() && inner_length > length && prefix(inner, length) == prefix(outer, length)
}

/// `ValidateIngressClass`.
pub(super) fn ingress_class(report: &mut Report, change: &Change<'_>) {
    let (place, spec) = (Place::Root.field("spec"), change.spec());
    if text(spec, "controller").is_empty() {
        report.required(&place.field("controller"), "");
    }
    if let Some(old) = change.old {
        report.immutable(&place.field("controller"), &old["spec"]["controller"], &spec["controller"]);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_of_addresses() {
        let is_subset = |inner, outer| is_strict_subset(cidr(inner).unwrap(), cidr(outer).unwrap());
        assert!(is_subset("10.0.0.0/28", "10.0.0.0/24"));
        assert!(is_subset("10.0.0.0/1", "0.0.0.0/0"));
        assert!(!is_subset("10.0.1.0/28", "10.0.0.0/24"));
        assert!(!is_subset("10.0.0.0/24", "10.0.0.0/24"));
        assert_eq!(cidr("10.0.0.0/33"), None);
    }
}
