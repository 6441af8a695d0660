//! Certificates, of the server and of the client.

use std::{fs, path::Path, sync::Arc, time::Duration};

use crdkit::{
    Client,
    client::{Error, List},
    kube::Config,
};
use crdkit_tests::{
    apiserver::{ApiServer, Streaming},
    faults::Faults,
    tls::{Certificate, Clients, Identity},
};
use tempfile::TempDir;
use tokio::time::{Instant, sleep};

use super::{LIMIT, OBJECTS, Scene, next_error, server};
use crate::{ways::tls_config, widget::Widget};

#[tokio::test]
async fn a_certificate_may_be_renewed_but_not_be_that_of_a_stranger() {
    let scene = Scene::new(Faults::none(), |_, _| {}).await;
    scene.identity.present(Certificate::Renewed);
    // What is open goes on.
    scene.is_right().await;
    scene.server.disconnect();
    scene.is_right().await;

    scene.identity.present(Certificate::Strange);
    scene.server.disconnect();
    scene.is_wrong().await;
    is_told(&scene, "UnknownIssuer").await;
    scene.identity.present(Certificate::First);
    scene.is_right().await;
    assert_eq!(scene.informer.health().watches[0].lists, 1);
}

/// Waits until a problem of the informer has this in its message.
async fn is_told(scene: &Scene, what: &str) {
    let mut problems = scene.informer.problems();
    let began = Instant::now();
    loop {
        let error = next_error(&mut problems).await;
        if error.to_string().contains(what) {
            return;
        }
        assert!(began.elapsed() < LIMIT, "{error}");
    }
}

/// A server that serves only some, with a configuration whose certificate is in files.
async fn demanding(clients: Clients, dir: &Path) -> (Arc<ApiServer>, Config, Arc<Identity>) {
    let server = server(Streaming::Served, Faults::none());
    let (mut config, identity) = tls_config(&server).await;
    identity.demand(clients);
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
async fn a_client_with_the_certificate_that_is_demanded_is_served() {
    let dir = TempDir::new().unwrap();
    let (server, config, identity) = demanding(Clients::Certified, dir.path()).await;
    assert_eq!(list(&config).await.unwrap().items.len(), OBJECTS);
    let scene = Scene::of(server, config, identity).await;
    scene.server.disconnect();
    scene.is_right().await;
    assert_eq!(scene.informer.health().watches[0].lists, 1);
}

#[tokio::test]
async fn a_client_without_the_certificate_that_is_demanded_learns_why_it_is_not_served() {
    let dir = TempDir::new().unwrap();
    let (_server, mut config, _) = demanding(Clients::Certified, dir.path()).await;
    config.auth_info = Default::default();
    fails(&config, "CertificateRequired").await;
}

/// The alert may be lost on its way: then it is an end without a word.
async fn fails(config: &Config, why: &str) {
    let began = Instant::now();
    loop {
        let error = list(config).await.unwrap_err();
        assert!(matches!(error, Error::Transport { .. }), "{error}");
        if error.to_string().contains(why) {
            return;
        }
        assert!(began.elapsed() < LIMIT, "{error}");
    }
}

#[tokio::test]
async fn a_certificate_of_a_client_is_that_of_when_the_client_was_made() {
    let dir = TempDir::new().unwrap();
    let (server, config, identity) = demanding(Clients::Certified, dir.path()).await;
    let scene = Scene::of(server, config.clone(), identity).await;
    scene.identity.demand(Clients::Strange);
    scene.is_right().await;
    scene.server.disconnect();
    scene.is_wrong().await;
    is_told(&scene, "UnknownCA").await;
    fails(&config, "UnknownCA").await;

    present(dir.path(), Clients::Strange);
    assert_eq!(list(&config).await.unwrap().items.len(), OBJECTS);
    sleep(Duration::from_secs(2)).await;
    scene.is_wrong().await;
    scene.identity.demand(Clients::Certified);
    scene.is_right().await;
}
