//! Whether a subscriber was told every change, in order.

use crdkit::informer::Event;
use crdkit_tests::apiserver::What;

use crate::{
    judge::Verdict,
    report::Reading,
    truth::Truth,
    widget::{key, version},
};

/// What was told of an object, and the version of the state.
type Told = (What, u64);

/// Judges what an unstalled subscriber was told of a place.
pub(crate) fn judge(truth: &Truth, place: usize, reading: Reading, events: &[Event<crate::widget::Widget>]) -> Verdict {
    let objects = events.iter().filter_map(|event| Some((event, event.object()?)));
    let told: Vec<Told> = objects
        .filter(|(_, object)| truth.place_of(&key(object)) == Some(place))
        .map(|(event, object)| (what(event), version(object)))
        .collect();
    let (name, versions) = &truth.places[place];
    let last = reading.last_list;
    match is_whole(truth, versions, &told) || (!reading.once && is_whole_after(truth, last, versions, &told)) {
        true => Ok(()),
        false => Err(format!("watch of {name:?}: {told:?} is not what happened, which is {versions:?}, after {last}")),
    }
}

/// Whether it is a snapshot of some moment, and then everything that happened after it.
fn is_whole(truth: &Truth, versions: &[u64], told: &[Told]) -> bool {
    let live = truth.live(versions);
    let fits = |start: &usize| live[*start] + versions.len() - start == told.len();
    (0..=versions.len()).filter(fits).any(|start| {
        let (snapshot, changes) = told.split_at(live[start]);
        let expected = truth.snapshot(&versions[..start]);
        let is_expected = |(what, version): &Told| *what == What::Added && expected.contains(version);
        snapshot.iter().all(is_expected) && changes.iter().copied().eq(all(truth, &versions[start..]))
    })
}

/// Whether it ends with everything that happened after the objects were read last.
fn is_whole_after(truth: &Truth, last: u64, versions: &[u64], told: &[Told]) -> bool {
    let start = told.iter().position(|(_, version)| *version > last);
    let expected = &versions[versions.partition_point(|version| *version <= last)..];
    told[start.unwrap_or(told.len())..].iter().copied().eq(all(truth, expected))
}

fn all(truth: &Truth, versions: &[u64]) -> impl Iterator<Item = Told> {
    versions.iter().map(|version| (truth.told[version].what, *version))
}

fn what<K>(event: &Event<K>) -> What {
    match event {
        Event::Added(_) => What::Added,
        Event::Updated { .. } | Event::Synced => What::Modified,
        Event::Deleted(_) => What::Deleted,
    }
}
