//! The start of a controller: its informers, its queue and its worker.

use std::{mem, sync::Arc, time::Duration};

use futures_util::future::{BoxFuture, FutureExt, ready};
use tokio::{
    sync::oneshot,
    time::{Instant, timeout},
};
use tracing::Span;

use super::{
    ConnectedController, ControllerBuilder, Selection, observers::Observers, settings::Settings, sources::Attach,
};
use crate::{
    controller::{
        ReconciledKind,
        apply_owned::{AppliedSet, Applier},
        caches::{CachedSource, Caches},
        events::{drop_queued, recorder},
        failures::FailureTexts,
        finalizers::{Finalizers, Uncached},
        inventory::InventoryUse,
        manager::ManagerContext,
        metrics::Counters,
        monitor::Monitored,
        own_writes::OwnWrites,
        plan::Planning,
        reconcile_loops::Loops,
        requirements::ControllerUses,
        shards::ShardKeys,
        span::Spans,
        triggers::{KeySpace, RunningTriggers, TriggerTarget},
        worker::{Function, Worker},
    },
    informer::{
        Attempt, Filter, InformerBuilder, Informers, ObjectKey, Reconciler, RunError, places::Places,
        queue::ReconcileOutcome, sharding::ShardKey,
    },
};

/// How long events that are not sent yet may delay the end.
const FLUSH_TIMEOUT: Duration = Duration::from_secs(5);

impl<K: ReconciledKind, T: Send + Sync + 'static> ControllerBuilder<K, T> {
    /// Configures the informers, and collects what they use.
    pub(super) fn connect(mut self, function: Function<K, T>, informers: &Informers) -> ConnectedController {
        self.add_inventory_finalizer();
        let objects = self.settings.take_objects(informers);
        let settings = &mut self.settings;
        let mut uses = ControllerUses::new(&settings.kind, &objects);
        if !self.finalizers.is_empty() {
            uses.patch_finalizers();
        }
        settings.accesses.iter().for_each(|access| uses.require(access));
        let sources = mem::take(&mut settings.sources).into_iter().map(|source| source(informers, &mut uses)).collect();
        let counters = Arc::<Counters>::default();
        ConnectedController {
            name: settings.name.clone(),
            former_names: settings.former_names.clone(),
            selection: Selection::of(&settings.kind, &objects),
            kind: settings.kind.name(),
            owned: mem::take(&mut settings.owned),
            not_ownable: mem::take(&mut settings.not_ownable),
            finalizers: self.finalizers.iter().map(|finalizer| finalizer.name.clone()).collect(),
            triggers: settings.triggers.iter().map(|trigger| trigger.name.clone()).collect(),
            steering: settings.steering.clone(),
            inventory: InventoryUse::of(&settings.inventory),
            counters: counters.clone(),
            uses: uses.into_uses(),
            start: Some(Box::new(move |shared| self.start(objects, sources, function, counters, shared))),
        }
    }

    /// Starts the informers, and returns the future that reconciles.
    fn start(
        self,
        objects: InformerBuilder<K>,
        sources: Vec<Attach<K>>,
        function: Function<K, T>,
        counters: Arc<Counters>,
        shared: &ManagerContext,
    ) -> BoxFuture<'static, Result<(), RunError>> {
        let Self { mut settings, state, finalizers, undecodable } = self;
        let has_finalizers = !finalizers.is_empty();
        let metadata = (has_finalizers && (objects.has_selectors() || undecodable.is_some()))
            .then(|| Uncached::informer(&objects, settings.steering.pause.clone()))
            .map(|metadata| shared.sharded(metadata, ShardKey::Uid).start());
        let key_space = KeySpace::of(settings.kind.is_namespaced(), objects.places());
        let informer = shared.sharded(objects, ShardKey::Uid).start();
        let mut caches = Caches::default();
        caches.add(CachedSource::Reconciles, settings.kind.clone(), informer.clone());
        let loops = Arc::new(Loops::new(counters.clone()));
        let shards = shared.shards.clone().map(|table| Arc::new(ShardKeys::new(table, informer.resource())));
        let observer = Arc::new(Observers { loops: loops.clone(), shards: shards.clone() });
        let bare =
            informer.reconciler().observe(observer).backoff(settings.backoff).drain_timeout(settings.drain_timeout);
        let attached = sources.into_iter().fold(bare, |work, attach| attach(shared, &mut caches, work));
        let watching = match &metadata {
            Some(metadata) => {
                let names = finalizers.iter().map(|finalizer| finalizer.name.clone()).collect();
                let pause = settings.steering.pause.clone();
                attached.watches(metadata, Uncached::keys(names, pause, informer.lister()))
            }
            None => attached,
        };
        let work = settings.limit(watching.until(shared.stopped()), has_finalizers);
        let caches = Arc::new(caches);
        let spans = Spans::new(&settings.name, settings.kind.name());
        let applier = Applier::new(shared.client.field_manager_name(), &settings.name, &settings.former_names);
        let inventories = settings.inventory.into_inventories(&settings.kind, &applier);
        let (events, record) =
            recorder(shared.client.clone(), settings.name.clone(), shared.identity.clone(), counters.clone());
        let own_writes = OwnWrites::new(work.queue(), caches.clone(), counters.clone(), settings.own_writes_timeout);
        let own_writes = Arc::new(own_writes);
        let (synced, is_synced) = oneshot::channel();
        let lister = informer.lister();
        let target = TriggerTarget {
            controller: settings.name.clone(),
            queue: work.queue(),
            keys: key_space,
            all: Box::new(move || lister.snapshot().into_iter().map(|object| ObjectKey::of(&*object)).collect()),
            clock: shared.client.options.clock.clone(),
        };
        let triggers = RunningTriggers::start(settings.triggers, target, is_synced, || shared.stopped().boxed());
        shared.monitor.add(Monitored {
            name: settings.name.clone(),
            concurrency: settings.concurrency.max(1),
            timeout: settings.timeout,
            counters: counters.clone(),
            queue: work.queue(),
            triggers: triggers.monitors.clone(),
            own_writes: Arc::downgrade(&own_writes),
            caches: Arc::downgrade(&caches),
        });
        let uncached = metadata.as_ref().map(Uncached::new);
        let worker = Arc::new(Worker {
            kind: settings.kind,
            client: shared.client.clone(),
            caches,
            state,
            function,
            finalizers: Finalizers::new(finalizers, undecodable, uncached, counters.clone()),
            timeout: settings.timeout,
            pause: settings.steering.to_pause(&counters),
            requests: settings.steering.to_requests(),
            own_writes,
            loops,
            fence: shared.fence.clone(),
            shards,
            applied: Arc::<AppliedSet>::default(),
            applier: Arc::new(applier),
            inventories,
            events,
            failure_texts: FailureTexts::new(&settings.backoff),
            reports_failures: settings.reports_failures,
            failure_condition: settings.failure_condition,
            counters,
        });
        if let Some(planning) = shared.planning.clone() {
            return plan(worker, settings.name, work, planning);
        }
        let begin = begin(&worker, synced, shared);
        let recording = Recording { events: record.boxed(), counters: worker.counters.clone() };
        let reconciled = run(worker, work, settings.concurrency, begin, spans);
        async move {
            let _triggers = triggers;
            recording.beside(reconciled).await
        }
        .boxed()
    }
}

