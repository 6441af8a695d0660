use super::{ConfigError, KubeError};

/// Why a client could not be created.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConnectError {
    /// There is neither a kubeconfig nor the environment of a pod, or the kubeconfig cannot be read.
    #[error("no cluster configuration: {0}")]
    NoConfig(#[source] ConfigError),
    /// kubectl refuses the configuration too, for these reasons.
    #[error("invalid cluster configuration: {}", reasons.join("; "))]
    Refused {
        /// The reasons, in the words of client-go. They contain names and paths, and no secrets.
        reasons: Vec<String>,
    },
    /// The client was created outside a tokio runtime.
    #[error(
        "a client needs a tokio runtime: create it inside one, for example in `#[tokio::main]` or `Runtime::block_on`"
    )]
    NoRuntime,
    /// No client can be created from the configuration.
    #[error("invalid cluster configuration: {0}")]
    InvalidConfig(#[source] KubeError),
}

impl From<ConfigError> for ConnectError {
    fn from(error: ConfigError) -> Self {
        Self::NoConfig(error)
    }
}

impl From<::kube::Error> for ConnectError {
    fn from(error: ::kube::Error) -> Self {
        Self::InvalidConfig(error.into())
    }
}
