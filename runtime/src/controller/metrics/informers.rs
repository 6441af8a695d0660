//! The metrics of informers: how up to date the caches are.

use std::collections::BTreeMap;

use crate::{
    controller::monitor::Monitor,
    informer::{Health, WatchHealth, WatchState},
    metrics::exposition::Family,
};

/// The informers of one resource.
#[derive(Default)]
struct Resource {
    objects: usize,
    undecodable_states: u64,
    undecodable_objects: usize,
    watches: BTreeMap<String, Vec<WatchHealth>>,
}

impl Resource {
    fn add(&mut self, health: Health) {
        self.objects += health.objects;
        self.undecodable_states += health.undecodable_states;
        self.undecodable_objects += health.undecodable_objects;
        for watch in health.watches {
            let namespace = watch.namespace.as_deref().unwrap_or_default().to_owned();
            self.watches.entry(namespace).or_default().push(watch);
        }
    }
}

/// Returns the state of the informers by resource, and of their watches by namespace. Several informers can watch the same.
fn resources(monitor: &Monitor) -> BTreeMap<String, Resource> {
    let mut resources = BTreeMap::<String, Resource>::new();
    for informer in monitor.informers() {
        resources.entry(informer.resource).or_default().add(informer.health);
    }
    resources
}

pub(super) fn families(monitor: &Monitor) -> Vec<Family> {
    let resources = &resources(monitor);
    let of_resource = |name, help, value: fn(&Resource) -> usize| {
        let series = resources.iter().map(|(of, resource)| (vec![("resource", of.clone())], value(resource) as f64));
        Family::gauge(name, help, series)
    };
    let watches = || {
        resources.iter().flat_map(|(of, resource)| {
            let watches = resource.watches.iter();
            watches.map(move |(namespace, all)| (vec![("resource", of.clone()), ("namespace", namespace.clone())], all))
        })
    };
    let count = |name, help, value: fn(&WatchHealth) -> u64| {
        Family::counter(name, help, watches().map(|(labels, all)| (labels, all.iter().map(value).sum())))
    };
    let relists = watches().flat_map(|(labels, all)| {
        relists(all).map(|(reason, count)| {
            let mut labels = labels.clone();
            labels.push(("reason", reason.to_owned()));
            (labels, count)
        })
    });
    // A watch without a complete list has no age.
    let ages = watches().filter_map(|(labels, all)| {
        let ages: Option<Vec<_>> = all.iter().map(|watch| watch.staleness).collect();
        Some((labels, ages?.into_iter().max()?.as_secs_f64()))
    });
    let up = watches().map(|(labels, all)| (labels, if all.iter().all(is_up) { 1.0 } else { 0.0 }));
    vec![
        of_resource("crdkit_informer_objects", "Objects in the cache", |resource| resource.objects),
        of_resource("crdkit_informer_unreadable_objects", "Objects that cannot be decoded now", |resource| {
            resource.undecodable_objects
        }),
        Family::counter(
            "crdkit_informer_undecodable_total",
            "States of objects that could not be decoded",
            resources.iter().map(|(of, resource)| (vec![("resource", of.clone())], resource.undecodable_states)),
        ),
        Family::gauge("crdkit_informer_age_seconds", "Maximum age of the data in the cache", ages),
        Family::gauge("crdkit_informer_up", "Whether the objects are listed and the last request did not fail", up),
        count("crdkit_informer_lists_total", "Lists that were started", |watch| watch.lists),
        Family::counter("crdkit_informer_relists_total", "Lists after a watch could not continue, by reason", relists),
        count("crdkit_informer_resumed_total", "Watches that continued at their last resourceVersion", |watch| {
            watch.resumed
        }),
        count("crdkit_informer_failures_total", "Failed requests, and lists and watches that broke off", |watch| {
            watch.failures
        }),
    ]
}

fn is_up(watch: &WatchHealth) -> bool {
    watch.synced && !matches!(watch.state, WatchState::Disconnected { error: Some(_), .. })
}

fn relists(watches: &[WatchHealth]) -> [(&'static str, u64); 4] {
    let sum = |value: fn(&WatchHealth) -> u64| watches.iter().map(value).sum();
    [
        ("expired", sum(|watch| watch.expired)),
        ("inconsistent", sum(|watch| watch.desyncs)),
        ("unresumable", sum(|watch| watch.unresumable)),
        ("no_streaming_list", sum(|watch| watch.fallbacks)),
    ]
}
