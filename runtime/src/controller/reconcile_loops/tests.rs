use std::sync::atomic::Ordering;

use serde_json::json;

use super::*;

fn key() -> ObjectKey {
    ObjectKey::new("prod", "web")
}

fn change(version: &str) -> OwnChange<'_> {
    OwnChange { resource: "vms.example.com".into(), namespace: Some("prod"), name: "web", state: version }
}

fn observed(loops: &Loops, version: &str) {
    let (namespace, name) = (Some("prod"), "web");
    let change = ObservedChange { resource: "vms.example.com", namespace, name, state: version, is_deletion: false };
    loops.observed(&key(), &change);
}

/// A run that writes. Its event arrives before the response if `is_early`.
fn run(loops: &Loops, trigger: &Trigger, version: u32, is_early: bool) {
    let version = version.to_string();
    loops.begin(&key(), trigger);
    let records = loops.writes(&key());
    if is_early {
        observed(loops, &version);
    }
    let fields = if records { vec!["status.phase".to_owned()] } else { Vec::new() };
    loops.changed(&key(), &change(&version), WrittenChange::Fields(fields));
    if !is_early {
        observed(loops, &version);
    }
    loops.end(&key(), false);
}

fn reported(loops: &Loops) -> u64 {
    loops.counters.loops.load(Ordering::Relaxed)
}

#[test]
fn a_loop_is_reported_once() {
    let loops = Loops::new(Arc::default());
    for version in 0..10 {
        run(&loops, &Trigger::Change, version, version % 2 == 0);
    }
    assert_eq!(reported(&loops), 0);
    assert_eq!(loops.keys()[&key()].most_changed(), "status.phase");
    for version in 10..100 {
        run(&loops, &Trigger::Change, version, false);
    }
    assert_eq!(reported(&loops), 1);
    // The change of somebody else.
    observed(&loops, "other");
    for version in 100..120 {
        run(&loops, &Trigger::Change, version, false);
    }
    assert_eq!(reported(&loops), 2);
}

#[test]
fn changes_of_others_and_delayed_runs_are_no_loop() {
    let loops = Loops::new(Arc::default());
    for version in 0..100 {
        run(&loops, &Trigger::Change, version, false);
        if version % 5 == 0 {
            observed(&loops, "other");
        }
    }
    for version in 100..200 {
        run(&loops, &Trigger::Requeue, version, false);
    }
    for version in 200..300 {
        run(&loops, &Trigger::Retry, version, false);
    }
    assert_eq!(reported(&loops), 0);
}

#[test]
fn a_run_that_writes_nothing_ends_a_loop() {
    let loops = Loops::new(Arc::default());
    for version in 0..100 {
        run(&loops, &Trigger::Change, version, false);
        if version % 5 == 0 {
            loops.begin(&key(), &Trigger::Change);
            loops.writes(&key());
            loops.end(&key(), false);
        }
    }
    assert_eq!((reported(&loops), loops.keys().len()), (0, 1));
}

/// Also if they create objects, but that may be the way to the desired number.
#[test]
fn immediate_requeues_are_a_loop() {
    let loops = Loops::new(Arc::default());
    let run = |version: u32| {
        loops.begin(&key(), &Trigger::Requeue);
        loops.writes(&key());
        loops.changed(&key(), &change(&version.to_string()), WrittenChange::Object("creates configmaps".into()));
        loops.end(&key(), true);
    };
    (0..100).for_each(run);
    assert_eq!(reported(&loops), 0);
    run(100);
    assert_eq!((reported(&loops), loops.keys()[&key()].most_changed().as_str()), (1, "creates configmaps"));
}

#[test]
fn the_number_of_keys_is_limited() {
    let loops = Loops::new(Arc::default());
    for number in 0..MAX_KEYS * 3 {
        loops.writes(&ObjectKey::new("prod", &number.to_string()));
    }
    assert!(loops.keys().len() <= MAX_KEYS);
}

#[test]
fn changed_fields_are_leaves() {
    let before = json!({
        "metadata": { "generation": 1, "labels": { "a": "b" }, "resourceVersion": "1" },
        "spec": { "list": [1, 2], "same": {} },
    });
    let after = json!({
        "metadata": { "generation": 2, "resourceVersion": "2" },
        "spec": { "list": [2, 1], "same": {} },
        "status": { "phase": "Running" },
    });
    assert_eq!(changed_fields(&before, &after), ["metadata.labels", "spec.list", "status.phase"]);
    assert!(changed_fields(&before, &before).is_empty());
}
