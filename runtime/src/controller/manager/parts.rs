//! The controllers and tasks of a manager while they run, some of which are added and removed meanwhile.

use std::{mem, pin::pin, sync::Arc};

use futures_util::{
    StreamExt,
    future::{BoxFuture, FutureExt},
    stream::FuturesUnordered,
};
use tokio::sync::{mpsc, oneshot, watch};

use super::{
    super::{Controller, Task, builder::ConnectedController, preflight},
    AddControllerError, ManagerContext, ManagerError, ManagerHandle, Phase, SettingsError, rbac_for, settings,
    shared::SyncReply,
};
use crate::{
    Client,
    informer::{Informers, RunError},
};

/// What a handle requests of a running manager.
pub(super) enum Command {
    Add { controller: Box<ConnectedController>, reply: oneshot::Sender<Result<(), AddControllerError>> },
    Remove { name: String, reply: oneshot::Sender<Result<bool, RunError>> },
}

/// The end of a part of a manager.
enum Ended {
    Controller {
        name: String,
        result: Result<(), RunError>,
    },
    Task(Result<(), ManagerError>),
    /// Not of the controller, but of the checks before its start.
    Check {
        name: String,
        result: Result<(), preflight::PreflightError>,
    },
}

/// A controller that runs, or whose start is being checked.
struct RunningController {
    controller: ConnectedController,
    /// Ends it.
    removal: watch::Sender<bool>,
    /// Who waits for its end.
    removers: Vec<oneshot::Sender<Result<bool, RunError>>>,
    /// Who waits for its start, if it was added to the running manager, until its caches are complete.
    added: Option<Arc<SyncReply>>,
}

pub(super) struct Parts {
    shared: Arc<ManagerContext>,
    informers: Informers,
    runs_preflight: bool,
    controllers: Vec<RunningController>,
    running: FuturesUnordered<BoxFuture<'static, Ended>>,
}

impl Parts {
    pub(super) fn new(shared: Arc<ManagerContext>, informers: Informers, runs_preflight: bool) -> Self {
        Self { shared, informers, runs_preflight, controllers: Vec::new(), running: FuturesUnordered::new() }
    }

    pub(super) fn start(&mut self, controller: ConnectedController) {
        let name = controller.name.clone();
        self.register(controller, None);
        self.start_registered(&name);
    }

    pub(super) fn start_task(&mut self, task: Task, fenced: Client) {
        let (name, running) = task.run(&self.shared, fenced);
        let ended = async { Ended::Task(running.await.map_err(|source| ManagerError::Task { name, source })) };
        self.running.push(ended.boxed());
    }

    pub(super) fn is_empty(&self) -> bool {
        self.running.is_empty()
    }

    /// Runs until all have ended, or until the manager stops if it waits for parts that may be added. Stops the others when a
    /// controller has ended, or when a task has failed. The error is the first one.
    pub(super) async fn all_complete(
        mut self,
        mut waits: bool,
        mut commands: mpsc::UnboundedReceiver<Command>,
        phase: &watch::Sender<Phase>,
    ) -> Result<(), ManagerError> {
        let mut stopped = pin!(self.shared.stopped());
        let (mut is_stopping, mut ended) = (false, Ok(()));
        while (waits && !is_stopping) || !self.running.is_empty() {
            tokio::select! {
                Some(part) = self.running.next() => {
                    if let Some(result) = self.on_end(part) {
                        ended = ended.and(result);
                        phase.send_replace(Phase::Stopped);
                    }
                }
                Some(command) = commands.recv(), if !is_stopping => {
                    waits = true;
                    self.on_command(command);
                }
                () = &mut stopped, if !is_stopping => is_stopping = true,
            }
        }
        ended
    }

    /// Returns the result if the manager stops because of this end.
    fn on_end(&mut self, part: Ended) -> Option<Result<(), ManagerError>> {
        match part {
            Ended::Task(Ok(())) => None,
            Ended::Task(failed) => Some(failed),
            Ended::Check { name, result } => {
                self.on_check(&name, result);
                None
            }
            Ended::Controller { name, result } => self.on_controller_end(name, result),
        }
    }

    fn on_controller_end(&mut self, name: String, result: Result<(), RunError>) -> Option<Result<(), ManagerError>> {
        let controller = self.unregister(&name)?;
        if *controller.removal.borrow() {
            let mut result = result.map(|()| true);
            for remover in controller.removers {
                // Each wanted it to end: the first one learns how.
                let _ = remover.send(mem::replace(&mut result, Ok(true)));
            }
            return None;
        }
        let result = match (result, controller.added.and_then(|added| added.take())) {
            (Err(error), Some(reply)) => {
                let _ = reply.send(Err(AddControllerError::Run(error)));
                return None;
            }
            (result, _) => result,
        };
        Some(result.map_err(|source| ManagerError::Controller { name, source }))
    }

    fn on_command(&mut self, command: Command) {
        match command {
            Command::Add { controller, reply } => self.add(*controller, reply),
            Command::Remove { name, reply } => {
                match self.controllers.iter_mut().find(|running| running.controller.name == name) {
                    Some(running) => {
                        running.removers.push(reply);
                        running.removal.send_replace(true);
                    }
                    // It may not wait any longer.
                    None => drop(reply.send(Ok(false))),
                }
            }
        }
    }

