use std::time::Duration;

use tokio::time::advance;

use super::*;

const SECOND: Duration = Duration::from_secs(1);

fn staleness(gauge: &Gauge) -> u64 {
    gauge.read().staleness.unwrap().as_secs()
}

#[tokio::test(start_paused = true)]
async fn a_list_is_as_old_as_its_request() {
    let gauge = Gauge::new(None);
    assert_eq!(gauge.read().staleness, None);
    let requested = Instant::now();
    advance(7 * SECOND).await;
    gauge.synced("5", requested);
    assert_eq!(staleness(&gauge), 7);
}

#[tokio::test(start_paused = true)]
async fn events_are_as_old_as_they_may_be() {
    let gauge = Gauge::new(None);
    gauge.synced("5", Instant::now());
    advance(10 * SECOND).await;
    gauge.told(true, "8");
    assert_eq!(
        staleness(&gauge),
        10,
        "nobody knows how long it was under way"
    );
    gauge.checked(Instant::now(), "9");
    advance(SECOND).await;
    gauge.checked(Instant::now(), "12");
    gauge.told(true, "8");
    assert_eq!(staleness(&gauge), 11);
    advance(SECOND).await;
    gauge.told(false, "11");
    assert_eq!(staleness(&gauge), 2);
    gauge.told(true, "12");
    assert_eq!(staleness(&gauge), 1);
}

#[tokio::test(start_paused = true)]
async fn a_check_confirms_what_a_watch_has_reached() {
    let gauge = Gauge::new(None);
    gauge.synced("5", Instant::now());
    advance(10 * SECOND).await;
    gauge.checked(Instant::now(), "5");
    assert_eq!(staleness(&gauge), 0);
    gauge.told(true, "odd");
    advance(10 * SECOND).await;
    gauge.checked(Instant::now(), "even");
    assert_eq!(staleness(&gauge), 10);
    gauge.checked(Instant::now(), "odd");
    assert_eq!(staleness(&gauge), 0);
}

#[tokio::test(start_paused = true)]
async fn one_odd_check_spoils_no_other() {
    let gauge = Gauge::new(None);
    gauge.synced("5", Instant::now());
    gauge.checked(Instant::now(), &u64::MAX.to_string());
    advance(SECOND).await;
    gauge.checked(Instant::now(), "9");
    gauge.told(true, "9");
    assert_eq!(staleness(&gauge), 0);
}

#[tokio::test(start_paused = true)]
async fn a_watch_that_never_catches_up_costs_no_memory() {
    let gauge = Gauge::new(None);
    gauge.synced("5", Instant::now());
    for newest in 0..1_000 {
        advance(SECOND).await;
        gauge.checked(Instant::now(), &format!("1{newest}"));
    }
    assert_eq!(gauge.lock().awaited.len(), AWAITED);
    assert_eq!(staleness(&gauge), 1_000);
}
