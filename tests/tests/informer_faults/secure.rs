//! Over TLS: cut and half-open connections, renewed certificates and tokens.

mod certificates;
mod cuts;

use std::{fs, path::PathBuf, sync::Arc, time::Duration};

use crdkit::{
    Client,
    informer::{Informer, Informers, Problem, Problems, WatchError},
    kube::Config,
};
use crdkit_tests::{
    Forwarder,
    apiserver::{ApiServer, Content, Settings, Streaming},
    faults::Faults,
    tls::{Identity, authority},
};
use serde_json::json;
use tempfile::TempDir;
use tokio::time::{Instant, sleep, timeout};

use crate::{
    case::Timing,
    follower::{Follower, converge},
    single_faults::content,
    transports::tls_config,
    widget::Widget,
};

const OBJECTS: usize = 20;
const LIMIT: Duration = Duration::from_secs(30);

struct Fixture {
    server: Arc<ApiServer>,
    identity: Arc<Identity>,
    informer: Informer<Widget>,
    follower: Follower,
    forwarder: Forwarder,
}

/// A server with all objects.
fn server(streaming: Streaming, faults: Faults) -> Arc<ApiServer> {
    let settings = Settings { streaming, bookmarks: Duration::from_millis(200), ..Settings::default() };
    let server = ApiServer::new(settings, faults);
    for number in 0..OBJECTS {
        let name = format!("w{number}");
        server.storage().create("prod", &name, content(number));
    }
    server
}

impl Fixture {
    /// An informer that has all objects, with a customized configuration.
    async fn new(faults: Faults, configure: impl FnOnce(&ApiServer, &mut Config)) -> Self {
        let server = server(Streaming::Served, faults);
        let (mut config, identity) = tls_config(&server).await;
        configure(&server, &mut config);
        Self::of(server, config, identity).await
    }

    async fn of(server: Arc<ApiServer>, config: Config, identity: Arc<Identity>) -> Self {
        let forwarder = Forwarder::to(&config).await;
        let client = Client::try_from(forwarder.config(config)).unwrap();
        let informer = Informers::new(client).of().timeouts(Timing::real().timeouts).start();
        let follower = Follower::of(&informer);
        let fixture = Self { server, identity, informer, follower, forwarder };
        fixture.expect_converged().await;
        fixture
    }

    /// Checks that the informer receives changes and is healthy.
    async fn expect_converged(&self) -> Duration {
        let storage = self.server.storage();
        storage.delete("prod", "w1");
        storage.create("prod", "w1", Content { ..content(7) });
        let converged = converge(&self.server, &self.informer, &self.follower, LIMIT).await;
        let time = converged.unwrap_or_else(|error| panic!("{error}"));
        assert!(self.informer.health().is_good());
        time
    }

    /// Checks that the informer becomes unhealthy and keeps its objects.
    async fn expect_unhealthy(&self) {
        let began = Instant::now();
        while self.informer.health().is_good() {
            assert!(began.elapsed() < LIMIT, "{:?}", self.informer.health());
            sleep(Duration::from_millis(10)).await;
        }
        assert_eq!(self.informer.lister().len(), OBJECTS);
    }
}

async fn next_error(problems: &mut Problems) -> Arc<WatchError> {
    let next = async {
        loop {
            if let Some(Problem::Watch { error, .. }) = problems.next().await {
                return error;
            }
        }
    };
    timeout(LIMIT, next).await.expect("there is a problem")
}

/// Rotates the token during a watch, which continues until its connection is cut.
async fn rotate(fixture: &Fixture, rotate: impl FnOnce()) {
    fixture.server.require_token("new");
    fixture.expect_converged().await;
    fixture.server.disconnect();
    fixture.expect_unhealthy().await;
    rotate();
    let time = fixture.expect_converged().await;
    println!("equal {time:?} after the new token was written");
    assert_eq!(fixture.follower.mistakes(), [""; 0]);
}

