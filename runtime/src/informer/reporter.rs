//! Tells of problems and counts them.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use tokio::sync::broadcast;

use super::error::{Problem, Problems, WatchError};
use crate::client::{
    decode::Failure,
    error::{OneLine, Operation},
};

/// A measurement in the form that layers of `tracing` such as that of `tracing-opentelemetry` make metrics of.
macro_rules! measure {
    ($reports:ident, $($measurement:tt)*) => {
        tracing::trace!(
            target: "crdkit::metrics",
            group = $reports.operation.group,
            plural = $reports.operation.plural,
            $($measurement)*
        )
    };
}

/// So many problems wait for those who want to know; of more the oldest are forgotten.
const KEPT: usize = 256;

pub(super) struct Reporter {
    operation: Operation,
    undecodable: AtomicU64,
    panics: AtomicU64,
    listeners: broadcast::Sender<Problem>,
}

impl Reporter {
    pub(super) fn new(operation: Operation) -> Self {
        Self {
            operation,
            undecodable: AtomicU64::default(),
            panics: AtomicU64::default(),
            listeners: broadcast::Sender::new(KEPT),
        }
    }

    /// The objects that this is about: plural and group, such as `replicasets.apps`.
    pub(super) fn resource(&self) -> String {
        let Operation { plural, group, .. } = &self.operation;
        match group.is_empty() {
            true => plural.clone(),
            false => format!("{plural}.{group}"),
        }
    }

    /// What goes wrong from now on.
    pub(super) fn listen(&self) -> Problems {
        Problems::new(self.listeners.subscribe())
    }

    pub(super) fn undecodable_objects(&self) -> u64 {
        self.undecodable.load(Ordering::Relaxed)
    }

    pub(super) fn panics(&self) -> u64 {
        self.panics.load(Ordering::Relaxed)
    }

    /// All objects are about to be read.
    pub(super) fn lists(&self) {
        measure!(self, monotonic_counter.crdkit_informer_lists = 1_u64);
    }

    /// A watch goes on where it was.
    pub(super) fn resumes(&self) {
        measure!(self, monotonic_counter.crdkit_informer_resumed = 1_u64);
    }

    /// Subscribers were told so many events, after which there are so many objects.
    pub(super) fn changed(&self, events: usize, objects: usize) {
        measure!(
            self,
            monotonic_counter.crdkit_informer_events = events as u64,
            gauge.crdkit_informer_objects = objects as u64
        );
    }

    /// Why a state of an object does not fit.
    pub(super) fn undecodable(&self, failure: Failure) -> Problem {
        Problem::Undecodable(Arc::new(failure.into_undecodable(self.operation.clone())))
    }

    /// A state of an object does not fit that was not known before, or a closure of the program panicked on one.
    pub(super) fn of_object(&self, problem: Problem) {
        let Problem::Undecodable(undecodable) = &problem else {
            return self.panicked(problem);
        };
        self.undecodable.fetch_add(1, Ordering::Relaxed);
        tracing::warn!("{}; its last good state is kept", OneLine(undecodable));
        measure!(self, monotonic_counter.crdkit_informer_undecodable = 1_u64);
        self.tell(problem);
    }

    pub(super) fn watch_failed(&self, namespace: Option<&str>, error: Arc<WatchError>) {
        tracing::warn!(
            namespace,
            "the watch of {} ended: {}",
            self.operation.plural,
            OneLine(&error)
        );
        measure!(self, monotonic_counter.crdkit_informer_failures = 1_u64);
        let namespace = namespace.map(Arc::from);
        self.tell(Problem::Watch { namespace, error });
    }

    /// A closure of the program panicked.
    pub(super) fn panicked(&self, problem: Problem) {
        self.panics.fetch_add(1, Ordering::Relaxed);
        if let Problem::Panicked {
            closure,
            namespace,
            name,
            ..
        } = &problem
        {
            tracing::error!(namespace, name, "{closure} panicked");
        }
        measure!(self, monotonic_counter.crdkit_informer_panics = 1_u64);
        self.tell(problem);
    }

    /// Nobody has to listen.
    fn tell(&self, problem: Problem) {
        let _ = self.listeners.send(problem);
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

    use super::*;
    use crate::{client::request::Verb, informer::panics::ClosurePanic};

    /// Adds up what is measured.
    #[derive(Default)]
    struct Measured(Arc<Mutex<BTreeMap<String, u64>>>);

    impl Subscriber for Measured {
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

    #[test]
    fn what_happens_is_measured() {
        let reports = Reporter::new(Operation {
            verb: Verb::Watch,
            group: "example.com".to_owned(),
            version: "v1".to_owned(),
            kind: "Machine".to_owned(),
            plural: "machines".to_owned(),
            subresource: None,
            namespace: None,
            name: None,
        });
        let measured = Measured::default();
        let sums = measured.0.clone();
        tracing::subscriber::with_default(measured, || {
            reports.lists();
            reports.changed(5, 4);
            reports.changed(2, 6);
            reports.resumes();
            let panic = ClosurePanic::new("the transform", &"no such label");
            reports.panicked(panic.on(None, "web"));
            reports.watch_failed(None, Arc::new(WatchError::NoStreamingLists));
            let error = serde_json::from_str::<u8>("{").unwrap_err();
            reports.of_object(reports.undecodable(error.into()));
        });
        let sums = sums.lock().unwrap();
        let sums: Vec<_> = sums
            .iter()
            .map(|(name, sum)| (name.as_str(), *sum))
            .collect();
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
        assert_eq!((reports.undecodable_objects(), reports.panics()), (1, 1));
    }
}
