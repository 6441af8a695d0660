use k8s_openapi::api::core::v1::ConfigMap;

use super::*;
use crate::informer::store::Store;

fn course() -> Course {
    let timings = Timings::default();
    Course::new(timings.backoff(Duration::from_millis(100), Duration::from_secs(1)))
}

fn watching() -> Course {
    let mut course = course();
    course.step();
    course.listed("7");
    course
}

fn watch(after: &str) -> Step {
    let (after, overlap) = (after.to_owned(), None);
    Step::Watch { after, overlap }
}

fn event(store: &Store<ConfigMap>, version: &str) -> Option<Anchor> {
    Anchor::new(version, store.fingerprint("{}"), false)
}

fn millis(course: &mut Course, end: End) -> u128 {
    course.step();
    course.after(end, 1.0).as_millis()
}

#[test]
fn objects_are_read_as_events_then_in_pages_if_that_is_not_served() {
    let mut course = course();
    for delay in [100, 200] {
        assert_eq!(course.step(), Step::Stream);
        assert_eq!(course.after(End::Broken, 1.0).as_millis(), delay);
    }
    assert_eq!(course.after(End::Unsupported, 1.0), Duration::ZERO);
    assert_eq!(course.step(), Step::List { paged: true });
    course.listed("7");
    assert_eq!(course.after(End::Listed, 1.0), Duration::ZERO);
    assert_eq!(course.step(), watch("7"));
    course.after(End::Expired, 1.0);
    let list = Step::List { paged: true };
    assert_eq!(course.step(), list, "the fallback is kept");
}

#[test]
fn pages_that_expire_are_read_at_once() {
    let mut course = course();
    course.after(End::Unsupported, 1.0);
    course.after(End::PageExpired, 1.0);
    assert_eq!(course.step(), Step::List { paged: false });
    course.after(End::Listed, 1.0);
    assert_eq!(course.step(), Step::List { paged: true });
    course.after(End::PageExpired, 1.0);
    course.after(End::Broken, 1.0);
    assert_eq!(course.step(), Step::List { paged: true }, "as it failed");
}

#[test]
fn a_streaming_list_that_stood_still_is_read_in_pages_this_time() {
    let mut course = course();
    assert_eq!(course.step(), Step::Stream);
    course.after(End::Stalled, 1.0);
    assert_eq!(course.step(), Step::List { paged: true });
    course.listed("7");
    course.after(End::Listed, 1.0);
    course.after(End::Expired, 1.0);
    assert_eq!(course.step(), Step::Stream);
}

#[test]
fn a_watch_without_a_beginning_cannot_go_on() {
    let mut course = course();
    course.reached("");
    course.after(End::Listed, 1.0);
    assert_eq!(course.step(), watch(""));
    course.after(End::Over, 1.0);
    assert_eq!(course.step(), Step::Stream);
}

#[test]
fn a_watch_that_ended_in_time_goes_on_where_it_was() {
    let mut course = watching();
    course.reached("12");
    course.lived();
    course.after(End::Over, 0.5);
    assert_eq!(course.step(), watch("12"));
    course.after(End::Refused(None), 1.0);
    assert_eq!(course.step(), watch("12"));
}

#[test]
fn failures_come_more_and_more_seldom_until_something_is_heard() {
    let mut course = watching();
    let delays: Vec<_> = (0..6).map(|_| millis(&mut course, End::Broken)).collect();
    assert_eq!(delays, [100, 200, 400, 800, 1000, 1000]);
    course.reached("8");
    assert_eq!(course.after(End::Broken, 1.0).as_millis(), 100);
    assert_eq!(millis(&mut course, End::Broken), 200);
}

#[test]
fn a_watch_that_ends_without_a_word_is_a_failure() {
    let mut course = watching();
    assert_eq!(millis(&mut course, End::Over), 100);
    course.step();
    course.lived();
    assert_eq!(course.after(End::Over, 1.0), Duration::ZERO);
}

