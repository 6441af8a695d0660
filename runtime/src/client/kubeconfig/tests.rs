use std::{fs, path::Path};

use serde_json::{Value, json};
use tempfile::TempDir;

use super::*;

fn kubeconfig() -> Value {
    json!({
        "apiVersion": "v1", "kind": "Config", "current-context": "c",
        "contexts": [{ "name": "c", "context": { "cluster": "k", "user": "u" } }],
        "clusters": [{ "name": "k", "cluster": { "server": "https://127.0.0.1:1" } }],
        "users": [{ "name": "u", "user": { "token": "t" } }],
    })
}

/// Returns the configuration, or why it is refused, for a kubeconfig with changes by JSON pointer.
fn loaded(changes: &[(&str, Value)]) -> Result<Config, String> {
    let mut kubeconfig = kubeconfig();
    for (pointer, value) in changes {
        let (parent, name) = pointer.rsplit_once('/').unwrap();
        let parent = kubeconfig.pointer_mut(parent).unwrap();
        match parent {
            Value::Array(items) => items.push(value.clone()),
            parent => parent[name] = value.clone(),
        }
    }
    of_current_context(serde_json::from_value(kubeconfig).unwrap()).map_err(|error| error.to_string())
}

#[track_caller]
fn assert_refused(changes: &[(&str, Value)], reason: &str) {
    assert_eq!(loaded(changes).err().unwrap(), format!("invalid cluster configuration: {reason}"));
}

