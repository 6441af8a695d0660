//! The contestants: the implementations that are compared.

mod control_plane;
mod crdkit;

use anyhow::Result;
use crdkit_benches::Figures;

use crate::work::Work;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Contestant {
    /// crdkit's API server in the process.
    Crdkit,
    /// The same one, over a port.
    CrdkitPort,
    /// The real kube-apiserver and etcd.
    ControlPlane,
    /// controller-runtime's fake client.
    FakeClient,
}

impl Contestant {
    pub(crate) const ALL: [Self; 4] = [Self::Crdkit, Self::CrdkitPort, Self::ControlPlane, Self::FakeClient];

    /// The word for it on a command line.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Crdkit => "crdkit",
            Self::CrdkitPort => "crdkit-port",
            Self::ControlPlane => "control-plane",
            Self::FakeClient => "fake-client",
        }
    }

    pub(crate) fn of_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|contestant| contestant.word() == word)
    }

    /// Does the work, in this process.
    pub(crate) async fn run(self, work: &Work) -> Result<Figures> {
        match self {
            Self::Crdkit => crdkit::run(work).await,
            Self::CrdkitPort => crdkit::run_on_port(work).await,
            Self::ControlPlane => control_plane::run(work).await,
            Self::FakeClient => anyhow::bail!("the fake client is another program"),
        }
    }
}
