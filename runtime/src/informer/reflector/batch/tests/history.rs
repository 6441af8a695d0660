//! Events and lists that contradict earlier ones.

use super::*;

#[test]
fn events_out_of_order_are_rejected() {
    let mut bench = Bench::new();
    bench.batch.begin_watch("5");
    bench.watch("ADDED", object("a", 7)).unwrap();
    let error = bench.watch("MODIFIED", object("a", 6)).unwrap_err();
    assert!(matches!(error, WatchError::OutOfOrder { version: 6, newest: 7 }), "{error}");
    bench.batch.begin_watch("7");
    assert!(bench.watch("MODIFIED", object("a", 3)).is_err());
    assert_eq!(bench.events(), ["+a7"]);
}

#[test]
fn a_list_that_is_rolled_back_changes_nothing() {
    let mut bench = Bench::new();
    bench.batch.begin_list();
    bench.watch("ADDED", object("a", 256)).unwrap();
    let mut earlier = object("a", 201);
    earlier["metadata"]["uid"] = json!("earlier");
    bench.watch("DELETED", earlier.clone()).unwrap();
    bench.watch("ADDED", earlier).unwrap();
    bench.watch("MODIFIED", object("a", 255)).unwrap();
    bench.watch("DELETED", object("a", 255)).unwrap();
    assert!(bench.watch("ADDED", object("b", 254)).is_err());
    bench.batch.end_list(None);
    assert_eq!(bench.events(), ["+a256"]);
    bench.list(&[("a", 7)]);
    assert_eq!(bench.events(), ["a256>a7"], "each list is independent of earlier ones");
}

#[test]
fn repeated_states_older_than_the_store_are_accepted() {
    let mut bench = Bench::new();
    bench.list(&[("a", 1), ("b", 2)]);
    bench.batch.begin_watch("9");
    for older in [object("b", 1), object("c", 8)] {
        bench.batch.begin_list();
        bench.watch("ADDED", object("a", 1)).unwrap();
        assert!(bench.watch("ADDED", older.clone()).is_err());
        bench.batch.begin_list();
        bench.watch("ADDED", older).unwrap();
        bench.batch.begin_watch("9");
    }
}

/// A watch after version 5 that starts with a replay. The store contains `a` at version 2.
fn resumed() -> Bench {
    let mut bench = Bench::new();
    bench.list(&[("a", 2)]);
    bench.batch.begin_watch("5");
    bench.batch.begin_replay();
    bench
}

/// Returns the number of events that are not replayed.
fn count_new_events(bench: &mut Bench, events: &[(&str, Value)]) -> Result<usize, WatchError> {
    let lines: Vec<_> = events.iter().map(|(kind, object)| line(kind, object)).collect();
    let mut count_new_events = 0;
    for content in read_lines(&bench.batch_decoder(None), &lines) {
        let Ok(LineContent::Object(change)) = content else {
            panic!("an event");
        };
        count_new_events += usize::from(!bench.batch.check_replay(&change)?);
    }
    Ok(count_new_events)
}

#[test]
fn replayed_objects_that_came_and_went_are_skipped() {
    let [gone, deleted] = ["ADDED", "DELETED"].map(|kind| (kind, object("gone", 3)));
    let new = ("ADDED", object("new", 9));
    let known = ("MODIFIED", object("a", 4));
    for (lines, expected) in [
        (vec![gone.clone(), deleted.clone(), new.clone()], Some(1)),
        (vec![deleted.clone(), new.clone()], Some(1)),
        (vec![gone.clone(), new.clone()], None),
        (vec![known], None),
    ] {
        assert_eq!(count_new_events(&mut resumed(), &lines).ok(), expected);
    }
}

fn bookmark(version: u64, ends_list: bool) -> String {
    let annotations = if ends_list { json!({ "k8s.io/initial-events-end": "true" }) } else { json!({}) };
    let metadata = json!({ "resourceVersion": version.to_string(), "annotations": annotations });
    let object = json!({ "kind": "ConfigMap", "apiVersion": "v1", "metadata": metadata });
    json!({ "type": "BOOKMARK", "object": object }).to_string()
}

#[test]
fn a_bookmark_ends_a_replay() {
    let [gone, deleted] = ["ADDED", "DELETED"].map(|kind| (kind, object("gone", 3)));
    for (lines, is_right) in [(vec![gone.clone(), deleted], true), (vec![gone], false)] {
        let mut bench = resumed();
        assert_eq!(count_new_events(&mut bench, &lines).unwrap(), 0);
        assert_eq!(bench.batch.is_replay_incomplete(), !is_right);
        assert_eq!(bench.lines(&[bookmark(200, false)]).is_ok(), is_right);
    }
}

#[test]
fn a_second_end_of_the_list_does_not_rewind_the_watch() {
    let mut bench = Bench::new();
    bench.batch.begin_list();
    bench.lines(&[bookmark(100, true)]).unwrap();
    bench.batch.end_list(None);
    bench.watch("ADDED", object("a", 150)).unwrap();
    let again = bench.lines(&[bookmark(100, true)]).unwrap_err();
    assert!(matches!(again, WatchError::OutOfOrder { .. }), "{again}");
}
