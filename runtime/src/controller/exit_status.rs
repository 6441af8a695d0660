//! Exit codes.

use std::process::{ExitCode, Termination};

use super::ManagerError;
use crate::informer::RunError;

/// The result of a manager, as the result of `main`: it logs the error, and the process exits with a code that identifies
/// the reason.
///
/// | code | reason |
/// |---|---|
/// | 0 | the manager was shut down, and all reconciliations completed |
/// | 1 | another error of the program |
/// | 10 | [a port cannot be opened](ManagerError::Serve) |
/// | 11 | [an initial list was not complete in time](RunError::NotSynced), also that of [namespaces](ManagerError::Namespaces) |
/// | 12 | [the lease was lost](ManagerError::LeaseLost) |
/// | 13 | [an informer was stopped](RunError::Stopped) |
/// | 14 | [reconciliations were cut](RunError::DrainTimedOut), because they did not complete in time after the shutdown began |
/// | 15 | [the cluster does not have what the controllers require](ManagerError::Preflight) |
/// | 16 | the webhooks cannot be served |
/// | 17 | [a name or a setting cannot work](ManagerError::Settings) |
/// | 18 | [a task has failed](ManagerError::Task) |
/// | 130, 143 | a second SIGINT or SIGTERM ended the process at once |
///
/// ```no_run
/// # fn controller() -> crdkit::controller::Controller { unimplemented!() }
/// use crdkit::controller::{Error, ExitStatus, Manager};
///
/// #[tokio::main]
/// async fn main() -> Result<ExitStatus, Error> {
///     let client = crdkit::Client::try_default().await?.field_manager("vm-operator");
///     Ok(Manager::new(client).add(controller()).run().await.into())
/// }
/// ```
#[derive(Debug)]
#[must_use = "return it from `main`"]
pub struct ExitStatus(Result<(), ManagerError>);

impl ManagerError {
    /// Returns the exit code of the [reason](ExitStatus).
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Serve(_) => 10,
            Self::Controller { source: RunError::NotSynced { .. }, .. } | Self::Namespaces(_) => 11,
            Self::LeaseLost { .. } => 12,
            Self::Controller { source: RunError::Stopped { .. }, .. } => 13,
            Self::Controller { source: RunError::DrainTimedOut(_), .. } => 14,
            Self::Preflight(_) => 15,
            #[cfg(feature = "webhook")]
            Self::Webhooks(_) => 16,
            Self::Settings(_) => 17,
            Self::Task { .. } => 18,
        }
    }
}

impl From<Result<(), ManagerError>> for ExitStatus {
    fn from(result: Result<(), ManagerError>) -> Self {
        Self(result)
    }
}

impl Termination for ExitStatus {
    fn report(self) -> ExitCode {
        match self.0 {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                tracing::error!(%error, "the manager stopped");
                eprintln!("Error: {error}");
                ExitCode::from(error.exit_code())
            }
        }
    }
}
