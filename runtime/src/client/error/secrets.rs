//! Tests that errors contain no value, header, token or certificate, except through explicit methods.

mod answers;
mod elsewhere;
mod samples;
mod transport;
mod types;

use std::{collections::BTreeSet, error::Error as StdError};

use kube_core::GroupVersionKind;
use serde::de::IgnoredAny;
use serde_json::json;

use self::{
    elsewhere::{discovery, installing, labels, paths, schemes, scopes},
    samples::{
        applies, deletions, json_error, owners, requests, selector_error, status_error,
        undecodable, updates,
    },
    transport::of_kube,
};
use super::*;
use crate::client::{
    InvalidLabel,
    discovery::DiscoveryError,
    dynamic::{PathError, ScopeError},
    install::InstallError,
    scheme::{DecodeError, DuplicateKind, TypeMismatch},
    selector::FieldValueError,
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
fn assert_silent(error: &(impl StdError + 'static)) {
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
            samples.iter().for_each(|error| assert_silent(error));
            let tried: BTreeSet<_> = samples.iter().map(case).collect();
            assert_eq!(tried, BTreeSet::from([$(stringify!($case)),+]));
        }
    )+};
}

type Cancelled = UpdateError<String>;

cases! {
    requests_are_silent: Error = requests() => {
        NotFound, NotServed, AlreadyExists, Conflict, Invalid, Forbidden, Unauthorized, Expired, TooManyRequests,
        Timeout, Unavailable, Api, InvalidName, InvalidSelector, Nameless, NeverRead, OtherNamespace,
        Recreated, Encode, Decode, Unexpected, Transport, DeadlineExceeded, TooLarge,
    }
    applies_are_silent: ApplyError = applies() => { Conflicts, NoFieldManager, Request }
    deletions_are_silent: DeleteError = deletions() => { StillThere, Request }
    updates_are_silent: Cancelled = updates() => { Aborted, RetriesExhausted, Request }
    owners_are_silent: OwnerError = owners() => { Unsaved, OtherNamespace, Controlled }
    discovery_is_silent: DiscoveryError = discovery() => {
        Unknown, NotServed, Ambiguous, UnknownCategory, Request,
    }
    installing_is_silent: InstallError = installing() => {
        DataLoss, Refused, NamesConflict, NotServed, Twice, Nameless, Unwritable, Apply, Delete, Request,
    }
    paths_are_silent: PathError = paths() => { Malformed, Missing, WrongType, TypeMismatch, Typed }
    scopes_are_silent: ScopeError = scopes() => { Namespaced, Cluster }
    schemes_are_silent: DecodeError = schemes() => { Syntax, Yaml, NoKind, Unregistered, TypeMismatch, List }
    labels_are_silent: InvalidLabel = labels() => { Key, Value, NoValues, UselessValues, Operator }
}

#[test]
fn the_other_types_are_silent() {
    assert_silent(&undecodable());
    assert_silent(&selector_error());
    assert_silent(&json_error::<u8>(json!(SECRET)));
    assert_silent(&json_error::<IgnoredAnyOf>(json!([SECRET])));
    let gvk = GroupVersionKind::gvk("", "v1", "ConfigMap");
    assert_silent(&DuplicateKind {
        gvk: gvk.clone(),
        registered: "a",
        rejected: "b",
    });
    for error in schemes() {
        if let DecodeError::TypeMismatch(unfit) = error {
            let unfit: TypeMismatch = *unfit;
            assert_silent(&unfit);
        }
    }
    for error in of_kube() {
        assert_silent(&KubeError::from(error));
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
fn what_is_left_out_is_at_hand() {
    let error = status_error(422, "Invalid").into_error();
    assert!(error.status().unwrap().message.contains(SECRET));
    let cause = error.status_error().unwrap().causes().next().unwrap();
    assert!(cause.message.contains(SECRET));
    assert!(
        undecodable()
            .source
            .unredacted()
            .to_string()
            .contains(SECRET)
    );
    let plugin = KubeError::from(of_kube().remove(0));
    assert!(plugin.unredacted().to_string().contains("login --token="));
}
