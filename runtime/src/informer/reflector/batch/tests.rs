mod history;
mod refused;
mod undecodable;

use std::{
    num::NonZeroUsize,
    sync::atomic::{AtomicUsize, Ordering},
};

use futures_util::FutureExt;
use k8s_openapi::api::core::v1::ConfigMap;
use serde_json::{Value, json};

use super::*;
use crate::informer::reflector::{
    event_decoder::{BatchDecoder, EventDecoder, LineContent, Transform, object_decoder},
    requested::Requested,
};
use crate::{
    client::{error::ClientOperation, request::Verb, response_kind::ExpectedTypes},
    informer::{
        CacheObject, Event, cache::Cache, decode::ManagedFields, error::Problem, events::Subscription, health::Gauge,
        reporter::Reporter, store::Store,
    },
};

struct Bench {
    shared: Arc<InformerState>,
    decoder: EventDecoder,
    expected: ExpectedTypes,
    batch: DeltaBatch,
    events: Subscription<ConfigMap>,
}

impl Bench {
    fn new() -> Self {
        Self::with(None)
    }

    fn with(transform: Option<Transform<ConfigMap>>) -> Self {
        let operation = ClientOperation {
            verb: Verb::Watch,
            group: String::new(),
            version: "v1".to_owned(),
            kind: "ConfigMap".to_owned(),
            plural: "configmaps".to_owned(),
            subresource: None,
            namespace: None,
            name: None,
            generate_name: None,
            quotes_values: false,
        };
        let cache = Cache::new(Store::new(Vec::new()));
        let gauges = vec![Gauge::new(None)];
        let shared = Arc::new(InformerState::new(cache, gauges, Reporter::new(operation)));
        let has_transform = transform.is_some();
        let threads = NonZeroUsize::new(2).unwrap();
        let decoder = EventDecoder::new(shared.clone(), ManagedFields::Dropped, object_decoder(transform), threads)
            .with_user_transform(has_transform);
        let mut batch = DeltaBatch::new(shared.clone());
        batch.begin_list();
        Self {
            events: Subscription::new(shared.cache.subscribe()),
            decoder,
            expected: ExpectedTypes::of::<ConfigMap>(&()),
            batch,
            shared,
        }
    }

    fn batch_decoder(&self, namespace: Option<&'static str>) -> BatchDecoder<'_> {
        let requested = Requested::new(&self.expected, namespace);
        self.decoder.batch_decoder(requested, self.batch.source(), None)
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
        for delta in read_items(&self.batch_decoder(None), &[object.as_str()]) {
            self.batch.push_item(delta?.delta);
        }
        Ok(())
    }

    /// Processes lines of a watch in one batch.
    fn lines(&mut self, lines: &[impl AsRef<[u8]> + Sync]) -> Result<(), WatchError> {
        for content in read_lines(&self.batch_decoder(None), lines) {
            match content? {
                LineContent::Object(change) => self.batch.push_change(&change.version, change.delta)?,
                LineContent::Bookmark(bookmark) => self.batch.push_bookmark(&bookmark)?,
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

    fn undecodable(&self) -> Vec<String> {
        let objects = self.shared.cache.undecodable_objects().into_iter();
        let texts = objects.map(|object| {
            let shown = if object.shows_earlier_state { " earlier" } else { "" };
            format!("{}{}{shown}", object.name, object.resource_version)
        });
        texts.collect()
    }

    /// Returns the events since the last call.
    fn events(&mut self) -> Vec<String> {
        let mut events = Vec::new();
        while let Some(Some(event)) = self.events.next().now_or_never() {
            events.push(match event {
                Event::Added(new) => format!("+{}", at(&new)),
                Event::Updated { old, new } => format!("{}>{}", at(&old), at(&new)),
                Event::Deleted(old) => format!("-{}", at(&old)),
                Event::Synced => "synced".to_owned(),
            });
        }
        events
    }
}

/// Writes a line as the API server does: the types, which items of lists omit, come first.
fn line(kind: &str, object: &Value) -> String {
    let object = object.to_string();
    let members = object.trim_start_matches('{');
    format!(r#"{{"type":"{kind}","object":{{"kind":"ConfigMap","apiVersion":"v1",{members}}}"#)
}

fn at(config: &ConfigMap) -> String {
    format!("{}{}", CacheObject::name(config), config.resource_version().unwrap_or_default())
}

fn object(name: &str, version: u64) -> Value {
    json!({ "metadata": {
        "name": name, "namespace": "prod", "uid": name, "resourceVersion": version.to_string(),
        "managedFields": [{ "manager": "m" }],
    } })
}

/// Collects the parts that a decoder passes on.
fn collect<O>(read: impl FnOnce(&mut dyn FnMut(Vec<O>) -> Result<(), WatchError>) -> Result<(), WatchError>) -> Vec<O> {
    let mut all = Vec::new();
    let mut extend = |part| {
        all.extend::<Vec<_>>(part);
        Ok(())
    };
    read(&mut extend).unwrap();
    all
}

fn read_items<'a>(decoder: &BatchDecoder<'_>, items: &'a [&'a str]) -> Vec<Result<DecodedChange<'a>, WatchError>> {
    collect(|apply| decoder.items(items, apply))
}

fn read_lines<'a>(
    decoder: &BatchDecoder<'_>,
    lines: &'a [impl AsRef<[u8]> + Sync],
) -> Vec<Result<LineContent<'a>, WatchError>> {
    collect(|apply| decoder.lines(lines, apply))
}

