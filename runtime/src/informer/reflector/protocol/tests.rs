use k8s_openapi::api::core::v1::ConfigMap;

use super::*;
use crate::informer::store::Store;

fn protocol() -> Protocol {
    let timeouts = Timeouts::default();
    Protocol::new(timeouts.backoff(Duration::from_millis(100), Duration::from_secs(1)))
}

fn watching() -> Protocol {
    let mut protocol = protocol();
    protocol.step();
    protocol.listed("7");
    protocol
}

fn watch(after: &str) -> Step {
    let (after, overlap) = (after.to_owned(), None);
    Step::Watch { after, overlap }
}

fn event(store: &Store<ConfigMap>, version: &str) -> Option<Anchor> {
    Anchor::new(version, store.fingerprint("{}"), false)
}

fn millis(protocol: &mut Protocol, end: End) -> u128 {
    protocol.step();
    protocol.after(end, 1.0).as_millis()
}

#[test]
fn objects_are_read_as_events_then_in_pages_if_that_is_not_served() {
    let mut protocol = protocol();
    for delay in [100, 200] {
        assert_eq!(protocol.step(), Step::Stream);
        assert_eq!(protocol.after(End::Broken, 1.0).as_millis(), delay);
    }
    assert_eq!(protocol.after(End::Unsupported, 1.0), Duration::ZERO);
    assert_eq!(protocol.step(), Step::List { paged: true });
    protocol.listed("7");
    assert_eq!(protocol.after(End::Listed, 1.0), Duration::ZERO);
    assert_eq!(protocol.step(), watch("7"));
    protocol.after(End::Expired, 1.0);
    let list = Step::List { paged: true };
    assert_eq!(protocol.step(), list, "the fallback is kept");
}

#[test]
fn pages_that_expire_are_read_at_once() {
    let mut protocol = protocol();
    protocol.after(End::Unsupported, 1.0);
    protocol.after(End::PageExpired, 1.0);
    assert_eq!(protocol.step(), Step::List { paged: false });
    protocol.after(End::Listed, 1.0);
    assert_eq!(protocol.step(), Step::List { paged: true });
    protocol.after(End::PageExpired, 1.0);
    protocol.after(End::Broken, 1.0);
    assert_eq!(protocol.step(), Step::List { paged: true }, "as it failed");
}

#[test]
fn a_streaming_list_that_stood_still_is_read_in_pages_this_time() {
    let mut protocol = protocol();
    assert_eq!(protocol.step(), Step::Stream);
    protocol.after(End::Stalled, 1.0);
    assert_eq!(protocol.step(), Step::List { paged: true });
    protocol.listed("7");
    protocol.after(End::Listed, 1.0);
    protocol.after(End::Expired, 1.0);
    assert_eq!(protocol.step(), Step::Stream);
}

#[test]
fn a_watch_without_a_beginning_cannot_go_on() {
    let mut protocol = protocol();
    protocol.reached("");
    protocol.after(End::Listed, 1.0);
    assert_eq!(protocol.step(), watch(""));
    protocol.after(End::Over, 1.0);
    assert_eq!(protocol.step(), Step::Stream);
}

#[test]
fn a_watch_that_ended_in_time_goes_on_where_it_was() {
    let mut protocol = watching();
    protocol.reached("12");
    protocol.ended_in_time();
    protocol.after(End::Over, 0.5);
    assert_eq!(protocol.step(), watch("12"));
    protocol.after(End::Refused(None), 1.0);
    assert_eq!(protocol.step(), watch("12"));
}

#[test]
fn after_refusals_a_watch_has_to_continue_the_last_event() {
    let mut protocol = watching();
    let last = event(&Store::new(Vec::new()), "12");
    protocol.watches(last);
    protocol.reached("12");
    protocol.ended_in_time();
    protocol.after(End::Over, 0.5);
    assert_eq!(protocol.step(), watch("12"));
    protocol.after(End::Refused(None), 1.0);
    let (after, overlap) = ("12".to_owned(), last);
    assert_eq!(protocol.step(), Step::Watch { after, overlap });
}

#[test]
fn failures_come_more_and_more_seldom_until_something_is_heard() {
    let mut protocol = watching();
    let delays: Vec<_> = (0..6).map(|_| millis(&mut protocol, End::Broken)).collect();
    assert_eq!(delays, [100, 200, 400, 800, 1000, 1000]);
    protocol.reached("8");
    assert_eq!(protocol.after(End::Broken, 1.0).as_millis(), 100);
    assert_eq!(millis(&mut protocol, End::Broken), 200);
}

#[test]
fn a_watch_that_ends_without_a_word_is_a_failure() {
    let mut protocol = watching();
    assert_eq!(millis(&mut protocol, End::Over), 100);
    protocol.step();
    protocol.ended_in_time();
    assert_eq!(protocol.after(End::Over, 1.0), Duration::ZERO);
}

