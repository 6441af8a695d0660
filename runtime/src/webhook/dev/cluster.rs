//! The cluster that webhooks are registered with.

use std::net::IpAddr;

use kube::config::{Config, KubeconfigError};

use super::DevError;
use crate::{
    Client,
    client::{error::kube::from_kubeconfig, kubeconfig},
};

/// How the contexts of tools for local clusters begin.
const LOCAL_TOOLS: &[&str] = &[
    "colima",
    "desktop-",
    "docker-desktop",
    "k3d-",
    "kind-",
    "microk8s",
    "minikube",
    "orbstack",
    "podman",
    "rancher-desktop",
];

/// Names of this machine.
const LOCAL_NAMES: &[&str] = &["localhost", "kubernetes.docker.internal", "host.docker.internal"];

pub(super) struct Cluster {
    pub(super) client: Client,
    pub(super) context: String,
    /// The host of the API server.
    pub(super) host: String,
}

impl Cluster {
    /// Returns the cluster of a client, or of the current context, if it is local or allowed.
    pub(super) async fn choose(client: Option<Client>, allowed: &[String]) -> Result<Self, DevError> {
        let (context, config, client) = match client {
            Some(client) => {
                let config = client.config().cloned();
                (None, config, Some(client))
            }
            None => {
                let (context, config) = current_context()?;
                (Some(context), Some(config), None)
            }
        };
        let server = config.as_ref().map(|config| config.cluster_url.clone());
        let url = server.as_ref().map_or_else(|| "unknown".to_owned(), ToString::to_string);
        let host = server
            .as_ref()
            .and_then(|server| server.host())
            .unwrap_or_default()
            .trim_start_matches('[')
            .trim_end_matches(']')
            .to_owned();
        let context = context.unwrap_or_else(|| url.trim_end_matches('/').to_owned());
        if !is_local(&context, &host) && !allowed.contains(&context) {
            return Err(DevError::NotLocal { context, server: url });
        }
        let client = match (client, config) {
            (Some(client), _) => client,
            (None, Some(config)) => Client::try_from(config)?,
            (None, None) => Client::try_default().await?,
        };
        Ok(Self { client, context, host })
    }
}

/// Returns the name and the configuration of the current context.
fn current_context() -> Result<(String, Config), DevError> {
    let error = |error: KubeconfigError| DevError::Kubeconfig(from_kubeconfig(&error));
    let kubeconfig = kubeconfig::read_all(&kubeconfig::paths()).map_err(error)?.unwrap_or_default();
    let context = kubeconfig.current_context.clone().ok_or_else(|| error(KubeconfigError::CurrentContextNotSet))?;
    Ok((context, kubeconfig::of_current_context(kubeconfig)?))
}

/// Whether a cluster is on this machine.
fn is_local(context: &str, host: &str) -> bool {
    if LOCAL_NAMES.contains(&host) || host.ends_with(".localhost") {
        return true;
    }
    let Ok(address) = host.parse::<IpAddr>() else { return false };
    let is_tool = || LOCAL_TOOLS.iter().any(|tool| context.starts_with(tool));
    address.is_loopback() || address.is_unspecified() || is_private(address) && is_tool()
}

fn is_private(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => address.is_private() || address.is_link_local(),
        IpAddr::V6(address) => address.is_unique_local() || address.is_unicast_link_local(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn local_clusters_are_recognized() {
        for (context, host) in [
            ("kind-test", "127.0.0.1"),
            ("", "localhost"),
            ("anything", "::1"),
            ("k3d-test", "0.0.0.0"),
            ("minikube", "192.168.49.2"),
            ("docker-desktop", "kubernetes.docker.internal"),
        ] {
            assert!(is_local(context, host), "{context} {host}");
        }
        for (context, host) in [
            ("prod", "10.0.0.1"),
            ("kind-of-production", "203.0.113.7"),
            ("minikube", "kubernetes.example.com"),
            ("prod", ""),
            ("prod", "localhost.example.com"),
        ] {
            assert!(!is_local(context, host), "{context} {host}");
        }
    }
}
