//! The time from decoding a change to notifying subscribers, with and without a reader, in microseconds.
//!
//! The informer calls two functions of the benchmark on one of its threads: the transform, just before an object is
//! stored, and the waker of a subscription, just after. Between the two it waits for readers, and for a processor if
//! all are busy. So the processor time of the thread is measured too, and the times without a context switch. Objects
//! change one by one, so that nothing else is in between.

use std::{
    pin::Pin,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll, Wake, Waker},
    thread::{self, Thread},
    time::{Duration, Instant},
};

use anyhow::{Result, ensure};
use crdkit::{
    Client,
    informer::{Event, Informers, Lister, Subscription},
};
use futures_util::Stream;
use nix::{
    sys::resource::{UsageWho, getrusage},
    time::ClockId,
};

use crate::{
    client,
    objects::{APPS, NAMESPACES, VirtualMachine, app, namespace},
    work::{Figures, Work, control, newest},
};

/// The minimum number of samples for the worst of a thousand.
const TIMES: usize = 2_000;

/// Between two changes, in microseconds.
const PAUSE: u64 = 100;

/// When the writer received an object, and the latency of each notification.
#[derive(Default)]
struct Times {
    received: Option<Moment>,
    latencies: Vec<Latency>,
}

/// A point in time of a thread.
struct Moment {
    clock: Instant,
    /// The processor time of the thread.
    processor: Duration,
    /// The number of context switches of the thread.
    switches: i64,
}

struct Latency {
    clock: Duration,
    processor: Duration,
    /// Whether there was a context switch in between.
    switched: bool,
}

impl Moment {
    fn now() -> Self {
        let usage = getrusage(UsageWho::RUSAGE_THREAD).expect("there is a thread");
        let processor = ClockId::CLOCK_THREAD_CPUTIME_ID.now().expect("a clock");
        Self {
            processor: processor.into(),
            switches: usage.voluntary_context_switches() + usage.involuntary_context_switches(),
            clock: Instant::now(),
        }
    }

    fn latency(&self) -> Latency {
        let clock = self.clock.elapsed();
        let now = Self::now();
        Latency { clock, processor: now.processor - self.processor, switched: now.switches != self.switches }
    }
}

struct NotificationWaker {
    times: Arc<Mutex<Times>>,
    thread: Thread,
}

impl Wake for NotificationWaker {
    fn wake(self: Arc<Self>) {
        let mut times = self.times.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(received) = times.received.take() {
            times.latencies.push(received.latency());
        }
        self.thread.unpark();
    }
}

/// Measures without readers, and with one that reads all the time.
pub(crate) async fn measure(work: &Work) -> Result<Figures> {
    let times = Arc::new(Mutex::new(Times::default()));
    let client: Client = client(work.port)?;
    let informer = {
        let times = times.clone();
        let transform = move |_: &mut VirtualMachine| {
            times.lock().unwrap_or_else(PoisonError::into_inner).received = Some(Moment::now());
        };
        Informers::new(client).of::<VirtualMachine>().transform(transform).start()
    };
    informer.synced().await?;
    let mut events = informer.subscribe();
    let mut figures = Figures::default();
    for readers in [false, true] {
        *times.lock().unwrap_or_else(PoisonError::into_inner) = Times::default();
        let reads = AtomicBool::new(readers);
        thread::scope(|scope| {
            scope.spawn(|| read(&informer.lister(), &reads));
            // Not on this thread, where the runtime would make the subscription yield.
            let subscriber = scope.spawn(|| receive_changes(&mut events, &times, work));
            let result = subscriber.join().expect("it does not panic");
            reads.store(false, Ordering::Relaxed);
            result
        })?;
        let times = times.lock().unwrap_or_else(PoisonError::into_inner);
        let name = if readers { "notified_with_reader" } else { "notified_without_readers" };
        add_figures(&times.latencies, name, &mut figures)?;
    }
    Ok(figures)
}

fn read(lister: &Lister<VirtualMachine>, reads: &AtomicBool) {
    let mut round = 0;
    while reads.load(Ordering::Relaxed) {
        round += 1;
        let namespace = namespace(round * 7 % NAMESPACES);
        drop((
            lister.namespace(namespace).list(),
            lister.labels(format!("app={}", app(round * 7 % APPS)).as_str()).map(|found| found.len()),
            lister.snapshot(),
            lister.list(),
        ));
    }
}

fn receive_changes(events: &mut Subscription<VirtualMachine>, times: &Arc<Mutex<Times>>, work: &Work) -> Result<()> {
    let waker = Waker::from(Arc::new(NotificationWaker { times: times.clone(), thread: thread::current() }));
    let mut context = Context::from_waker(&waker);
    let last = (newest(work.port)? + work.events as u64).to_string();
    control(work.port, &format!("modify?count={}&pause_us={PAUSE}", work.events))?;
    loop {
        match Pin::new(&mut *events).poll_next(&mut context) {
            Poll::Ready(Some(Event::Updated { new, .. })) if new.metadata.resource_version.as_ref() == Some(&last) => {
                return Ok(());
            }
            Poll::Ready(event) => ensure!(event.is_some(), "the informer stopped"),
            Poll::Pending => thread::park(),
        }
    }
}

fn add_figures(latencies: &[Latency], name: &str, figures: &mut Figures) -> Result<()> {
    ensure!(latencies.len() >= TIMES, "only {} changes had a notification each", latencies.len());
    let undisturbed = || latencies.iter().filter(|latency| !latency.switched);
    figures.add(format!("{name}_p50"), quantile(latencies.iter().map(|latency| latency.clock), 0.5));
    figures.add(format!("{name}_p999"), quantile(latencies.iter().map(|latency| latency.clock), 0.999));
    figures.add(format!("{name}_processor_p999"), quantile(latencies.iter().map(|latency| latency.processor), 0.999));
    figures.add(format!("{name}_undisturbed_p999"), quantile(undisturbed().map(|latency| latency.clock), 0.999));
    figures.add(format!("{name}_undisturbed_share"), undisturbed().count() as f64 / latencies.len() as f64);
    Ok(())
}

/// Returns a quantile, in microseconds.
fn quantile(all: impl Iterator<Item = Duration>, share: f64) -> f64 {
    let mut all: Vec<_> = all.map(|time| time.as_secs_f64() * 1e6).collect();
    all.sort_by(f64::total_cmp);
    let index = (all.len() as f64 * share) as usize;
    all.get(index).copied().unwrap_or(f64::NAN)
}
