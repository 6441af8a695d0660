//! Counts, logs and broadcasts problems.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use tokio::sync::broadcast;

use super::{
    OneLine,
    error::{Problem, Problems, WatchError},
};
use crate::client::{
    decode::Failure,
    error::{ClientOperation, Error},
};

/// Emits a metric in the format of `tracing` layers such as the one of `tracing-opentelemetry`.
macro_rules! measure {
    ($reporter:ident, $($measurement:tt)*) => {
        tracing::trace!(
            target: "crdkit::metrics",
            group = $reporter.operation.group,
            plural = $reporter.operation.plural,
            $($measurement)*
        )
    };
}

/// Capacity of the broadcast channel. The oldest problems are dropped first.
const CAPACITY: usize = 256;

pub(super) struct Reporter {
    operation: ClientOperation,
    undecodable: AtomicU64,
    panics: AtomicU64,
    sender: broadcast::Sender<Problem>,
}

impl Reporter {
    pub(super) fn new(operation: ClientOperation) -> Self {
        Self {
            operation,
            undecodable: AtomicU64::default(),
            panics: AtomicU64::default(),
            sender: broadcast::Sender::new(CAPACITY),
        }
    }

    /// Returns the resource: plural and group, such as `replicasets.apps`.
    pub(super) fn resource(&self) -> String {
        let ClientOperation { plural, group, .. } = &self.operation;
        if group.is_empty() { plural.clone() } else { format!("{plural}.{group}") }
    }

    /// Subscribes to new problems.
    pub(super) fn subscribe(&self) -> Problems {
        Problems::new(self.sender.subscribe())
    }

    pub(super) fn undecodable_states(&self) -> u64 {
        self.undecodable.load(Ordering::Relaxed)
    }

    pub(super) fn panics(&self) -> u64 {
        self.panics.load(Ordering::Relaxed)
    }

    /// Counts a list.
    pub(super) fn count_list(&self) {
        measure!(self, monotonic_counter.crdkit_informer_lists = 1_u64);
    }

    /// Counts a resumed watch.
    pub(super) fn count_resumed(&self) {
        measure!(self, monotonic_counter.crdkit_informer_resumed = 1_u64);
    }

    /// Counts events, and records the number of objects after them.
    pub(super) fn count_events(&self, events: usize, objects: usize) {
        measure!(
            self,
            monotonic_counter.crdkit_informer_events = events as u64,
            gauge.crdkit_informer_objects = objects as u64
        );
    }

    /// Creates the problem of a state that could not be decoded.
    pub(super) fn undecodable_problem(&self, failure: Failure) -> Problem {
        Problem::Undecodable(Arc::new(failure.into_undecodable(self.operation.clone())))
    }

    /// Reports a new state that could not be decoded, or a panic of a user closure.
    pub(super) fn report_object(&self, problem: Problem) {
        let Problem::Undecodable(undecodable) = &problem else {
            return self.report_panic(problem);
        };
        self.undecodable.fetch_add(1, Ordering::Relaxed);
        tracing::warn!("{}; the cache retains the last good state", OneLine(undecodable));
        measure!(self, monotonic_counter.crdkit_informer_undecodable = 1_u64);
        self.send(problem);
    }

    pub(super) fn report_watch_error(&self, namespace: Option<&str>, error: Arc<WatchError>) {
        let plural = &self.operation.plural;
        match &*error {
            // As for each kind whose definition has just been installed, until its storage is ready.
            WatchError::Request(Error::TooManyRequests(_)) => {
                tracing::info!(namespace, "the API server delays the watch of {plural}: {}", OneLine(&error));
            }
            error => tracing::warn!(namespace, "the watch of {plural} failed: {}", OneLine(error)),
        }
        measure!(self, monotonic_counter.crdkit_informer_failures = 1_u64);
        let namespace = namespace.map(Arc::from);
        self.send(Problem::Watch { namespace, error });
    }

    /// Reports a panic of a user closure.
    pub(super) fn report_panic(&self, problem: Problem) {
        self.panics.fetch_add(1, Ordering::Relaxed);
        if let Problem::Panicked { closure, namespace, name, .. } = &problem {
            tracing::error!(namespace, name, "{closure} panicked");
        }
        measure!(self, monotonic_counter.crdkit_informer_panics = 1_u64);
        self.send(problem);
    }

    /// Sends a problem to the receivers, if there are any.
    fn send(&self, problem: Problem) {
        let _ = self.sender.send(problem);
    }
}

#[cfg(test)]
mod tests {
    use std::{collections::BTreeMap, fmt, sync::Mutex};

    use tracing::{
        Event, Metadata, Subscriber,
        field::{Field, Visit},
        span,
    };

    use kube_core::Status;

