use std::time::Duration;

use tokio::time::advance;

use super::*;

const SECOND: Duration = Duration::from_secs(1);

fn staleness(gauge: &Gauge) -> u64 {
    gauge.read().staleness.unwrap().as_secs()
}

#[tokio::test(start_paused = true)]
async fn the_age_of_a_list_counts_from_its_request() {
    let gauge = Gauge::new(None);
    assert_eq!(gauge.read().staleness, None);
    let requested = Instant::now();
    advance(7 * SECOND).await;
    gauge.complete_list("5", requested);
    assert_eq!(staleness(&gauge), 7);
}

#[tokio::test(start_paused = true)]
async fn events_do_not_lower_the_age_without_a_check() {
    let gauge = Gauge::new(None);
    gauge.complete_list("5", Instant::now());
    advance(10 * SECOND).await;
    gauge.record_events(true, "8");
    assert_eq!(staleness(&gauge), 10, "the time in transit is unknown");
    gauge.record_check(Instant::now(), "9");
    advance(SECOND).await;
    gauge.record_check(Instant::now(), "12");
    gauge.record_events(true, "8");
    assert_eq!(staleness(&gauge), 11);
    advance(SECOND).await;
    gauge.record_events(false, "11");
    assert_eq!(staleness(&gauge), 2);
    gauge.record_events(true, "12");
    assert_eq!(staleness(&gauge), 1);
}

#[tokio::test(start_paused = true)]
async fn a_check_is_confirmed_when_the_watch_reaches_it() {
    let gauge = Gauge::new(None);
    gauge.complete_list("5", Instant::now());
    advance(10 * SECOND).await;
    gauge.record_check(Instant::now(), "5");
    assert_eq!(staleness(&gauge), 0);
    gauge.record_events(true, "odd");
    advance(10 * SECOND).await;
    gauge.record_check(Instant::now(), "even");
    assert_eq!(staleness(&gauge), 10);
    gauge.record_check(Instant::now(), "odd");
    assert_eq!(staleness(&gauge), 0);
}

#[tokio::test(start_paused = true)]
async fn a_wrong_check_does_not_affect_others() {
    let gauge = Gauge::new(None);
    gauge.complete_list("5", Instant::now());
    gauge.record_check(Instant::now(), &u64::MAX.to_string());
    advance(SECOND).await;
    gauge.record_check(Instant::now(), "9");
    gauge.record_events(true, "9");
    assert_eq!(staleness(&gauge), 0);
}

#[tokio::test(start_paused = true)]
async fn pending_checks_are_bounded() {
    let gauge = Gauge::new(None);
    gauge.complete_list("5", Instant::now());
    for newest in 0..1_000 {
        advance(SECOND).await;
        gauge.record_check(Instant::now(), &format!("1{newest}"));
    }
    assert_eq!(gauge.lock().pending_checks.len(), MAX_PENDING_CHECKS);
    assert_eq!(staleness(&gauge), 1_000);
}

#[test]
fn a_relist_counts_once_by_its_reason() {
    let counts = |error: Option<WatchError>, relist| {
        let gauge = Gauge::new(None);
        gauge.record_end(error.map(Arc::new), relist);
        let health = gauge.read();
        (health.expired, health.desyncs, health.unresumable, health.failures)
    };
    let failure = || Some(WatchError::Overdue);
    assert_eq!(counts(failure(), Some(RelistReason::Expired)), (1, 0, 0, 0));
    assert_eq!(counts(failure(), Some(RelistReason::Desync)), (0, 1, 0, 0));
    assert_eq!(counts(failure(), Some(RelistReason::Unresumable)), (0, 0, 1, 1));
    assert_eq!(counts(failure(), None), (0, 0, 0, 1));
    assert_eq!(counts(None, Some(RelistReason::Unresumable)), (0, 0, 1, 0));
    assert_eq!(counts(Some(WatchError::NoStreamingLists), None), (0, 0, 0, 0));
}
