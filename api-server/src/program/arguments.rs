//! The command line.

use std::{
    net::{IpAddr, Ipv4Addr},
    path::PathBuf,
};

use clap::Parser;

const EXAMPLES: &str = "\
Examples:
  crdkit-api-server --kubeconfig kubeconfig.yaml --definitions config/crd/bases
  KUBECONFIG=kubeconfig.yaml kubectl get namespaces";

/// A Kubernetes API server in one process, without etcd, for tests of operators in any language.
#[derive(Debug, Parser)]
#[command(version, after_help = EXAMPLES)]
pub(super) struct Arguments {
    /// Write a kubeconfig to this file once the server is ready
    #[arg(long, value_name = "FILE")]
    pub(super) kubeconfig: Option<PathBuf>,

    /// Load definitions and other objects from a YAML file, or from those of a directory
    #[arg(long, value_name = "PATH")]
    pub(super) definitions: Vec<PathBuf>,

    /// Listen on this port, or on any free one
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    pub(super) port: u16,

    /// Listen on this address
    #[arg(long, value_name = "IP", default_value_t = Ipv4Addr::LOCALHOST.into())]
    pub(super) address: IpAddr,

    /// Authorize users that are impersonated, and service accounts with a token, by their roles
    #[arg(long)]
    pub(super) rbac: bool,

    /// Run the controllers of a cluster: garbage collection, namespaces, service accounts and workloads
    #[arg(long)]
    pub(super) controllers: bool,
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Arguments::command().debug_assert();
    }
}
