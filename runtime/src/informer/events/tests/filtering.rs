use super::*;

type Meta = k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

/// Whether a filter selects an update with this change of the metadata.
fn selects(filter: Filter<ConfigMap>, change: impl FnOnce(&mut Meta)) -> bool {
    let mut object = ConfigMap::default();
    object.metadata.labels = Some([("a".into(), "1".into())].into());
    object.metadata.generation = Some(1);
    let old = Arc::new(object.clone());
    change(&mut object.metadata);
    let new = Arc::new(object);
    filter.selects(&Event::Updated { old, new })
}

fn label(key: &'static str) -> impl FnOnce(&mut Meta) {
    move |meta| {
        let labels = meta.labels.get_or_insert_default();
        labels.insert(key.into(), "2".into());
    }
}

fn annotation(key: &'static str) -> impl FnOnce(&mut Meta) {
    move |meta| {
        let annotations = meta.annotations.get_or_insert_default();
        annotations.insert(key.into(), "2".into());
    }
}

fn finalizer(meta: &mut Meta) {
    meta.finalizers = Some(vec!["f".into()]);
}

fn deletion(meta: &mut Meta) {
    meta.deletion_timestamp = Some(serde_json::from_str("\"2026-01-01T00:00:00Z\"").unwrap());
}

fn generation(meta: &mut Meta) {
    meta.generation = Some(2);
}

#[test]
fn each_filter_reads_its_own_field() {
    assert!(selects(Filter::generation(), generation));
    assert!(!selects(Filter::generation(), label("a")));
    assert!(!selects(Filter::generation(), deletion));
    assert!(selects(Filter::labels(), label("a")));
    assert!(selects(Filter::labels(), label("b")));
    assert!(!selects(Filter::labels(), annotation("a")));
    assert!(selects(Filter::label("a"), label("a")));
    assert!(selects(Filter::label("b"), label("b")));
    assert!(!selects(Filter::label("a"), label("b")));
    assert!(selects(Filter::annotations(), annotation("a")));
    assert!(!selects(Filter::annotations(), label("a")));
    assert!(selects(Filter::annotation("a"), annotation("a")));
    assert!(!selects(Filter::annotation("a"), annotation("b")));
    assert!(selects(Filter::finalizers(), finalizer));
    assert!(!selects(Filter::finalizers(), deletion));
    assert!(selects(Filter::deletion(), deletion));
    assert!(!selects(Filter::deletion(), finalizer));
}

#[test]
fn for_reconciling_selects_what_a_controller_must_reconcile() {
    assert!(selects(Filter::for_reconciling(), generation));
    assert!(selects(Filter::for_reconciling(), deletion));
    assert!(selects(Filter::for_reconciling(), finalizer));
    assert!(!selects(Filter::for_reconciling(), label("a")));
    assert!(!selects(Filter::for_reconciling(), annotation("a")));
}

#[test]
fn filters_compose() {
    let both = || Filter::labels() & Filter::generation();
    let either = || Filter::labels() | Filter::generation();
    assert!(!selects(both(), generation));
    assert!(selects(either(), generation));
    assert!(selects(both(), |meta| {
        generation(meta);
        label("a")(meta);
    }));
    assert!(!selects(either(), deletion));
    assert!(selects(!either(), deletion));
    assert!(!selects(!either(), generation));
}

#[test]
fn only_updates_are_filtered() {
    let mut fanout = Fanout::default();
    let mut subscription = subscribe(&mut fanout, [config("a", 1)], true).filter(Filter::new(|_, _| false));
    let gone = Event::Deleted(config("a", 2));
    fanout.push([update("a", 2), gone, Event::Added(config("b", 1))]);
    assert_eq!(ready(&mut subscription), ["+a1", "synced", "-a2", "+b1"]);
}

#[test]
fn several_filters_must_all_select() {
    let odd = Filter::new(|_, new: &ConfigMap| version(new) % 2 == 1);
    let high = Filter::new(|_, new: &ConfigMap| version(new) > 3);
    let mut fanout = Fanout::default();
    let mut subscription = subscribe(&mut fanout, [], true).filter(odd).filter(high);
    fanout.push((2..7).map(|version| update("a", version)));
    assert_eq!(ready(&mut subscription), ["synced", "a4>a5"]);
}

#[test]
fn merged_updates_are_filtered_by_the_last_delivered_state() {
    let mut fanout = Fanout::default();
    let subscription = subscribe(&mut fanout, [], true).merge_beyond(0);
    let seen = Filter::new(|old: &ConfigMap, new: &ConfigMap| version(new) - version(old) == 3);
    let mut subscription = subscription.filter(seen);
    fanout.push((2..5).map(|version| update("a", version)));
    fanout.push([update("b", 2)]);
    assert_eq!(ready(&mut subscription), ["synced", "a1>a4"]);
}

#[test]
fn a_filter_that_panics_selects() {
    let filter = Filter::new(|_, new: &ConfigMap| panic!("not {}", new.name()));
    let mut fanout = Fanout::default();
    let mut subscription = subscribe(&mut fanout, [], true).filter(filter);
    fanout.push([update("a", 2), update("a", 3)]);
    assert_eq!(ready(&mut subscription), ["synced", "a1>a2", "a2>a3"]);
}

#[tokio::test]
async fn batches_are_filtered_too() {
    let mut fanout = Fanout::default();
    let subscription = subscribe(&mut fanout, [config("b", 9)], true);
    let odd = Filter::new(|_, new: &ConfigMap| version(new) % 2 == 1);
    let mut subscription = subscription.merge_beyond(usize::MAX).filter(odd);
    fanout.push((2..3_000).map(|version| update("a", version)));
    let first = subscription.next_batch().await.unwrap();
    assert_eq!(first[..3].iter().map(text).collect::<Vec<_>>(), ["+b9", "synced", "a2>a3"]);
    assert_eq!(first.len(), 2 + 511);
    let mut rest = Vec::new();
    drop(fanout);
    while let Some(batch) = subscription.next_batch().await {
        rest.extend(batch);
    }
    assert_eq!(first.len() + rest.len(), 2 + 1_499);
}

#[tokio::test]
async fn many_filtered_events_yield_to_other_tasks() {
    let mut fanout = Fanout::default();
    let subscription = subscribe(&mut fanout, [], true);
    let high = Filter::new(|_, new: &ConfigMap| version(new) == 4_999);
    let mut subscription = subscription.merge_beyond(usize::MAX).filter(high);
    fanout.push((2..5_000).map(|version| update("a", version)));
    assert!(matches!(subscription.next().await, Some(Event::Synced)));
    let batch = subscription.next_batch().await.unwrap();
    assert_eq!(batch.iter().map(text).collect::<Vec<_>>(), ["a4998>a4999"]);
}
