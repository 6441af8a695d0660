//! The defaults of Services, and their addresses and ports.

use serde_json::{Value, json};

use super::{each, is_unset, remove, set_value};

/// `patchAllocatedValues` of `pkg/registry/core/service/strategy.go`.
pub(super) fn keep_allocated(old: &Value, new: &mut Value) {
    const ADDRESSES: [&str; 4] = ["clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy"];
    if !new.is_object() || old["type"] == "ExternalName" {
        return;
    }
    if new["type"] == "ExternalName" {
        for name in ADDRESSES {
            if new[name] == old[name] {
                remove(new, name);
            }
        }
        return;
    }
    if new["clusterIP"] != old["clusterIP"] && !is_unset(&new["clusterIP"]) && new["clusterIPs"] == old["clusterIPs"] {
        new["clusterIPs"] = json!([new["clusterIP"]]);
    }
    let is_same = |new: &Value| is_unset(&new["clusterIP"]) || new["clusterIP"] == old["clusterIP"];
    if is_same(new) {
        for name in ADDRESSES.into_iter().filter(|name| !old[*name].is_null()) {
            if is_unset(&new[name]) {
                new[name] = old[name].clone();
            }
        }
    }
    let is_of_nodes = |spec: &Value| matches!(spec["type"].as_str(), Some("NodePort" | "LoadBalancer"));
    if is_of_nodes(old) && is_of_nodes(new) {
        each(new, "/ports", |port| {
            let before = old["ports"].as_array().into_iter().flatten().find(|before| before["name"] == port["name"]);
            if let Some(before) = before.filter(|before| !is_unset(&before["nodePort"])) {
                set_value(port, "nodePort", before["nodePort"].clone());
            }
        });
    }
    let last = old["clusterIP"].as_str().and_then(|address| address.rsplit('.').next()?.parse().ok());
    assign_node_ports(new, last.unwrap_or_default());
}

/// Assigns ports of nodes from the default range, 30000 to 32767.
fn assign_node_ports(spec: &mut Value, first: u64) {
    const LEAST: u64 = 30_000;
    let is_of_nodes = match spec["type"].as_str() {
        Some("NodePort") => true,
        Some("LoadBalancer") => spec["allocateLoadBalancerNodePorts"] != false,
        _ => false,
    };
    if !is_of_nodes {
        return;
    }
    let needs_check = spec["type"] == "LoadBalancer" && spec["externalTrafficPolicy"] == "Local";
    let mut next = LEAST + first * 10;
    each(spec, "/ports", |port| {
        if is_unset(&port["nodePort"]) {
            port["nodePort"] = next.into();
            next += 1;
        }
    });
    if needs_check && is_unset(&spec["healthCheckNodePort"]) {
        spec["healthCheckNodePort"] = next.into();
    }
}

/// `SetDefaults_Service`.
pub(super) fn set_service(service: &mut Value) {
    let spec = &mut service["spec"];
    set_value(spec, "sessionAffinity", "None");
    set_value(spec, "type", "ClusterIP");
    if spec["sessionAffinity"] == "None" {
        remove(spec, "sessionAffinityConfig");
    } else if spec["sessionAffinity"] == "ClientIP"
        && spec.pointer("/sessionAffinityConfig/clientIP/timeoutSeconds").is_none()
    {
        spec["sessionAffinityConfig"] = json!({ "clientIP": { "timeoutSeconds": 10_800 } });
    }
    each(spec, "/ports", |port| {
        if is_unset(&port["targetPort"]) {
            port["targetPort"] = port["port"].clone();
        }
    });
    let type_ = spec["type"].as_str().unwrap_or_default().to_owned();
    let has_external_address = spec["externalIPs"].as_array().is_some_and(|addresses| !addresses.is_empty());
    if matches!(&*type_, "LoadBalancer" | "NodePort") || type_ == "ClusterIP" && has_external_address {
        set_value(spec, "externalTrafficPolicy", "Cluster");
    }
    if matches!(&*type_, "LoadBalancer" | "NodePort" | "ClusterIP") {
        set_value(spec, "internalTrafficPolicy", "Cluster");
    }
    if type_ == "LoadBalancer" {
        set_value(spec, "allocateLoadBalancerNodePorts", true);
        each(service, "/status/loadBalancer/ingress", |ingress| {
            if !is_unset(&ingress["ip"]) {
                set_value(ingress, "ipMode", "VIP");
            }
        });
    }
}

/// Assigns an address that depends on the UID, since no other part of the server uses addresses.
pub(super) fn assign_cluster_ip(object: &mut Value) {
    let spec = &object["spec"];
    if spec["type"] == "ExternalName" {
        return;
    }
    let uid = object["metadata"]["uid"].as_str().unwrap_or_default();
    let part = |range| u8::from_str_radix(uid.get(range).unwrap_or_default(), 16).unwrap_or_default();
    let (address, first_port) = (format!("10.96.{}.{}", part(0..2), part(2..4).max(1)), part(4..6).into());
    let Some(spec) = object.get_mut("spec").filter(|spec| spec.is_object()) else {
        return;
    };
    if matches!(spec["clusterIP"].as_str(), None | Some("")) {
        spec["clusterIP"] = address.into();
    }
    assign_node_ports(spec, first_port);
    set_value(spec, "clusterIPs", json!([spec["clusterIP"]]));
    set_value(spec, "ipFamilies", json!(["IPv4"]));
    set_value(spec, "ipFamilyPolicy", "SingleStack");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ports_have_targets() {
        let mut service =
            json!({ "spec": { "type": "NodePort", "ports": [{ "port": 80 }, { "port": 1, "targetPort": "a" }] } });
        set_service(&mut service);
        assert_eq!(service["spec"]["externalTrafficPolicy"], "Cluster");
        assert_eq!(
            service["spec"]["ports"],
            json!([{ "port": 80, "targetPort": 80 }, { "port": 1, "targetPort": "a" }])
        );
    }
}
