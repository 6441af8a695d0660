//! The start of a controller: its informers, its queue and its worker.

use std::{sync::Arc, time::Duration};

use futures_util::future::{BoxFuture, FutureExt, ready};
use tokio::{
    sync::oneshot,
    task::JoinHandle,
    time::{Instant, timeout},
};
use tracing::Span;

use super::{ConnectedController, ControllerBuilder, Selection, observers::Observers, sources::Attach};
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
        let select = std::mem::replace(&mut self.select, Box::new(|objects| objects));
        let indexes = std::mem::take(&mut self.indexes).into_iter();
        let all = informers.of_with::<K>(self.kind.dynamic().clone());
        let all = if self.kind.is_namespaced() { all.within(&Places::OfFactory) } else { all };
        let objects = indexes.fold(select(all), |objects, add| add(objects));
        let mut uses = ControllerUses::new(&self.kind, &objects);
        if !self.finalizers.is_empty() {
            uses.patch_finalizers();
        }
        self.accesses.iter().for_each(|access| uses.require(access));
        let sources =
            std::mem::take(&mut self.sources).into_iter().map(|source| source(informers, &mut uses)).collect();
        let counters = Arc::<Counters>::default();
        ConnectedController {
            name: self.name.clone(),
            former_names: self.former_names.clone(),
            selection: Selection::of(&self.kind, &objects),
            kind: self.kind.name(),
            owned: std::mem::take(&mut self.owned),
            not_ownable: std::mem::take(&mut self.not_ownable),
            finalizers: self.finalizers.iter().map(|finalizer| finalizer.name.clone()).collect(),
            triggers: self.triggers.iter().map(|trigger| trigger.name.clone()).collect(),
            steering: self.steering.clone(),
            inventory: InventoryUse::of(&self.inventory),
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
        let has_finalizers = !self.finalizers.is_empty();
        let metadata = (has_finalizers && (objects.has_selectors() || self.undecodable.is_some()))
            .then(|| shared.sharded(Uncached::informer(&objects, self.steering.pause.clone()), ShardKey::Uid).start());
        let key_space = KeySpace {
            is_namespaced: self.kind.is_namespaced(),
            // Those of the manager may change, and its reconciliations begin only there.
            namespaces: match objects.places() {
                Places::Namespaces(names) => Some(names.iter().cloned().collect()),
                Places::All | Places::OfFactory => None,
            },
        };
        let informer = shared.sharded(objects, ShardKey::Uid).start();
        let mut caches = Caches::default();
        caches.add(CachedSource::Reconciles, self.kind.clone(), informer.clone());
        let loops = Arc::new(Loops::new(counters.clone()));
        let shards = shared.shards.clone().map(|table| Arc::new(ShardKeys::new(table, informer.resource())));
        let observer = Arc::new(Observers { loops: loops.clone(), shards: shards.clone() });
        let work = informer.reconciler().observe(observer).backoff(self.backoff).drain_timeout(self.drain_timeout);
        let work = sources.into_iter().fold(work, |work, attach| attach(shared, &mut caches, work));
        let watching = match &metadata {
            Some(metadata) => {
                let names = self.finalizers.iter().map(|finalizer| finalizer.name.clone());
                let pause = self.steering.pause.clone();
                work.watches(metadata, Uncached::keys(names.collect(), pause, informer.lister()))
            }
            None => work,
        };
        let work = watching.until(shared.stopped());
        let filter = match self.filter {
            // Otherwise a deletion might wait for a clean-up that never starts.
            Some(filter) if has_finalizers => Some(filter | Filter::deletion() | Filter::finalizers()),
            filter => filter,
        };
        let work = match self.steering.filter(filter) {
            Some(filter) => work.filter(filter),
            None => work,
        };
        let work = match self.sync_timeout {
            Some(sync_timeout) => work.sync_timeout(sync_timeout),
            None => work,
        };
        let caches = Arc::new(caches);
        let name = self.name.clone();
        let spans = Spans::new(&self.name, self.kind.name());
        let applier = Applier::new(shared.client.field_manager_name(), &self.name, &self.former_names);
        let inventories = self.inventory.into_inventories(&self.kind, &applier);
        let (events, record) =
            recorder(shared.client.clone(), self.name.clone(), shared.identity.clone(), counters.clone());
        let own_writes = OwnWrites::new(work.queue(), caches.clone(), counters.clone(), self.own_writes_timeout);
        let own_writes = Arc::new(own_writes);
        let (synced, is_synced) = oneshot::channel();
        let lister = informer.lister();
        let target = TriggerTarget {
            controller: self.name.clone(),
            queue: work.queue(),
            keys: key_space,
            all: Box::new(move || lister.snapshot().into_iter().map(|object| ObjectKey::of(&*object)).collect()),
            clock: shared.client.options.clock.clone(),
        };
        let triggers = RunningTriggers::start(self.triggers, target, is_synced, || shared.stopped().boxed());
        shared.monitor.add(Monitored {
            name: self.name,
            concurrency: self.concurrency.max(1),
            timeout: self.timeout,
            counters: counters.clone(),
            queue: work.queue(),
            triggers: triggers.monitors.clone(),
            own_writes: Arc::downgrade(&own_writes),
            caches: Arc::downgrade(&caches),
        });
        let worker = Arc::new(Worker {
            kind: self.kind,
            client: shared.client.clone(),
            caches,
            state: self.state,
            function,
            finalizers: Finalizers::new(
                self.finalizers,
                self.undecodable,
                metadata.as_ref().map(Uncached::new),
                counters.clone(),
            ),
            timeout: self.timeout,
            pause: self.steering.to_pause(&counters),
            requests: self.steering.to_requests(),
            own_writes,
            loops,
            fence: shared.fence.clone(),
            shards: shards.clone(),
            applied: Arc::<AppliedSet>::default(),
            applier: Arc::new(applier),
            inventories,
            events,
            failure_texts: FailureTexts::new(&self.backoff),
            reports_failures: self.reports_failures,
            failure_condition: self.failure_condition,
            counters,
        });
        if let Some(planning) = shared.planning.clone() {
            return plan(worker, name, work, planning);
        }
        let counters_of_events = worker.counters.clone();
        let elected = shared.elected();
        let followed = shared.monitor.election.get().map(|_| worker.caches.clone());
        let begin = async move {
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
        };
        let follow = worker.clone().follow_shards(work.queue());
        let span = move |key: &ObjectKey, attempt: &Attempt| spans.of(key, attempt);
        let reconcile = move |key, attempt| worker.clone().reconcile(key, attempt).boxed();
        let reconciled = work.run_outcomes(self.concurrency, begin.boxed(), Box::new(span), Box::new(reconcile));
        async move {
            let _triggers = triggers;
            let recording = tokio::spawn(record);
            let ended = tokio::select! {
                ended = reconciled => ended,
                () = follow => unreachable!("it runs until it is dropped"),
            };
            // The worker, which has the sender, is gone.
            flush(recording, &counters_of_events).await;
            ended
        }
        .boxed()
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

/// Waits until events are sent, for some time.
async fn flush(mut recording: JoinHandle<()>, counters: &Counters) {
    if timeout(FLUSH_TIMEOUT, &mut recording).await.is_err() {
        recording.abort();
        drop_queued(counters);
        tracing::warn!("not all events were recorded before the end");
    }
}
