use super::*;

fn slow() -> (Fanout, Subscription<ConfigMap>) {
    let mut fanout = Fanout::default();
    let mut subscription = subscribe(&mut fanout, [], true).merge_beyond(0);
    assert_eq!(ready(&mut subscription), ["synced"]);
    (fanout, subscription)
}

fn merged<const N: usize>(events: [Event<ConfigMap>; N]) -> Vec<String> {
    let (mut fanout, mut subscription) = slow();
    for event in events {
        fanout.push([event]);
    }
    ready(&mut subscription)
}

fn added(version: u64) -> Event<ConfigMap> {
    Event::Added(config("a", version))
}

fn deleted(version: u64) -> Event<ConfigMap> {
    Event::Deleted(config("a", version))
}

fn recreated(version: u64) -> Event<ConfigMap> {
    Event::Added(with_uid("a", "other", version))
}

#[test]
fn undelivered_objects_are_delivered_in_their_current_state() {
    assert_eq!(merged([added(1), update("a", 2), update("a", 3)]), ["+a3"]);
    assert_eq!(merged([added(1), deleted(2)]), [""; 0]);
    assert_eq!(merged([added(1), deleted(2), recreated(3)]), ["+a3"]);
}

#[test]
fn updates_start_at_the_last_delivered_state() {
    assert_eq!(merged([update("a", 2), update("a", 3)]), ["a1>a3"]);
    assert_eq!(merged([update("a", 2), deleted(3)]), ["-a3"]);
}

#[test]
fn another_object_with_the_same_name_is_not_merged() {
    assert_eq!(merged([deleted(1), recreated(2)]), ["-a1", "+a2"]);
    let updated = Event::Updated { old: with_uid("a", "other", 2), new: with_uid("a", "other", 3) };
    let events = [deleted(1), recreated(2), updated.clone()];
    assert_eq!(merged(events), ["-a1", "+a3"]);
    let gone = Event::Deleted(with_uid("a", "other", 3));
    let events = [deleted(1), recreated(2), updated, gone];
    assert_eq!(merged(events), ["-a1"]);
}

#[test]
fn an_object_that_returns_is_updated() {
    assert_eq!(merged([deleted(1), added(3)]), ["a1>a3"]);
    let events = [update("a", 2), deleted(3), added(4), update("a", 5)];
    assert_eq!(merged(events), ["a1>a5"]);
}

#[test]
fn an_object_that_returns_is_compared_with_the_last_delivered_state() {
    let (mut fanout, mut subscription) = slow();
    let gone = Notification::deleted(config("a", 1), Some(config("a", 2)));
    fanout.push([gone.clone()]);
    fanout.push([added(3)]);
    assert_eq!(ready(&mut subscription), ["a1>a3"]);
    fanout.push([gone]);
    assert_eq!(ready(&mut subscription), ["-a2"]);
}

#[test]
fn objects_without_a_uid_are_not_merged() {
    let bare = |version: u64| {
        let mut object = (*config("a", version)).clone();
        object.metadata.uid = None;
        Arc::new(object)
    };
    let events = [Event::Deleted(bare(1)), Event::Added(bare(2))];
    assert_eq!(merged(events), ["-a1", "+a2"]);
}

#[test]
fn names_are_scoped_to_namespaces() {
    let within = |namespace: &str, version| {
        let mut object = (*config("a", version)).clone();
        object.metadata.namespace = Some(namespace.to_owned());
        Event::Added(Arc::new(object))
    };
    let events = [added(1), within("x", 2), within("y", 3)];
    assert_eq!(merged(events), ["+a1", "+a2", "+a3"]);
}

#[test]
fn a_merged_change_keeps_the_position_of_its_first() {
    let events = [
        update("a", 2),
        update("b", 2),
        update("a", 3),
        Event::Deleted(config("c", 1)),
        update("b", 3),
        Event::Added(with_uid("c", "other", 4)),
        Event::Added(config("d", 5)),
    ];
    assert_eq!(merged(events), ["a1>a3", "b1>b3", "-c1", "+c4", "+d5"]);
}

#[test]
fn synced_keeps_its_position() {
    let mut fanout = Fanout::default();
    let mut subscription = subscribe(&mut fanout, [], false).merge_beyond(0);
    let events = [added(1), Event::Synced, update("a", 2), update("b", 2)];
    fanout.push(events);
    assert_eq!(ready(&mut subscription), ["+a2", "synced", "b1>b2"]);
}

#[test]
fn merging_stops_after_catching_up() {
    let mut fanout = Fanout::default();
    let mut subscription = subscribe(&mut fanout, [], true).merge_beyond(2);
    fanout.push([update("a", 2), update("a", 3)]);
    assert_eq!(ready(&mut subscription), ["synced", "a1>a2", "a2>a3"]);
    fanout.push([update("a", 4), update("a", 5)]);
    fanout.push([update("a", 6)]);
    assert_eq!(ready(&mut subscription), ["a3>a6"]);
    fanout.push([update("a", 7), update("a", 8)]);
    assert_eq!(ready(&mut subscription), ["a6>a7", "a7>a8"]);
}

#[test]
fn buffered_events_are_merged_when_the_limit_falls() {
    let mut fanout = Fanout::default();
    let subscription = subscribe(&mut fanout, [], true);
    fanout.push([update("a", 2), update("a", 3)]);
    let mut subscription = subscription.merge_beyond(1);
    assert_eq!(ready(&mut subscription), ["synced", "a1>a3"]);
}

#[test]
fn objects_that_come_and_go_undelivered_leave_nothing() {
    let (mut fanout, mut subscription) = slow();
    fanout.push([update("retained", 2)]);
    for version in 0..10_000 {
        let name = format!("passing-{version}");
        let object = config(&name, 1);
        fanout.push([Event::Added(object.clone()), update("retained", version + 3)]);
        fanout.push([Event::Deleted(object)]);
    }
    assert!(subscription.slots() < 200, "{}", subscription.slots());
    assert_eq!(ready(&mut subscription), ["retained1>retained10002"]);
}

#[test]
fn becoming_lossless_reports_merged_events() {
    let mut fanout = Fanout::default();
    let unmerged = subscribe(&mut fanout, [], true).merge_beyond(0);
    fanout.push([update("a", 2), update("b", 2)]);
    let mut unmerged = unmerged.lossless(3);
    fanout.push([update("a", 3)]);
    let events: Vec<_> = std::iter::from_fn(|| unmerged.next().now_or_never()?).collect();
    let texts: Vec<_> = events.iter().flatten().map(text).collect();
    assert_eq!(texts, ["synced", "a1>a2", "b1>b2", "a2>a3"]);

    let merged = subscribe(&mut fanout, [], true).merge_beyond(0);
    fanout.push([update("a", 4), update("a", 5), update("b", 3)]);
    let mut merged = merged.lossless(100);
    let events: Vec<_> = std::iter::from_fn(|| merged.next().now_or_never()?).collect();
    assert!(matches!(events[..], [Ok(Event::Synced), Err(Overflow { dropped: 3 })]));
}

#[test]
fn events_buffered_before_becoming_lossless_count() {
    let mut fanout = Fanout::default();
    let subscription = subscribe(&mut fanout, [], true);
    fanout.push([update("a", 2), update("a", 3)]);
    let mut lossless = subscription.lossless(1);
    fanout.push([update("a", 4)]);
    let events: Vec<_> = std::iter::from_fn(|| lossless.next().now_or_never()?).collect();
    assert!(matches!(events[..], [Ok(Event::Synced), Err(Overflow { dropped: 3 })]));
}
