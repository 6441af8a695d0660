use std::{error::Error, sync::Arc, time::Duration};

use k8s_openapi::api::core::v1::ConfigMap;
use serde_json::json;

use super::*;
use crate::{
    client::{
        decode,
        response_kind::{ExpectedTypes, NotExpected},
    },
    informer::{
        Compact, PanicMessage, RefusedWatch, RunError, SyncError, UndecodablePart, UnsyncedWatch, decode::Malformed,
    },
};

const SECRET: &str = "hunter2";

fn assert_silent(error: &(dyn Error + 'static)) {
    let mut next = Some(error);
    while let Some(error) = next {
        let texts = format!("{error} {error:?} {error:#?}");
        assert!(!texts.contains(SECRET), "{texts}");
        next = error.source();
    }
}

fn malformed() -> WatchError {
    Malformed::from(serde_json::from_value::<u8>(json!(SECRET)).unwrap_err()).into()
}

fn unexpected() -> WatchError {
    let expected = ExpectedTypes::of::<ConfigMap>(&());
    let object = json!({ "kind": "Secret", "apiVersion": "v1", "data": SECRET });
    let Err(NotExpected::Mismatch(mismatch)) = expected.check_text(&object.to_string()) else {
        panic!("the kinds should differ");
    };
    mismatch.into()
}

/// Numbers the variants, so that a new variant must be added here.
fn case(error: &WatchError) -> usize {
    match error {
        WatchError::Request(_) => 0,
        WatchError::Malformed(_) => 1,
        WatchError::IdleTimeout(_) => 2,
        WatchError::OutOfOrder { .. } => 3,
        WatchError::ClosedEarly => 4,
        WatchError::Panicked(_) => 5,
        WatchError::Thread(_) => 6,
        WatchError::NoStreamingLists => 7,
        WatchError::Unexpected(_) => 8,
        WatchError::Overdue => 9,
        WatchError::Incomplete => 10,
        WatchError::NoBookmark => 11,
        WatchError::WentBack { .. } => 12,
        WatchError::OtherHistory => 13,
    }
}

#[test]
fn watch_errors_contain_no_values() {
    let errors = [
        malformed(),
        WatchError::IdleTimeout(Duration::ZERO),
        WatchError::OutOfOrder { version: 1, newest: 2 },
        WatchError::ClosedEarly,
        WatchError::Panicked(PanicMessage::from_payload(&SECRET)),
        WatchError::Thread(std::io::ErrorKind::OutOfMemory.into()),
        WatchError::NoStreamingLists,
        unexpected(),
        WatchError::Overdue,
        WatchError::Incomplete,
        WatchError::NoBookmark,
        WatchError::WentBack { newest: 1, reached: 2 },
        WatchError::OtherHistory,
    ];
    for (index, error) in errors.into_iter().enumerate() {
        assert_eq!(case(&error), index + 1);
        assert_silent(&error);
        let namespace = None;
        let problem = Problem::Watch { namespace, error: Arc::new(error) };
        assert!(!format!("{problem:?}").contains(SECRET));
    }
    let watch = RefusedWatch { namespace: None, error: Arc::new(malformed()) };
    assert_silent(&SyncError::Refused(vec![watch]));
    let error = Some(Arc::new(malformed()));
    let unsynced = UnsyncedWatch { resource: "configmaps".to_owned(), namespace: None, error: error.clone() };
    assert_silent(&RunError::NotSynced { watches: vec![unsynced], after: Duration::ZERO });
    let resource = "configmaps".to_owned();
    assert_silent(&RunError::Stopped { resource, error, drain_timed_out: None });
}

#[test]
fn undecodable_objects_are_named_without_their_values() {
    let object = json!({
        "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "web" }, "data": SECRET,
    });
    let failure = decode::object::<ConfigMap>(object.to_string().as_bytes()).unwrap_err();
    assert!(!format!("{failure:?}").contains(SECRET));
    let compact: Compact<ConfigMap> = serde_json::from_value(object).unwrap();
    let undecodable: UndecodablePart = compact.to_full().unwrap_err();
    assert_silent(&undecodable);
    assert!(undecodable.source.unredacted().to_string().contains(SECRET));
}