#[test]
fn what_kubectl_refuses_is_refused() {
    const USER: &str = "/users/0/user";
    const CLUSTER: &str = "/clusters/0/cluster";
    let user = |value| (USER, value);
    let cluster = |value| (CLUSTER, value);
    let exec = |value: Value| user(json!({ "exec": value }));
    let server = "https://127.0.0.1:1";
    for (change, reason) in [
        (("/current-context", json!("x")), "context was not found for specified context: x"),
        (("/contexts/0/context/cluster", json!("x")), r#"cluster "x" was not found for context "c""#),
        (("/clusters/-", json!({ "name": "k" })), r#"duplicate name "k" in list of clusters"#),
        (("/users/-", json!({ "name": "u" })), r#"duplicate name "u" in list of users"#),
        (cluster(json!({ "server": "" })), r#"no server found for cluster "k""#),
        (
            cluster(json!({ "server": server, "certificate-authority": "/none" })),
            "unable to read certificate-authority /none for k due to entity not found",
        ),
        (
            cluster(json!({ "server": server, "certificate-authority": "/", "certificate-authority-data": "YQ==" })),
            "certificate-authority-data and certificate-authority are both specified for k. \
             certificate-authority-data will override.",
        ),
        (
            cluster(json!({
                "server": server, "certificate-authority-data": "YQ==", "insecure-skip-tls-verify": true,
            })),
            INSECURE,
        ),
        (
            user(json!({ "token": "t", "username": "a", "password": "b" })),
            "more than one authentication method found for u; found [token basicAuth], only one is allowed",
        ),
        (
            user(json!({ "client-certificate-data": "YQ==" })),
            "client-key-data or client-key must be specified for u to use the clientCert authentication method.",
        ),
        (
            user(json!({ "client-certificate-data": "YQ==", "client-key-data": "YQ==", "client-key": "/" })),
            "client-key-data and client-key are both specified for u; client-key-data will override",
        ),
        (
            user(json!({ "client-certificate": "/none", "client-key-data": "YQ==" })),
            "unable to read client-cert /none for u due to entity not found",
        ),
        (
            user(json!({ "as-groups": ["a"] })),
            "requesting uid, groups or user-extra for u without impersonating a user",
        ),
        (
            exec(json!({ "command": "a", "apiVersion": "client.authentication.k8s.io/v1" })),
            "interactiveMode must be specified for u to use exec authentication plugin",
        ),
        (
            exec(json!({ "command": "", "apiVersion": "client.authentication.k8s.io/v1beta1" })),
            "command must be specified for u to use exec authentication plugin",
        ),
        (
            user(json!({
                "exec": { "command": "a", "apiVersion": "client.authentication.k8s.io/v1beta1" },
                "auth-provider": { "name": "oidc" },
            })),
            "authProvider cannot be provided in combination with an exec plugin for u",
        ),
    ] {
        assert_refused(&[change], reason);
    }
}

const INSECURE: &str = "specifying a root certificates file with the insecure flag is not allowed";

#[test]
fn all_reasons_are_given() {
    let token = ("/users/0/user", json!({ "token": "t", "username": "a", "as-uid": "1" }));
    let reasons = loaded(&[("/clusters/0/cluster", json!({})), token]).err().unwrap();
    assert_eq!(reasons.matches("; ").count(), 3, "{reasons}");
}

#[test]
fn credentials_are_not_sent_without_tls() {
    let user = json!({
        "token": "t", "tokenFile": "/none", "client-certificate-data": "YQ==", "client-key-data": "YQ==",
        "auth-provider": { "name": "oidc" }, "as": "jane", "as-groups": ["a"], "as-uid": "1", "as-user-extra": { "a": ["b"] },
    });
    let basic = json!({ "username": "a", "password": "b" });
    let plugin = json!({
        "exec": { "command": "/none", "apiVersion": "client.authentication.k8s.io/v1beta1" },
    });
    let user_of = |server: &str, user: &Value| {
        let changes = [("/clusters/0/cluster/server", json!(server)), ("/users/0/user", user.clone())];
        serde_json::to_value(loaded(&changes).unwrap().auth_info).unwrap()
    };
    for user in [&user, &basic, &plugin] {
        let kept = user_of("https://127.0.0.1:1", user);
        assert!(user.as_object().unwrap().keys().all(|field| kept.get(field).is_some()), "{kept}");
        let kept = user_of("http://127.0.0.1:1", user);
        let mut fields: Vec<_> = kept.as_object().unwrap().keys().map(String::as_str).collect();
        fields.sort_unstable();
        let expected = ["as", "as-groups", "as-uid", "as-user-extra"].into_iter();
        assert_eq!(fields, expected.filter(|field| user.get(field).is_some()).collect::<Vec<_>>());
    }
}

#[test]
fn what_kubectl_accepts_is_accepted() {
    for changes in [
        vec![],
        vec![("/users/0/user", json!({ "token": "", "username": "a", "password": "b" }))],
        vec![("/users/0/user", json!({ "token": "a", "tokenFile": "/none" }))],
        vec![("/contexts/0/context/user", json!("missing"))],
        vec![("/users/0/user", json!({ "as": "a", "as-uid": "1", "as-groups": ["b"] }))],
        vec![(
            "/users/0/user",
            json!({
                "exec": { "command": "a", "apiVersion": "client.authentication.k8s.io/v1beta1" },
            }),
        )],
        // Only the current context counts.
        vec![("/users/-", json!({ "name": "other", "user": { "token": "t", "username": "a" } }))],
        vec![("/clusters/-", json!({ "name": "other", "cluster": {} }))],
    ] {
        loaded(&changes).unwrap_or_else(|error| panic!("{changes:?}: {error}"));
    }
    let cluster = json!({
        "server": "https://127.0.0.1:1", "certificate-authority-data": "", "insecure-skip-tls-verify": true,
    });
    let config = loaded(&[("/clusters/0/cluster", cluster), ("/contexts/0/context/namespace", json!(""))]).unwrap();
    assert_eq!((config.root_cert, &*config.default_namespace), (None, "default"));
}

#[tokio::test]
async fn an_authority_that_is_no_pem_is_refused() {
    let refused = |cluster: Value| {
        let config = loaded(&[("/clusters/0/cluster", cluster)]).unwrap();
        crate::Client::try_from(config).err().map(|error| error.to_string())
    };
    // `aGVsbG8K` is `hello`.
    let reason = refused(json!({ "server": "https://127.0.0.1:1", "certificate-authority-data": "aGVsbG8K" }));
    let expected = "invalid cluster configuration: unable to load root certificates: no valid certificate authority data \
                    seen";
    assert_eq!(reason.as_deref(), Some(expected));
    assert_eq!(refused(json!({ "server": "https://127.0.0.1:1" })), None);
}

fn write(folder: &Path, name: &str, content: &Value) -> PathBuf {
    let path = folder.join(name);
    fs::write(&path, content.to_string()).unwrap();
    path
}

#[test]
fn missing_files_of_a_list_are_skipped() {
    let folder = TempDir::new().unwrap();
    let missing = folder.path().join("missing");
    let first = write(folder.path(), "first", &json!({ "current-context": "", "users": kubeconfig()["users"] }));
    let mut rest = kubeconfig();
    rest["users"][0]["user"]["token"] = json!("later");
    let second = write(folder.path(), "second", &rest);
    assert!(read_all(std::slice::from_ref(&missing)).unwrap().is_none());
    let merged = read_all(&[missing.clone(), first, missing, second]).unwrap().unwrap();
    assert_eq!(merged.current_context.as_deref(), Some("c"));
    assert_eq!(merged.auth_infos.len(), 1);
    let user = serde_json::to_value(&merged.auth_infos[0]).unwrap();
    assert_eq!(user["user"]["token"], "t", "the first file has precedence");
    of_current_context(merged).unwrap();
    let broken = folder.path().join("broken");
    fs::write(&broken, "a: [").unwrap();
    assert!(matches!(read_all(&[broken]), Err(KubeconfigError::Parse(_))));
}

#[test]
fn without_a_kubeconfig_the_error_names_the_files() {
    let error = ConfigError::missing(vec!["/a".into(), "/b".into()]);
    let text = "there is no kubeconfig at `/a`, `/b`, and the process does not run in a pod with a service account";
    assert_eq!(error.to_string(), text);
}
