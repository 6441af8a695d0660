//! The health checks, which all succeed while the server answers.

use std::{borrow::Cow, collections::BTreeSet};

use crdkit_core::go;

use super::{
    request::{Query, Request},
    response::{Content, Reply},
};

/// The checks of kube-apiserver 1.37 in their order, and the only endpoints that have them, if not all do.
const CHECKS: &[(&str, &[&str])] = &[
    ("ping", &[]),
    ("log", &[]),
    ("loopback-serving-certificate", &["healthz", "livez"]),
    ("etcd", &[]),
    ("etcd-readiness", &["readyz"]),
    ("informer-sync", &["readyz"]),
    ("poststarthook/start-apiserver-admission-initializer", &[]),
    ("poststarthook/generic-apiserver-start-informers", &[]),
    ("poststarthook/priority-and-fairness-config-consumer", &[]),
    ("poststarthook/priority-and-fairness-filter", &[]),
    ("poststarthook/storage-object-count-tracker-hook", &[]),
    ("poststarthook/start-apiextensions-informers", &[]),
    ("poststarthook/start-apiextensions-controllers", &[]),
    ("poststarthook/crd-informer-synced", &[]),
    ("poststarthook/start-system-namespaces-controller", &[]),
    ("poststarthook/peer-endpoint-reconciler-controller", &[]),
    ("poststarthook/start-cluster-authentication-info-controller", &[]),
    ("poststarthook/start-kube-apiserver-identity-lease-controller", &[]),
    ("poststarthook/start-kube-apiserver-identity-lease-garbage-collector", &[]),
    ("poststarthook/storage-readiness", &[]),
    ("poststarthook/start-legacy-token-tracking-controller", &[]),
    ("poststarthook/start-service-ip-repair-controllers", &[]),
    ("poststarthook/rbac/bootstrap-roles", &[]),
    ("poststarthook/scheduling/bootstrap-system-priority-classes", &[]),
    ("poststarthook/priority-and-fairness-config-producer", &[]),
    ("poststarthook/bootstrap-controller", &[]),
    ("poststarthook/start-kubernetes-service-cidr-controller", &[]),
    ("poststarthook/start-kube-aggregator-informers", &[]),
    ("poststarthook/apiservice-status-local-available-controller", &[]),
    ("poststarthook/apiservice-status-remote-available-controller", &[]),
    ("poststarthook/apiservice-registration-controller", &[]),
    ("poststarthook/apiservice-discovery-controller", &[]),
    ("poststarthook/kube-apiserver-autoregistration", &[]),
    ("autoregister-completion", &[]),
    ("poststarthook/apiservice-openapi-controller", &[]),
    ("poststarthook/apiservice-openapiv3-controller", &[]),
    ("shutdown", &["readyz"]),
];

/// Responds to a request for `/healthz`, `/livez`, `/readyz` or one of their checks.
pub(super) fn respond(request: &Request, path: &str) -> Reply {
    let path = path.trim_start_matches('/');
    let (endpoint, check) = path.split_once('/').map_or((path, None), |(endpoint, check)| (endpoint, Some(check)));
    match check {
        Some(check) if checks(endpoint).any(|known| known == check) => text("ok".into()),
        Some(_) => Reply::no_such_path(),
        None => text(summary(endpoint, &Query::parse(request.uri.query()))),
    }
}

fn checks(endpoint: &str) -> impl Iterator<Item = &'static str> + use<'_> {
    let is_of = move |only: &[&str]| only.is_empty() || only.contains(&endpoint);
    CHECKS.iter().filter(move |(_, only)| is_of(only)).map(|(name, _)| *name)
}

fn summary(endpoint: &str, query: &Query) -> Cow<'static, str> {
    if !query.has("verbose") {
        return "ok".into();
    }
    let mut unknown: BTreeSet<&str> = query.all("exclude").filter(|name| !name.is_empty()).collect();
    let mut text = String::new();
    for check in checks(endpoint) {
        let result = if unknown.remove(check) { " excluded:" } else { "" };
        text += &format!("[+]{check}{result} ok\n");
    }
    if !unknown.is_empty() {
        let names: Vec<_> = unknown.into_iter().map(go::quote).collect();
        text += &format!("warn: some health checks cannot be excluded: no matches for {}\n", names.join(", "));
    }
    (text + &format!("{endpoint} check passed\n")).into()
}

fn text(text: Cow<'static, str>) -> Reply {
    Reply::new(200, Content::Text(text))
}
