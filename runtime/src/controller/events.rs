//! Reports events of objects, in the background.

use std::{
    collections::{HashMap, hash_map::RandomState},
    hash::{BuildHasher, Hasher},
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

use crdkit_core::literal::dns;
use futures_util::future::{BoxFuture, FutureExt};
use k8s_openapi::{
    api::{
        core::v1::ObjectReference,
        events::v1::{Event as ApiEvent, EventSeries},
    },
    apimachinery::pkg::apis::meta::v1::MicroTime,
    jiff::Timestamp,
};
use kube_core::Resource;
use serde_json::json;
use tokio::{
    sync::mpsc,
    time::{Instant, sleep, sleep_until},
};

use super::{
    Context, ReconciledKind,
    error::describe_chain,
    metrics::{Counters, count},
    namespace_end::NamespaceEnds,
};
use crate::{
    Client,
    client::{Error, Patch, backoff_formula::random},
    informer::OneLine,
};

/// Maximum number of events that wait to be sent, as in client-go.
const MAX_QUEUED: usize = 1_000;
/// How long after its last event a series ends, as in client-go.
const FINISH: Duration = Duration::from_secs(6 * 60);
/// How often the count of a series that continues is written, as in client-go.
const REFRESH: Duration = Duration::from_secs(30 * 60);
/// Maximum number of attempts to write an event, and the delay between them, as in client-go.
const MAX_ATTEMPTS: u32 = 12;
const RETRY_DELAY: Duration = Duration::from_secs(10);
/// The longest texts of an event that the API server accepts, in bytes.
const MAX_NOTE: usize = 1_024;
const MAX_REASON: usize = 128;
const MAX_ACTION: usize = 128;
const MAX_INSTANCE: usize = 128;
/// What replaces a reason and an action without text, which the API server does not accept.
const NO_REASON: &str = "Unspecified";
const DEFAULT_ACTION: &str = "Reconcile";
/// The rate of events of one object: this many at once, and then one in each interval, as in client-go.
const BURST: u32 = 25;
const INTERVAL: Duration = Duration::from_secs(300);

/// An event, for [`Context::event`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ObjectEvent {
    type_: &'static str,
    reason: String,
    note: String,
    action: String,
}

impl ObjectEvent {
    /// Creates an event of the type `Normal`, with a reason such as `Started`, and a text for people.
    ///
    /// The API server accepts 128 bytes of a reason and 1,024 of a note: longer ones are cut. An empty reason becomes
    /// `Unspecified`.
    pub fn normal(reason: &str, note: &str) -> Self {
        let (reason, note) = (truncated(reason, MAX_REASON), truncated(note, MAX_NOTE));
        Self { type_: "Normal", reason: non_empty(reason, NO_REASON), note, action: DEFAULT_ACTION.to_owned() }
    }

    /// Creates an event of the type `Warning`.
    pub fn warning(reason: &str, note: &str) -> Self {
        Self { type_: "Warning", ..Self::normal(reason, note) }
    }

    /// Sets what the controller did: `Reconcile` by default, and if it is empty. It has at most 128 bytes; longer ones are cut.
    #[must_use]
    pub fn action(self, action: &str) -> Self {
        Self { action: non_empty(truncated(action, MAX_ACTION), DEFAULT_ACTION), ..self }
    }
}

impl<K: ReconciledKind, T> Context<K, T> {
    /// Reports an event of an object.
    ///
    /// It is sent in the background: this neither waits nor fails. Equal events of one object become one with a count.
    /// Beyond 25 events of an object at once, and then one in five minutes, they are dropped, which
    /// [counts](super::ControllerMetrics::dropped_events).
    #[doc(alias("Recorder", "EventRecorder", "Eventf"))]
    pub fn event(&self, object: &K, event: ObjectEvent) {
        self.run.events.send(reference(object, self.run.kind.dynamic()), event);
    }
}

fn reference<K: Resource>(object: &K, kind: &K::DynamicType) -> ObjectReference {
    ObjectReference { field_path: None, ..object.object_ref(kind) }
}

/// Passes events to the task that sends them.
#[derive(Clone)]
pub(super) struct EventSender {
    sender: mpsc::Sender<(ObjectReference, ObjectEvent)>,
    counters: Arc<Counters>,
}

impl EventSender {
    fn send(&self, regarding: ObjectReference, event: ObjectEvent) {
        match self.sender.try_send((regarding, event)) {
            Ok(()) => count(&self.counters.queued_events),
            Err(_) => count(&self.counters.dropped_events),
        }
    }
}

