use k8s_openapi::{api::core::v1::Pod, apimachinery::pkg::apis::meta::v1::OwnerReference};

use super::*;

fn held(count: u16, shards: impl IntoIterator<Item = u16>) -> HeldShards {
    HeldShards::new(1, Partition::new(count), shards)
}

#[test]
fn shards_are_a_partition() {
    for count in [1, 2, 3, 16, 100, u16::MAX] {
        let partition = Partition::new(count);
        let mut end = 0;
        for shard in 0..count {
            let range = partition.range(shard);
            assert_eq!(range.start, end);
            assert!(range.end > range.start);
            end = range.end;
        }
        assert_eq!(end, HASHES);
        for uid in ["a", "foobar", "0b2d7a1c-0000-4000-8000-000000000000"] {
            let range = partition.range(partition.shard_of(uid));
            assert!((range.start..range.end).contains(&u128::from(hash(uid))));
        }
    }
}

#[test]
fn selectors_join_adjacent_shards() {
    let first = "shardRange(object.metadata.uid, '0x0000000000000000', '0x8000000000000000')";
    let last = "shardRange(object.metadata.uid, '0xc000000000000000', '0x10000000000000000')";
    assert_eq!(held(4, [1, 0]).selector().unwrap(), first);
    assert_eq!(held(4, [3, 0, 1]).selector().unwrap(), format!("{first} || {last}"));
    assert_eq!(held(4, 0..4).selector(), None);
}

#[test]
fn a_selector_has_at_most_sixteen_ranges() {
    // The first gap is the largest one.
    let few = held(400, (0..200).map(|shard| shard * 2).filter(|shard| *shard != 2));
    assert_eq!(few.ranges.len(), MAX_RANGES);
    let size = few.partition.size();
    assert_eq!(few.ranges[0], HashRange { start: 0, end: size });
    assert_eq!(few.ranges[1].start, 4 * size);
    let missed =
        (0..10_000).map(|number| format!("uid-{number}")).find(|uid| few.contains(uid) && few.is_unrequested(uid));
    assert_eq!(missed, None);
}

#[test]
fn owned_objects_are_in_the_shard_of_their_controller() {
    let owner = |kind: &str, uid: &str, is_controller| OwnerReference {
        api_version: "apps/v1".to_owned(),
        kind: kind.to_owned(),
        uid: uid.to_owned(),
        controller: Some(is_controller),
        ..OwnerReference::default()
    };
    let key = ShardKey::Controller { group: "apps".to_owned(), kind: "ReplicaSet".to_owned() };
    // The hash of `a` begins with `a`, and that of `foobar` with `8`.
    let filter = ShardFilter::new(key, held(16, [0xa]));
    for (owners, is_excluded) in [
        (vec![], false),
        (vec![owner("ReplicaSet", "a", true)], false),
        (vec![owner("ReplicaSet", "foobar", true)], true),
        (vec![owner("ReplicaSet", "foobar", false)], false),
        (vec![owner("StatefulSet", "foobar", true)], false),
        (vec![owner("ReplicaSet", "foobar", false), owner("ReplicaSet", "a", true)], false),
    ] {
        let mut pod = Pod::default();
        pod.metadata.owner_references = Some(owners);
        assert_eq!(filter.excludes(&pod), is_excluded, "{:?}", pod.metadata.owner_references);
        assert!(!filter.excludes_uid(Some("foobar"), || unreachable!()));
    }
}

#[test]
fn objects_that_were_not_requested_are_recognized() {
    let some = held(16, [0xa]);
    assert!(some.contains("a") && !some.is_unrequested("a"));
    assert!(!some.contains("foobar") && some.is_unrequested("foobar"));
    let all = held(1, [0]);
    assert!(all.contains("foobar") && !all.is_unrequested("foobar"));
    assert!(!held(16, []).contains("a"));
}
