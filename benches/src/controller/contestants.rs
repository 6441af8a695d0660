//! Who is measured.

mod crdkit;
mod kube;

use anyhow::Result;
use crdkit_benches::Figures;

use crate::{course, work::Work};

/// A controller of some making.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Contestant {
    /// kube-runtime's `Controller`.
    Kube,
    /// crdkit's `Manager` with one controller.
    Crdkit,
    /// The same of a type with a derived decoder.
    Decode,
    /// controller-runtime's manager with one controller.
    ControllerRuntime,
    /// The same with lists in pages.
    ControllerRuntimePages,
}

impl Contestant {
    pub(crate) const ALL: [Self; 5] =
        [Self::Kube, Self::Crdkit, Self::Decode, Self::ControllerRuntime, Self::ControllerRuntimePages];

    /// The word for it on a command line.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Kube => "kube",
            Self::Crdkit => "crdkit",
            Self::Decode => "decode",
            Self::ControllerRuntime => "controller-runtime",
            Self::ControllerRuntimePages => "controller-runtime-pages",
        }
    }

    pub(crate) fn of_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|contestant| contestant.word() == word)
    }

    /// Does the work, in this process.
    pub(crate) async fn run(self, work: &Work) -> Result<Figures> {
        match self {
            Self::Kube => course::run(work, kube::start).await,
            Self::Crdkit => course::run(work, crdkit::start::<crdkit_benches::objects::VirtualMachine>).await,
            Self::Decode => course::run(work, crdkit::start::<crdkit_benches::objects::FastVirtualMachine>).await,
            Self::ControllerRuntime | Self::ControllerRuntimePages => {
                anyhow::bail!("controller-runtime is another program")
            }
        }
    }
}
