use std::{collections::HashSet, path::Path, sync::Mutex as StdMutex};

use http_body_util::BodyExt;
use tempfile::TempDir;

use super::*;

/// A server that accepts one token and records all tokens.
#[derive(Clone, Default)]
struct Server(Arc<StdMutex<(String, Vec<String>)>>);

impl Server {
    fn accept(&self, token: &str) {
        self.0.lock().unwrap().0 = format!("Bearer {token}");
    }

    fn seen(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock().unwrap().1)
    }

    fn service(&self) -> Service {
        let server = self.clone();
        Service::new(service_fn(move |request: Request<Body>| {
            let server = server.clone();
            async move {
                let token = request.headers()[AUTHORIZATION].to_str().unwrap().to_owned();
                let body = request.into_body().collect_bytes().await?;
                let mut state = server.0.lock().unwrap();
                let status = if token == state.0 { 200 } else { 401 };
                state.1.push(token.trim_start_matches("Bearer ").to_owned());
                let body = http_body_util::Full::new(body).map_err(BoxError::from);
                Ok(Response::builder().status(status).body(body.boxed_unsync()).unwrap())
            }
        }))
    }
}

fn credentials(auth: &mut AuthInfo) -> Credentials {
    match Credentials::load(auth).unwrap() {
        Some(LoadedCredentials::Token(credentials)) => credentials,
        _ => panic!("there is no token"),
    }
}

fn in_file(file: &Path) -> AuthInfo {
    AuthInfo { token_file: Some(file.display().to_string()), ..AuthInfo::default() }
}

/// Sends a request with a body, which the server echoes, and returns the status code.
async fn send(service: &Service) -> u16 {
    let request = Request::new(Body::from(b"body".to_vec()));
    let response = service.clone().oneshot(request).await.unwrap();
    let status = response.status().as_u16();
    let body = response.into_body().collect().await.unwrap().to_bytes();
    assert_eq!(body, "body");
    status
}

#[tokio::test]
async fn token_file_is_read_again_after_a_rejected_token() {
    let dir = TempDir::new().unwrap();
    let file = dir.path().join("token");
    fs::write(&file, "old\n").unwrap();
    let server = Server::default();
    server.accept("old");
    let service = credentials(&mut in_file(&file)).wrap(server.service());
    assert_eq!(send(&service).await, 200);
    fs::write(&file, "new\n").unwrap();
    assert_eq!(send(&service).await, 200);
    assert_eq!(server.seen(), ["old", "old"], "it is read if need be");
    server.accept("new");
    assert_eq!(send(&service).await, 200);
    assert_eq!(send(&service).await, 200);
    assert_eq!(server.seen(), ["old", "new", "new"]);
    server.accept("newest");
    assert_eq!(send(&service).await, 401);
    assert_eq!(server.seen(), ["new"], "the same token is not sent again");
    fs::remove_file(&file).unwrap();
    assert_eq!(send(&service).await, 401);
}

#[tokio::test]
async fn empty_token_is_rejected() {
    let dir = TempDir::new().unwrap();
    let file = dir.path().join("token");
    fs::write(&file, "old").unwrap();
    let credentials = credentials(&mut in_file(&file));
    fs::write(&file, "\n").unwrap();
    tokio::time::pause();
    tokio::time::advance(FILE_INTERVAL).await;
    assert_eq!(credentials.current().await.unwrap(), "Bearer old");
    let mut plugin = plugin(dir.path(), &json!({ "token": " " }));
    for auth in [&mut in_file(&file), &mut plugin] {
        let made = Credentials::load(auth);
        assert!(matches!(made, Err(AuthError::UnrefreshableTokenResponse)));
    }
}

#[tokio::test]
async fn token_file_is_read_again_and_may_disappear() {
    let dir = TempDir::new().unwrap();
    let file = dir.path().join("token");
    fs::write(&file, "old").unwrap();
    let credentials = credentials(&mut in_file(&file));
    fs::write(&file, "new").unwrap();
    tokio::time::pause();
    tokio::time::advance(FILE_INTERVAL - Duration::from_secs(1)).await;
    assert_eq!(credentials.current().await.unwrap(), "Bearer old");
    tokio::time::advance(Duration::from_secs(2)).await;
    assert_eq!(credentials.current().await.unwrap(), "Bearer new");
    fs::remove_file(&file).unwrap();
    tokio::time::advance(2 * FILE_INTERVAL).await;
    assert_eq!(credentials.current().await.unwrap(), "Bearer new");
}