impl<K: ReconciledKind> Settings<K> {
    /// Returns the objects that are selected, with their indexes.
    fn take_objects(&mut self, informers: &Informers) -> InformerBuilder<K> {
        let select = mem::replace(&mut self.select, Box::new(|objects| objects));
        let all = informers.of_with::<K>(self.kind.dynamic().clone());
        let objects = select(if self.kind.is_namespaced() { all.within(&Places::OfFactory) } else { all });
        mem::take(&mut self.indexes).into_iter().fold(objects, |objects, add| add(objects))
    }

    /// Sets which updates are reconciled, and how long the initial lists may take.
    fn limit(&mut self, work: Reconciler<K>, has_finalizers: bool) -> Reconciler<K> {
        let filter = match self.filter.take() {
            // Otherwise a deletion might wait for a clean-up that never starts.
            Some(filter) if has_finalizers => Some(filter | Filter::deletion() | Filter::finalizers()),
            filter => filter,
        };
        let filtered = match self.steering.filter(filter) {
            Some(filter) => work.filter(filter),
            None => work,
        };
        match self.sync_timeout {
            Some(sync_timeout) => filtered.sync_timeout(sync_timeout),
            None => filtered,
        }
    }
}

/// Returns what happens between the synchronization of the caches and the first reconciliation.
fn begin<K: ReconciledKind, T>(
    worker: &Worker<K, T>,
    synced: oneshot::Sender<()>,
    shared: &ManagerContext,
) -> BoxFuture<'static, ()> {
    let elected = shared.elected();
    let followed = shared.monitor.election.get().map(|_| worker.caches.clone());
    let shards = worker.shards.clone();
    async move {
        // The triggers may have ended.
        let _ = synced.send(());
        elected.await;
        // The caches of a standby may lag behind what the last leader wrote.
        if let Some(caches) = followed {
            caches.catch_up(Instant::now()).await;
        }
        if let Some(shards) = shards {
            shards.begun().await;
        }
    }
    .boxed()
}

/// Reconciles until the end.
fn run<K: ReconciledKind, T: Send + Sync + 'static>(
    worker: Arc<Worker<K, T>>,
    work: Reconciler<K>,
    concurrency: usize,
    begin: BoxFuture<'static, ()>,
    spans: Spans,
) -> impl Future<Output = Result<(), RunError>> + Send + 'static {
    let follow = worker.clone().follow_shards(work.queue());
    let span = move |key: &ObjectKey, attempt: &Attempt| spans.of(key, attempt);
    let reconcile = move |key, attempt| worker.clone().reconcile(key, attempt).boxed();
    let reconciled = work.run_outcomes(concurrency, begin, Box::new(span), Box::new(reconcile));
    async move {
        tokio::select! {
            ended = reconciled => ended,
            () = follow => unreachable!("it runs until it is dropped"),
        }
    }
}

/// Plans what the worker would write once the caches are complete.
fn plan<K: ReconciledKind, T: Send + Sync + 'static>(
    worker: Arc<Worker<K, T>>,
    controller: String,
    work: Reconciler<K>,
    planning: Arc<Planning>,
) -> BoxFuture<'static, Result<(), RunError>> {
    let queue = work.queue();
    let begin = async move {
        worker.plan(&controller, &planning).await;
        queue.shut_down();
    };
    // The queue is shut down before anything is taken from it.
    let reconcile = Box::new(|_, _| ready(ReconcileOutcome::Postponed).boxed());
    work.run_outcomes(1, begin.boxed(), Box::new(|_, _| Span::none()), reconcile)
}

/// The events of a worker, which are sent until it is dropped.
struct Recording {
    events: BoxFuture<'static, ()>,
    counters: Arc<Counters>,
}

impl Recording {
    /// Sends events beside what a worker does, and afterwards the rest, for some time.
    async fn beside<R>(self, work: impl Future<Output = R>) -> R {
        let mut recording = tokio::spawn(self.events);
        let ended = work.await;
        if timeout(FLUSH_TIMEOUT, &mut recording).await.is_err() {
            recording.abort();
            drop_queued(&self.counters);
            tracing::warn!("not all events were recorded before the end");
        }
        ended
    }
}