/// Counts the events that were not processed before the end as dropped.
pub(super) fn drop_queued(counters: &Counters) {
    let queued = counters.queued_events.swap(0, Ordering::Relaxed);
    counters.dropped_events.fetch_add(queued, Ordering::Relaxed);
}

/// Creates a sender of events, and the future that sends them until all senders are dropped.
pub(super) fn recorder(
    client: Client,
    controller: String,
    instance: String,
    counters: Arc<Counters>,
) -> (EventSender, BoxFuture<'static, ()>) {
    let (sender, mut received) = mpsc::channel(MAX_QUEUED);
    let mut recorder = Recorder {
        client: client.max_retries(0),
        controller,
        instance,
        series: HashMap::new(),
        rates: HashMap::new(),
        counters: counters.clone(),
    };
    let record = async move {
        let mut next_check = Instant::now() + FINISH;
        loop {
            tokio::select! {
                event = received.recv() => match event {
                    Some((regarding, event)) => {
                        recorder.record(regarding, event).await;
                        recorder.counters.queued_events.fetch_sub(1, Ordering::Relaxed);
                    }
                    None => break,
                },
                () = sleep_until(next_check) => {
                    next_check += FINISH;
                    recorder.finish_series().await;
                }
            }
        }
        recorder.write_counts().await;
    };
    (EventSender { sender, counters }, record.boxed())
}

struct Recorder {
    client: Client,
    controller: String,
    instance: String,
    /// The events that were sent, by object and event.
    series: HashMap<(Regarding, ObjectEvent), Series>,
    /// When the bucket of each object is full again.
    rates: HashMap<Regarding, Instant>,
    counters: Arc<Counters>,
}

/// The identity of an object: kind, namespace, name and uid.
type Regarding = (Option<String>, Option<String>, Option<String>, Option<String>);

struct Series {
    event: ApiEvent,
    count: i32,
    last: Instant,
    last_time: Timestamp,
    /// The count that was written last, and when.
    written: (i32, Instant),
}

impl Recorder {
    async fn record(&mut self, regarding: ObjectReference, event: ObjectEvent) {
        let object =
            (regarding.kind.clone(), regarding.namespace.clone(), regarding.name.clone(), regarding.uid.clone());
        let (now, time) = (Instant::now(), self.client.now());
        let key = (object, event);
        if let Some(series) = self.series.get_mut(&key).filter(|series| now - series.last <= FINISH) {
            (series.count, series.last, series.last_time) = (series.count.saturating_add(1), now, time);
            // The second event starts the series. Further ones are only counted.
            if series.count == 2 {
                series.written = (2, now);
                let event = series.to_event();
                self.write(event).await;
            }
            return;
        }
        if !self.is_within_rate(&key.0, now) {
            count(&self.counters.dropped_events);
            return;
        }
        let event = self.api_event(regarding, &key.1, time);
        let series = Series { event: event.clone(), count: 1, last: now, last_time: time, written: (1, now) };
        self.series.insert(key, series);
        self.write(event).await;
    }

    fn is_within_rate(&mut self, object: &Regarding, now: Instant) -> bool {
        let full_at = self.rates.get(object).copied().unwrap_or(now).max(now) + INTERVAL;
        let is_within = full_at - now <= INTERVAL * BURST;
        if is_within {
            self.rates.insert(object.clone(), full_at);
        }
        is_within
    }

    fn api_event(&self, regarding: ObjectReference, event: &ObjectEvent, time: Timestamp) -> ApiEvent {
        let mut api_event = ApiEvent::default();
        api_event.metadata.name = Some(event_name(regarding.name.as_deref().unwrap_or_default(), time));
        // Events of cluster-scoped objects are in the default namespace.
        api_event.metadata.namespace = Some(regarding.namespace.clone().unwrap_or_else(|| "default".to_owned()));
        api_event.event_time = Some(MicroTime(time));
        api_event.type_ = Some(event.type_.to_owned());
        api_event.reason = Some(event.reason.clone());
        api_event.note = Some(event.note.clone());
        api_event.action = Some(event.action.clone());
        api_event.reporting_controller = Some(self.controller.clone());
        api_event.reporting_instance = Some(truncated(&self.instance, MAX_INSTANCE));
        api_event.regarding = Some(regarding);
        api_event
    }

    /// Removes series that ended, after their last count is written, and writes the counts of long ones.
    async fn finish_series(&mut self) {
        let now = Instant::now();
        let mut counts = Vec::new();
        self.series.retain(|_, series| {
            let is_finished = now - series.last > FINISH;
            let is_due = is_finished || now - series.written.1 >= REFRESH;
            if is_due && series.count > series.written.0 {
                series.written = (series.count, now);
                counts.push(series.to_event());
            }
            !is_finished
        });
        self.rates.retain(|_, full_at| *full_at > now);
        for event in counts {
            self.write(event).await;
        }
    }

