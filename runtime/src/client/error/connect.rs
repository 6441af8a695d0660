use super::{ConfigError, KubeError};

/// Why there is no client.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConnectError {
    /// There is neither a kubeconfig nor the environment of a pod.
    #[error("no configuration of a cluster: {0}")]
    NoConfig(#[source] ConfigError),
    /// The client was to be made outside of a runtime of tokio.
    #[error(
        "a client needs a runtime of tokio: make it in one, such as in `#[tokio::main]` or in `Runtime::block_on`"
    )]
    NoRuntime,
    /// No client can be made from the configuration.
    #[error("the configuration of the cluster is of no use: {0}")]
    Unusable(#[source] KubeError),
}

impl From<::kube::config::InferConfigError> for ConnectError {
    fn from(error: ::kube::config::InferConfigError) -> Self {
        Self::NoConfig(error.into())
    }
}

impl From<::kube::Error> for ConnectError {
    fn from(error: ::kube::Error) -> Self {
        Self::Unusable(error.into())
    }
}