#[tokio::test]
async fn a_token_in_a_file_may_rotate() {
    let dir = TempDir::new().unwrap();
    let file = dir.path().join("token");
    fs::write(&file, "old").unwrap();
    let fixture = Fixture::new(Faults::none(), |server, config| {
        server.require_token("old");
        config.auth_info.token_file = Some(file.display().to_string());
    })
    .await;
    rotate(&fixture, || fs::write(&file, "new").unwrap()).await;
}

#[tokio::test]
async fn a_token_from_a_program_may_rotate() {
    let dir = TempDir::new().unwrap();
    let (script, credential) = (dir.path().join("plugin"), dir.path().join("credential"));
    fs::write(&script, format!("cat {}\n", credential.display())).unwrap();
    let present = |credential: &PathBuf, token: &str| {
        let answer = json!({
            "apiVersion": "client.authentication.k8s.io/v1", "kind": "ExecCredential",
            "status": { "token": token, "expirationTimestamp": "2020-01-01T00:00:00Z" },
        });
        // The program may be running.
        let whole = credential.with_extension("new");
        fs::write(&whole, answer.to_string()).unwrap();
        fs::rename(whole, credential).unwrap();
    };
    present(&credential, "old");
    let fixture = Fixture::new(Faults::none(), |server, config| {
        server.require_token("old");
        let exec = json!({
            "apiVersion": "client.authentication.k8s.io/v1", "command": "sh", "args": [script], "interactiveMode": "Never",
        });
        config.auth_info.exec = Some(serde_json::from_value(exec).unwrap());
    })
    .await;
    rotate(&fixture, || present(&credential, "new")).await;
}

#[tokio::test]
async fn a_program_that_returns_certificates_runs_once() {
    const CERTIFICATE: &str = include_str!("../../src/tls/first.crt");
    const KEY: &str = include_str!("../../src/tls/first.key");
    let dir = TempDir::new().unwrap();
    let (script, credential) = (dir.path().join("plugin"), dir.path().join("credential"));
    fs::write(&script, format!("echo >> {0}.runs\ncat {0}\n", credential.display())).unwrap();
    let status = json!({
        "clientCertificateData": CERTIFICATE, "clientKeyData": KEY, "expirationTimestamp": "2099-01-01T00:00:00Z",
    });
    fs::write(&credential, json!({ "status": status }).to_string()).unwrap();
    let exec = json!({ "command": "sh", "args": [script], "interactiveMode": "Never" });
    let exec: kube::config::ExecConfig = serde_json::from_value(exec).unwrap();
    let fixture = Fixture::new(Faults::none(), |_, config| {
        config.auth_info.exec = Some(exec.clone());
    })
    .await;
    fixture.server.disconnect();
    fixture.expect_converged().await;
    let runs = || fs::read_to_string(credential.with_extension("runs")).unwrap();
    assert_eq!(runs().lines().count(), 1);

    let mut config = Config::new("https://127.0.0.1:1".parse().unwrap());
    config.root_cert = Some(vec![authority()]);
    config.auth_info.exec = Some(exec);
    let client = Client::try_from(config.clone()).unwrap();
    assert_eq!(runs().lines().count(), 2);
    let until = client.kube().valid_until().expect("the certificate expires");
    assert_eq!(until.to_string(), "2099-01-01T00:00:00Z");
    let odd = json!({ "clientCertificateData": CERTIFICATE, "clientKeyData": "none" });
    fs::write(&credential, json!({ "status": odd }).to_string()).unwrap();
    Client::try_from(config).expect_err("the certificate has no key");
}

#[tokio::test]
async fn a_half_open_connection_is_replaced() {
    let fixture = Fixture::new(Faults::none(), |_, _| {}).await;
    fixture.forwarder.swallow();
    fixture.expect_unhealthy().await;
    fixture.forwarder.open();
    fixture.expect_converged().await;
}

#[tokio::test]
async fn a_connection_that_trickles_is_replaced() {
    let fixture = Fixture::new(Faults::none(), |_, _| {}).await;
    fixture.forwarder.trickle();
    fixture.expect_unhealthy().await;
    fixture.forwarder.open();
    fixture.expect_converged().await;
}
