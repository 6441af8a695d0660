//! The contestants: the implementations that are compared.

pub(crate) mod crdkit;
mod kube;

use anyhow::Result;
use crdkit_benches::Figures;

use crate::{scenario, shards, work::Work};

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
    /// A replica of crdkit's manager that holds the only shard.
    OneShard,
    /// A replica that holds one of two.
    TwoShards,
    /// A replica that holds one of four.
    FourShards,
}

impl Contestant {
    pub(crate) const ALL: [Self; 8] = [
        Self::Kube,
        Self::Crdkit,
        Self::Decode,
        Self::ControllerRuntime,
        Self::ControllerRuntimePages,
        Self::OneShard,
        Self::TwoShards,
        Self::FourShards,
    ];

    /// The word for it on a command line.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Kube => "kube",
            Self::Crdkit => "crdkit",
            Self::Decode => "decode",
            Self::ControllerRuntime => "controller-runtime",
            Self::ControllerRuntimePages => "controller-runtime-pages",
            Self::OneShard => "shards-1",
            Self::TwoShards => "shards-2",
            Self::FourShards => "shards-4",
        }
    }

    pub(crate) fn of_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|contestant| contestant.word() == word)
    }

    /// The number of shards, of which it holds one.
    pub(crate) fn shards(self) -> Option<u16> {
        match self {
            Self::OneShard => Some(1),
            Self::TwoShards => Some(2),
            Self::FourShards => Some(4),
            _ => None,
        }
    }

    /// Does the work, in this process.
    pub(crate) async fn run(self, work: &Work) -> Result<Figures> {
        match self {
            Self::Kube => scenario::run(work, kube::start).await,
            Self::Crdkit => scenario::run(work, crdkit::start::<crdkit_benches::objects::VirtualMachine>).await,
            Self::Decode => scenario::run(work, crdkit::start::<crdkit_benches::objects::FastVirtualMachine>).await,
            Self::OneShard | Self::TwoShards | Self::FourShards => shards::contest(work).await,
            Self::ControllerRuntime | Self::ControllerRuntimePages => {
                anyhow::bail!("controller-runtime is another program")
            }
        }
    }
}
