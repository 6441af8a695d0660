//! Collects spans and events.

use std::{
    collections::BTreeMap,
    fmt::Debug,
    sync::{Arc, Mutex, OnceLock},
};

use tracing::{
    Dispatch, Event, Metadata, Subscriber,
    field::{Field, Visit},
    span,
    subscriber::{DefaultGuard, set_default},
};
use tracing_core::span::Current;

pub(crate) type Fields = BTreeMap<&'static str, String>;

/// Collects the spans of reconciliations, and the events in them.
#[derive(Clone, Default)]
pub(crate) struct Collector(Arc<Mutex<Collected>>);

#[derive(Default)]
struct Collected {
    spans: Vec<Fields>,
    metadata: Vec<&'static Metadata<'static>>,
    entered: Vec<u64>,
    /// The name of the object of the span in which an event occurred, and its fields.
    events: Vec<(Option<String>, Fields)>,
}

struct Visitor<'f>(&'f mut Fields);

impl Visit for Visitor<'_> {
    fn record_str(&mut self, field: &Field, value: &str) {
        self.0.insert(field.name(), value.to_owned());
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.0.insert(field.name(), format!("{value:?}"));
    }
}

impl Subscriber for Collector {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target().starts_with("crdkit") && *metadata.level() <= tracing::Level::INFO
    }

    fn new_span(&self, span: &span::Attributes<'_>) -> span::Id {
        let mut fields = Fields::from([("span", span.metadata().name().to_owned())]);
        span.record(&mut Visitor(&mut fields));
        let mut collected = self.0.lock().unwrap();
        collected.spans.push(fields);
        collected.metadata.push(span.metadata());
        span::Id::from_u64(collected.spans.len() as u64)
    }

    fn record(&self, id: &span::Id, values: &span::Record<'_>) {
        let mut collected = self.0.lock().unwrap();
        values.record(&mut Visitor(&mut collected.spans[id.into_u64() as usize - 1]));
    }

    fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut fields = Fields::new();
        event.record(&mut Visitor(&mut fields));
        let mut collected = self.0.lock().unwrap();
        let span = collected.entered.last().map(|id| collected.spans[*id as usize - 1]["name"].clone());
        collected.events.push((span, fields));
    }

    fn current_span(&self) -> Current {
        let collected = self.0.lock().unwrap();
        let current = collected.entered.last().map(|id| {
            let metadata = collected.metadata[*id as usize - 1];
            Current::new(span::Id::from_u64(*id), metadata)
        });
        current.unwrap_or_else(Current::none)
    }

    fn enter(&self, span: &span::Id) {
        self.0.lock().unwrap().entered.push(span.into_u64());
    }

    fn exit(&self, _: &span::Id) {
        self.0.lock().unwrap().entered.pop();
    }
}

impl Collector {
    /// Collects what happens on this thread until the guard is dropped.
    ///
    /// While there is one dispatcher, tracing-core 0.1 decides about a new callsite by the dispatcher of the thread that comes there first,
    /// and for all threads: another test, without a collector, could turn it off for this one. It asks all of several ones.
    pub(crate) fn install() -> (Self, DefaultGuard) {
        static SECOND: OnceLock<Dispatch> = OnceLock::new();
        SECOND.get_or_init(|| Dispatch::new(Self::default()));
        let collector = Self::default();
        let guard = set_default(collector.clone());
        (collector, guard)
    }

    /// Returns the fields of the first span.
    pub(crate) fn first(&self) -> Fields {
        self.0.lock().unwrap().spans[0].clone()
    }

    /// Returns the spans, in the order in which they began.
    pub(crate) fn spans(&self) -> Vec<Fields> {
        self.0.lock().unwrap().spans.clone()
    }

    /// Returns the events whose message begins with a text: the name of the object of their span, and their fields.
    pub(crate) fn events(&self, message: &str) -> Vec<(Option<String>, Fields)> {
        let events = self.0.lock().unwrap().events.clone();
        events.into_iter().filter(|(_, fields)| fields["message"].starts_with(message)).collect()
    }

    /// Returns trigger, its resource and attempt of each span of an object, since the last call.
    pub(crate) fn take(&self, name: &str) -> Vec<String> {
        let mut collected = self.0.lock().unwrap();
        let mut found = Vec::new();
        for fields in collected.spans.iter().filter(|fields| fields["name"] == name) {
            let resource = fields.get("trigger_resource").map(|resource| format!(" {resource}")).unwrap_or_default();
            found.push(format!("{}{resource} {}", fields["trigger"], fields["attempt"]));
        }
        // The spans remain, because their positions are their ids.
        collected.spans.iter_mut().for_each(|fields| drop(fields.insert("name", String::new())));
        found
    }
}
