//! The informers that are measured.

mod crdkit;
mod floor;
mod kube;

use std::future::Future;

use ::crdkit::informer::Compact;
use anyhow::Result;

use self::{crdkit::Crdkit, floor::floor, kube::Kube};
use crate::{
    notification_latency,
    objects::{FastVirtualMachine, VirtualMachine, Volume},
    scenario,
    work::{Figures, Work},
};

/// A way to keep a copy of all objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Contestant {
    /// Receives and counts lines, and nothing else: what the server can do.
    Floor,
    /// kube-runtime's reflector on the multi-thread runtime.
    Kube,
    /// The same on a current-thread runtime.
    KubeOneThread,
    /// The same of small objects, on the multi-thread runtime.
    KubeVolumes,
    /// crdkit's informer, which has a thread of its own.
    Crdkit,
    /// The same of a type with a derived decoder.
    Decode,
    /// The same on one thread, beside that which stores the objects.
    DecodeOnOne,
    /// The same of `Compact` objects.
    Compact,
    /// The same of small objects.
    Volumes,
    /// client-go's informer of a typed object.
    ClientGo,
}

impl Contestant {
    const ALL: [Self; 10] = [
        Self::Floor,
        Self::Kube,
        Self::KubeOneThread,
        Self::KubeVolumes,
        Self::Crdkit,
        Self::Decode,
        Self::DecodeOnOne,
        Self::Compact,
        Self::Volumes,
        Self::ClientGo,
    ];

    /// The word for it on a command line.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Floor => "floor",
            Self::Kube => "kube",
            Self::KubeOneThread => "kube-one-thread",
            Self::KubeVolumes => "kube-volumes",
            Self::Crdkit => "crdkit",
            Self::Decode => "decode",
            Self::DecodeOnOne => "decode-1",
            Self::Compact => "compact",
            Self::Volumes => "volumes",
            Self::ClientGo => "client-go",
        }
    }

    pub(crate) fn of_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|contestant| contestant.word() == word)
    }

    /// Does the work, in this process.
    pub(crate) fn run(self, work: &Work) -> Result<Figures> {
        match self {
            Self::Floor => on_one_thread(floor(work)),
            Self::Kube => on_many_threads(scenario::run::<Kube<VirtualMachine>>(work)),
            Self::KubeOneThread => on_one_thread(scenario::run::<Kube<VirtualMachine>>(work)),
            Self::KubeVolumes => on_many_threads(scenario::run::<Kube<Volume>>(work)),
            Self::Crdkit if work.blocking => on_one_thread(notification_latency::measure(work)),
            Self::Crdkit => on_one_thread(scenario::run::<Crdkit<VirtualMachine>>(work)),
            Self::Decode | Self::DecodeOnOne => on_one_thread(scenario::run::<Crdkit<FastVirtualMachine>>(work)),
            Self::Compact => on_one_thread(scenario::run::<Crdkit<Compact<VirtualMachine>>>(work)),
            Self::Volumes => on_one_thread(scenario::run::<Crdkit<Volume>>(work)),
            Self::ClientGo => anyhow::bail!("client-go is another program"),
        }
    }
}

/// As `#[tokio::main]` does.
fn on_many_threads<T>(future: impl Future<Output = Result<T>>) -> Result<T> {
    tokio::runtime::Builder::new_multi_thread().enable_all().build()?.block_on(future)
}

fn on_one_thread<T>(future: impl Future<Output = Result<T>>) -> Result<T> {
    tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(future)
}
