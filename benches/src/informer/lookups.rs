//! The duration of lookups, in microseconds.

use std::{hint::black_box, time::Instant};

use crdkit_benches::Samples;

use crate::{
    objects::{APPS, NAMESPACES, app, name_of, namespace, namespace_of},
    work::{Figures, Work},
};

/// What can be looked up. Keys are made beforehand.
pub(crate) trait Lookups {
    type Key;
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
    let samples = (0..rounds).map(|round| {
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
