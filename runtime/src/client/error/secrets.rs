//! No error shows a value, a header, a token or a certificate, unless it is asked for.

use std::{
    collections::BTreeSet,
    error::Error as StdError,
    fmt::Debug,
    fs, io,
    os::unix::process::ExitStatusExt,
    path::Path,
    process::{ExitStatus, Output},
    time::Duration,
};

use k8s_openapi::api::core::v1::ConfigMap;
use kube_core::{
    GroupVersionKind, Status,
    response::{StatusCause, StatusDetails},
};
use serde::de::{DeserializeOwned, IgnoredAny};
use serde_json::{Value, json};

use super::*;
use crate::client::{
    Client, InvalidLabel, Labels, Patch, Scheme,
    delete::Deleted,
    discovery::{DiscoveryError, Unavailable, Wanted},
    dynamic::{PathError, ScopeError, Unstructured},
    install::{InstallError, Loss},
    limits::{Limit, Quotes},
    mock::{Mock, Reply},
    request::{Request, Verb},
    scheme::{DecodeError, DuplicateKind, Unfit},
    selector::{FieldValueError, value},
};

/// Whatever nobody may read has this in it.
const SECRET: &str = "hunter2";

const CERTIFICATE: &str = "-----BEGIN CERTIFICATE-----\nMIIBhunter2\n-----END CERTIFICATE-----";

/// What an error shows without being asked.
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

/// The names of an enum's cases: a new one does not compile until it is named here, and is then missing among the samples.
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
        Timeout, Unavailable, Refused, InvalidName, InvalidSelector, Nameless, Encode, Decode, Unexpected, Transport,
        DeadlineExceeded, TooLarge,
    }
    applies_are_silent: ApplyError = applies() => { Conflicts, NoFieldManager, Request }
    deletions_are_silent: DeleteError = deletions() => { StillThere, Request }
    updates_are_silent: Cancelled = updates() => { CalledOff, StillConflicting, Request }
    owners_are_silent: OwnerError = owners() => { Unsaved, OtherNamespace, Controlled }
    discovery_is_silent: DiscoveryError = discovery() => {
        Unknown, NotServed, Ambiguous, UnknownCategory, Request,
    }
    installing_is_silent: InstallError = installing() => {
        DataLoss, NamesConflict, NotServed, Twice, Nameless, Unwritable, Apply, Delete, Request,
    }
    paths_are_silent: PathError = paths() => { Malformed, Missing, WrongType, Unfit, Typed }
    scopes_are_silent: ScopeError = scopes() => { Namespaced, Cluster }
    schemes_are_silent: DecodeError = schemes() => { Syntax, Yaml, NoKind, Unregistered, Unfit, List }
    labels_are_silent: InvalidLabel = labels() => { Key, Value, NoValues, UselessValues, Operator }
}

/// Types of errors that are tried here, in the tests of informers, or that hold nothing but names and numbers.
const TRIED: [&str; 33] = [
    "ApplyError",
    "ConfigError",
    "ConnectError",
    "DecodeError",
    "DeleteError",
    "DiscoveryError",
    "DuplicateKind",
    "Error",
    "FieldValueError",
    "InstallError",
    "InvalidLabel",
    "JsonError",
    "KubeError",
    "Loss",
    "Mismatch",
    "OwnerError",
    "PathError",
    "ScopeError",
    "Undecodable",
    "Unfit",
    "UpdateError",
    "YamlError",
    // Of informers.
    "Malformed",
    "Overflow",
    "RunError",
    "SyncError",
    "Undrained",
    "Unreadable",
    "WaitError",
    "WatchError",
    // It quotes the selector that the program wrote.
    "InvalidLabelQuery",
    // It is what a `KubeError` hides.
    "SharedError",
    // A text in a test.
    "Secret",
];

#[test]
fn all_types_of_errors_are_tried() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut types = BTreeSet::new();
    for folder in ["client", "informer"] {
        find_types(&source.join(folder), &mut types);
    }
    types.insert("Secret".to_owned());
    assert_eq!(types, TRIED.map(str::to_owned).into());
}

fn find_types(folder: &Path, types: &mut BTreeSet<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            find_types(&path, types);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            types.extend(types_of(&fs::read_to_string(path).unwrap()));
        }
    }
}

