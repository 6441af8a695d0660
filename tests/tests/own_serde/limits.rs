//! Texts that are deep, large, or no text at all.

use serde::de::DeserializeOwned;

use super::types::{ours, theirs};

#[track_caller]
fn compare<T: DeserializeOwned, O: DeserializeOwned>(bytes: &[u8]) -> bool {
    let theirs = serde_json::from_slice::<T>(bytes).map(drop).map_err(|error| error.to_string());
    let ours = serde_json::from_slice::<O>(bytes).map(drop).map_err(|error| error.to_string());
    assert_eq!(ours, theirs);
    theirs.is_ok()
}

#[test]
fn nesting_has_the_limit_of_the_format() {
    let nested = |depth: usize| format!("{}null{}", "{\"a\":".repeat(depth), "}".repeat(depth));
    let is_read = |depth| compare::<theirs::Deep, ours::Deep>(nested(depth).as_bytes());
    assert!(is_read(100) && is_read(127));
    assert!(!is_read(128) && !is_read(100_000));
}

#[test]
fn no_bytes_are_a_surprise() {
    for bytes in [
        &b"\xff"[..],
        b"{\"a\":1,\"b\":\"\xff\"}",
        b"{\"\xff\":1}",
        b"{\"a\":1,\"b\":\"\\ud800\",\"d\":1}",
        b"\"\\u0000\"",
        b"",
    ] {
        assert!(!compare::<theirs::Plain, ours::Plain>(bytes));
        compare::<theirs::Choice, ours::Choice>(bytes);
        compare::<theirs::Wrapped, ours::Wrapped>(bytes);
    }
    assert!(compare::<theirs::Plain, ours::Plain>(br#"{"\u0061":1,"b":"\u0000\ud83d\ude00","d":1}"#));
}

/// What is quadratic would take minutes here.
#[test]
fn large_documents_are_read() {
    let item = r#"{"a":1,"b":"text","d":2.5,"unknown":[{}]}"#;
    let items = vec![item; 50_000].join(",");
    let pairs: Vec<_> = (0..50_000).map(|number| format!("\"key {number}\":[{number}]")).collect();
    let document = format!("{{\"a\":[{items}],\"b\":{{{}}}}}", pairs.join(","));
    assert!(compare::<theirs::Lists, ours::Lists>(document.as_bytes()));
    let document = format!("{{\"a\":1,\"b\":\"{}\",\"d\":1}}", "\\n".repeat(1 << 20));
    assert!(compare::<theirs::Plain, ours::Plain>(document.as_bytes()));
    let unknown: Vec<_> = (0..100_000).map(|number| format!("\"x{number}\":0")).collect();
    let document = format!("{{{},\"a\":1,\"b\":\"\",\"d\":1}}", unknown.join(","));
    assert!(compare::<theirs::Plain, ours::Plain>(document.as_bytes()));
}

#[test]
fn numbers_without_json_are_written_as_by_serde() {
    for number in [f64::NAN, f64::INFINITY, -0.0, f64::MIN_POSITIVE, f64::MAX] {
        let theirs = theirs::Plain { d: number, ..Default::default() };
        let ours = ours::Plain { d: number, ..Default::default() };
        assert_eq!(serde_json::to_string(&ours).unwrap(), serde_json::to_string(&theirs).unwrap());
        assert_eq!(serde_json::to_value(&ours).unwrap(), serde_json::to_value(&theirs).unwrap());
    }
}
