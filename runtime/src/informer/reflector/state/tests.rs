use super::*;
use crate::informer::store::Store;

fn new_state() -> ReflectorState {
    let timeouts = Timeouts::default();
    ReflectorState::new(timeouts.backoff(Duration::from_millis(100), Duration::from_secs(1)))
}

fn watching() -> ReflectorState {
    let mut state = new_state();
    state.next_step();
    state.complete_list("7");
    state
}

fn watch(after: &str) -> NextRequest {
    let (after, overlap) = (after.to_owned(), None);
    NextRequest::Watch { after, overlap }
}

fn event(store: &Store, version: &str) -> Option<Anchor> {
    Anchor::new(version, store.fingerprint("{}"), false)
}

fn millis(state: &mut ReflectorState, end: EndReason) -> u128 {
    state.next_step();
    state.next_delay(end, 1.0).as_millis()
}

#[test]
fn lists_fall_back_to_pages_if_streaming_is_unsupported() {
    let mut state = new_state();
    for delay in [100, 200] {
        assert_eq!(state.next_step(), NextRequest::Stream);
        assert_eq!(state.next_delay(EndReason::Broken, 1.0).as_millis(), delay);
    }
    assert_eq!(state.next_delay(EndReason::Unsupported, 1.0), Duration::ZERO);
    assert_eq!(state.next_step(), NextRequest::List { paged: true });
    state.complete_list("7");
    assert_eq!(state.next_delay(EndReason::Listed, 1.0), Duration::ZERO);
    assert_eq!(state.next_step(), watch("7"));
    state.next_delay(EndReason::Expired, 1.0);
    let list = NextRequest::List { paged: true };
    assert_eq!(state.next_step(), list, "the fallback is permanent");
}

#[test]
fn expired_pages_are_relisted_in_one_response() {
    let mut state = new_state();
    state.next_delay(EndReason::Unsupported, 1.0);
    state.next_delay(EndReason::PageExpired, 1.0);
    assert_eq!(state.next_step(), NextRequest::List { paged: false });
    state.next_delay(EndReason::Listed, 1.0);
    assert_eq!(state.next_step(), NextRequest::List { paged: true });
    state.next_delay(EndReason::PageExpired, 1.0);
    state.next_delay(EndReason::Broken, 1.0);
    assert_eq!(state.next_step(), NextRequest::List { paged: true }, "delayed like a failure");
}

#[test]
fn a_stalled_streaming_list_falls_back_to_pages_once() {
    let mut state = new_state();
    assert_eq!(state.next_step(), NextRequest::Stream);
    state.next_delay(EndReason::Stalled, 1.0);
    assert_eq!(state.next_step(), NextRequest::List { paged: true });
    state.complete_list("7");
    state.next_delay(EndReason::Listed, 1.0);
    state.next_delay(EndReason::Expired, 1.0);
    assert_eq!(state.next_step(), NextRequest::Stream);
}

#[test]
fn a_watch_without_a_version_cannot_resume() {
    let mut state = new_state();
    state.advance_to("");
    state.next_delay(EndReason::Listed, 1.0);
    assert_eq!(state.next_step(), watch(""));
    state.next_delay(EndReason::Over, 1.0);
    assert_eq!(state.next_step(), NextRequest::Stream);
}

#[test]
fn a_watch_that_ended_in_time_resumes() {
    let mut state = watching();
    state.advance_to("12");
    state.record_timeout();
    state.next_delay(EndReason::Over, 0.5);
    assert_eq!(state.next_step(), watch("12"));
    state.next_delay(EndReason::Refused(None), 1.0);
    assert_eq!(state.next_step(), watch("12"));
}

#[test]
fn a_watch_after_refusals_must_repeat_the_last_event() {
    let mut state = watching();
    let last = event(&Store::new(Vec::new()), "12");
    state.record_event(last);
    state.advance_to("12");
    state.record_timeout();
    state.next_delay(EndReason::Over, 0.5);
    assert_eq!(state.next_step(), watch("12"));
    state.next_delay(EndReason::Refused(None), 1.0);
    let (after, overlap) = ("12".to_owned(), last);
    assert_eq!(state.next_step(), NextRequest::Watch { after, overlap });
}

#[test]
fn delays_grow_until_data_arrives() {
    let mut state = watching();
    let delays: Vec<_> = (0..6).map(|_| millis(&mut state, EndReason::Broken)).collect();
    assert_eq!(delays, [100, 200, 400, 800, 1000, 1000]);
    state.advance_to("8");
    assert_eq!(state.next_delay(EndReason::Broken, 1.0).as_millis(), 100);
    assert_eq!(millis(&mut state, EndReason::Broken), 200);
}

#[test]
fn a_watch_that_ends_without_data_is_a_failure() {
    let mut state = watching();
    assert_eq!(millis(&mut state, EndReason::Over), 100);
    state.next_step();
    state.record_timeout();
    assert_eq!(state.next_delay(EndReason::Over, 1.0), Duration::ZERO);
}

