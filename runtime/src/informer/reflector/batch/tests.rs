use std::{
    num::NonZeroUsize,
    sync::atomic::{AtomicUsize, Ordering},
};

use futures_util::FutureExt;
use k8s_openapi::api::core::v1::ConfigMap;
use serde_json::{Value, json};

use super::*;
use crate::informer::reflector::{
    reader::{LineContent, Reader, Reading, Transform},
    requested::Requested,
};
use crate::{
    client::{error::Target, expected::ExpectedTypes, request::Verb},
    informer::{
        Event, cache::Cache, events::Subscription, health::Gauge, reports::Reports, store::Store,
        trouble::Problem,
    },
};

struct Bench {
    shared: Arc<Shared<ConfigMap>>,
    reader: Reader<ConfigMap>,
    expected: ExpectedTypes,
    batch: Batch<ConfigMap>,
    events: Subscription<ConfigMap>,
}

impl Bench {
    fn new() -> Self {
        Self::with(None)
    }

    fn with(transform: Option<Transform<ConfigMap>>) -> Self {
        let target = Target {
            verb: Verb::Watch,
            group: String::new(),
            version: "v1".to_owned(),
            kind: "ConfigMap".to_owned(),
            plural: "configmaps".to_owned(),
            subresource: None,
            namespace: None,
            name: None,
        };
        let cache = Cache::new(Store::new(Vec::new()));
        let gauges = vec![Gauge::new(None)];
        let shared = Arc::new(Shared::new(cache, gauges, Reports::new(target)));
        let threads = NonZeroUsize::new(2).unwrap();
        let reader = Reader::new(shared.clone(), false, transform, threads);
        let mut batch = Batch::new(shared.clone());
        batch.begin_list();
        Self {
            events: shared.cache.subscribe(),
            reader,
            expected: ExpectedTypes::of::<ConfigMap>(&()),
            batch,
            shared,
        }
    }

