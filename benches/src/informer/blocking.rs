//! How long readers keep the writer waiting, in microseconds.
//!
//! The informer calls two things of ours on one of its threads: the transform, just before an object goes into the store, and
//! the waker of a subscription, just after. Between the two it waits for the readers, and for a processor where others have
//! them all: hence the processor time of the thread, and the times in which it was never without one. Objects change one by
//! one, so that nothing else is in between.

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

/// Fewer times do not tell how the worst of a thousand is.
const TIMES: usize = 2_000;

/// Between two changes, in microseconds.
const PAUSE: u64 = 100;

/// When the writer took an object, and how long it took each time until it told of it.
#[derive(Default)]
struct Times {
    taken: Option<Moment>,
    told: Vec<Told>,
}

/// A moment of a thread.
struct Moment {
    clock: Instant,
    /// The processor time of the thread.
    processor: Duration,
    /// How often the thread gave up its processor or lost it.
    switches: i64,
}

struct Told {
    clock: Duration,
    processor: Duration,
    /// Whether the thread was without a processor in between.
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

    fn told(&self) -> Told {
        let clock = self.clock.elapsed();
        let now = Self::now();
        Told { clock, processor: now.processor - self.processor, switched: now.switches != self.switches }
    }
}

struct Bell {
    times: Arc<Mutex<Times>>,
    thread: Thread,
}

impl Wake for Bell {
    fn wake(self: Arc<Self>) {
        let mut times = self.times.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(taken) = times.taken.take() {
            times.told.push(taken.told());
        }
        self.thread.unpark();
    }
}

/// Without readers, and with one that does nothing else.
pub(crate) async fn measure(work: &Work) -> Result<Figures> {
    let times = Arc::new(Mutex::new(Times::default()));
    let client: Client = client(work.port)?;
    let informer = {
        let times = times.clone();
        let take = move |_: &mut VirtualMachine| {
            times.lock().unwrap_or_else(PoisonError::into_inner).taken = Some(Moment::now());
        };
        Informers::new(client).of::<VirtualMachine>().transform(take).start()
    };
    informer.synced().await?;
    let mut events = informer.subscribe();
    let mut figures = Figures::default();
    for readers in [false, true] {
        *times.lock().unwrap_or_else(PoisonError::into_inner) = Times::default();
        let reads = AtomicBool::new(readers);
        thread::scope(|scope| {
            scope.spawn(|| read(&informer.lister(), &reads));
            // Not on this thread, where the runtime would have the subscription yield now and then.
            let follower = scope.spawn(|| follow(&mut events, &times, work));
            let result = follower.join().expect("it does not panic");
            reads.store(false, Ordering::Relaxed);
            result
        })?;
        let times = times.lock().unwrap_or_else(PoisonError::into_inner);
        let name = if readers { "told_with_reader" } else { "told_alone" };
        state(&times.told, name, &mut figures)?;
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
            lister.all(),
        ));
    }
}

fn follow(events: &mut Subscription<VirtualMachine>, times: &Arc<Mutex<Times>>, work: &Work) -> Result<()> {
    let waker = Waker::from(Arc::new(Bell { times: times.clone(), thread: thread::current() }));
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

fn state(told: &[Told], name: &str, figures: &mut Figures) -> Result<()> {
    ensure!(told.len() >= TIMES, "only {} changes were told one by one", told.len());
    let undisturbed = || told.iter().filter(|told| !told.switched);
    figures.add(format!("{name}_p50"), part(told.iter().map(|told| told.clock), 0.5));
    figures.add(format!("{name}_p999"), part(told.iter().map(|told| told.clock), 0.999));
    figures.add(format!("{name}_processor_p999"), part(told.iter().map(|told| told.processor), 0.999));
    figures.add(format!("{name}_undisturbed_p999"), part(undisturbed().map(|told| told.clock), 0.999));
    figures.add(format!("{name}_undisturbed_share"), undisturbed().count() as f64 / told.len() as f64);
    Ok(())
}

/// Less than this are that part of all, in microseconds.
fn part(all: impl Iterator<Item = Duration>, part: f64) -> f64 {
    let mut all: Vec<_> = all.map(|time| time.as_secs_f64() * 1e6).collect();
    all.sort_by(f64::total_cmp);
    let place = (all.len() as f64 * part) as usize;
    all.get(place).copied().unwrap_or(f64::NAN)
}
