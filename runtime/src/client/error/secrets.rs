//! Tests that errors contain no value, header, token or certificate, except through explicit methods.

mod operations;
mod responses;
mod samples;
mod transport;
mod types;

use std::{collections::BTreeSet, error::Error as StdError};

use kube_core::GroupVersionKind;
use serde::de::IgnoredAny;
use serde_json::json;

use self::{
    operations::{discovery, installing, labels, migrating, paths, schemes, scopes},
    samples::{
        applies, deletions, evictions, json_error, owners, requests, selector_error, status_error, undecodable,
        updates, waits,
    },
    transport::from_kube,
};
use super::*;
use crate::client::{
    discovery::DiscoveryError,
    dynamic::{PathError, ScopeError},
    install::InstallError,
    scheme::{DecodeError, DuplicateKind, TypeMismatch},
    selector::FieldValueError,
    selector::InvalidLabel,
    storage_migration::StorageMigrationError,
};

/// Every secret contains this.
const SECRET: &str = "hunter2";

const CERTIFICATE: &str = "-----BEGIN CERTIFICATE-----\nMIIBhunter2\n-----END CERTIFICATE-----";

/// Returns the texts of an error that logs contain.
fn texts(error: &(dyn StdError + 'static)) -> String {
    let mut texts = String::new();
    let mut next = Some(error);
    while let Some(error) = next {
        texts += &format!("{error}\n{error:?}\n{error:#?}\n{error:#}\n");
        next = error.source();
    }
    texts
}

#[track_caller]
fn assert_no_secrets(error: &(impl StdError + 'static)) {
    let texts = texts(error);
    assert!(!texts.contains(SECRET), "{texts}");
    assert!(!texts.contains("BEGIN CERTIFICATE"), "{texts}");
}

/// Returns the names of an enum's variants. A new variant does not compile until it is listed here, and then needs a
/// sample.
macro_rules! cases {
    ($($test:ident: $type:ty = $samples:expr => { $($case:ident),+ $(,)? })+) => {$(
        #[test]
        fn $test() {
            fn case(error: &$type) -> &'static str {
                type Cases = $type;
                match error {
                    $(Cases::$case { .. } => stringify!($case),)+
                }
            }
            let samples: Vec<$type> = $samples;
            samples.iter().for_each(|error| assert_no_secrets(error));
            let tried: BTreeSet<_> = samples.iter().map(case).collect();
            assert_eq!(tried, BTreeSet::from([$(stringify!($case)),+]));
        }
    )+};
}

type Cancelled = UpdateError<String>;

cases! {
    requests_contain_no_secrets: Error = requests() => {
        NotFound, NotServed, AlreadyExists, Conflict, Invalid, Forbidden, Unauthorized, Expired, TooManyRequests,
        Timeout, Unavailable, Api, InvalidName, InvalidSelector, MissingName, MissingMetadata, NamespaceMismatch,
        NotLeader, Recreated, Encode, Decode, Unexpected, Transport, DeadlineExceeded, TooLarge,
    }
    applies_contain_no_secrets: ApplyError = applies() => { Conflicts, NoFieldManager, Request }
    deletions_contain_no_secrets: DeleteError = deletions() => { StillExists, Request }
    evictions_contain_no_secrets: EvictError = evictions() => { Budget, Request }
    waits_contain_no_secrets: WaitUntilError = waits() => { Elapsed, Never, Deleted, Request }
    updates_contain_no_secrets: Cancelled = updates() => { Aborted, RetriesExhausted, Request }
    owners_contain_no_secrets: OwnerError = owners() => { NotCreated, NamespaceMismatch, AlreadyOwned }
    discovery_contain_no_secrets: DiscoveryError = discovery() => {
        Unknown, NotServed, Ambiguous, UnknownCategory, Request,
    }
    installing_contain_no_secrets: InstallError = installing() => {
        DataLoss, Refused, NamesConflict, NotServed, Duplicate, MissingName, Encode, Apply, Delete, Migration, Request,
    }
    migrating_contain_no_secrets: StorageMigrationError = migrating() => {
        NoDefinition, NotServed, Objects, Controller, Changed, Request,
    }
    paths_contain_no_secrets: PathError = paths() => { Malformed, Missing, WrongType, TypeMismatch, Typed }
    scopes_contain_no_secrets: ScopeError = scopes() => { Namespaced, Cluster }
    schemes_contain_no_secrets: DecodeError = schemes() => { Syntax, Yaml, NoKind, Unregistered, TypeMismatch, List }
    labels_contain_no_secrets: InvalidLabel = labels() => { Key, Value, NoValues, UnexpectedValues, Operator }
}

#[test]
fn other_types_contain_no_secrets() {
    assert_no_secrets(&undecodable());
    assert_no_secrets(&selector_error());
    assert_no_secrets(&json_error::<u8>(json!(SECRET)));
    assert_no_secrets(&json_error::<IgnoredAnyOf>(json!([SECRET])));
    let gvk = GroupVersionKind::gvk("", "v1", "ConfigMap");
    assert_no_secrets(&DuplicateKind { gvk: gvk.clone(), registered: "a", rejected: "b" });
    for error in schemes() {
        if let DecodeError::TypeMismatch(unfit) = error {
            let unfit: TypeMismatch = *unfit;
            assert_no_secrets(&unfit);
        }
    }
    for error in from_kube() {
        assert_no_secrets(&KubeError::from(error));
    }
}

/// A type whose own message contains the value.
#[derive(Debug)]
struct IgnoredAnyOf;

impl<'de> serde::Deserialize<'de> for IgnoredAnyOf {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        IgnoredAny::deserialize(deserializer)?;
        Err(serde::de::Error::custom(format!("{SECRET} is too weak")))
    }
}

