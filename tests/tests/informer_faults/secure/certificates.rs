//! Certificates, of the server and of the client.

use std::{fs, path::Path, sync::Arc, time::Duration};

use crdkit::{
    Client,
    client::{Error, List},
    kube::{Config, config::AuthInfo},
};
use crdkit_tests::{
    apiserver::{ApiServer, Streaming},
    faults::Faults,
    tls::{Certificate, Clients, Identity},
};
use tempfile::TempDir;
use tokio::time::{Instant, sleep};

use super::{Fixture, LIMIT, OBJECTS, next_error, server};
use crate::{transports::tls_config, widget::Widget};

#[tokio::test]
async fn a_certificate_may_be_renewed_but_not_by_an_untrusted_authority() {
    let fixture = Fixture::new(Faults::none(), |_, _| {}).await;
    fixture.identity.present(Certificate::Renewed);
    // The open connection stays in use.
    fixture.expect_converged().await;
    fixture.server.disconnect();
    fixture.expect_converged().await;

    fixture.identity.present(Certificate::Untrusted);
    fixture.server.disconnect();
    fixture.expect_unhealthy().await;
    expect_problem(&fixture, "UnknownIssuer").await;
    fixture.identity.present(Certificate::First);
    fixture.expect_converged().await;
    assert_eq!(fixture.informer.health().watches[0].lists, 1);
}

/// Waits for a problem of the informer whose message contains a text.
async fn expect_problem(fixture: &Fixture, text: &str) {
    let mut problems = fixture.informer.problems();
    let began = Instant::now();
    loop {
        let error = next_error(&mut problems).await;
        if error.to_string().contains(text) {
            return;
        }
        assert!(began.elapsed() < LIMIT, "{error}");
    }
}

/// A server that requires client certificates, and a configuration with a certificate in files.
async fn requiring(clients: Clients, dir: &Path) -> (Arc<ApiServer>, Config, Arc<Identity>) {
    let server = server(Streaming::Served, Faults::none());
    let (mut config, identity) = tls_config(&server).await;
    identity.require(clients);
    let [certificate, key] = files(dir).map(Some);
    (config.auth_info.client_certificate, config.auth_info.client_key) = (certificate, key);
    present(dir, clients);
    (server, config, identity)
}

fn files(dir: &Path) -> [String; 2] {
    ["tls.crt", "tls.key"].map(|name| dir.join(name).display().to_string())
}

fn present(dir: &Path, clients: Clients) {
    for (file, content) in files(dir).iter().zip(clients.files()) {
        fs::write(file, content).unwrap();
    }
}

async fn list(config: &Config) -> Result<List<Widget>, Error> {
    let client = Client::try_from(config.clone()).unwrap();
    client.resources::<Widget>().all_namespaces().list().await
}

#[tokio::test]
async fn a_client_with_the_required_certificate_is_served() {
    let dir = TempDir::new().unwrap();
    let (server, config, identity) = requiring(Clients::Certified, dir.path()).await;
    assert_eq!(list(&config).await.unwrap().items.len(), OBJECTS);
    let fixture = Fixture::of(server, config, identity).await;
    fixture.server.disconnect();
    fixture.expect_converged().await;
    assert_eq!(fixture.informer.health().watches[0].lists, 1);
}

#[tokio::test]
async fn a_client_without_the_required_certificate_gets_the_reason() {
    let dir = TempDir::new().unwrap();
    let (_server, mut config, _) = requiring(Clients::Certified, dir.path()).await;
    config.auth_info = AuthInfo::default();
    expect_list_error(&config, "CertificateRequired").await;
}

/// The alert may be lost: then the connection ends without a reason.
async fn expect_list_error(config: &Config, reason: &str) {
    let began = Instant::now();
    loop {
        let error = list(config).await.unwrap_err();
        assert!(matches!(error, Error::Transport { .. }), "{error}");
        if error.to_string().contains(reason) {
            return;
        }
        assert!(began.elapsed() < LIMIT, "{error}");
    }
}

#[tokio::test]
async fn a_client_uses_the_certificate_that_it_was_created_with() {
    let dir = TempDir::new().unwrap();
    let (server, config, identity) = requiring(Clients::Certified, dir.path()).await;
    let fixture = Fixture::of(server, config.clone(), identity).await;
    fixture.identity.require(Clients::Untrusted);
    fixture.expect_converged().await;
    fixture.server.disconnect();
    fixture.expect_unhealthy().await;
    expect_problem(&fixture, "UnknownCA").await;
    expect_list_error(&config, "UnknownCA").await;

    present(dir.path(), Clients::Untrusted);
    assert_eq!(list(&config).await.unwrap().items.len(), OBJECTS);
    sleep(Duration::from_secs(2)).await;
    fixture.expect_unhealthy().await;
    fixture.identity.require(Clients::Certified);
    fixture.expect_converged().await;
}