#[test]
fn the_api_server_says_how_long_to_wait() {
    let mut protocol = watching();
    let asked = Duration::from_secs(5);
    for _ in 0..9 {
        millis(&mut protocol, End::Broken);
    }
    for end in [End::Refused(Some(asked)), End::Unavailable(Some(asked))] {
        protocol.step();
        assert_eq!(protocol.after(end, 0.0), asked, "however often it failed");
        assert_eq!(protocol.after(end, 1.0), asked.mul_f64(1.1));
    }
    let mut protocol = watching();
    let now = Some(Duration::ZERO);
    for delay in [100, 200, 400] {
        let paused = millis(&mut protocol, End::Unavailable(now));
        assert_eq!(paused, delay, "at once is no time to wait");
    }
    let a_day = Duration::from_secs(86_400);
    assert_eq!(protocol.after(End::Refused(Some(a_day)), 0.0), LONGEST_WAIT);
}

#[test]
fn a_watch_that_ends_at_once_is_not_begun_at_once() {
    let mut protocol = watching();
    for (lasted, delay) in [(10, 100), (999, 100), (1_000, 0)] {
        protocol.step();
        protocol.reached("8");
        protocol.ended(Duration::from_millis(lasted), false);
        assert_eq!(protocol.after(End::Over, 1.0).as_millis(), delay);
    }
}

#[test]
fn after_an_interruption_a_watch_begins_with_the_last_event() {
    let store = Store::new(Vec::new());
    for end in [End::Over, End::Broken, End::Unavailable(None)] {
        let mut protocol = watching();
        protocol.step();
        protocol.watches(event(&store, "9"));
        protocol.reached("12");
        protocol.after(end, 1.0);
        let Step::Watch { after, overlap } = protocol.step() else {
            panic!("the last event is known");
        };
        assert_eq!((after.as_str(), overlap), ("12", event(&store, "9")));
        assert_eq!(overlap.unwrap().before(), "8");
        protocol.continues();
        protocol.ended_in_time();
        protocol.after(End::Over, 1.0);
        assert_eq!(protocol.step(), watch("12"));
    }
}

#[test]
fn to_repeat_the_last_event_is_no_progress() {
    let store = Store::new(Vec::new());
    let mut protocol = watching();
    protocol.step();
    protocol.watches(event(&store, "9"));
    protocol.reached("9");
    assert_eq!(protocol.after(End::Broken, 1.0).as_millis(), 100);
    for delay in [200, 800] {
        assert!(matches!(
            protocol.step(),
            Step::Watch {
                overlap: Some(_),
                ..
            }
        ));
        protocol.continues();
        assert_eq!(protocol.after(End::Broken, 1.0).as_millis(), delay);
        assert_eq!(protocol.step(), watch("9"), "the next brings what follows");
        assert_eq!(
            protocol.after(End::Broken, 1.0).as_millis(),
            (2 * delay).min(1000)
        );
    }
}

#[test]
fn after_an_interruption_a_watch_begins_with_the_newest_state_of_the_list() {
    let store = Store::new(Vec::new());
    let mut protocol = protocol();
    protocol.step();
    protocol.begin_list();
    for version in ["5", "9", "x", "7"] {
        protocol.lists(event(&store, version));
    }
    protocol.listed("12");
    protocol.after(End::Listed, 1.0);
    protocol.step();
    protocol.after(End::Broken, 1.0);
    let Step::Watch { after, overlap } = protocol.step() else {
        panic!("the newest state is known");
    };
    assert_eq!((after.as_str(), overlap), ("12", event(&store, "9")));
}

#[test]
fn after_an_interruption_the_objects_are_read_if_there_was_none() {
    let mut protocol = watching();
    protocol.step();
    protocol.after(End::Broken, 1.0);
    assert_eq!(protocol.step(), Step::Stream);
    protocol.listed("20");
    protocol.after(End::Listed, 1.0);
    assert_eq!(protocol.step(), watch("20"));
}

#[test]
fn watches_that_bring_nothing_are_idle_after_a_while() {
    let mut protocol = watching();
    let silence = Timeouts::default().idle;
    protocol.ended(silence / 2, true);
    protocol.ended(silence / 2, false);
    assert!(!protocol.is_idle());
    protocol.ended(silence / 2, true);
    assert!(protocol.is_idle());
    protocol.after(End::Desync, 1.0);
    assert!(!protocol.is_idle());
    assert_eq!(protocol.step(), Step::Stream);
}

#[test]
fn reading_again_helps_or_comes_more_and_more_seldom() {
    let mut protocol = watching();
    let mut delays = Vec::new();
    for _ in 0..4 {
        delays.push(millis(&mut protocol, End::Expired));
        protocol.step();
        protocol.reached("9");
        protocol.after(End::Listed, 1.0);
    }
    assert_eq!(delays, [100, 100, 200, 400]);
    protocol.lasted();
    assert_eq!(protocol.after(End::Desync, 0.0), Duration::ZERO);
}
