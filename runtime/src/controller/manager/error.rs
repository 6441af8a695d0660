use super::{
    super::{PreflightError, ServeError},
    SettingsError,
};
use crate::informer::RunError;
#[cfg(feature = "webhook")]
use crate::webhook::WebhookServerError;

/// Why a controller cannot be [added](super::ManagerHandle::add) to a running manager.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AddControllerError {
    /// A name or a setting cannot work. Nothing was started.
    #[error(transparent)]
    Settings(SettingsError),
    /// The cluster does not serve or permit what the controller requires. Nothing was started.
    #[error(transparent)]
    Preflight(Box<PreflightError>),
    /// The initial lists were not complete in time. The controller has ended.
    #[error(transparent)]
    Run(RunError),
    /// The manager does not run any longer, or the controller was removed meanwhile.
    #[error("the manager does not run any longer, or the controller was removed meanwhile")]
    NotRunning,
}

/// Why a manager stopped. Each reason has an [exit code](super::super::ExitStatus).
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ManagerError {
    /// A controller cannot run, or did not stop in time.
    #[error("the controller `{name}`: {source}")]
    Controller {
        /// The name of the controller.
        name: String,
        /// The error.
        source: RunError,
    },
    /// The namespaces to which the manager is [limited](super::Manager::namespaces_with_labels) were not listed in time. Nothing was started.
    #[error("the namespaces of the manager: {0}")]
    Namespaces(RunError),
    /// A [task](super::super::Task) has failed, or did not end in time.
    #[error("the task `{name}`: {source}")]
    Task {
        /// The name of the task.
        name: String,
        /// The error.
        source: super::super::Error,
    },
    /// A name or a setting cannot work. Nothing was started.
    #[error(transparent)]
    Settings(#[from] SettingsError),
    /// The cluster does not serve or permit what the controllers require. Nothing was started.
    #[error(transparent)]
    Preflight(Box<PreflightError>),
    /// Health checks or metrics cannot be served. Nothing was started.
    #[error(transparent)]
    Serve(#[from] ServeError),
    /// The webhooks cannot be served. Nothing was started.
    #[cfg(feature = "webhook")]
    #[error(transparent)]
    Webhooks(#[from] WebhookServerError),
    /// The lease could not be renewed in time. Another process may be the leader: exit, so that this one starts again.
    #[error("the lease `{lease}` could not be renewed in time")]
    LeaseLost {
        /// The name of the lease.
        lease: String,
    },
}