    fn reading(&self, namespace: Option<&'static str>) -> Reading<'_, ConfigMap> {
        let requested = Requested::new(&self.expected, namespace);
        self.reader.reading(requested, self.batch.read_mode())
    }

    /// Lists objects by name and resourceVersion.
    fn list(&mut self, objects: &[(&str, u64)]) {
        self.batch.begin_list();
        for (name, version) in objects {
            self.item(&object(name, *version)).unwrap();
        }
        self.batch.end_list(None);
    }

    fn item(&mut self, object: &Value) -> Result<(), WatchError> {
        let object = object.to_string();
        for delta in self.reading(None).items(&[object.as_str()]) {
            self.batch.item(delta?.delta);
        }
        Ok(())
    }

    /// Lines of a watch, which come at once.
    fn lines(&mut self, lines: &[impl AsRef<[u8]> + Sync]) -> Result<(), WatchError> {
        for content in self.reading(None).lines(lines) {
            match content? {
                LineContent::Object(change) => self.batch.change(&change.version, change.delta)?,
                LineContent::Bookmark(bookmark) => self.batch.bookmark(&bookmark)?,
                LineContent::Failure(_) => {}
            }
        }
        Ok(())
    }

    fn watch(&mut self, kind: &str, object: Value) -> Result<(), WatchError> {
        self.lines(&[line(kind, &object)])?;
        self.batch.commit();
        Ok(())
    }

    fn unreadable(&self) -> Vec<String> {
        let objects = self.shared.cache.unreadable().into_iter();
        let texts = objects.map(|object| {
            let shown = if object.shows_earlier_state {
                " earlier"
            } else {
                ""
            };
            format!("{}{}{shown}", object.name, object.resource_version)
        });
        texts.collect()
    }

    /// What subscribers were told since this was asked last.
    fn told(&mut self) -> Vec<String> {
        let mut told = Vec::new();
        while let Some(Some(event)) = self.events.next().now_or_never() {
            told.push(match event {
                Event::Added(new) => format!("+{}", at(&new)),
                Event::Updated { old, new } => format!("{}>{}", at(&old), at(&new)),
                Event::Deleted(old) => format!("-{}", at(&old)),
                Event::Synced => "synced".to_owned(),
            });
        }
        told
    }
}

/// As the API server writes it: the types come first, which items of lists lack.
fn line(kind: &str, object: &Value) -> String {
    let object = object.to_string();
    let members = object.trim_start_matches('{');
    format!(r#"{{"type":"{kind}","object":{{"kind":"ConfigMap","apiVersion":"v1",{members}}}"#)
}

fn at(config: &ConfigMap) -> String {
    format!(
        "{}{}",
        Cached::name(config),
        config.resource_version().unwrap_or_default()
    )
}

fn object(name: &str, version: u64) -> Value {
    json!({ "metadata": {
        "name": name, "namespace": "prod", "uid": name, "resourceVersion": version.to_string(),
        "managedFields": [{ "manager": "m" }],
    } })
}

fn odd(name: &str, version: u64) -> Value {
    let mut odd = object(name, version);
    odd["data"] = json!({ "size": 1 });
    odd
}

#[test]
fn what_a_list_does_not_show_is_gone_and_what_it_shows_as_known_is_not_told() {
    let mut bench = Bench::new();
    bench.list(&[("a", 1), ("b", 2), ("c", 3)]);
    assert_eq!(bench.told(), ["+a1", "+b2", "+c3"]);
    bench.list(&[("a", 1), ("c", 5), ("d", 6)]);
    assert_eq!(bench.told(), ["c3>c5", "+d6", "-b2"]);
}

#[test]
fn known_objects_of_a_list_are_not_decoded() {
    let decoded = Arc::new(AtomicUsize::new(0));
    let mut bench = Bench::with(Some({
        let decoded = decoded.clone();
        Arc::new(move |_: &mut ConfigMap| {
            decoded.fetch_add(1, Ordering::Relaxed);
        })
    }));
    bench.list(&[("a", 1), ("b", 2)]);
    bench.list(&[("a", 1), ("b", 3)]);
    assert_eq!(bench.told(), ["+a1", "+b2", "b2>b3"]);
    assert_eq!(decoded.load(Ordering::Relaxed), 3);
}

/// As after an older backup was restored: resourceVersions are given out a second time.
#[test]
fn an_object_of_the_same_version_is_another_state_if_its_content_or_uid_differs() {
    let mut bench = Bench::new();
    bench.list(&[("a", 1), ("b", 2), ("c", 3)]);
    bench.told();
    let mut changed = object("a", 1);
    changed["data"] = json!({ "size": "1" });
    let mut other = object("b", 2);
    other["metadata"]["uid"] = json!("another");
    bench.batch.begin_list();
    for item in [&changed, &other, &object("c", 3)] {
        bench.item(item).unwrap();
    }
    bench.batch.end_list(None);
    assert_eq!(bench.told(), ["a1>a1", "-b2", "+b2"]);
    let lister = bench.shared.cache.store.lister();
    let shown = |name| lister.find("prod", name).unwrap();
    assert_eq!(shown("a").data.as_ref().unwrap()["size"], "1");
    assert_eq!(shown("b").metadata.uid.as_deref(), Some("another"));

    bench.batch.begin_watch("1");
    bench.watch("MODIFIED", object("a", 1)).unwrap();
    assert_eq!(bench.told(), ["a1>a1"]);
}

#[test]
fn items_of_lists_are_known_though_they_lack_what_events_have() {
    let mut bench = Bench::new();
    bench.batch.begin_watch("1");
    let event = r#"{"type":"ADDED","object":{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a","resourceVersion":"2"},"data":{"a":"1"}}}"#;
    bench.lines(&[event]).unwrap();
    bench.batch.commit();
    assert_eq!(bench.told(), ["+a2"]);
    bench.batch.begin_list();
    let item = r#"{"metadata":{"name":"a","resourceVersion":"2"},"data":{"a":"1"}}"#;
    let items = [item];
    let deltas = bench.reading(None).items(&items);
    assert!(matches!(&deltas[0], Ok(change) if matches!(change.delta, Delta::Seen(_))));
}

#[test]
fn events_are_told_once() {
    let mut bench = Bench::new();
    bench.list(&[("a", 1)]);
    bench.batch.begin_watch("1");
    for _ in 0..2 {
        bench.watch("MODIFIED", object("a", 2)).unwrap();
    }
    for _ in 0..2 {
        bench.watch("ADDED", object("b", 3)).unwrap();
    }
    for _ in 0..2 {
        bench.watch("DELETED", object("a", 4)).unwrap();
    }
    assert_eq!(bench.told(), ["+a1", "a1>a2", "+b3", "-a4"]);
}

#[test]
fn lines_that_are_read_on_several_threads_are_told_in_order() {
    let mut bench = Bench::new();
    bench.list(&[("a", 1)]);
    bench.told();
    bench.batch.begin_watch("1");
    let versions = 2..1002;
    let lines: Vec<_> = versions
        .clone()
        .map(|version| line("MODIFIED", &object("a", version)))
        .collect();
    bench.lines(&lines).unwrap();
    bench.batch.commit();
    let expected: Vec<_> = versions
        .map(|version| format!("a{}>a{version}", version - 1))
        .collect();
    assert_eq!(bench.told(), expected);
}

#[test]
fn lines_before_a_bad_one_are_taken_in_on_several_threads_too() {
    let mut bench = Bench::new();
    bench.batch.begin_watch("1");
    let mut lines: Vec<_> = (2..502)
        .map(|version| line("ADDED", &object("a", version)))
        .collect();
    lines[400] = "{".to_owned();
    assert!(bench.lines(&lines).is_err());
    assert_eq!(bench.batch.commit(), 400);
}

#[test]
fn what_contradicts_what_was_told_before_is_refused() {
    let mut bench = Bench::new();
    bench.batch.begin_watch("5");
    bench.watch("ADDED", object("a", 7)).unwrap();
    let error = bench.watch("MODIFIED", object("a", 6)).unwrap_err();
    assert!(
        matches!(error, WatchError::OutOfOrder { told: 6, newest: 7 }),
        "{error}"
    );
    bench.batch.begin_watch("7");
    assert!(bench.watch("MODIFIED", object("a", 3)).is_err());
    assert_eq!(bench.told(), ["+a7"]);
}

#[test]
fn an_object_that_does_not_fit_stays_as_it_was_until_it_is_deleted() {
    let mut bench = Bench::new();
    bench.list(&[("a", 1), ("b", 1)]);
    let mut problems = bench.shared.reports.listen();
    bench.batch.begin_watch("1");
    bench.watch("MODIFIED", odd("a", 2)).unwrap();
    bench.watch("MODIFIED", object("b", 3)).unwrap();
    assert_eq!(bench.told(), ["+a1", "+b1", "b1>b3"]);
    let Problem::Undecodable(problem) = problems.next().now_or_never().flatten().unwrap() else {
        panic!();
    };
    assert_eq!(
        (problem.name.as_deref(), problem.path.as_deref()),
        (Some("a"), Some("data.size"))
    );

    bench.batch.begin_list();
    bench.item(&odd("a", 2)).unwrap();
    bench.item(&odd("c", 4)).unwrap();
    bench.item(&object("b", 3)).unwrap();
    bench.batch.end_list(None);
    assert_eq!(bench.told(), Vec::<String>::new());
    assert_eq!(bench.shared.reports.undecodable_objects(), 2);
    assert_eq!(bench.unreadable(), ["a2 earlier", "c4"]);

    bench.batch.begin_watch("4");
    bench.watch("DELETED", odd("a", 5)).unwrap();
    bench.watch("DELETED", odd("c", 6)).unwrap();
    assert_eq!(bench.told(), ["-a1"]);
    assert_eq!(bench.unreadable(), [""; 0]);
    assert_eq!(bench.shared.reports.undecodable_objects(), 2);
}

#[test]
fn each_state_that_does_not_fit_is_one_problem() {
    let mut bench = Bench::new();
    let mut problems = bench.shared.reports.listen();
    let mut new = || std::iter::from_fn(|| problems.next().now_or_never().flatten()).count();
    for _ in 0..5 {
        bench.batch.begin_list();
        for _ in 0..2 {
            bench.item(&odd("a", 1)).unwrap();
        }
        bench.batch.end_list(None);
    }
    bench.batch.begin_watch("1");
    bench.watch("MODIFIED", odd("a", 1)).unwrap();
    assert_eq!(new(), 1);
    bench.watch("MODIFIED", odd("a", 2)).unwrap();
    assert_eq!(new(), 1);
    // As after an older database was restored.
    let mut other = odd("a", 2);
    other["data"] = json!([]);
    bench.watch("MODIFIED", other.clone()).unwrap();
    assert_eq!(new(), 1);
    other["metadata"]["uid"] = json!("b");
    bench.watch("MODIFIED", other).unwrap();
    assert_eq!(new(), 1);
    bench.watch("MODIFIED", object("a", 3)).unwrap();
    bench.watch("MODIFIED", odd("a", 4)).unwrap();
    assert_eq!(
        (new(), bench.unreadable()),
        (1, vec!["a4 earlier".to_owned()])
    );
    assert_eq!(bench.shared.reports.undecodable_objects(), 5);
}

#[test]
fn an_object_that_fits_again_or_is_not_shown_is_not_unreadable() {
    let mut bench = Bench::new();
    bench.list(&[("a", 1), ("b", 1)]);
    bench.batch.begin_watch("1");
    for (version, name) in ["a", "b", "c", "d", "e"].into_iter().enumerate() {
        bench
            .watch("MODIFIED", odd(name, version as u64 + 2))
            .unwrap();
    }
    let all = ["a2 earlier", "b3 earlier", "c4", "d5", "e6"];
    assert_eq!(bench.unreadable(), all);

    // A list that breaks off says nothing of what it has not shown, nor does one of another namespace.
    bench.batch.begin_list();
    bench.item(&odd("d", 5)).unwrap();
    bench.batch.commit();
    bench.batch.begin_list();
    bench.batch.end_list(Some("test"));
    assert_eq!(bench.unreadable(), all);

    bench.batch.begin_list();
    bench.item(&object("a", 1)).unwrap();
    bench.item(&object("b", 7)).unwrap();
    bench.item(&odd("c", 4)).unwrap();
    bench.watch("DELETED", odd("c", 3)).unwrap();
    bench.watch("DELETED", odd("e", 8)).unwrap();
    assert_eq!(bench.unreadable(), ["c4", "d5"]);
    bench.batch.end_list(Some("prod"));
    assert_eq!(bench.unreadable(), ["c4"]);
    assert_eq!(bench.shared.cache.unreadable_objects(), 1);
}

#[test]
fn a_list_that_goes_back_in_time_takes_nothing_back() {
    let mut bench = Bench::new();
    bench.batch.begin_list();
    bench.watch("ADDED", object("a", 256)).unwrap();
    let mut earlier = object("a", 201);
    earlier["metadata"]["uid"] = json!("earlier");
    bench.watch("DELETED", earlier.clone()).unwrap();
    bench.watch("ADDED", earlier).unwrap();
    bench.watch("MODIFIED", object("a", 255)).unwrap();
    bench.watch("DELETED", object("a", 255)).unwrap();
    assert!(bench.watch("ADDED", object("b", 254)).is_err());
    bench.batch.end_list(None);
    assert_eq!(bench.told(), ["+a256"]);
    bench.list(&[("a", 7)]);
    assert_eq!(bench.told(), ["a256>a7"], "each list begins anew");
}

#[test]
fn states_older_than_the_store_are_believed_when_they_are_told_again() {
    let mut bench = Bench::new();
    bench.list(&[("a", 1), ("b", 2)]);
    bench.batch.begin_watch("9");
    for older in [object("b", 1), object("c", 8)] {
        bench.batch.begin_list();
        bench.watch("ADDED", object("a", 1)).unwrap();
        assert!(bench.watch("ADDED", older.clone()).is_err());
        bench.batch.begin_list();
        bench.watch("ADDED", older).unwrap();
        bench.batch.begin_watch("9");
    }
}

#[test]
fn the_last_state_of_another_object_is_none() {
    let mut bench = Bench::new();
    bench.list(&[("a", 1)]);
    bench.batch.begin_watch("1");
    let mut other = object("a", 2);
    other["metadata"]["uid"] = json!("other");
    bench.watch("DELETED", other).unwrap();
    assert_eq!(bench.told(), ["+a1", "-a1"]);
}

#[test]
fn an_object_of_another_uid_is_another_object() {
    let mut bench = Bench::new();
    bench.list(&[("a", 1)]);
    let mut other = object("a", 2);
    other["metadata"]["uid"] = json!("other");
    bench.batch.begin_list();
    bench.item(&other).unwrap();
    bench.batch.end_list(None);
    assert_eq!(bench.told(), ["+a1", "-a1", "+a2"]);
}

#[test]
fn objects_are_kept_as_the_transform_leaves_them() {
    let transform = |config: &mut ConfigMap| {
        config.data = None;
        assert_ne!(Cached::name(config), "bad");
        config.immutable = Some(true);
    };
    let mut bench = Bench::with(Some(Arc::new(transform)));
    let mut filled = object("a", 1);
    filled["data"] = json!({ "k": "v" });
    bench.item(&filled).unwrap();
    bench.item(&object("bad", 2)).unwrap();
    bench.batch.end_list(None);
    let lister = bench.shared.cache.store.lister();
    let a = lister.find(Some("prod"), "a").unwrap();
    assert_eq!((&a.data, a.immutable), (&None, Some(true)));
    assert_eq!(a.metadata.managed_fields, None);
    assert!(lister.find(Some("prod"), "bad").is_some());
    assert_eq!(bench.shared.reports.panics(), 1);
}

#[test]
fn what_is_no_event_is_refused() {
    let mut bench = Bench::new();
    for line in [
        "",
        "{",
        "{}",
        r#"{"type":"ADDED"}"#,
        r#"{"type":"ADDED","object":1}"#,
    ] {
        assert!(bench.lines(&[line]).is_err(), "{line}");
    }
    assert!(
        bench
            .lines(&[b"{\"type\":\"ADDED\",\"object\":{\"metadata\":{\"name\":\"\xff\"}}}"])
            .is_err()
    );
}

#[test]
fn what_is_no_json_behind_the_metadata_is_no_object_that_does_not_fit() {
    let mut bench = Bench::new();
    bench.list(&[("a", 1)]);
    bench.batch.begin_watch("1");
    let whole = format!(r#"{{"type":"MODIFIED","object":{}}}"#, object("a", 2));
    let metadata = r#"{"metadata":{"name":"a","resourceVersion":"2"}"#;
    for broken in [
        format!("{whole}}}"),
        format!(
            r#"{{"type":"MODIFIED","object":{metadata},"data":{{"k":"{}"}}}}}}"#,
            '\u{1}'
        ),
        format!(r#"{{"type":"MODIFIED","object":{metadata},"data":}}}}"#),
        format!(r#"{{"type":"DELETED","object":{metadata},"data":}}}}"#),
    ] {
        let error = bench.lines(&[&broken]).expect_err(&broken);
        assert!(
            matches!(error, WatchError::Malformed(_)),
            "{error}: {broken}"
        );
    }
    assert_eq!(bench.shared.reports.undecodable_objects(), 0);
    assert_eq!(bench.batch.commit(), 0);
}

#[test]
fn objects_of_another_kind_are_refused() {
    let named = |kind: &str, version: &str| json!({ "kind": kind, "apiVersion": version, "metadata": { "name": "a", "resourceVersion": "2" } });
    let of = |object: Value| json!({ "type": "DELETED", "object": object }).to_string();
    let mut bench = Bench::new();
    bench.list(&[("a", 1)]);
    bench.batch.begin_watch("1");
    for object in [
        named("Secret", "v1"),
        named("ConfigMap", "v2"),
        named("Status", "v1"),
        json!({ "metadata": { "name": "a", "resourceVersion": "2" } }),
        json!({ "kind": "ConfigMap", "apiVersion": "v1", "metadata": { "name": "a" } }),
        json!({ "kind": "ConfigMap", "apiVersion": "v1", "metadata": {} }),
    ] {
        assert!(bench.lines(&[of(object.clone())]).is_err(), "{object}");
    }
    let bookmark = json!({ "type": "BOOKMARK", "object": named("Secret", "v1") });
    assert!(bench.lines(&[bookmark.to_string()]).is_err());
    let item = named("Secret", "v1");
    assert!(bench.item(&item).is_err());
    bench.batch.commit();
    assert_eq!(bench.told(), ["+a1"]);
}

#[test]
fn what_came_and_went_before_the_list_is_passed_over() {
    let [gone, deleted] = ["ADDED", "DELETED"].map(|kind| (kind, object("gone", 3)));
    let new = ("ADDED", object("new", 9));
    let known = ("MODIFIED", object("a", 4));
    for (lines, expected) in [
        (vec![gone.clone(), deleted.clone(), new.clone()], Some(1)),
        (vec![deleted.clone(), new.clone()], Some(1)),
        (vec![gone.clone(), new.clone()], None),
        (vec![known], None),
    ] {
        let mut bench = Bench::new();
        bench.list(&[("a", 2)]);
        bench.batch.begin_watch("5");
        bench.batch.expect_repetition();
        let lines: Vec<_> = lines
            .iter()
            .map(|(kind, object)| line(kind, object))
            .collect();
        let mut events = Ok(0);
        for content in bench.reading(None).lines(&lines) {
            let Ok(LineContent::Object(change)) = content else {
                panic!("an event");
            };
            match (bench.batch.repeats(&change), &mut events) {
                (Err(error), _) => events = Err(error),
                (Ok(false), Ok(events)) => *events += 1,
                _ => {}
            }
        }
        assert_eq!(events.ok(), expected);
    }
}

fn bookmark(version: u64, ends_list: bool) -> String {
    let annotations = match ends_list {
        true => json!({ "k8s.io/initial-events-end": "true" }),
        false => json!({}),
    };
    let metadata = json!({ "resourceVersion": version.to_string(), "annotations": annotations });
    let object = json!({ "kind": "ConfigMap", "apiVersion": "v1", "metadata": metadata });
    json!({ "type": "BOOKMARK", "object": object }).to_string()
}

#[test]
fn a_bookmark_ends_what_a_watch_repeats() {
    for (kinds, is_right) in [(vec!["ADDED", "DELETED"], true), (vec!["ADDED"], false)] {
        let mut bench = Bench::new();
        bench.list(&[("a", 2)]);
        bench.batch.begin_watch("5");
        bench.batch.expect_repetition();
        for kind in kinds {
            let line = line(kind, &object("gone", 3));
            for content in bench.reading(None).lines(&[line]) {
                let Ok(LineContent::Object(change)) = content else {
                    panic!("an event");
                };
                assert!(bench.batch.repeats(&change).unwrap());
            }
        }
        assert_eq!(bench.batch.is_repetition_unfinished(), !is_right);
        assert_eq!(bench.lines(&[bookmark(200, false)]).is_ok(), is_right);
    }
}

#[test]
fn a_second_end_of_the_list_does_not_take_a_watch_back() {
    let mut bench = Bench::new();
    bench.batch.begin_list();
    bench.lines(&[bookmark(100, true)]).unwrap();
    bench.batch.end_list(None);
    bench.watch("ADDED", object("a", 150)).unwrap();
    let again = bench.lines(&[bookmark(100, true)]).unwrap_err();
    assert!(matches!(again, WatchError::OutOfOrder { .. }), "{again}");
}

#[test]
fn objects_of_another_namespace_are_refused() {
    let bench = Bench::new();
    let item = object("a", 1).to_string();
    let (items, lines) = ([item.as_str()], [line("DELETED", &object("a", 1))]);
    for (namespace, fits) in [(None, true), (Some("prod"), true), (Some("dev"), false)] {
        let reading = bench.reading(namespace);
        assert_eq!(reading.items(&items)[0].is_ok(), fits);
        assert_eq!(reading.lines(&lines)[0].is_ok(), fits);
    }
}