#[test]
fn a_relist_deletes_missing_objects_and_ignores_unchanged_ones() {
    let mut bench = Bench::new();
    bench.list(&[("a", 1), ("b", 2), ("c", 3)]);
    assert_eq!(bench.events(), ["+a1", "+b2", "+c3"]);
    bench.list(&[("a", 1), ("c", 5), ("d", 6)]);
    assert_eq!(bench.events(), ["c3>c5", "+d6", "-b2"]);
}

#[test]
fn unchanged_objects_of_a_list_are_not_decoded() {
    let decoded = Arc::new(AtomicUsize::new(0));
    let mut bench = Bench::with(Some({
        let decoded = decoded.clone();
        Arc::new(move |_: &mut ConfigMap| {
            decoded.fetch_add(1, Ordering::Relaxed);
        })
    }));
    bench.list(&[("a", 1), ("b", 2)]);
    bench.list(&[("a", 1), ("b", 3)]);
    assert_eq!(bench.events(), ["+a1", "+b2", "b2>b3"]);
    assert_eq!(decoded.load(Ordering::Relaxed), 3);
}

/// As after restoring an older backup: resourceVersions are reused.
#[test]
fn the_same_version_with_another_content_or_uid_is_another_state() {
    let mut bench = Bench::new();
    bench.list(&[("a", 1), ("b", 2), ("c", 3)]);
    bench.events();
    let mut changed = object("a", 1);
    changed["data"] = json!({ "size": "1" });
    let mut other = object("b", 2);
    other["metadata"]["uid"] = json!("another");
    bench.batch.begin_list();
    for item in [&changed, &other, &object("c", 3)] {
        bench.item(item).unwrap();
    }
    bench.batch.end_list(None);
    assert_eq!(bench.events(), ["a1>a1", "-b2", "+b2"]);
    let lister = bench.shared.cache.store.lister::<ConfigMap>();
    let shown = |name| lister.find("prod", name).unwrap();
    assert_eq!(shown("a").data.as_ref().unwrap()["size"], "1");
    assert_eq!(shown("b").metadata.uid.as_deref(), Some("another"));

    bench.batch.begin_watch("1");
    bench.watch("MODIFIED", object("a", 1)).unwrap();
    assert_eq!(bench.events(), ["a1>a1"]);
}

#[test]
fn unchanged_items_are_recognised_without_their_types() {
    let mut bench = Bench::new();
    bench.batch.begin_watch("1");
    let event = r#"{"type":"ADDED","object":{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a","resourceVersion":"2"},"data":{"a":"1"}}}"#;
    bench.lines(&[event]).unwrap();
    bench.batch.commit();
    assert_eq!(bench.events(), ["+a2"]);
    bench.batch.begin_list();
    let item = r#"{"metadata":{"name":"a","resourceVersion":"2"},"data":{"a":"1"}}"#;
    let items = [item];
    let deltas = read_items(&bench.batch_decoder(None), &items);
    assert!(matches!(&deltas[0], Ok(change) if matches!(change.delta, Delta::Seen(_))));
}

#[test]
fn events_are_delivered_once() {
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
    assert_eq!(bench.events(), ["+a1", "a1>a2", "+b3", "-a4"]);
}

#[test]
fn lines_read_on_several_threads_stay_in_order() {
    let mut bench = Bench::new();
    bench.list(&[("a", 1)]);
    bench.events();
    bench.batch.begin_watch("1");
    let versions = 2..1002;
    let lines: Vec<_> = versions.clone().map(|version| line("MODIFIED", &object("a", version))).collect();
    bench.lines(&lines).unwrap();
    bench.batch.commit();
    let expected: Vec<_> = versions.map(|version| format!("a{}>a{version}", version - 1)).collect();
    assert_eq!(bench.events(), expected);
}

#[test]
fn lines_before_a_bad_one_are_processed_on_several_threads() {
    let mut bench = Bench::new();
    bench.batch.begin_watch("1");
    let mut lines: Vec<_> = (2..502).map(|version| line("ADDED", &object("a", version))).collect();
    lines[400] = "{".to_owned();
    assert!(bench.lines(&lines).is_err());
    assert_eq!(bench.batch.commit(), 400);
}

#[test]
fn a_deletion_of_another_object_has_no_last_state() {
    let mut bench = Bench::new();
    bench.list(&[("a", 1)]);
    bench.batch.begin_watch("1");
    let mut other = object("a", 2);
    other["metadata"]["uid"] = json!("other");
    bench.watch("DELETED", other).unwrap();
    assert_eq!(bench.events(), ["+a1", "-a1"]);
}

#[test]
fn objects_with_different_uids_differ() {
    let mut bench = Bench::new();
    bench.list(&[("a", 1)]);
    let mut other = object("a", 2);
    other["metadata"]["uid"] = json!("other");
    bench.batch.begin_list();
    bench.item(&other).unwrap();
    bench.batch.end_list(None);
    assert_eq!(bench.events(), ["+a1", "-a1", "+a2"]);
}

#[test]
fn objects_are_stored_as_the_transform_leaves_them() {
    let transform = |config: &mut ConfigMap| {
        config.data = None;
        assert_ne!(CacheObject::name(config), "bad");
        config.immutable = Some(true);
    };
    let mut bench = Bench::with(Some(Arc::new(transform)));
    let mut filled = object("a", 1);
    filled["data"] = json!({ "k": "v" });
    bench.item(&filled).unwrap();
    bench.item(&object("bad", 2)).unwrap();
    bench.batch.end_list(None);
    let lister = bench.shared.cache.store.lister::<ConfigMap>();
    let a = lister.find(Some("prod"), "a").unwrap();
    assert_eq!((&a.data, a.immutable), (&None, Some(true)));
    assert_eq!(a.metadata.managed_fields, None);
    assert!(lister.find(Some("prod"), "bad").is_some());
    assert_eq!(bench.shared.reporter.panics(), 1);
}
