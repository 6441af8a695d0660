//! Everything that is logged in this process, at all levels, by any crate.

use std::{
    fmt::{Debug, Write},
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering},
    },
};

use tracing::{
    Event, Metadata, Subscriber,
    field::{Field, Visit},
    span,
};

/// The lines that have been logged. Clones share them.
#[derive(Clone, Default)]
pub(crate) struct Lines(Arc<Mutex<Vec<String>>>);

impl Lines {
    /// Captures what all threads log from now on.
    pub(crate) fn capture() -> Self {
        let lines = Self::default();
        let capture = Capture { lines: lines.clone(), spans: AtomicU64::new(1) };
        tracing::subscriber::set_global_default(capture).expect("nothing else captures");
        lines
    }

    pub(crate) fn all(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }

    /// Whether a line has all of these texts.
    pub(crate) fn have(&self, texts: &[&str]) -> bool {
        let lines = self.0.lock().unwrap();
        lines.iter().any(|line| texts.iter().all(|text| line.contains(text)))
    }
}

struct Capture {
    lines: Lines,
    spans: AtomicU64,
}

/// One line that is being written.
struct Line(String);

impl Line {
    fn of(metadata: &Metadata<'_>) -> Self {
        Self(format!("{} {}", metadata.level(), metadata.target()))
    }
}

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        let _ = write!(self.0, " {field}={value:?}");
    }
}

impl Capture {
    fn add(&self, line: Line) {
        self.lines.0.lock().unwrap().push(line.0);
    }
}

impl Subscriber for Capture {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, span: &span::Attributes<'_>) -> span::Id {
        let mut line = Line::of(span.metadata());
        span.record(&mut line);
        self.add(line);
        span::Id::from_u64(self.spans.fetch_add(1, Ordering::Relaxed))
    }

    fn record(&self, _: &span::Id, values: &span::Record<'_>) {
        let mut line = Line(String::new());
        values.record(&mut line);
        self.add(line);
    }

    fn event(&self, event: &Event<'_>) {
        let mut line = Line::of(event.metadata());
        event.record(&mut line);
        self.add(line);
    }

    fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}
    fn enter(&self, _: &span::Id) {}
    fn exit(&self, _: &span::Id) {}
}