    /// Writes the counts of all series, before the process ends.
    async fn write_counts(&mut self) {
        for series in std::mem::take(&mut self.series).into_values() {
            if series.count > series.written.0 {
                self.write(series.to_event()).await;
            }
        }
    }

    async fn write(&self, event: ApiEvent) {
        for attempt in 1..=MAX_ATTEMPTS {
            match self.try_write(&event).await {
                Ok(()) => return,
                Err(error) if NamespaceEnds::find(&error).is_some() => {
                    tracing::debug!(reason = event.reason, %error, "an event was not recorded");
                    return;
                }
                Err(error) if is_final(&error) || attempt == MAX_ATTEMPTS => {
                    count(&self.counters.dropped_events);
                    let regarding = event.regarding.as_ref();
                    let (kind, name) =
                        (regarding.and_then(|it| it.kind.as_ref()), regarding.and_then(|it| it.name.as_ref()));
                    let error = OneLine(describe_chain(&error));
                    tracing::warn!(kind, name, reason = event.reason, note = event.note, %error, "an event was not recorded");
                    return;
                }
                Err(_) => sleep(RETRY_DELAY.mul_f64(1.0 + random() / 4.0)).await,
            }
        }
    }

    async fn try_write(&self, event: &ApiEvent) -> Result<(), Error> {
        let events =
            self.client.resources::<ApiEvent>().namespace(event.metadata.namespace.as_deref().unwrap_or_default());
        if let (Some(series), Some(name)) = (&event.series, &event.metadata.name) {
            let patched = events.patch(name, &Patch::merge(json!({ "series": series }))).await;
            match patched {
                // The event expired: it is created anew.
                Err(error) if error.is_not_found() => {}
                patched => return patched.map(drop),
            }
        }
        match events.create(event).await {
            Err(Error::AlreadyExists(_)) => Ok(()),
            created => created.map(drop),
        }
    }
}

impl Series {
    fn to_event(&self) -> ApiEvent {
        let series = EventSeries { count: self.count, last_observed_time: MicroTime(self.last_time) };
        ApiEvent { series: Some(series), ..self.event.clone() }
    }
}

/// Whether the API server rejected the event itself.
fn is_final(error: &Error) -> bool {
    !matches!(
        error,
        Error::Transport { .. }
            | Error::DeadlineExceeded { .. }
            | Error::TooManyRequests(_)
            | Error::Timeout(_)
            | Error::Unavailable(_)
            | Error::Unauthorized(_)
    )
}

/// Returns a name as client-go does: that of the object and the time, or a random one and the time if that is no name of an event,
/// because it is too long, or the object is of a kind with other names.
fn event_name(object: &str, time: Timestamp) -> String {
    let time = time.as_nanosecond();
    let name = format!("{object}.{time:x}");
    match dns::subdomain(&name) {
        Ok(()) => name,
        Err(_) => format!("{:016x}.{time:x}", RandomState::new().build_hasher().finish()),
    }
}

fn non_empty(text: String, default: &str) -> String {
    if text.is_empty() { default.to_owned() } else { text }
}

/// Returns what fits of a text before the end of a note.
pub(super) fn note_before(text: &str, end: &str) -> String {
    truncated(text, MAX_NOTE.saturating_sub(end.len()))
}

/// Returns at most `limit` bytes of a text.
pub(super) fn truncated(text: &str, limit: usize) -> String {
    let end = (0..=limit.min(text.len())).rev().find(|end| text.is_char_boundary(*end));
    text[..end.unwrap_or_default()].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_those_that_the_api_server_accepts() {
        let event = ObjectEvent::normal("", &"ü".repeat(600)).action("");
        assert_eq!((&*event.reason, event.note.len(), &*event.action), (NO_REASON, MAX_NOTE, DEFAULT_ACTION));
        let long = ObjectEvent::warning(&"x".repeat(129), "").action(&"€".repeat(43));
        assert_eq!((long.reason.len(), long.action.len()), (MAX_REASON, 126));
    }

    #[test]
    fn names_are_those_of_objects() {
        let time = Timestamp::from_nanosecond(255).unwrap();
        assert_eq!(event_name("web.prod", time), "web.prod.ff");
        for object in ["x".repeat(251), "system:controller".to_owned(), String::new()] {
            let (first, second) = (event_name(&object, time), event_name(&object, time));
            assert!(dns::subdomain(&first).is_ok() && first != second, "{first}");
        }
    }
}
