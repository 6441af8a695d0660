//! Errors of kube that cause transport errors.

use std::{
    fs, io,
    os::unix::process::ExitStatusExt,
    process::{ExitStatus, Output},
};

use super::*;
use crate::client::Client;

/// Errors of kube that contain secrets.
pub(super) fn from_kube() -> Vec<::kube::Error> {
    use ::kube::{Error as E, client::AuthError as A};
    let output = Output {
        status: ExitStatus::from_raw(256),
        stdout: format!("token: {SECRET}").into(),
        stderr: CERTIFICATE.into(),
    };
    let plugin = || A::AuthExecRun { cmd: format!("login --token={SECRET}"), out: Box::new(output.clone()) };
    let yaml = || serde_saphyr::from_str::<u8>(&format!("token: {SECRET}\na: [")).unwrap_err();
    let custom = || io::Error::other(format!("Authorization: Bearer {SECRET}"));
    vec![
        E::Auth(plugin()),
        E::Service(Box::new(E::Auth(plugin()))),
        E::Service(Box::new(plugin())),
        E::Auth(A::AuthExecStart(custom())),
        E::Service(Box::new(A::AuthExec(SECRET.into()))),
        E::Service(Box::new(A::AuthExecParse(Box::new(yaml())))),
        E::Service(format!("header x: {SECRET}").into()),
        E::Service(Box::new(custom())),
        E::Service(Box::new(io::Error::new(io::ErrorKind::InvalidData, custom()))),
        E::ReadEvents(custom()),
        E::Api(Box::new(status_error(422, "Invalid").status)),
        E::SerdeError(serde_json::from_value::<u8>(json!(SECRET)).unwrap_err()),
        E::FromUtf8(String::from_utf8([SECRET.as_bytes(), &[0xff]].concat()).unwrap_err()),
        E::HttpError(http::Request::get(format!("http://{SECRET} /")).body(()).unwrap_err()),
        E::ProxyProtocolUnsupported { proxy_url: Box::new(format!("ftp://user:{SECRET}@proxy").parse().unwrap()) },
        E::InferKubeconfig(::kube::config::KubeconfigError::Parse(Box::new(yaml()))),
    ]
}

const IN_CHILD: &str = "CRDKIT_TEST_HAS_NO_CLUSTER";

/// The location of the kubeconfig depends on the environment of the process, so this requires a separate process.
#[tokio::test]
async fn connecting_contains_no_secrets() {
    if std::env::var_os(IN_CHILD).is_none() {
        return connecting_contains_no_secrets_in_child();
    }
    let config = Client::try_default().await.unwrap_err();
    assert!(config.to_string().contains("it cannot be parsed at line"), "{config}");
    let mut errors: Vec<_> = from_kube().into_iter().map(ConnectError::from).collect();
    errors.extend([config, ConnectError::NoRuntime]);
    let mut tried = BTreeSet::new();
    for error in &errors {
        assert_no_secrets(error);
        tried.insert(match error {
            ConnectError::NoConfig(error) => {
                assert_no_secrets(error);
                assert!(format!("{:?}", error.unredacted().unwrap()).contains("token"));
                "NoConfig"
            }
            ConnectError::InvalidConfig(_) => "InvalidConfig",
            ConnectError::Refused { .. } => "Refused",
            ConnectError::NoRuntime => "NoRuntime",
        });
    }
    assert_eq!(tried.len(), 3);
}

fn connecting_contains_no_secrets_in_child() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("config");
    let config = format!("users:\n- name: a\n  user: {{ token: [{SECRET}\n{CERTIFICATE}");
    fs::write(&path, config).unwrap();
    let child = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "client::error::secrets::transport::connecting_contains_no_secrets"])
        .env("KUBECONFIG", &path)
        .env("HOME", folder.path())
        .env(IN_CHILD, "1")
        .env_remove("KUBERNETES_SERVICE_HOST")
        .output()
        .unwrap();
    let message = String::from_utf8_lossy(&child.stdout);
    assert!(child.status.success() && message.contains("1 passed"), "{message}");
}

const QUOTES_VALUES: &str = "CRDKIT_TEST_QUOTES_VALUES";

/// This requires a separate process too.
#[tokio::test]
async fn a_variable_makes_default_clients_quote_values() {
    if std::env::var_os(QUOTES_VALUES).is_none() {
        return a_variable_makes_default_clients_quote_values_in_child();
    }
    let expected = std::env::var(QUOTES_VALUES).unwrap() == "true";
    assert_eq!(Client::try_default().await.unwrap().options.quotes_values, expected);
}

fn a_variable_makes_default_clients_quote_values_in_child() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("config");
    let config = "{clusters: [{name: a, cluster: {server: 'https://a'}}], \
                  contexts: [{name: a, context: {cluster: a}}], current-context: a}";
    fs::write(&path, config).unwrap();
    for value in ["", "0", "1"] {
        let child = std::process::Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "client::error::secrets::transport::a_variable_makes_default_clients_quote_values"])
            .env("KUBECONFIG", &path)
            .env("CRDKIT_QUOTE_VALUES", value)
            .env(QUOTES_VALUES, (value == "1").to_string())
            .output()
            .unwrap();
        let message = String::from_utf8_lossy(&child.stdout);
        assert!(child.status.success() && message.contains("1 passed"), "{value}: {message}");
    }
}
