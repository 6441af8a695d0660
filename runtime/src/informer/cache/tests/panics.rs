//! The current panics of closures.

use super::*;

/// Creates an object on which closures panic.
fn bad(name: &str, version: u32) -> ConfigMap {
    let mut bad = config(name, name, version);
    bad.metadata.generation = Some(7);
    bad
}

fn index(name: &'static str) -> Index<ConfigMap, String> {
    Index::new(name, |config: &ConfigMap| {
        assert!(config.metadata.generation.is_none(), "hunter2");
        config.metadata.name.clone()
    })
}

fn cache() -> Cache {
    Cache::new(Store::new(vec![(&index("first")).into()]))
}

fn delete(name: &str) -> Delta {
    Delta::Delete { key: ObjectKey::new(None, name), uid: Some(name.into()), version: "9".into(), last: None }
}

/// Returns the closures and objects of problems.
fn names(problems: &[Problem]) -> Vec<(&str, &str)> {
    let names = problems.iter().map(|problem| match problem {
        Problem::Panicked { closure, name, .. } => (closure.as_str(), name.as_str()),
        _ => panic!("{problem:?}"),
    });
    names.collect()
}

const FIRST: &str = "the index `first`";
const LATE: &str = "the index `late`";

#[test]
fn a_panic_is_current_until_the_object_changes_or_is_deleted() {
    let cache = cache();
    for name in ["b", "a", "c", "d"] {
        apply(&cache, bad(name, 1));
    }
    let standing = cache.panics();
    let all = ["a", "b", "c", "d"].map(|name| (FIRST, name));
    assert_eq!(names(&standing), all);
    apply(&cache, config("a", "a", 2));
    cache.commit(&mut vec![delete("b")], None);
    assert_eq!(names(&cache.panics()), all[2..]);
    let mut seen = Seen::default();
    let mut listed = vec![Delta::Seen(ObjectKey::new(None, "d"))];
    cache.commit(&mut listed, Some(&mut seen));
    cache.sweep(None, &seen);
    assert_eq!(names(&cache.panics()), all[3..]);
}

#[test]
fn another_object_with_the_same_name_has_its_own_panics() {
    let cache = cache();
    apply(&cache, bad("a", 1));
    let mut other = config("a", "other", 2);
    apply(&cache, other.clone());
    assert!(cache.panics().is_empty());
    other.metadata.generation = Some(7);
    other.metadata.resource_version = Some("3".to_owned());
    apply(&cache, other);
    assert_eq!(names(&cache.panics()), [(FIRST, "a")]);
}

#[test]
fn each_panic_is_returned_once() {
    let cache = cache();
    let transform = ClosurePanic::new("the transform", &"hunter2");
    let prepared = cache.store.prepare(Arc::new(bad("a", 1)));
    let late = index("late");
    assert!(cache.add_index(&(&late).into()).is_empty());
    let mut deltas = vec![Delta::Apply(prepared.with_panic(Some(transform)))];
    let committed = cache.commit(&mut deltas, None);
    let all = [FIRST, "the transform", LATE].map(|closure| (closure, "a"));
    assert_eq!(names(&committed.problems), all);
    assert_eq!(names(&cache.panics()), all);
}

#[test]
fn panics_of_a_late_index_are_current() {
    let cache = cache();
    apply(&cache, bad("a", 1));
    apply(&cache, config("b", "b", 1));
    let late = index("late");
    assert_eq!(names(&cache.add_index(&(&late).into())), [(LATE, "a")]);
    assert!(cache.add_index(&(&late).into()).is_empty());
    assert_eq!(names(&cache.panics()), [(FIRST, "a"), (LATE, "a")]);
    assert_eq!(cache.store.lister().by(&late, "b").len(), 1);
}