/// The names of the types in a text that derive or implement `Error`.
fn types_of(text: &str) -> Vec<String> {
    let name = |text: &str| {
        let end = text
            .find(|c: char| !c.is_alphanumeric())
            .unwrap_or(text.len());
        text[..end].to_owned()
    };
    let mut is_error = false;
    let mut found = Vec::new();
    for line in text
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"))
    {
        is_error |= line.starts_with("#[derive(") && line.contains("thiserror::Error");
        let item = ["enum ", "struct "]
            .iter()
            .find_map(|item| line.split_once(item));
        if let (true, Some((before, rest))) = (is_error, item)
            && (before.is_empty() || before.starts_with("pub"))
        {
            found.push(name(rest));
            is_error = false;
        }
        let implemented = line
            .strip_prefix("impl")
            .and_then(|line| line.split_once("Error for "));
        if let Some((_, rest)) = implemented {
            found.push(name(rest));
        }
    }
    found
}

fn target() -> Target {
    Target {
        verb: Verb::Get,
        group: String::new(),
        version: "v1".into(),
        kind: "Secret".into(),
        plural: "secrets".into(),
        subresource: None,
        namespace: Some("prod".into()),
        name: Some("web".into()),
    }
}

fn refusal(code: u16, reason: &str) -> Refusal {
    let message = format!(
        "Secret \"web\" is invalid: data.key: Invalid value: \"{SECRET}\": must not be {SECRET}; sent with \
         Authorization: Bearer {SECRET} and {CERTIFICATE}"
    );
    let cause = StatusCause {
        reason: "FieldValueInvalid".into(),
        message: format!("Unsupported value: {{\"a\":\"{SECRET}\"}}: supported values: \"A\""),
        field: "data.key".into(),
    };
    let details = StatusDetails {
        name: "web".into(),
        group: String::new(),
        kind: "Secret".into(),
        uid: String::new(),
        causes: vec![cause],
        retry_after_seconds: 0,
    };
    Refusal {
        target: target(),
        status: Status {
            details: Some(details),
            ..Status::failure(&message, reason).with_code(code)
        },
        retry_after: None,
        quotes: Quotes::default(),
    }
}

fn json_error<T: DeserializeOwned>(json: Value) -> JsonError {
    JsonError::from(
        serde_json::from_value::<T>(json)
            .err()
            .expect("it does not fit"),
    )
}

fn undecodable() -> Undecodable {
    Undecodable {
        target: target(),
        namespace: Some("prod".into()),
        name: Some("web".into()),
        path: Some("data.key".into()),
        source: json_error::<ConfigMap>(json!({ "metadata": SECRET })),
    }
}

/// Errors of kube that hold secrets.
fn of_kube() -> Vec<::kube::Error> {
    use ::kube::{Error as E, client::AuthError as A};
    let output = Output {
        status: ExitStatus::from_raw(256),
        stdout: format!("token: {SECRET}").into(),
        stderr: CERTIFICATE.into(),
    };
    let plugin = || A::AuthExecRun {
        cmd: format!("login --token={SECRET}"),
        out: Box::new(output.clone()),
    };
    let yaml = || serde_saphyr::from_str::<u8>(&format!("token: {SECRET}\na: [")).unwrap_err();
    let custom = || io::Error::other(format!("Authorization: Bearer {SECRET}"));
    vec![
        E::Auth(plugin()),
        E::Service(Box::new(E::Auth(plugin()))),
        E::Service(Box::new(plugin())),
        E::Service(Box::new(A::AuthExec(SECRET.into()))),
        E::Service(Box::new(A::AuthExecParse(Box::new(yaml())))),
        E::Service(format!("header x: {SECRET}").into()),
        E::Service(Box::new(custom())),
        E::Service(Box::new(io::Error::new(
            io::ErrorKind::InvalidData,
            custom(),
        ))),
        E::ReadEvents(custom()),
        E::Api(Box::new(refusal(422, "Invalid").status)),
        E::SerdeError(serde_json::from_value::<u8>(json!(SECRET)).unwrap_err()),
        E::FromUtf8(String::from_utf8([SECRET.as_bytes(), &[0xff]].concat()).unwrap_err()),
        E::HttpError(
            http::Request::get(format!("http://{SECRET} /"))
                .body(())
                .unwrap_err(),
        ),
        E::ProxyProtocolUnsupported {
            proxy_url: Box::new(format!("ftp://user:{SECRET}@proxy").parse().unwrap()),
        },
        E::InferKubeconfig(::kube::config::KubeconfigError::Parse(Box::new(yaml()))),
    ]
}

