use std::{
    sync::{Mutex, mpsc},
    thread,
    time::Duration,
};

use super::*;

const OBJECTS: u64 = 50;
const CHANGES: u64 = 50_000;

fn read(mut events: Subscription<ConfigMap>, pause: Duration) -> (SubscriberState, u64) {
    let (mut known, mut changes) = (SubscriberState::default(), 0);
    let runtime = tokio::runtime::Builder::new_current_thread().build();
    runtime.unwrap().block_on(async {
        while let Some(event) = events.next().await {
            changes += u64::from(matches!(event, Event::Updated { .. }));
            known.apply(&event);
            if !pause.is_zero() {
                thread::sleep(pause);
            }
        }
    });
    (known, changes)
}

/// Updates all objects in turn, as fast as possible.
fn write(fanout: &Mutex<Fanout>, objects: &mut BTreeMap<String, Config>) {
    for version in 1..=CHANGES / 10 {
        let mut fanout = fanout.lock().unwrap();
        let batch = (0..10).map(|step| {
            let number = version * 10 + step;
            let name = format!("object-{}", number % OBJECTS);
            let new = config(&name, number);
            let old = objects.insert(name, new.clone()).unwrap();
            Event::Updated { old, new }
        });
        fanout.push(batch);
    }
}

#[test]
fn all_subscribers_converge_under_a_fast_writer() {
    let names = (0..OBJECTS).map(|number| format!("object-{number}"));
    let mut objects: BTreeMap<_, _> = names.map(|name| (name.clone(), config(&name, 1))).collect();
    let fanout = Mutex::new(Fanout::default());
    let subscribe = |bound| {
        let objects: Vec<_> = objects.values().cloned().collect();
        let subscription = subscribe(&mut fanout.lock().unwrap(), objects, true);
        subscription.merge_beyond(bound)
    };
    let fast = [usize::MAX, 1_024, 10, 0].map(|bound| (subscribe(bound), Duration::ZERO));
    let slow = [100, 0].map(|bound| (subscribe(bound), Duration::from_micros(200)));
    let gone = subscribe(5);
    let (sender, ends) = mpsc::channel();
    thread::scope(|scope| {
        for (events, pause) in fast.into_iter().chain(slow) {
            let sender = sender.clone();
            scope.spawn(move || sender.send(read(events, pause)).unwrap());
        }
        scope.spawn(move || drop(gone));
        write(&fanout, &mut objects);
        fanout.lock().unwrap().close();
    });
    drop(sender);
    let ends: Vec<_> = ends.iter().collect();
    assert_eq!(ends.len(), 6);
    for (known, _) in &ends {
        assert_eq!(known.objects, objects);
        assert!(known.synced);
    }
    assert!(ends.iter().any(|(_, changes)| *changes == CHANGES));
}