#[tokio::test]
async fn a_token_file_takes_precedence_over_a_token() {
    let dir = TempDir::new().unwrap();
    let file = dir.path().join("token");
    let both = || {
        let auth = json!({ "tokenFile": file, "token": "given" });
        serde_json::from_value::<AuthInfo>(auth).unwrap()
    };
    fs::write(&file, "old").unwrap();
    let server = Server::default();
    server.accept("old");
    let service = credentials(&mut both()).wrap(server.service());
    assert_eq!(send(&service).await, 200);
    fs::write(&file, "new").unwrap();
    server.accept("new");
    assert_eq!(send(&service).await, 200);
    assert_eq!(server.seen(), ["old", "old", "new"]);

    fs::remove_file(&file).unwrap();
    let service = credentials(&mut both()).wrap(server.service());
    server.accept("given");
    assert_eq!(send(&service).await, 200);
    fs::write(&file, "newer").unwrap();
    server.accept("newer");
    assert_eq!(send(&service).await, 200);
    assert_eq!(server.seen(), ["given", "given", "newer"]);
}

/// A plugin that prints the content of a file and counts its runs.
fn plugin(dir: &Path, status: &serde_json::Value) -> AuthInfo {
    print(dir, status);
    let (script, printed) = (dir.join("plugin"), dir.join("printed"));
    fs::write(&script, format!("echo >> {0}.runs\ncat {0}\n", printed.display())).unwrap();
    // A shell reads it: executed, it could be busy, because a process that another test starts may have it open for writing.
    let config = json!({ "command": "sh", "args": [script], "interactiveMode": "Never" });
    AuthInfo { exec: Some(serde_json::from_value(config).unwrap()), ..AuthInfo::default() }
}

fn print(dir: &Path, status: &serde_json::Value) {
    fs::write(dir.join("printed"), json!({ "status": status }).to_string()).unwrap();
}

fn runs(dir: &Path) -> usize {
    let runs = fs::read_to_string(dir.join("printed.runs"));
    runs.unwrap_or_default().lines().count()
}

#[tokio::test]
async fn plugin_runs_again_after_a_rejected_token_at_a_limited_rate() {
    let dir = TempDir::new().unwrap();
    let mut auth = plugin(dir.path(), &json!({ "token": "old" }));
    let server = Server::default();
    server.accept("new");
    let credentials = credentials(&mut auth);
    let service = credentials.clone().wrap(server.service());
    print(dir.path(), &json!({ "token": "new" }));
    assert_eq!(send(&service).await, 401);
    assert_eq!(runs(dir.path()), 1);
    credentials.token.lock().await.since -= PLUGIN_INTERVAL;
    assert_eq!(send(&service).await, 200);
    server.accept("newest");
    for _ in 0..3 {
        assert_eq!(send(&service).await, 401);
    }
    assert_eq!(runs(dir.path()), 2);
}

/// Credentials with the token `first` from a plugin, which is due for renewal.
fn expiring_soon(dir: &Path) -> Credentials {
    let soon = (Timestamp::now() + Duration::from_secs(30)).to_string();
    let first = json!({ "token": "first", "expirationTimestamp": soon });
    credentials(&mut plugin(dir, &first))
}

#[tokio::test]
async fn plugin_runs_again_before_its_token_expires() {
    let dir = TempDir::new().unwrap();
    let credentials = expiring_soon(dir.path());
    credentials.token.lock().await.since -= PLUGIN_INTERVAL;
    let second = json!({ "token": "second", "expirationTimestamp": "2099-01-01T00:00:00Z" });
    print(dir.path(), &second);
    let all: HashSet<_> = futures_util::future::join_all((0..8).map(|_| credentials.current()))
        .await
        .into_iter()
        .map(Result::unwrap)
        .collect();
    assert_eq!(all, HashSet::from([HeaderValue::from_static("Bearer second")]));
    assert_eq!(runs(dir.path()), 2);
}

