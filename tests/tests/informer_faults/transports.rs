use std::sync::Arc;

use crdkit::{
    Client,
    kube::{self, Config, client::Body},
};
use crdkit_tests::{
    apiserver::ApiServer,
    tls::{Identity, authority},
};
use http::Request;
use hyper::{body::Incoming, client::conn::http1};
use hyper_util::rt::TokioIo;
use tower::{BoxError, service_fn};

use crate::run::Transport;

/// TCP, with a thread and a connection of the informer.
pub(crate) struct Tcp;

impl Transport for Tcp {
    async fn client(&self, server: &Arc<ApiServer>) -> Client {
        let config = Config::new(server.listen().await);
        Client::try_from(config).expect("a client without TLS can be made")
    }
}

/// TLS over TCP.
pub(crate) struct Tls;

impl Transport for Tls {
    async fn client(&self, server: &Arc<ApiServer>) -> Client {
        let (config, _) = tls_config(server).await;
        Client::try_from(config).expect("a client that trusts the authority can be made")
    }
}

/// The configuration for a server over TLS, and the server's identity.
pub(crate) async fn tls_config(server: &Arc<ApiServer>) -> (Config, Arc<Identity>) {
    let (uri, identity) = server.listen_over_tls().await;
    let mut config = Config::new(uri);
    config.root_cert = Some(vec![authority()]);
    (config, identity)
}

/// In memory, on the runtime of the test, whose clock may be paused.
pub(crate) struct Memory;

/// The buffer size of a connection, in bytes.
const BUFFER: usize = 16 * 1024;

impl Transport for Memory {
    async fn client(&self, server: &Arc<ApiServer>) -> Client {
        let server = server.clone();
        let send = service_fn(move |request| send(server.clone(), request));
        kube::Client::new(send, "default").into()
    }
}

/// Sends a request on a connection of its own.
async fn send(server: Arc<ApiServer>, request: Request<Body>) -> Result<http::Response<Incoming>, BoxError> {
    let (ours, theirs) = tokio::io::duplex(BUFFER);
    server.serve(theirs);
    let (mut sender, connection) = http1::handshake(TokioIo::new(ours)).await?;
    tokio::spawn(connection);
    Ok(sender.send_request(request).await?)
}