fn requests() -> Vec<Error> {
    let refusals = [
        (404, "NotFound"),
        (409, "AlreadyExists"),
        (409, "Conflict"),
        (422, "Invalid"),
        (403, "Forbidden"),
        (401, "Unauthorized"),
        (410, "Expired"),
        (429, "TooManyRequests"),
        (504, "Timeout"),
        (503, "ServiceUnavailable"),
        (400, "BadRequest"),
    ];
    let mut errors: Vec<_> = refusals
        .into_iter()
        .map(|(code, reason)| refusal(code, reason).into_error())
        .collect();
    let mut not_served = refusal(404, "NotFound");
    not_served.status.details = None;
    errors.push(not_served.into_error());
    let target = || Box::new(target());
    errors.extend([
        Error::InvalidName {
            target: target(),
            name: "a/b".into(),
            reason: "it is a path",
        },
        Error::InvalidSelector {
            target: target(),
            source: selector_error(),
        },
        Error::Nameless { target: target() },
        Error::Encode {
            target: target(),
            source: <serde_json::Error as serde::ser::Error>::custom(SECRET).into(),
        },
        Error::Decode(Box::new(undecodable())),
        Error::Unexpected {
            target: target(),
            mismatch: Box::new(Mismatch::new("a", "b")),
        },
        Error::DeadlineExceeded {
            target: target(),
            phase: Phase::Answer,
            limit: Duration::ZERO,
        },
        Error::TooLarge {
            target: target(),
            limit: Limit::Object,
            allowed: 0,
        },
    ]);
    errors.extend(of_kube().into_iter().map(|source| Error::Transport {
        target: target(),
        source: source.into(),
    }));
    errors
}

fn selector_error() -> FieldValueError {
    let object = json!({ "a": SECRET });
    let value = value::Value::<value::StringField, _>::new(object);
    let error = value::OtherValue::text(value).unwrap_err();
    FieldValueError::new("spec.a", &error)
}

const IN_CHILD: &str = "CRDKIT_TEST_HAS_NO_CLUSTER";

/// A kubeconfig is looked for where the environment of a process says, so it takes a process.
#[tokio::test]
async fn connecting_is_silent() {
    if std::env::var_os(IN_CHILD).is_none() {
        return connecting_is_silent_in_child();
    }
    let config = Client::try_default().await.unwrap_err();
    assert!(
        config.to_string().contains("it cannot be parsed at line"),
        "{config}"
    );
    let mut errors: Vec<_> = of_kube().into_iter().map(ConnectError::from).collect();
    errors.extend([config, ConnectError::NoRuntime]);
    let mut tried = BTreeSet::new();
    for error in &errors {
        assert_silent(error);
        tried.insert(match error {
            ConnectError::NoConfig(error) => {
                assert_silent(error);
                assert!(format!("{:?}", error.unredacted()).contains("token"));
                "NoConfig"
            }
            ConnectError::Unusable(_) => "Unusable",
            ConnectError::NoRuntime => "NoRuntime",
        });
    }
    assert_eq!(tried.len(), 3);
}

fn connecting_is_silent_in_child() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("config");
    let config = format!("users:\n- name: a\n  user: {{ token: [{SECRET}\n{CERTIFICATE}");
    fs::write(&path, config).unwrap();
    let child = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "client::error::secrets::connecting_is_silent"])
        .env("KUBECONFIG", &path)
        .env("HOME", folder.path())
        .env(IN_CHILD, "1")
        .env_remove("KUBERNETES_SERVICE_HOST")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&child.stdout);
    assert!(
        child.status.success() && said.contains("1 passed"),
        "{said}"
    );
}

fn applies() -> Vec<ApplyError> {
    vec![
        ApplyError::Conflicts(Box::new(refusal(409, "Conflict"))),
        ApplyError::NoFieldManager {
            target: Box::new(target()),
        },
        ApplyError::Request(refusal(422, "Invalid").into_error()),
    ]
}

