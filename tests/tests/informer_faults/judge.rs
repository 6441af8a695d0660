//! Whether what a subscriber was told is what happened.

use std::{collections::BTreeMap, sync::Arc};

use crdkit::informer::Event;
use crdkit_tests::apiserver::{Key, What};

use crate::{
    exact,
    report::Reading,
    subscribers::{Manner, PATIENCE, Record},
    truth::{Truth, difference},
    widget::{Widget, brief, key, version},
};

/// What a subscriber knows, if it believes what it is told.
struct Model<'a> {
    truth: &'a Truth,
    manner: Manner,
    objects: BTreeMap<Key, Arc<Widget>>,
    /// The newest version that was told of each object.
    newest: BTreeMap<Key, u64>,
    synced: usize,
}

/// A mistake, and at which event it is.
pub(crate) type Verdict = Result<(), String>;

/// Judges a record, given how the objects of each place were read.
pub(crate) fn judge(truth: &Truth, record: &Record, readings: &[Reading]) -> Verdict {
    let mut model =
        Model { truth, manner: record.manner, objects: BTreeMap::new(), newest: BTreeMap::new(), synced: 0 };
    for (number, event) in record.events.iter().enumerate() {
        model.apply(event).map_err(|mistake| format!("event {number}, {mistake}: {}", told(event)))?;
    }
    if record.overflowed {
        return Ok(());
    }
    if record.manner == Manner::AtTheEnd {
        is_merged(&record.events[..record.waited])?;
    }
    model.end()?;
    if record.manner.is_exact() {
        for (place, reading) in readings.iter().enumerate() {
            exact::judge(truth, place, *reading, &record.events)?;
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
                    return Err("added, though it is there".to_owned());
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

    /// A state that there was in the selection, newer than any that was told of this object.
    fn is_newer_state(&mut self, new: &Widget) -> Verdict {
        let (key, version) = (key(new), version(new));
        let state = self.truth.told.get(&version);
        let state = state.filter(|state| state.what != What::Deleted && state.key == key);
        let state = state.ok_or("a state that the object never had")?;
        if state.widget != *new {
            return Err(format!("not as it was: {}", brief(&state.widget)));
        }
        match self.newest.insert(key, version) {
            Some(newest) if newest >= version => Err(format!("told after {newest}")),
            _ => Ok(()),
        }
    }

    fn is_known(&self, old: &Widget) -> Verdict {
        let known = self.objects.get(&key(old));
        let known = known.ok_or("changed, though it was not there")?;
        let same = match self.manner {
            Manner::Labels => known.metadata.uid == old.metadata.uid && known.metadata.labels == old.metadata.labels,
            _ => **known == *old,
        };
        match same {
            true => Ok(()),
            false => Err(format!("changed, though it was {}", brief(known))),
        }
    }

    /// The last state is that which was known, or the one that the watch told with the version of the deletion.
    fn delete(&mut self, last: &Widget) -> Verdict {
        let key = key(last);
        let known = self.objects.remove(&key);
        let known = known.ok_or("deleted, though it was not there")?;
        if known.metadata.uid != last.metadata.uid {
            return Err(format!("deleted, though it was {}", brief(&known)));
        }
        let told = self.truth.told.get(&version(last));
        let told = told.filter(|told| told.key == key);
        let told = told.ok_or("a last state that the object never had")?;
        if told.widget != *last {
            return Err(format!("not as it was last: {}", brief(&told.widget)));
        }
        let end = match told.what {
            What::Deleted => Some(version(last)),
            _ if self.manner.hears_all() && *known != *last => {
                return Err(format!("not as it was known last: {}", brief(&known)));
            }
            _ => self.truth.end_of(&key, version(last)),
        };
        let end = end.ok_or("deleted, though it never was")?;
        match self.newest.insert(key, end) {
            Some(newest) if newest >= end => Err(format!("told after {newest}")),
            _ => Ok(()),
        }
    }

    fn end(&self) -> Verdict {
        if self.synced != 1 {
            return Err(format!("Synced was told {} times", self.synced));
        }
        let mut shown: Vec<_> = self.objects.values().cloned().collect();
        if self.manner == Manner::Labels {
            self.newest_states(&mut shown);
        }
        let differences = difference(&self.truth.objects, shown);
        match differences.is_empty() {
            true => Ok(()),
            false => Err(format!("in the end {}", differences.join("\n"))),
        }
    }

    /// Whoever hears of labels alone knows no more than labels: the rest is taken for granted.
    fn newest_states(&self, shown: &mut [Arc<Widget>]) {
        for widget in shown {
            let newest = self.truth.objects.get(&key(widget));
            let same = newest.filter(|newest| {
                newest.metadata.uid == widget.metadata.uid && newest.metadata.labels == widget.metadata.labels
            });
            if let Some(newest) = same {
                *widget = Arc::new(newest.clone());
            }
        }
    }
}

/// Whether no more than two events of an object have waited, once there were too many to keep them apart.
fn is_merged(events: &[Event<Widget>]) -> Verdict {
    let mut waited = events.iter().skip_while(|event| !matches!(event, Event::Synced));
    waited.next();
    let mut counts = BTreeMap::new();
    for object in waited.filter_map(Event::object) {
        *counts.entry(key(object)).or_insert(0) += 1;
    }
    let all: usize = counts.values().sum();
    let most = counts.iter().max_by_key(|(_, count)| **count);
    match most {
        Some((key, count)) if all > PATIENCE && *count > 2 => Err(format!("{count} events of {key:?} have waited")),
        _ => Ok(()),
    }
}

fn told(event: &Event<Widget>) -> String {
    match event {
        Event::Added(new) => format!("added {}", brief(new)),
        Event::Updated { old, new } => format!("updated {} to {}", brief(old), brief(new)),
        Event::Deleted(last) => format!("deleted {}", brief(last)),
        Event::Synced => "synced".to_owned(),
    }
}
