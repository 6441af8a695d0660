//! NetworkPolicies, and ranges of addresses.

use std::net::IpAddr;

use serde_json::Value;

use super::{Change, common, each, items, number};
use crate::{
    validation::report::{Place, Report},
    value::text,
};

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
