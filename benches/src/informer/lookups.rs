//! The duration of lookups, in microseconds.

use std::{
    hint::black_box,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use crdkit_benches::Samples;
use nix::time::ClockId;

use crate::{
    objects::{APPS, NAMESPACES, app, name_of, namespace, namespace_of},
    work::{Figures, Work},
};

/// What can be looked up, and then kept: the found are references that are counted. Keys are made beforehand.
pub(crate) trait Lookups: Clone + Send + 'static {
    type Key: Send;
    type Found;
    type All;

    fn key(&self, namespace: String, name: String) -> Self::Key;
    fn get(&self, key: &Self::Key) -> Option<Self::Found>;
    fn by_namespace(&self, namespace: &str) -> Vec<Self::Found>;
    /// By the label `app`.
    fn by_app(&self, app: &str) -> Vec<Self::Found>;
    /// A view of all objects that does not change.
    fn snapshot(&self) -> Self::All;
    fn all(&self) -> Vec<Self::Found>;
}

/// Gets are too short to be measured one by one.
const GETS_AT_ONCE: usize = 1000;
const ROUNDS: usize = 200;
/// A contestant that looks at all of a million objects has fewer rounds.
const LONGEST: Duration = Duration::from_secs(1);
const LEAST_ROUNDS: usize = 5;

/// The threads that read beside a storm of changes.
const READERS: usize = 8;

pub(crate) fn measure<L: Lookups>(lookups: &L, work: &Work, figures: &mut Figures) {
    let keys = keys(lookups, work.objects);
    let hot = &keys[0];
    figures.add("get_hot", gets(lookups, (0..ROUNDS * GETS_AT_ONCE).map(|_| hot)));
    figures.add("get_random", gets(lookups, keys.iter().cycle().take(ROUNDS * GETS_AT_ONCE)));
    figures.add("by_namespace", median(ROUNDS, |round| lookups.by_namespace(&namespace(round * 7 % NAMESPACES))));
    figures.add("by_label", median(ROUNDS, |round| lookups.by_app(&app(round * 7 % APPS))));
    // Nothing else is touched in between.
    figures.add("by_namespace_hot", median(ROUNDS, |_| lookups.by_namespace(&namespace(0))));
    figures.add("by_label_hot", median(ROUNDS, |_| lookups.by_app(&app(0))));
    figures.add("snapshot", median(ROUNDS, |_| lookups.snapshot()));
    figures.add("all", median(ROUNDS / 10, |_| lookups.all()));
}

/// The keys of all objects, in no order.
fn keys<L: Lookups>(lookups: &L, objects: usize) -> Vec<L::Key> {
    // A prime, so that no object is left out.
    let stride = 61_813;
    let numbers = (0..objects).map(|at| at * stride % objects);
    numbers.map(|number| lookups.key(namespace_of(number, objects), name_of(number))).collect()
}

fn gets<'a, L: Lookups>(lookups: &L, keys: impl Iterator<Item = &'a L::Key>) -> f64
where
    L::Key: 'a,
{
    let keys: Vec<_> = keys.collect();
    let samples = keys.chunks(GETS_AT_ONCE).map(|keys| {
        let start = Instant::now();
        for key in keys {
            assert!(black_box(lookups.get(black_box(key))).is_some(), "the object is there");
        }
        micros(start) / keys.len() as f64
    });
    samples.collect::<Samples>().median()
}

/// The median time of a call, without dropping what it found.
fn median<T>(rounds: usize, mut call: impl FnMut(usize) -> T) -> f64 {
    let begin = Instant::now();
    let in_time = |round: &usize| *round < LEAST_ROUNDS || begin.elapsed() < LONGEST;
    let samples = (0..rounds).take_while(in_time).map(|round| {
        let start = Instant::now();
        let found = black_box(call(round));
        let elapsed = micros(start);
        drop(found);
        elapsed
    });
    samples.collect::<Samples>().median()
}

fn micros(since: Instant) -> f64 {
    since.elapsed().as_secs_f64() * 1e6
}

/// Threads that read until they are stopped.
pub(crate) struct Readers {
    stopped: Arc<AtomicBool>,
    threads: Vec<JoinHandle<(f64, f64)>>,
}

impl Readers {
    pub(crate) fn start<L: Lookups>(lookups: &L, objects: usize) -> Self {
        let stopped = Arc::new(AtomicBool::new(false));
        let reader = || {
            let (lookups, stopped) = (lookups.clone(), stopped.clone());
            thread::spawn(move || read(&lookups, objects, &stopped))
        };
        Self { threads: (0..READERS).map(|_| reader()).collect(), stopped }
    }

    /// Stops them. The figures are processor time, since there are more threads than processors.
    pub(crate) fn stop(self, figures: &mut Figures) {
        self.stopped.store(true, Ordering::Relaxed);
        let times: Vec<_> =
            self.threads.into_iter().map(|thread| thread.join().expect("a reader does not panic")).collect();
        figures.add("get_in_storm", times.iter().map(|(get, _)| *get).collect::<Samples>().median());
        figures.add("by_label_in_storm", times.iter().map(|(_, by_label)| *by_label).collect::<Samples>().median());
    }
}

/// Returns the medians of a get by a random key, and of a look-up by label.
fn read<L: Lookups>(lookups: &L, objects: usize, stopped: &AtomicBool) -> (f64, f64) {
    let keys = keys(lookups, objects);
    let (mut gets, mut by_label) = (Samples::default(), Samples::default());
    for (round, keys) in keys.chunks(GETS_AT_ONCE).cycle().enumerate() {
        let start = processor_time();
        keys.iter().for_each(|key| drop(black_box(lookups.get(black_box(key)))));
        let got = processor_time();
        drop(black_box(lookups.by_app(&app(round % APPS))));
        by_label.push((processor_time() - got).as_secs_f64() * 1e6);
        gets.push((got - start).as_secs_f64() * 1e6 / keys.len() as f64);
        if stopped.load(Ordering::Relaxed) {
            break;
        }
    }
    (gets.median(), by_label.median())
}

fn processor_time() -> Duration {
    ClockId::CLOCK_THREAD_CPUTIME_ID.now().expect("a clock").into()
}
