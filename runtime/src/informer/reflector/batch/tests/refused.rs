//! Lines that are not events, or not of the requested objects.

use super::*;

#[test]
fn non_events_are_rejected() {
    let mut bench = Bench::new();
    for line in ["", "{", "{}", r#"{"type":"ADDED"}"#, r#"{"type":"ADDED","object":1}"#] {
        assert!(bench.lines(&[line]).is_err(), "{line}");
    }
    assert!(bench.lines(&[b"{\"type\":\"ADDED\",\"object\":{\"metadata\":{\"name\":\"\xff\"}}}"]).is_err());
}

#[test]
fn objects_of_another_kind_are_rejected() {
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
    assert_eq!(bench.events(), ["+a1"]);
}

#[test]
fn objects_of_another_namespace_are_rejected() {
    let bench = Bench::new();
    let item = object("a", 1).to_string();
    let (items, lines) = ([item.as_str()], [line("DELETED", &object("a", 1))]);
    for (namespace, fits) in [(None, true), (Some("prod"), true), (Some("dev"), false)] {
        let decoder = bench.batch_decoder(namespace);
        assert_eq!(read_items(&decoder, &items)[0].is_ok(), fits);
        assert_eq!(read_lines(&decoder, &lines)[0].is_ok(), fits);
    }
}