#[test]
fn retry_after_is_respected() {
    let mut state = watching();
    let retry_after = Duration::from_secs(5);
    for _ in 0..9 {
        millis(&mut state, EndReason::Broken);
    }
    for end in [EndReason::Refused(Some(retry_after)), EndReason::Unavailable(Some(retry_after))] {
        state.next_step();
        assert_eq!(state.next_delay(end, 0.0), retry_after, "regardless of the number of failures");
        assert_eq!(state.next_delay(end, 1.0), retry_after.mul_f64(1.1));
    }
    let mut state = watching();
    let now = Some(Duration::ZERO);
    for delay in [100, 200, 400] {
        let paused = millis(&mut state, EndReason::Unavailable(now));
        assert_eq!(paused, delay, "a Retry-After of zero is ignored");
    }
    let a_day = Duration::from_secs(86_400);
    assert_eq!(state.next_delay(EndReason::Refused(Some(a_day)), 0.0), MAX_RETRY_AFTER);
}

#[test]
fn a_watch_that_ends_immediately_is_delayed() {
    let mut state = watching();
    for (lasted, delay) in [(10, 100), (999, 100), (1_000, 0)] {
        state.next_step();
        state.advance_to("8");
        state.record_end(Duration::from_millis(lasted), false);
        assert_eq!(state.next_delay(EndReason::Over, 1.0).as_millis(), delay);
    }
}

#[test]
fn a_watch_after_an_interruption_repeats_the_last_event() {
    let store = Store::new(Vec::new());
    for end in [EndReason::Over, EndReason::Broken, EndReason::Unavailable(None)] {
        let mut state = watching();
        state.next_step();
        state.record_event(event(&store, "9"));
        state.advance_to("12");
        state.next_delay(end, 1.0);
        let NextRequest::Watch { after, overlap } = state.next_step() else {
            panic!("expected an overlap with the last event");
        };
        assert_eq!((after.as_str(), overlap), ("12", event(&store, "9")));
        assert_eq!(overlap.unwrap().version_before(), "8");
        state.record_overlap();
        state.record_timeout();
        state.next_delay(EndReason::Over, 1.0);
        assert_eq!(state.next_step(), watch("12"));
    }
}

#[test]
fn repeating_the_last_event_is_not_progress() {
    let store = Store::new(Vec::new());
    let mut state = watching();
    state.next_step();
    state.record_event(event(&store, "9"));
    state.advance_to("9");
    assert_eq!(state.next_delay(EndReason::Broken, 1.0).as_millis(), 100);
    for delay in [200, 800] {
        assert!(matches!(state.next_step(), NextRequest::Watch { overlap: Some(_), .. }));
        state.record_overlap();
        assert_eq!(state.next_delay(EndReason::Broken, 1.0).as_millis(), delay);
        assert_eq!(state.next_step(), watch("9"), "the next watch delivers the following events");
        assert_eq!(state.next_delay(EndReason::Broken, 1.0).as_millis(), (2 * delay).min(1000));
    }
}

#[test]
fn a_watch_after_an_interruption_repeats_the_newest_listed_object() {
    let store = Store::new(Vec::new());
    let mut state = new_state();
    state.next_step();
    state.begin_list();
    for version in ["5", "9", "x", "7"] {
        state.record_listed(event(&store, version));
    }
    state.complete_list("12");
    state.next_delay(EndReason::Listed, 1.0);
    state.next_step();
    state.next_delay(EndReason::Broken, 1.0);
    let NextRequest::Watch { after, overlap } = state.next_step() else {
        panic!("expected an overlap with the newest object");
    };
    assert_eq!((after.as_str(), overlap), ("12", event(&store, "9")));
}

#[test]
fn an_interruption_without_objects_causes_a_relist() {
    let mut state = watching();
    state.next_step();
    state.next_delay(EndReason::Broken, 1.0);
    assert_eq!(state.relist_reason(), Some(RelistReason::Unresumable));
    assert_eq!(state.next_step(), NextRequest::Stream);
    state.complete_list("20");
    state.next_delay(EndReason::Listed, 1.0);
    assert_eq!(state.next_step(), watch("20"));
}

#[test]
fn watches_without_data_become_idle() {
    let mut state = watching();
    let silence = Timeouts::default().idle;
    state.record_end(silence / 2, true);
    state.record_end(silence / 2, false);
    assert!(!state.is_idle());
    state.record_end(silence / 2, true);
    assert!(state.is_idle());
    state.next_delay(EndReason::Desync, 1.0);
    assert!(!state.is_idle());
    assert_eq!(state.next_step(), NextRequest::Stream);
}

#[test]
fn delays_of_relists_grow() {
    let mut state = watching();
    let mut delays = Vec::new();
    for _ in 0..4 {
        delays.push(millis(&mut state, EndReason::Expired));
        state.next_step();
        state.advance_to("9");
        state.next_delay(EndReason::Listed, 1.0);
    }
    assert_eq!(delays, [100, 100, 200, 400]);
    state.reset_relists();
    assert_eq!(state.next_delay(EndReason::Desync, 0.0), Duration::ZERO);
}
