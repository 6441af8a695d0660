use tokio::time::{Instant, advance};

use super::*;

const SECOND: Duration = Duration::from_secs(1);

#[tokio::test(start_paused = true)]
async fn a_probe_fails_while_any_watch_lags_behind() {
    let gauges = [Gauge::new(Some("a")), Gauge::new(Some("b"))];
    let health = || Health {
        watches: gauges.iter().map(Gauge::read).collect(),
        executor: Executor::SharedThreads,
        objects: 0,
        undecodable_objects: 0,
        undecodable_states: 0,
        panics: 0,
    };
    gauges[0].complete_list("5", Instant::now());
    assert!(!health().is_fresh(Duration::MAX), "one watch is not synced");
    gauges[1].complete_list("5", Instant::now());
    assert!(health().is_fresh(SECOND));
    advance(2 * SECOND).await;
    gauges[0].record_check(Instant::now(), "5");
    assert!(!health().is_fresh(SECOND));
    assert!(health().is_fresh(2 * SECOND));
    let stopped = Health { executor: Executor::Stopped, ..health() };
    assert!(!stopped.is_fresh(2 * SECOND));
}