    use super::*;
    use crate::{
        client::{StatusError, limits::QuoteLimit, request::Verb},
        informer::panics::ClosurePanic,
    };

    /// Sums the metrics.
    #[derive(Default)]
    struct RecordedMetrics(Arc<Mutex<BTreeMap<String, u64>>>);

    impl Subscriber for RecordedMetrics {
        fn enabled(&self, metadata: &Metadata<'_>) -> bool {
            metadata.target() == "crdkit::metrics"
        }

        fn event(&self, event: &Event<'_>) {
            event.record(&mut Sum(&mut self.0.lock().unwrap()));
        }

        fn new_span(&self, _: &span::Attributes<'_>) -> span::Id {
            span::Id::from_u64(1)
        }

        fn record(&self, _: &span::Id, _: &span::Record<'_>) {}
        fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}
        fn enter(&self, _: &span::Id) {}
        fn exit(&self, _: &span::Id) {}
    }

    struct Sum<'a>(&'a mut BTreeMap<String, u64>);

    impl Visit for Sum<'_> {
        fn record_u64(&mut self, field: &Field, value: u64) {
            *self.0.entry(field.name().to_owned()).or_default() += value;
        }

        fn record_str(&mut self, field: &Field, value: &str) {
            assert!(["group", "plural"].contains(&field.name()), "{value}");
        }

        fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
            panic!("{field} = {value:?}");
        }
    }

    fn operation() -> ClientOperation {
        ClientOperation {
            verb: Verb::Watch,
            group: "example.com".to_owned(),
            version: "v1".to_owned(),
            kind: "Machine".to_owned(),
            plural: "machines".to_owned(),
            subresource: None,
            namespace: None,
            name: None,
            generate_name: None,
            quotes_values: false,
        }
    }

    /// Collects the levels of lines for people.
    #[derive(Default)]
    struct RecordedLevels(Arc<Mutex<Vec<tracing::Level>>>);

    impl Subscriber for RecordedLevels {
        fn enabled(&self, metadata: &Metadata<'_>) -> bool {
            metadata.target() != "crdkit::metrics"
        }

        fn event(&self, event: &Event<'_>) {
            self.0.lock().unwrap().push(*event.metadata().level());
        }

        fn new_span(&self, _: &span::Attributes<'_>) -> span::Id {
            span::Id::from_u64(1)
        }

        fn record(&self, _: &span::Id, _: &span::Record<'_>) {}
        fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}
        fn enter(&self, _: &span::Id) {}
        fn exit(&self, _: &span::Id) {}
    }

    #[test]
    fn a_delay_that_the_server_requests_is_no_warning() {
        let reporter = Reporter::new(operation());
        let levels = RecordedLevels::default();
        let recorded = levels.0.clone();
        let too_many = StatusError {
            operation: operation(),
            status: Status::failure("storage is (re)initializing", "TooManyRequests").with_code(429),
            retry_after: None,
            quote_limit: QuoteLimit::default(),
            needed: &[],
        };
        tracing::subscriber::with_default(levels, || {
            reporter
                .report_watch_error(None, Arc::new(WatchError::Request(Error::TooManyRequests(Box::new(too_many)))));
            reporter.report_watch_error(None, Arc::new(WatchError::Overdue));
        });
        assert_eq!(*recorded.lock().unwrap(), [tracing::Level::INFO, tracing::Level::WARN]);
    }

    #[test]
    fn metrics_are_emitted() {
        let reporter = Reporter::new(operation());
        let recorded = RecordedMetrics::default();
        let sums = recorded.0.clone();
        tracing::subscriber::with_default(recorded, || {
            reporter.count_list();
            reporter.count_events(5, 4);
            reporter.count_events(2, 6);
            reporter.count_resumed();
            let panic = ClosurePanic::new("the transform", &"no such label");
            reporter.report_panic(panic.to_problem(None, "web"));
            reporter.report_watch_error(None, Arc::new(WatchError::NoStreamingLists));
            let error = serde_json::from_str::<u8>("{").unwrap_err();
            reporter.report_object(reporter.undecodable_problem(error.into()));
        });
        let locked = sums.lock().unwrap();
        let sums: Vec<_> = locked.iter().map(|(name, sum)| (name.as_str(), *sum)).collect();
        assert_eq!(
            sums,
            [
                ("gauge.crdkit_informer_objects", 10),
                ("monotonic_counter.crdkit_informer_events", 7),
                ("monotonic_counter.crdkit_informer_failures", 1),
                ("monotonic_counter.crdkit_informer_lists", 1),
                ("monotonic_counter.crdkit_informer_panics", 1),
                ("monotonic_counter.crdkit_informer_resumed", 1),
                ("monotonic_counter.crdkit_informer_undecodable", 1),
            ]
        );
        assert_eq!((reporter.undecodable_states(), reporter.panics()), (1, 1));
    }
}
