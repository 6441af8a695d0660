//! The options of a control plane.

use super::{ControlPlane, ControlPlaneError};

/// The options of a [`ControlPlane`], which [`ControlPlane::builder`] returns.
#[derive(Clone, Debug, Default)]
pub struct ControlPlaneBuilder {
    pub(super) flags: Vec<String>,
    feature_gates: Vec<String>,
    pub(super) has_controllers: bool,
}

impl ControlPlaneBuilder {
    /// Adds a flag of kube-apiserver, such as `--emulated-version=kube=1.35`.
    pub fn flag(mut self, flag: impl Into<String>) -> Self {
        self.flags.push(flag.into());
        self
    }

    /// Turns a feature gate of kube-apiserver on or off.
    pub fn feature_gate(mut self, name: &str, is_enabled: bool) -> Self {
        self.feature_gates.push(format!("{name}={is_enabled}"));
        self
    }

    /// Runs kube-controller-manager too, which collects garbage, empties deleted namespaces and creates service accounts. Its program
    /// is taken from `KUBEBUILDER_ASSETS` or `TEST_ASSET_KUBE_CONTROLLER_MANAGER`, or built from source, once, if
    /// `CRDKIT_KUBE_CONTROLLER_MANAGER=1`.
    pub fn controllers(mut self) -> Self {
        self.has_controllers = true;
        self
    }

    /// Starts the control plane, and waits until it is ready. This blocks the thread for some seconds.
    ///
    /// # Errors
    ///
    /// If there are no programs and they cannot be built, or if they do not start.
    pub fn start(&self) -> Result<ControlPlane, ControlPlaneError> {
        ControlPlane::start_with(self)
    }

    /// Returns the flags of kube-apiserver.
    pub(super) fn flags(&self) -> impl Iterator<Item = String> {
        let gates =
            (!self.feature_gates.is_empty()).then(|| format!("--feature-gates={}", self.feature_gates.join(",")));
        self.flags.iter().cloned().chain(gates)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn feature_gates_are_one_flag() {
        let builder = ControlPlaneBuilder::default().feature_gate("A", true).flag("--v=2").feature_gate("B", false);
        assert_eq!(builder.flags().collect::<Vec<_>>(), ["--v=2", "--feature-gates=A=true,B=false"]);
        assert_eq!(ControlPlaneBuilder::default().flags().count(), 0);
    }
}