fn deletions() -> Vec<DeleteError> {
    vec![
        DeleteError::StillThere {
            target: Box::new(target()),
            limit: Duration::ZERO,
            finalizers: vec!["a/b".into()],
        },
        DeleteError::Request(refusal(409, "Conflict").into_error()),
    ]
}

fn updates() -> Vec<Cancelled> {
    vec![
        // These are the words of the program.
        UpdateError::CalledOff("no".into()),
        UpdateError::StillConflicting {
            attempts: 3,
            refusal: Box::new(refusal(409, "Conflict")),
        },
        UpdateError::Request(refusal(409, "Conflict").into_error()),
    ]
}

fn owners() -> Vec<OwnerError> {
    vec![
        OwnerError::Unsaved { kind: "Pod".into() },
        OwnerError::OtherNamespace {
            owner: "a".into(),
            child: None,
        },
        OwnerError::Controlled {
            kind: "Pod".into(),
            name: "a".into(),
        },
    ]
}

fn discovery() -> Vec<DiscoveryError> {
    let wanted = || Box::new(Wanted::from("vm"));
    let unavailable = || {
        vec![Unavailable {
            group: "a".into(),
            version: "v1".into(),
            reason: refusal(503, "ServiceUnavailable").into_error().to_string(),
        }]
    };
    vec![
        DiscoveryError::Unknown {
            wanted: wanted(),
            nearest: None,
            unavailable: unavailable(),
        },
        DiscoveryError::NotServed {
            wanted: wanted(),
            versions: vec![],
        },
        DiscoveryError::Ambiguous {
            wanted: wanted(),
            candidates: vec![],
        },
        DiscoveryError::UnknownCategory {
            category: "all".into(),
            unavailable: unavailable(),
        },
        DiscoveryError::Request(Error::Decode(Box::new(undecodable()))),
    ]
}

fn installing() -> Vec<InstallError> {
    let crd = || "vms.example.com".to_owned();
    vec![
        InstallError::DataLoss(vec![Loss::Plural {
            crd: crd(),
            old: crd(),
        }]),
        InstallError::NamesConflict {
            crd: crd(),
            reason: "ShortNamesConflict".into(),
            message: "\"vm\" is already in use".into(),
        },
        InstallError::NotServed {
            crd: crd(),
            obstacle: refusal(404, "NotFound").into_error().to_string(),
            limit: Duration::ZERO,
        },
        InstallError::Twice { crd: crd() },
        InstallError::Nameless { kind: "Vm".into() },
        InstallError::Unwritable {
            crd: crd(),
            source: json_error::<u8>(json!(SECRET)),
        },
        InstallError::Apply(ApplyError::Request(refusal(422, "Invalid").into_error())),
        InstallError::Delete(DeleteError::Request(refusal(409, "Conflict").into_error())),
        InstallError::Request(refusal(500, "").into_error()),
    ]
}

fn paths() -> Vec<PathError> {
    let object: Unstructured = serde_json::from_value(json!({
        "spec": { "password": SECRET, "list": [SECRET] },
    }))
    .unwrap();
    vec![
        object.get_str("spec..a").unwrap_err(),
        object.get_str("spec.list[3]").unwrap_err(),
        object.get_i64("spec.password").unwrap_err(),
        object.get_as::<u8>("spec.password").unwrap_err(),
        object.get_str("metadata.name").unwrap_err(),
    ]
}

fn scopes() -> Vec<ScopeError> {
    let resource = || "vms.example.com".to_owned();
    vec![
        ScopeError::Namespaced {
            resource: resource(),
        },
        ScopeError::Cluster {
            resource: resource(),
        },
    ]
}

