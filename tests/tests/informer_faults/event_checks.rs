//! Checks the events that a subscriber received.

use std::{collections::BTreeMap, sync::Arc};

use crdkit::informer::Event;
use crdkit_tests::apiserver::{EventType, Key};

use crate::{
    exact_events,
    history::{History, difference},
    report::ListHistory,
    subscribers::{MERGE_LIMIT, ReadMode, Record},
    widget::{Widget, brief, key, version},
};

/// The objects according to a subscriber's events.
struct Model<'a> {
    history: &'a History,
    mode: ReadMode,
    objects: BTreeMap<Key, Arc<Widget>>,
    /// The newest received version of each object.
    newest: BTreeMap<Key, u64>,
    synced: usize,
}

/// The error, and the event that has it.
pub(crate) type Verdict = Result<(), String>;

/// Checks a record, given the lists of each watch.
pub(crate) fn check_record(history: &History, record: &Record, lists: &[ListHistory]) -> Verdict {
    let mut model = Model { history, mode: record.mode, objects: BTreeMap::new(), newest: BTreeMap::new(), synced: 0 };
    for (number, event) in record.events.iter().enumerate() {
        model.apply(event).map_err(|mistake| format!("event {number}, {mistake}: {}", describe(event)))?;
    }
    if record.overflowed {
        return Ok(());
    }
    if record.mode == ReadMode::AtTheEnd {
        check_coalesced(&record.events[..record.waited])?;
    }
    model.end()?;
    if record.mode.is_exact() {
        for (watch, list) in lists.iter().enumerate() {
            exact_events::check(history, watch, *list, &record.events)?;
        }
    }
    Ok(())
}

impl Model<'_> {
    fn apply(&mut self, event: &Event<Widget>) -> Verdict {
        match event {
            Event::Synced => self.synced += 1,
            Event::Added(new) => {
                if self.objects.contains_key(&key(new)) {
                    return Err("added, but it exists".to_owned());
                }
                self.is_newer_state(new)?;
                self.objects.insert(key(new), new.clone());
            }
            Event::Updated { old, new } => {
                self.is_known(old)?;
                if old.metadata.uid != new.metadata.uid {
                    return Err("updated to another object".to_owned());
                }
                self.is_newer_state(new)?;
                self.objects.insert(key(new), new.clone());
            }
            Event::Deleted(last) => self.delete(last)?,
        }
        Ok(())
    }

    /// Checks that a state existed in the selection, and is newer than the received ones of the object.
    fn is_newer_state(&mut self, new: &Widget) -> Verdict {
        let (key, version) = (key(new), version(new));
        let found = self.history.states.get(&version);
        let state = found
            .filter(|state| state.event_type != EventType::Deleted && state.key == key)
            .ok_or("a state that the object never had")?;
        if state.widget != *new {
            return Err(format!("the state was {}", brief(&state.widget)));
        }
        match self.newest.insert(key, version) {
            Some(newest) if newest >= version => Err(format!("received after {newest}")),
            _ => Ok(()),
        }
    }

    fn is_known(&self, old: &Widget) -> Verdict {
        let known = self.objects.get(&key(old)).ok_or("updated, but it does not exist")?;
        let same = match self.mode {
            ReadMode::Labels => known.metadata.uid == old.metadata.uid && known.metadata.labels == old.metadata.labels,
            _ => **known == *old,
        };
        if same { Ok(()) } else { Err(format!("updated, but it was {}", brief(known))) }
    }

    /// The last state is the one in the model, or the one in the watch's event, with the version of the deletion.
    fn delete(&mut self, last: &Widget) -> Verdict {
        let key = key(last);
        let known = self.objects.remove(&key).ok_or("deleted, but it does not exist")?;
        if known.metadata.uid != last.metadata.uid {
            return Err(format!("deleted, but it was {}", brief(&known)));
        }
        let found = self.history.states.get(&version(last));
        let state = found.filter(|state| state.key == key).ok_or("a last state that the object never had")?;
        if state.widget != *last {
            return Err(format!("the last state was {}", brief(&state.widget)));
        }
        let ended = match state.event_type {
            EventType::Deleted => Some(version(last)),
            _ if self.mode.is_complete() && *known != *last => {
                return Err(format!("the last received state was {}", brief(&known)));
            }
            _ => self.history.end_of(&key, version(last)),
        };
        let end = ended.ok_or("deleted, but it was not deleted on the server")?;
        match self.newest.insert(key, end) {
            Some(newest) if newest >= end => Err(format!("received after {newest}")),
            _ => Ok(()),
        }
    }

    fn end(&self) -> Verdict {
        if self.synced != 1 {
            return Err(format!("{} Synced events", self.synced));
        }
        let mut shown: Vec<_> = self.objects.values().cloned().collect();
        if self.mode == ReadMode::Labels {
            self.newest_states(&mut shown);
        }
        let differences = difference(&self.history.objects, shown);
        if differences.is_empty() { Ok(()) } else { Err(format!("at the end {}", differences.join("\n"))) }
    }

    /// A subscriber that filters by labels has current labels only: replaces states whose labels are equal.
    fn newest_states(&self, shown: &mut [Arc<Widget>]) {
        for widget in shown {
            let newest = self.history.objects.get(&key(widget));
            let same = newest.filter(|newest| {
                newest.metadata.uid == widget.metadata.uid && newest.metadata.labels == widget.metadata.labels
            });
            if let Some(newest) = same {
                *widget = Arc::new(newest.clone());
            }
        }
    }
}

/// Checks that at most two events of an object were buffered, once there were too many to buffer each.
fn check_coalesced(events: &[Event<Widget>]) -> Verdict {
    let mut buffered = events.iter().skip_while(|event| !matches!(event, Event::Synced));
    buffered.next();
    let mut counts = BTreeMap::new();
    for object in buffered.filter_map(Event::object) {
        *counts.entry(key(object)).or_insert(0) += 1;
    }
    let all: usize = counts.values().sum();
    let most = counts.iter().max_by_key(|(_, count)| **count);
    match most {
        Some((key, count)) if all > MERGE_LIMIT && *count > 2 => {
            Err(format!("{count} events of {key:?} in the buffer"))
        }
        _ => Ok(()),
    }
}

fn describe(event: &Event<Widget>) -> String {
    match event {
        Event::Added(new) => format!("added {}", brief(new)),
        Event::Updated { old, new } => format!("updated {} to {}", brief(old), brief(new)),
        Event::Deleted(last) => format!("deleted {}", brief(last)),
        Event::Synced => "synced".to_owned(),
    }
}
