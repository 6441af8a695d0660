//! What kubectl refuses in a kubeconfig, with the reasons of client-go's `clientcmd`.
//!
//! Only the current context counts, except for names that are there twice.

use std::fs::File;

use kube::config::{AuthInfo, Cluster, ExecConfig, Kubeconfig};

use crate::client::connection::{AuthMethods, INSECURE_WITH_AUTHORITY};

/// Returns why kubectl refuses the kubeconfig. The texts contain names and paths, and no secrets.
pub(super) fn reasons(kubeconfig: &Kubeconfig) -> Vec<String> {
    let mut reasons = Vec::new();
    add_duplicates(&mut reasons, "clusters", kubeconfig.clusters.iter().map(|named| &*named.name));
    add_duplicates(&mut reasons, "users", kubeconfig.auth_infos.iter().map(|named| &*named.name));
    add_duplicates(&mut reasons, "contexts", kubeconfig.contexts.iter().map(|named| &*named.name));
    let current = kubeconfig.current_context.as_deref().unwrap_or_default();
    let context = kubeconfig.contexts.iter().find(|named| named.name == current);
    let Some(context) = context.and_then(|named| named.context.as_ref()) else {
        reasons.push(format!("context was not found for specified context: {current}"));
        return reasons;
    };
    let cluster =
        kubeconfig.clusters.iter().find(|named| named.name == context.cluster).and_then(|named| named.cluster.as_ref());
    let user = context.user.as_deref().unwrap_or_default();
    let auth = kubeconfig.auth_infos.iter().find(|named| named.name == user);
    if let Some(auth) = auth.and_then(|named| named.auth_info.as_ref()) {
        add_of_user(&mut reasons, user, auth);
    }
    match cluster {
        Some(cluster) => add_of_cluster(&mut reasons, &context.cluster, cluster),
        None => reasons.push(format!("cluster {:?} was not found for context {current:?}", context.cluster)),
    }
    reasons
}

/// The server rejects them too when it decodes the file.
fn add_duplicates<'a>(reasons: &mut Vec<String>, list: &str, names: impl Iterator<Item = &'a str>) {
    let mut names: Vec<_> = names.collect();
    names.sort_unstable();
    let mut twice: Vec<_> = names.windows(2).filter(|pair| pair[0] == pair[1]).map(|pair| pair[0]).collect();
    twice.dedup();
    reasons.extend(twice.into_iter().map(|name| format!("duplicate name {name:?} in list of {list}")));
}

fn add_of_cluster(reasons: &mut Vec<String>, name: &str, cluster: &Cluster) {
    if cluster.server.is_none() {
        reasons.push(format!("no server found for cluster {name:?}"));
    }
    let has_data = cluster.certificate_authority_data.is_some();
    if let Some(path) = &cluster.certificate_authority {
        if has_data {
            reasons.push(format!(
                "certificate-authority-data and certificate-authority are both specified for {name}. \
                 certificate-authority-data will override."
            ));
        }
        add_if_unreadable(reasons, "certificate-authority", path, name);
    }
    let has_authority = has_data || cluster.certificate_authority.is_some();
    if has_authority && cluster.insecure_skip_tls_verify == Some(true) {
        reasons.push(INSECURE_WITH_AUTHORITY.to_owned());
    }
}

fn add_of_user(reasons: &mut Vec<String>, name: &str, auth: &AuthInfo) {
    let methods = AuthMethods::of(auth);
    if methods.has_certificate() {
        add_of_certificate(reasons, name, &methods);
    }
    if let Some(exec) = &auth.exec {
        if auth.auth_provider.is_some() {
            reasons.push(format!("authProvider cannot be provided in combination with an exec plugin for {name}"));
        }
        add_of_plugin(reasons, name, exec);
    }
    if methods.has("token") && (methods.has("username") || methods.has("password")) {
        reasons.push(format!(
            "more than one authentication method found for {name}; found [token basicAuth], only one is allowed"
        ));
    }
    let has_details = methods.has("as-uid")
        || auth.impersonate_groups.as_ref().is_some_and(|groups| !groups.is_empty())
        || auth.impersonate_user_extra.as_ref().is_some_and(|extra| !extra.is_empty());
    if has_details && !methods.has("as") {
        reasons.push(format!("requesting uid, groups or user-extra for {name} without impersonating a user"));
    }
}

fn add_of_certificate(reasons: &mut Vec<String>, name: &str, methods: &AuthMethods) {
    if methods.has("client-certificate") && methods.has("client-certificate-data") {
        reasons.push(format!(
            "client-cert-data and client-cert are both specified for {name}. client-cert-data will override."
        ));
    }
    if methods.has("client-key") && methods.has("client-key-data") {
        reasons.push(format!(
            "client-key-data and client-key are both specified for {name}; client-key-data will override"
        ));
    }
    if !methods.has_key() {
        reasons.push(format!(
            "client-key-data or client-key must be specified for {name} to use the clientCert authentication method."
        ));
    }
    for (field, label) in [("client-certificate", "client-cert"), ("client-key", "client-key")] {
        if let Some(path) = methods.text(field) {
            add_if_unreadable(reasons, label, path, name);
        }
    }
}

fn add_of_plugin(reasons: &mut Vec<String>, name: &str, exec: &ExecConfig) {
    let mut require = |what: &str, is_there: bool| {
        if !is_there {
            reasons.push(format!("{what} must be specified for {name} to use exec authentication plugin"));
        }
    };
    let is_set = |text: &Option<String>| text.as_ref().is_some_and(|text| !text.is_empty());
    require("command", is_set(&exec.command));
    require("apiVersion", is_set(&exec.api_version));
    let mut variables = exec.env.iter().flatten();
    require("env variable name", variables.all(|variable| variable.get("name").is_some_and(|name| !name.is_empty())));
    // Earlier versions have a default.
    let has_default = exec.api_version.as_deref() == Some("client.authentication.k8s.io/v1beta1");
    require("interactiveMode", has_default || exec.interactive_mode.is_some());
}

fn add_if_unreadable(reasons: &mut Vec<String>, field: &str, path: &str, name: &str) {
    if let Err(error) = File::open(path) {
        reasons.push(format!("unable to read {field} {path} for {name} due to {}", error.kind()));
    }
}
