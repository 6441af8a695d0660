//! The metrics of a manager and its controllers, under the names of controller-runtime and client-go, and crdkit's own.

use std::{
    fmt,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use super::{Counters, informers};
use crate::{
    controller::{
        monitor::{Monitor, Monitored},
        triggers::TriggerMonitor,
    },
    informer::queue::metrics::QueueSample,
    metrics::exposition::{Family, Label, encode},
};

/// The priorities of controller-runtime, for objects that changed and for listed ones.
const PRIORITIES: [&str; 2] = ["0", "-100"];

type Controllers = [Arc<Monitored>];

impl Monitor {
    /// Returns all metrics in OpenMetrics, without the end marker.
    pub(in crate::controller) fn openmetrics(&self) -> Result<String, fmt::Error> {
        let mut families = self.families();
        if let Some(clusters) = self.clusters.get() {
            clusters.add_families(&mut families);
        }
        encode(families)
    }

    /// Returns the metrics, without those of other clusters.
    pub(in crate::controller) fn families(&self) -> Vec<Family> {
        let controllers = self.controllers();
        let mut families = reconciles(&controllers);
        families.extend(queues(&controllers));
        families.push(self.leader());
        families.push(self.shards());
        families.push(self.requests());
        families.extend(own_writes(&controllers));
        families.extend(others(&controllers));
        families.extend(triggers(&controllers));
        families.extend(informers::families(self));
        #[cfg(feature = "webhook")]
        families.extend(self.webhooks.get().into_iter().flat_map(|service| service.metrics().families()));
        #[cfg(feature = "webhook")]
        families.extend(self.certificates.get().into_iter().flat_map(|certificates| certificates.families()));
        families
    }

    fn leader(&self) -> Family {
        let help = "Gauge of if the reporting system is master of the relevant lease, 0 indicates backup, 1 indicates \
            master. 'name' is the string used to identify the lease. Please make sure to group by name.";
        let leader = self.election.get().map(|(lease, fence)| {
            let is_leader = if fence.is_open() { 1.0 } else { 0.0 };
            (vec![("name", lease.clone())], is_leader)
        });
        Family::gauge("leader_election_master_status", help, leader)
    }

    fn shards(&self) -> Family {
        let shards = self.shards.get().map(|(group, table)| (vec![("name", group.clone())], table.held().len() as f64));
        Family::gauge("crdkit_shards_held", "Shards whose objects this process reconciles", shards)
    }

    fn requests(&self) -> Family {
        let help = "Number of HTTP requests, partitioned by status code, method, and host.";
        let requests = self.requests.lock().clone();
        let series = requests.into_iter().map(|((code, method), count)| {
            let code = code.map_or_else(|| "<error>".to_owned(), |code| code.to_string());
            (vec![("code", code), ("method", method.to_owned()), ("host", self.host.clone())], count)
        });
        Family::counter("rest_client_requests_total", help, series)
    }
}

fn reconciles(controllers: &Controllers) -> Vec<Family> {
    let total = controllers.iter().flat_map(|controller| {
        let results = results(&controller.counters).into_iter();
        let name = &controller.name;
        results.map(move |(result, count)| (vec![("controller", name.clone()), ("result", result.to_owned())], count))
    });
    let count = |name, help, value: fn(&Counters) -> u64| {
        Family::counter(name, help, per_controller(controllers, |controller| value(&controller.counters)))
    };
    let gauge = |name, help, value: fn(&Monitored) -> usize| {
        Family::gauge(name, help, per_controller(controllers, |controller| value(controller) as f64))
    };
    let times = per_controller(controllers, |controller| controller.counters.durations.clone());
    vec![
        Family::counter("controller_runtime_reconcile_total", "Total number of reconciliations per controller", total),
        count(
            "controller_runtime_reconcile_errors_total",
            "Total number of reconciliation errors per controller",
            errors,
        ),
        count(
            "controller_runtime_terminal_reconcile_errors_total",
            "Total number of terminal reconciliation errors per controller",
            |counters| read(&counters.terminal_failures),
        ),
        count(
            "controller_runtime_reconcile_panics_total",
            "Total number of reconciliation panics per controller",
            |counters| read(&counters.panics),
        ),
        count(
            "controller_runtime_reconcile_timeouts_total",
            "Total number of reconciliation timeouts per controller",
            |counters| read(&counters.timeouts),
        ),
        Family::histogram(
            "controller_runtime_reconcile_time_seconds",
            "Length of time per reconciliation per controller",
            times,
        ),
        gauge(
            "controller_runtime_max_concurrent_reconciles",
            "Maximum number of concurrent reconciles per controller",
            |controller| controller.concurrency,
        ),
        gauge("controller_runtime_active_workers", "Number of currently used workers per controller", |controller| {
            controller.queue.sample().claimed
        }),
    ]
}

/// The results of controller-runtime. A panic is an error there too.
fn results(counters: &Counters) -> [(&'static str, u64); 4] {
    let (requeues, delayed) = (read(&counters.requeues), read(&counters.delayed_requeues));
    let done = read(&counters.successes).saturating_sub(requeues + delayed);
    [("success", done), ("error", errors(counters)), ("requeue", requeues), ("requeue_after", delayed)]
}

fn errors(counters: &Counters) -> u64 {
    read(&counters.failures) + read(&counters.terminal_failures) + read(&counters.panics)
}

fn queues(controllers: &Controllers) -> Vec<Family> {
    let samples: Vec<_> =
        controllers.iter().map(|controller| (controller.name.clone(), controller.queue.sample())).collect();
    let labels = |name: &String| vec![("name", name.clone()), ("controller", name.clone())];
    let count = |name, help, value: fn(&QueueSample) -> u64| {
        Family::counter(name, help, samples.iter().map(|(of, sample)| (labels(of), value(sample))))
    };
    let seconds = |name, help, value: fn(&QueueSample) -> Duration| {
        Family::gauge(name, help, samples.iter().map(|(of, sample)| (labels(of), value(sample).as_secs_f64())))
    };
    let depth = samples.iter().flat_map(|(of, sample)| {
        PRIORITIES.into_iter().zip(sample.depth).map(move |(priority, depth)| {
            let mut labels = labels(of);
            labels.push(("priority", priority.to_owned()));
            (labels, depth as f64)
        })
    });
    let waits = samples.iter().map(|(of, sample)| (labels(of), sample.waits));
    let work = samples.iter().map(|(of, sample)| (labels(of), sample.work));
    vec![
        Family::gauge("workqueue_depth", "Current depth of workqueue by workqueue and priority", depth),
        count("workqueue_adds_total", "Total number of adds handled by workqueue", |sample| sample.queued),
        Family::durations(
            "workqueue_queue_duration_seconds",
            "How long in seconds an item stays in workqueue before being requested",
            waits,
        ),
        Family::durations(
            "workqueue_work_duration_seconds",
            "How long in seconds processing an item from workqueue takes.",
            work,
        ),
        seconds(
            "workqueue_unfinished_work_seconds",
            "How many seconds of work has been done that is in progress and hasn't been observed by work_duration. Large \
             values indicate stuck threads. One can deduce the number of stuck threads by observing the rate at which \
             this increases.",
            |sample| sample.unfinished,
        ),
        seconds(
            "workqueue_longest_running_processor_seconds",
            "How many seconds has the longest running processor for workqueue been running.",
            |sample| sample.longest,
        ),
        count(
            "workqueue_retries_total",
            "Total number of items added to the workqueue with a non-zero delay (rate-limited requeues, explicit \
             RequeueAfter or AddAfter calls)",
            |sample| sample.delays,
        ),
    ]
}

/// How long reconciliations wait for their own writes.
fn own_writes(controllers: &Controllers) -> Vec<Family> {
    let waiting = per_controller(controllers, |controller| {
        controller.own_writes.upgrade().map_or(0.0, |own_writes| own_writes.waiting() as f64)
    });
    vec![
        Family::gauge(
            "crdkit_own_writes_waiting",
            "Objects whose reconciliation waits until the caches contain the controller's own writes",
            waiting,
        ),
        Family::counter(
            "crdkit_own_writes_postponed_total",
            "Reconciliations that were postponed until the caches contained the controller's own writes",
            per_controller(controllers, |controller| read(&controller.counters.postponed)),
        ),
        Family::counter(
            "crdkit_own_writes_stale_total",
            "Reconciliations that started although the caches did not contain the controller's own writes in time",
            per_controller(controllers, |controller| read(&controller.counters.stale)),
        ),
    ]
}

fn others(controllers: &Controllers) -> Vec<Family> {
    let count = |name, help, counter: fn(&Counters) -> &AtomicU64| {
        Family::counter(name, help, per_controller(controllers, |controller| read(counter(&controller.counters))))
    };
    let paused = per_controller(controllers, |controller| read(&controller.counters.paused) as f64);
    vec![
        Family::gauge("crdkit_paused_objects", "Objects that an annotation pauses", paused),
        count(
            "crdkit_forced_deletions_total",
            "Objects whose finalizer was removed by somebody else before the clean-up",
            |counters| &counters.forced_deletions,
        ),
        count(
            "crdkit_reconcile_loops_total",
            "Objects that were reconciled again and again because of the controller's own writes",
            |counters| &counters.loops,
        ),
        count("crdkit_events_dropped_total", "Events that were not sent", |counters| &counters.dropped_events),
    ]
}

fn triggers(controllers: &Controllers) -> Vec<Family> {
    let all: Vec<_> = controllers
        .iter()
        .flat_map(|controller| {
            controller.triggers.iter().map(move |trigger| (controller.name.clone(), trigger.clone()))
        })
        .collect();
    if all.is_empty() {
        return Vec::new();
    }
    let labels = |controller: &String, trigger: &TriggerMonitor| {
        vec![("controller", controller.clone()), ("trigger", trigger.name.clone())]
    };
    let count = |name, help, value: fn(&TriggerMonitor) -> &AtomicU64| {
        Family::counter(name, help, all.iter().map(|(of, trigger)| (labels(of, trigger), read(value(trigger)))))
    };
    let open = all.iter().map(|(of, trigger)| (labels(of, trigger), if trigger.is_open() { 1.0 } else { 0.0 }));
    vec![
        count("crdkit_trigger_keys_total", "Keys that a trigger added", |trigger| &trigger.keys),
        count("crdkit_trigger_errors_total", "Errors of a trigger", |trigger| &trigger.errors),
        Family::gauge("crdkit_trigger_open", "Whether the stream of a trigger has not ended", open),
    ]
}

fn per_controller<V>(
    controllers: &Controllers,
    value: impl Fn(&Monitored) -> V,
) -> impl Iterator<Item = (Vec<Label>, V)> {
    controllers.iter().map(move |controller| (vec![("controller", controller.name.clone())], value(controller)))
}

fn read(counter: &AtomicU64) -> u64 {
    counter.load(Ordering::Relaxed)
}