#[test]
fn the_api_server_says_how_long_to_wait() {
    let mut course = watching();
    let asked = Duration::from_secs(5);
    for _ in 0..9 {
        millis(&mut course, End::Broken);
    }
    for end in [End::Refused(Some(asked)), End::Unavailable(Some(asked))] {
        course.step();
        assert_eq!(course.after(end, 0.0), asked, "however often it failed");
        assert_eq!(course.after(end, 1.0), asked.mul_f64(1.1));
    }
    let mut course = watching();
    let now = Some(Duration::ZERO);
    for delay in [100, 200, 400] {
        let paused = millis(&mut course, End::Unavailable(now));
        assert_eq!(paused, delay, "at once is no time to wait");
    }
    let a_day = Duration::from_secs(86_400);
    assert_eq!(course.after(End::Refused(Some(a_day)), 0.0), LONGEST_WAIT);
}

#[test]
fn a_watch_that_ends_at_once_is_not_begun_at_once() {
    let mut course = watching();
    for (lasted, delay) in [(10, 100), (999, 100), (1_000, 0)] {
        course.step();
        course.reached("8");
        course.ended(Duration::from_millis(lasted), false);
        assert_eq!(course.after(End::Over, 1.0).as_millis(), delay);
    }
}

#[test]
fn after_an_interruption_a_watch_begins_with_the_last_event() {
    let store = Store::new(Vec::new());
    for end in [End::Over, End::Broken, End::Unavailable(None)] {
        let mut course = watching();
        course.step();
        course.watches(event(&store, "9"));
        course.reached("12");
        course.after(end, 1.0);
        let Step::Watch { after, overlap } = course.step() else {
            panic!("the last event is known");
        };
        assert_eq!((after.as_str(), overlap), ("12", event(&store, "9")));
        assert_eq!(overlap.unwrap().before(), "8");
        course.continues();
        course.lived();
        course.after(End::Over, 1.0);
        assert_eq!(course.step(), watch("12"));
    }
}

#[test]
fn to_repeat_the_last_event_is_no_progress() {
    let store = Store::new(Vec::new());
    let mut course = watching();
    course.step();
    course.watches(event(&store, "9"));
    course.reached("9");
    assert_eq!(course.after(End::Broken, 1.0).as_millis(), 100);
    for delay in [200, 800] {
        assert!(matches!(
            course.step(),
            Step::Watch {
                overlap: Some(_),
                ..
            }
        ));
        course.continues();
        assert_eq!(course.after(End::Broken, 1.0).as_millis(), delay);
        assert_eq!(course.step(), watch("9"), "the next brings what follows");
        assert_eq!(
            course.after(End::Broken, 1.0).as_millis(),
            (2 * delay).min(1000)
        );
    }
}

#[test]
fn after_an_interruption_a_watch_begins_with_the_newest_state_of_the_list() {
    let store = Store::new(Vec::new());
    let mut course = course();
    course.step();
    course.begin_list();
    for version in ["5", "9", "x", "7"] {
        course.lists(event(&store, version));
    }
    course.listed("12");
    course.after(End::Listed, 1.0);
    course.step();
    course.after(End::Broken, 1.0);
    let Step::Watch { after, overlap } = course.step() else {
        panic!("the newest state is known");
    };
    assert_eq!((after.as_str(), overlap), ("12", event(&store, "9")));
}

#[test]
fn after_an_interruption_the_objects_are_read_if_there_was_none() {
    let mut course = watching();
    course.step();
    course.after(End::Broken, 1.0);
    assert_eq!(course.step(), Step::Stream);
    course.listed("20");
    course.after(End::Listed, 1.0);
    assert_eq!(course.step(), watch("20"));
}

#[test]
fn watches_that_bring_nothing_are_mute_after_a_while() {
    let mut course = watching();
    let silence = Timings::default().silence;
    course.ended(silence / 2, true);
    course.ended(silence / 2, false);
    assert!(!course.is_mute());
    course.ended(silence / 2, true);
    assert!(course.is_mute());
    course.after(End::Desync, 1.0);
    assert!(!course.is_mute());
    assert_eq!(course.step(), Step::Stream);
}

#[test]
fn reading_again_helps_or_comes_more_and_more_seldom() {
    let mut course = watching();
    let mut delays = Vec::new();
    for _ in 0..4 {
        delays.push(millis(&mut course, End::Expired));
        course.step();
        course.reached("9");
        course.after(End::Listed, 1.0);
    }
    assert_eq!(delays, [100, 100, 200, 400]);
    course.lasted();
    assert_eq!(course.after(End::Desync, 0.0), Duration::ZERO);
}