#[tokio::test]
async fn token_is_used_until_it_expires_if_its_plugin_fails() {
    let dir = TempDir::new().unwrap();
    let credentials = expiring_soon(dir.path());
    print(dir.path(), &json!({}));
    credentials.token.lock().await.since -= PLUGIN_INTERVAL;
    for _ in 0..3 {
        assert_eq!(credentials.current().await.unwrap(), "Bearer first");
    }
    assert_eq!(runs(dir.path()), 2);
    credentials.token.lock().await.expires = Some(Timestamp::now());
    let error = credentials.current().await.unwrap_err();
    assert!(matches!(error, kube::Error::Auth(_)), "{error}");
}

#[tokio::test]
async fn plugin_runs_once_even_if_callers_are_dropped() {
    let dir = TempDir::new().unwrap();
    let first = json!({ "token": "first", "expirationTimestamp": Timestamp::now().to_string() });
    let mut auth = plugin(dir.path(), &first);
    let credentials = credentials(&mut auth);
    let second = json!({ "token": "second", "expirationTimestamp": "2099-01-01T00:00:00Z" });
    print(dir.path(), &second);
    let script = fs::read_to_string(dir.path().join("plugin")).unwrap();
    let slow = script.replace("cat", "sleep 0.5; cat");
    fs::write(dir.path().join("plugin"), slow).unwrap();
    for _ in 0..3 {
        let limit = Duration::from_millis(50);
        let waiting = tokio::time::timeout(limit, credentials.current()).await;
        assert!(waiting.is_err());
    }
    assert_eq!(credentials.current().await.unwrap(), "Bearer second");
    assert_eq!(runs(dir.path()), 2);
}

#[tokio::test]
async fn hanging_plugin_is_an_error() {
    let config = json!({ "command": "sleep", "args": ["60"], "interactiveMode": "Never" });
    let mut auth = AuthInfo { exec: Some(serde_json::from_value(config).unwrap()), ..AuthInfo::default() };
    let start = Instant::now();
    let made = Credentials::load_within(Duration::from_millis(100), &mut auth);
    assert!(matches!(made, Err(AuthError::AuthExecStart(_))));
    assert!(start.elapsed() < Duration::from_secs(20));
}

#[tokio::test]
async fn certificates_of_a_plugin_are_set_in_the_configuration() {
    let dir = TempDir::new().unwrap();
    let status = json!({
        "clientCertificateData": "certificate", "clientKeyData": "key", "expirationTimestamp": "2099-01-01T00:00:00Z",
    });
    let mut auth = plugin(dir.path(), &status);
    let made = Credentials::load(&mut auth).unwrap();
    let Some(LoadedCredentials::Certificate(Some(expires))) = made else {
        panic!("it is not a certificate");
    };
    assert_eq!(expires.to_string(), "2099-01-01T00:00:00Z");
    assert!(auth.exec.is_none());
    let auth = serde_json::to_value(&auth).unwrap();
    assert_eq!(auth["client-certificate-data"], json!(ByteString(b"certificate".to_vec())));
    assert_eq!(auth["client-key-data"], json!(ByteString(b"key".to_vec())));
}

#[test]
fn other_credentials_are_left_to_kube() {
    let mut token = AuthInfo { token: Some(String::from("fixed").into()), ..AuthInfo::default() };
    for auth in [&mut token, &mut AuthInfo::default()] {
        assert!(Credentials::load(auth).unwrap().is_none());
    }
    assert!(token.token.is_some());
    let missing = Credentials::load(&mut in_file(Path::new("/nowhere")));
    assert!(matches!(missing, Err(AuthError::ReadTokenFile(..))));
}

#[test]
fn kube_has_only_a_token_file_that_it_can_read() {
    let dir = TempDir::new().unwrap();
    let file = dir.path().join("token");
    let mut auth = AuthInfo { token: Some(String::from("fixed").into()), ..in_file(&file) };
    prefer_file(&mut auth);
    assert!(auth.token.is_some());
    fs::write(&file, "new").unwrap();
    prefer_file(&mut auth);
    assert!(auth.token.is_none() && auth.token_file.is_some());
}