fn schemes() -> Vec<DecodeError> {
    let scheme = Scheme::new().register::<ConfigMap>().unwrap();
    let config = |data: &str| {
        format!(
            r#"{{"apiVersion":"v1","kind":"ConfigMap","metadata":{{"name":"a"}},"data":{data}}}"#
        )
    };
    let secret = format!(r#"{{"apiVersion":"v1","kind":"Secret","data":{{"a":"{SECRET}"}}}}"#);
    let list = format!(r#"{{"apiVersion":"v1","kind":"List","items":[{secret}]}}"#);
    let empty = r#"{"apiVersion":"v1","kind":"List","items":[]}"#;
    let of_json = |json: &str| scheme.decode(json.as_bytes()).unwrap_err();
    let of_yaml = |yaml: &str| scheme.decode_yaml(yaml).unwrap_err();
    vec![
        of_json(&format!("\"{SECRET}\"")),
        of_json(&format!("{{\"a\": {SECRET}")),
        of_json(&format!(r#"{{"kind":["{SECRET}"]}}"#)),
        of_yaml(&format!("a: {SECRET}\nb: [")),
        of_yaml(&format!("token: {SECRET}\ntoken: {SECRET}")),
        of_yaml(&format!("a: !!int {SECRET}")),
        of_yaml(&format!("? {SECRET}\n\t: a")),
        of_json(&format!(r#"{{"data":"{SECRET}"}}"#)),
        of_json(&secret),
        of_json(&list),
        of_json(&config(&format!("\"{SECRET}\""))),
        of_json(empty),
    ]
}

fn labels() -> Vec<InvalidLabel> {
    let none: [&str; 0] = [];
    let value = format!("{SECRET} !");
    vec![
        Labels::new().exists("a b").unwrap_err(),
        Labels::new().equal("a", &value).unwrap_err(),
        Labels::new().one_of("a", none).unwrap_err(),
        InvalidLabel::UselessValues("a".into()),
        InvalidLabel::Operator {
            key: "a".into(),
            operator: "Like".into(),
        },
    ]
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
        if let DecodeError::Unfit(unfit) = error {
            let unfit: Unfit = *unfit;
            assert_silent(&unfit);
        }
    }
    for error in of_kube() {
        assert_silent(&KubeError::from(error));
    }
}

/// A type whose own words hold the value.
#[derive(Debug)]
struct IgnoredAnyOf;

impl<'de> serde::Deserialize<'de> for IgnoredAnyOf {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        IgnoredAny::deserialize(deserializer)?;
        Err(serde::de::Error::custom(format!("{SECRET} is too weak")))
    }
}

#[test]
fn debug_of_what_is_sent_is_silent() {
    let silent = |it: &dyn Debug| {
        let text = format!("{it:?} {it:#?}");
        assert!(!text.contains(SECRET), "{text}");
    };
    silent(&Patch::merge(&json!({ "data": { "key": SECRET } })).unwrap());
    let content = json!({ "data": { "key": SECRET } }).to_string();
    silent(&Request::object(Verb::Update, "web").content("application/json", content.clone()));
    let line = format!("{{\"type\":\"ADDED\",\"object\":{content}}}");
    silent(&crate::client::watch::line(line.as_bytes()).unwrap());
    let metadata =
        serde_json::from_value(json!({ "name": "web", "annotations": { "key": SECRET } }));
    silent(&Deleted::Going(Box::new(metadata.unwrap())));
}

/// Answers of all kinds, as they come from the network.
#[tokio::test]
async fn answers_are_not_repeated() {
    let object = |data: Value| json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "web" }, "data": data });
    let unfit = object(json!({ "key": 1, "password": [SECRET] }));
    let status = json!({ "kind": "Status", "apiVersion": "v1", "status": "Failure", "code": 422, "reason": "Invalid",
        "message": format!("data.key: Invalid value: \"{SECRET}\": no") });
    for reply in [
        Reply::exactly(200, &unfit),
        Reply::exactly(200, &json!({ "token": SECRET })),
        Reply::exactly(
            200,
            &json!({ "kind": format!("{SECRET}: {SECRET}"), "apiVersion": "v1" }),
        ),
        Reply::exactly(200, &json!(SECRET)),
        Reply::text(200, &format!("<html>{SECRET}</html>")),
        Reply::text(
            200,
            &format!("{{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"a\":\"{SECRET}"),
        ),
        Reply::exactly(422, &status),
        Reply::text(502, &format!("<html>Authorization: Bearer {SECRET}</html>")),
        Reply::text(500, SECRET),
        Reply::exactly(403, &json!({ "code": 403, "message": SECRET })),
        Reply::exactly(400, &unfit),
    ] {
        let mock = Mock::new([reply]);
        let configs = mock.client().resources::<ConfigMap>().default_namespace();
        assert_silent(&configs.get("web").await.unwrap_err());
    }
}

#[test]
fn what_is_left_out_is_at_hand() {
    let error = refusal(422, "Invalid").into_error();
    assert!(error.status().unwrap().message.contains(SECRET));
    let cause = error.refusal().unwrap().causes().next().unwrap();
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
