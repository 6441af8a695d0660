use super::{ConfigError, KubeError};

/// Why a client could not be created.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConnectError {
    /// There is neither a kubeconfig nor the environment of a pod.
    #[error("no cluster configuration: {0}")]
    NoConfig(#[source] ConfigError),
    /// The client was created outside a tokio runtime.
    #[error(
        "a client needs a tokio runtime: create it inside one, for example in `#[tokio::main]` or `Runtime::block_on`"
    )]
    NoRuntime,
    /// No client can be created from the configuration.
    #[error("invalid cluster configuration: {0}")]
    InvalidConfig(#[source] KubeError),
}

impl From<::kube::config::InferConfigError> for ConnectError {
    fn from(error: ::kube::config::InferConfigError) -> Self {
        Self::NoConfig(error.into())
    }
}

impl From<::kube::Error> for ConnectError {
    fn from(error: ::kube::Error) -> Self {
        Self::InvalidConfig(error.into())
    }
}
