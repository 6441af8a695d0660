//! Checks that a subscriber received every change, in order.

use crdkit::informer::Event;
use crdkit_tests::apiserver::EventType;

use crate::{
    event_checks::Verdict,
    history::History,
    report::ListHistory,
    widget::{key, version},
};

/// The type of an event, and the version of the object's state.
type Notification = (EventType, u64);

/// Checks which events of a watch a fast subscriber received.
pub(crate) fn check(
    history: &History,
    watch: usize,
    list: ListHistory,
    events: &[Event<crate::widget::Widget>],
) -> Verdict {
    let objects = events.iter().filter_map(|event| Some((event, event.object()?)));
    let received: Vec<Notification> = objects
        .filter(|(_, object)| history.watch_of(&key(object)) == Some(watch))
        .map(|(event, object)| (event_type(event), version(object)))
        .collect();
    let (name, versions) = &history.watches[watch];
    let last = list.last_list;
    if is_snapshot_with_all_changes(history, versions, &received)
        || (!list.once && ends_with_all_changes_after(history, last, versions, &received))
    {
        Ok(())
    } else {
        Err(format!("watch of {name:?}: {received:?} are not the changes {versions:?} after {last}"))
    }
}

/// Returns whether the events are a snapshot of some version, followed by all later changes.
fn is_snapshot_with_all_changes(history: &History, versions: &[u64], received: &[Notification]) -> bool {
    let live = history.live(versions);
    let has_same_length = |start: &usize| live[*start] + versions.len() - start == received.len();
    (0..=versions.len()).filter(has_same_length).any(|start| {
        let (snapshot, changes) = received.split_at(live[start]);
        let expected = history.snapshot(&versions[..start]);
        let is_expected =
            |(event_type, version): &Notification| *event_type == EventType::Added && expected.contains(version);
        snapshot.iter().all(is_expected) && changes.iter().copied().eq(all(history, &versions[start..]))
    })
}

/// Returns whether the events end with all changes after the last list.
fn ends_with_all_changes_after(history: &History, last: u64, versions: &[u64], received: &[Notification]) -> bool {
    let start = received.iter().position(|(_, version)| *version > last);
    let expected = &versions[versions.partition_point(|version| *version <= last)..];
    received[start.unwrap_or(received.len())..].iter().copied().eq(all(history, expected))
}

fn all(history: &History, versions: &[u64]) -> impl Iterator<Item = Notification> {
    versions.iter().map(|version| (history.states[version].event_type, *version))
}

fn event_type<K>(event: &Event<K>) -> EventType {
    match event {
        Event::Added(_) => EventType::Added,
        Event::Updated { .. } | Event::Synced => EventType::Modified,
        Event::Deleted(_) => EventType::Deleted,
    }
}
