use std::{future::Future, sync::Arc};

use futures_util::{
    StreamExt,
    future::{BoxFuture, FutureExt},
    stream::FuturesUnordered,
};
use tokio::sync::watch;

use super::{Controller, ControllerMetrics, fence::Fence, metrics::Counters};
use crate::{
    Client,
    informer::{Informers, RunError, shutdown_signal},
};

/// Runs controllers, which share informers.
#[must_use = "nothing runs until `run` is called"]
pub struct Manager {
    client: Client,
    controllers: Vec<Controller>,
    shutdown: Option<BoxFuture<'static, ()>>,
}

/// Why a manager stopped.
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
}

/// What a manager shares with its controllers.
pub(super) struct Shared {
    pub(super) client: Client,
    pub(super) informers: Informers,
    pub(super) fence: Arc<Fence>,
    pub(super) phase: watch::Receiver<Phase>,
}

/// The phases of a manager, in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Phase {
    Standby,
    Active,
    Stopped,
}

impl Shared {
    /// Completes when the controllers may begin.
    pub(super) fn elected(&self) -> impl Future<Output = ()> + Send + 'static {
        reached(self.phase.clone(), Phase::Active)
    }

    /// Completes when the controllers must stop.
    pub(super) fn stopped(&self) -> impl Future<Output = ()> + Send + 'static {
        reached(self.phase.clone(), Phase::Stopped)
    }
}

async fn reached(mut phase: watch::Receiver<Phase>, wanted: Phase) {
    // An error means that the manager is gone.
    let _ = phase.wait_for(|phase| *phase >= wanted).await;
}

impl Manager {
    /// Creates a manager for the cluster of a client.
    ///
    /// Set a [field manager](Client::field_manager): server-side apply requires one.
    pub fn new(client: impl Into<Client>) -> Self {
        Self { client: client.into(), controllers: Vec::new(), shutdown: None }
    }

    /// Adds a controller.
    #[expect(clippy::should_implement_trait, reason = "it adds a part, as controller-runtime's `Add`")]
    pub fn add(mut self, controller: Controller) -> Self {
        self.controllers.push(controller);
        self
    }

    /// Stops when a future completes, instead of on [SIGTERM or SIGINT](shutdown_signal).
    pub fn until<O: 'static>(mut self, shutdown: impl Future<Output = O> + Send + 'static) -> Self {
        self.shutdown = Some(shutdown.map(drop).boxed());
        self
    }

    /// Returns a handle that reads the state of the manager while it runs.
    pub fn handle(&self) -> ManagerHandle {
        let controllers = self.controllers.iter();
        let counters = controllers.map(|controller| (controller.name.clone(), controller.counters.clone()));
        ManagerHandle { counters: counters.collect() }
    }

    /// Runs the controllers until SIGTERM or SIGINT, and until their running reconciliations are complete.
    ///
    /// # Errors
    ///
    /// The first error of a controller. The others are stopped.
    pub async fn run(self) -> Result<(), ManagerError> {
        let (phase, phases) = watch::channel(Phase::Active);
        let shared = Shared {
            informers: Informers::new(self.client.clone()),
            client: self.client,
            fence: Arc::new(Fence::open()),
            phase: phases,
        };
        let mut running: FuturesUnordered<_> = self
            .controllers
            .into_iter()
            .map(|controller| {
                let (name, running) = (controller.name, (controller.start)(&shared));
                async { running.await.map_err(|source| ManagerError::Controller { name, source }) }
            })
            .collect();
        let shutdown = self.shutdown.unwrap_or_else(|| shutdown_signal().boxed());
        let stop = async {
            shutdown.await;
            phase.send_replace(Phase::Stopped);
            std::future::pending().await
        };
        let complete = async {
            let mut ended = Ok(());
            while let Some(controller) = running.next().await {
                ended = ended.and(controller);
                phase.send_replace(Phase::Stopped);
            }
            ended
        };
        tokio::select! {
            ended = complete => ended,
            () = stop => Ok(()),
        }
    }
}

/// Reads the state of a [`Manager`] while it runs.
#[derive(Clone)]
pub struct ManagerHandle {
    counters: Vec<(String, Arc<Counters>)>,
}

impl ManagerHandle {
    /// Returns the counters of the controller with this name.
    pub fn metrics(&self, controller: &str) -> Option<ControllerMetrics> {
        let mut counters = self.counters.iter();
        let (_, counters) = counters.find(|(name, _)| name == controller)?;
        Some(counters.read())
    }
}