#[test]
fn omitted_texts_are_accessible() {
    let error = status_error(422, "Invalid").into_error();
    assert!(error.status().unwrap().message.contains(SECRET));
    let cause = error.status_error().unwrap().causes().next().unwrap();
    assert!(cause.message.contains(SECRET));
    assert!(undecodable().source.unredacted().to_string().contains(SECRET));
    let plugin = KubeError::from(from_kube().remove(0));
    assert!(plugin.unredacted().to_string().contains("login --token="));
}

#[tokio::test]
async fn clients_that_quote_values_show_them() {
    use k8s_openapi::api::core::v1::ConfigMap;

    use crate::client::mock::{Mock, Reply};
    let refusal = || {
        let cause = json!({
            "field": "data.a", "reason": "FieldValueInvalid", "message": "Invalid value: \"hunter2\": must be short",
        });
        let status = json!({
            "kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "Invalid", "code": 422,
            "message": "Invalid value: \"hunter2\"", "details": { "name": "web", "causes": [cause] },
        });
        Reply::json(422, status)
    };
    let undecodable = || Reply::json(200, json!({ "metadata": { "name": "web" }, "data": { "a": { "hunter2": 1 } } }));
    let mock = Mock::new([refusal(), undecodable(), refusal(), undecodable()]);
    let client = mock.client();
    for (client, is_shown) in [(client.clone(), false), (client.quote_values(), true)] {
        let configs = client.resources::<ConfigMap>().namespace("prod");
        let error = configs.get("web").await.unwrap_err();
        assert_eq!(error.to_string().contains(SECRET), is_shown, "{error}");
        assert_eq!(error.to_string().contains(HIDDEN), !is_shown, "{error}");
        assert_eq!(format!("{error:?}").contains(SECRET), is_shown, "{error:?}");
        let error = configs.get("web").await.unwrap_err();
        assert!(matches!(error, Error::Decode(_)), "{error:?}");
        assert!(error.to_string().contains("web"), "{error}");
        assert_ne!(error.source().unwrap().to_string(), error.to_string());
    }
}

#[test]
fn a_value_that_a_type_rejects_is_quoted_on_request() {
    let error = || JsonError::from(<serde_json::Error as serde::de::Error>::custom("`hunter2` is no address"));
    assert_no_secrets(&error());
    assert_no_secrets(&error().quoting(false));
    assert_eq!(error().quoting(true).to_string(), "`hunter2` is no address");
}