    fn add(&mut self, controller: ConnectedController, reply: oneshot::Sender<Result<(), AddControllerError>>) {
        let others = self.controllers.iter().map(|running| &running.controller);
        let all: Vec<_> = others.chain([&controller]).collect();
        let problems = settings::controller_problems(&all, &self.shared.client);
        if !problems.is_empty() {
            let _ = reply.send(Err(AddControllerError::Settings(SettingsError { problems })));
            return;
        }
        let (name, uses) = (controller.name.clone(), controller.uses.clone());
        self.register(controller, Some(reply));
        if !self.runs_preflight {
            return self.start_registered(&name);
        }
        let (client, rbac) = (self.shared.client.clone(), rbac_for(&self.shared.client, &self.informers, uses));
        let stopped = self.shared.stopped();
        let check = async move {
            let result = tokio::select! {
                checked = preflight::check(&client, &rbac) => checked,
                () = stopped => Ok(()),
            };
            Ended::Check { name, result }
        };
        self.running.push(check.boxed());
    }

    fn on_check(&mut self, name: &str, result: Result<(), preflight::PreflightError>) {
        let Some(running) = self.controllers.iter().find(|running| running.controller.name == name) else {
            return;
        };
        let is_removed = *running.removal.borrow();
        match result {
            Ok(()) if !is_removed => self.start_registered(name),
            result => {
                let Some(running) = self.unregister(name) else { return };
                running.removers.into_iter().for_each(|remover| drop(remover.send(Ok(true))));
                if let (Err(error), Some(reply)) = (result, running.added.and_then(|added| added.take())) {
                    let _ = reply.send(Err(AddControllerError::Preflight(Box::new(error))));
                }
            }
        }
    }

    fn register(
        &mut self,
        controller: ConnectedController,
        reply: Option<oneshot::Sender<Result<(), AddControllerError>>>,
    ) {
        let added = reply.map(|reply| Arc::new(SyncReply::new(reply)));
        let (removal, removers) = (watch::Sender::new(false), Vec::new());
        self.controllers.push(RunningController { controller, removal, removers, added });
    }

    fn unregister(&mut self, name: &str) -> Option<RunningController> {
        let index = self.controllers.iter().position(|running| running.controller.name == name)?;
        let controller = self.controllers.remove(index);
        self.shared.monitor.remove(name);
        Some(controller)
    }

    fn start_registered(&mut self, name: &str) {
        let found = self.controllers.iter_mut().find(|running| running.controller.name == name);
        let Some(running) = found else { return };
        let Some(start) = running.controller.start.take() else { return };
        let shared = self.shared.for_controller(running.removal.subscribe(), running.added.clone());
        let (name, run) = (name.to_owned(), start(&shared));
        self.running.push(async { Ended::Controller { name, result: run.await } }.boxed());
    }
}

impl ManagerHandle {
    /// Adds a controller to the running manager, as [`Manager::add`](super::Manager::add) does before it runs, and waits until its
    /// initial lists are complete. Its informers are shared with those of the other controllers.
    ///
    /// ```no_run
    /// # use std::sync::Arc;
    /// use crdkit::{
    ///     client::dynamic::Unstructured,
    ///     controller::{Action, Context, Controller, Error, ManagerHandle},
    ///     informer::CacheObject,
    /// };
    ///
    /// /// Reconciles the objects of a kind that is known at run time.
    /// async fn follow(client: &crdkit::Client, handle: &ManagerHandle, kind: &str) -> Result<(), Error> {
    ///     let kind = client.discovery().find(kind).await?;
    ///     let builder = Controller::of_kind::<Unstructured>(&kind);
    ///     let controller = builder.reconcile(async |object: Arc<Unstructured>, _: Context<Unstructured>| {
    ///         println!("{} has changed", object.name());
    ///         Ok::<_, Error>(Action::Done)
    ///     });
    ///     handle.add(controller).await?;
    ///     // ...
    ///     handle.remove(&kind.kind.to_lowercase()).await?;
    ///     Ok(())
    /// }
    /// ```
    ///
    /// A manager without controllers and tasks ends at once, unless it has a handle.
    ///
    /// # Errors
    ///
    /// - [`AddControllerError::Settings`] if its name or a setting cannot work beside those of the other controllers.
    /// - [`AddControllerError::Preflight`] if the cluster does not serve or permit what it [requires](super::Manager#preflight): the
    ///   roles of the program [include](super::Manager::requires) only what was declared before.
    /// - [`AddControllerError::Run`] if its lists are not complete within the [timeout](super::super::ControllerBuilder::sync_timeout).
    /// - [`AddControllerError::NotRunning`] if the manager does not run any longer, or the controller was removed meanwhile.
    ///
    /// The other controllers go on. An error after that stops the manager, as that of any controller.
    pub async fn add(&self, controller: Controller) -> Result<(), AddControllerError> {
        let controller = Box::new(controller.connect(&self.informers));
        let (reply, replied) = oneshot::channel();
        self.request(Command::Add { controller, reply })?;
        replied.await.unwrap_or(Err(AddControllerError::NotRunning))
    }

    /// Removes the controller with this name, and waits until its running reconciliations are complete. Returns whether there was one.
    ///
    /// No reconciliation starts any more. Finalizers of the controller remain on its objects, and what it applied remains, until a
    /// controller with its name is added again. Its informers stop if no other controller uses them.
    ///
    /// # Errors
    ///
    /// If reconciliations still run after the [drain timeout](super::super::ControllerBuilder::drain_timeout). They are cut.
    pub async fn remove(&self, name: &str) -> Result<bool, RunError> {
        let (reply, replied) = oneshot::channel();
        if self.request(Command::Remove { name: name.to_owned(), reply }).is_err() {
            return Ok(false);
        }
        replied.await.unwrap_or(Ok(false))
    }

    fn request(&self, command: Command) -> Result<(), AddControllerError> {
        self.commands.send(command).map_err(|_| AddControllerError::NotRunning)
    }
}
