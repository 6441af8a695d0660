//! Why there is no control plane.

use std::io;

/// Why a [`ControlPlane`](super::ControlPlane) does not run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ControlPlaneError {
    /// There are no programs, and no Go to build them.
    #[error(
        "no programs of a control plane: set KUBEBUILDER_ASSETS to a folder with etcd and kube-apiserver, or install Go 1.26 or \
         newer, which builds them from source ({reason})"
    )]
    NoPrograms {
        /// Why Go cannot be used.
        reason: String,
    },
    /// The programs cannot be built from source.
    #[error("the control plane cannot be built: {reason}")]
    Build {
        /// The output of the build.
        reason: String,
    },
    /// There is no kube-controller-manager.
    #[error(
        "no kube-controller-manager: put it into the folder of KUBEBUILDER_ASSETS, beside kube-apiserver, or set \
         CRDKIT_KUBE_CONTROLLER_MANAGER=1 to build it from source, once, with Go"
    )]
    NoControllerManager,
    /// The programs do not start.
    #[error("the control plane did not start: {reason}\n{log}")]
    Start {
        /// What was waited for.
        reason: String,
        /// The last lines of the log.
        log: String,
    },
    /// A file, a port or a process cannot be used.
    #[error("the control plane cannot use the machine: {0}")]
    Io(#[from] io::Error),
}
