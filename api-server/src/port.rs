//! A port of the server, for clients outside of the process.

use std::{
    io,
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
    time::Duration,
};

use crdkit::__internal::serve::{HttpService, Limits, Plain, RequestBody, open, serve, stopping};
use futures_util::StreamExt as _;
use http::{Request, Response};
use http_body_util::{BodyExt, BodyStream, StreamBody};
use hyper::body::Body as _;
use tokio::{sync::watch, task::JoinHandle};
use tower::{BoxError, Service as _, service_fn};

use crate::{ApiServer, ApiServerService, response::encode::ResponseBody, websocket};

/// How long [`ServerHandle::stop`] waits for requests in progress.
const GRACE_PERIOD: Duration = Duration::from_secs(5);
/// Selectors of clients can make long paths. A watch is a request in process for hours, by HTTP/2 one of many in a connection; the
/// real server has 100 by default, too.
const LIMITS: Limits = Limits {
    connections: 6000,
    share_of_files: 2,
    header_bytes: 64 << 10,
    streams: Some(100),
    upgrades: cfg!(feature = "websocket"),
};

/// An open port of an [`ApiServer`], which [`ApiServer::serve`] returns.
///
/// The port closes when the handle is dropped. The server and its objects remain.
#[derive(Debug)]
pub struct ServerHandle {
    address: SocketAddr,
    stop: watch::Sender<bool>,
    task: JoinHandle<()>,
}

impl ApiServer {
    /// Listens on an address, for HTTP/1.1 and HTTP/2 without TLS. The port 0 is any free port.
    ///
    /// Requests are those of the user of [`Self::as_user`], an administrator by default. A program that can reach the address can
    /// do what this user can do.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// let api_server = crdkit_api_server::ApiServer::new();
    /// let handle = api_server.serve(([127, 0, 0, 1], 0)).await?;
    ///
    /// // `KUBECONFIG=kubeconfig.yaml kubectl get namespaces`
    /// # let kubeconfig = std::env::temp_dir().join(format!("kubeconfig-{}.yaml", std::process::id()));
    /// # /*
    /// let kubeconfig = "kubeconfig.yaml";
    /// # */
    /// std::fs::write(&kubeconfig, handle.kubeconfig())?;
    /// # std::fs::remove_file(&kubeconfig)?;
    /// handle.stop().await;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the address cannot be bound, such as when another program listens on the port.
    ///
    /// # Panics
    ///
    /// If the definition of a type is invalid, or outside of a tokio runtime with I/O.
    #[expect(clippy::unused_async, reason = "it needs a runtime, as a call that is awaited has")]
    pub async fn serve(&self, address: impl Into<SocketAddr>) -> io::Result<ServerHandle> {
        let listener = open(address.into())?;
        let address = listener.local_addr()?;
        let (stop, stopped) = watch::channel(false);
        let service = ending_watches(self.service(), stopped.clone());
        let task = tokio::spawn(serve(listener, Plain, service, LIMITS, stopped));
        Ok(ServerHandle { address, stop, task })
    }
}

impl ServerHandle {
    /// Returns the address, with the port that was chosen.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns the URL of the server, such as `http://127.0.0.1:8001`.
    pub fn url(&self) -> String {
        let ip = match self.address.ip() {
            IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
            IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
            ip => ip,
        };
        format!("http://{}", SocketAddr::new(ip, self.address.port()))
    }

    /// Returns a kubeconfig with the server as its only cluster, in YAML.
    pub fn kubeconfig(&self) -> String {
        // There is no TLS to verify, but JavaScript's client refuses HTTP unless the file says so.
        format!(
            "apiVersion: v1
kind: Config
current-context: crdkit
contexts:
- name: crdkit
  context:
    cluster: crdkit
    user: admin
clusters:
- name: crdkit
  cluster:
    server: {}
    insecure-skip-tls-verify: true
users:
- name: admin
  user: {{}}
",
            self.url()
        )
    }

    /// Closes the port: accepts no more connections, ends watches, and waits for the other requests, at most five seconds.
    pub async fn stop(mut self) {
        self.stop.send_replace(true);
        // It ends early if it panics, which it does not.
        let _ = tokio::time::timeout(GRACE_PERIOD, &mut self.task).await;
    }
}

impl Drop for ServerHandle {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Ends watches when the server stops.
fn ending_watches(service: ApiServerService, stopped: watch::Receiver<bool>) -> impl HttpService {
    service_fn(move |request: Request<RequestBody>| {
        let (request, upgrade) = websocket::take_upgrade(request);
        let response = service.clone().call(request);
        let stopped = stopped.clone();
        async move {
            let response = end_when_stopped(response.await?, stopped.clone());
            Ok::<_, BoxError>(websocket::switch(upgrade, response, stopped))
        }
    })
}

/// Ends the body of a watch when the server stops.
fn end_when_stopped(response: Response<ResponseBody>, stopped: watch::Receiver<bool>) -> Response<ResponseBody> {
    if response.body().size_hint().exact().is_some() {
        return response;
    }
    response.map(|body| StreamBody::new(BodyStream::new(body).take_until(stopping(stopped))).boxed_unsync())
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use futures_util::TryStreamExt as _;
    use k8s_openapi::api::core::v1::{ConfigMap, Namespace};
    use kube::{
        Api, Client, Config,
        api::{PostParams, WatchEvent, WatchParams},
        config::{KubeConfigOptions, Kubeconfig},
    };
    use tokio::net::TcpStream;

    use super::*;

    async fn client(handle: &ServerHandle) -> Client {
        let kubeconfig = Kubeconfig::from_yaml(&handle.kubeconfig()).unwrap();
        let mut config = Config::from_custom_kubeconfig(kubeconfig, &KubeConfigOptions::default()).await.unwrap();
        config.proxy_url = None;
        Client::try_from(config).unwrap()
    }

    #[tokio::test]
    async fn serves_until_it_stops() {
        let server = ApiServer::new();
        let handle = server.serve(([127, 0, 0, 1], 0)).await.unwrap();
        assert_eq!(handle.url(), format!("http://{}", handle.address()));
        assert!(handle.kubeconfig().contains("insecure-skip-tls-verify: true"));
        let config_maps: Api<ConfigMap> = Api::namespaced(client(&handle).await, "default");
        let watch = config_maps.watch(&WatchParams::default(), "0").await.unwrap();

        let mut object = ConfigMap::default();
        object.metadata.name = Some("a".to_owned());
        config_maps.create(&PostParams::default(), &object).await.unwrap();
        let in_process: Api<ConfigMap> = Api::namespaced(server.kube_client(), "default");
        assert!(in_process.get_opt("a").await.unwrap().is_some());

        // The watch ends, without an error, and does not delay the stop.
        let events = tokio::spawn(watch.try_collect::<Vec<_>>());
        let start = Instant::now();
        handle.stop().await;
        let events = events.await.unwrap().unwrap();
        assert_eq!(events.iter().filter(|event| matches!(event, WatchEvent::Added(_))).count(), 1);
        assert!(start.elapsed() < GRACE_PERIOD);
        assert!(config_maps.get("a").await.is_err());
        assert!(in_process.get_opt("a").await.unwrap().is_some());
    }

    #[tokio::test]
    async fn http_2_is_served() {
        let server = ApiServer::new();
        let handle = server.serve(([127, 0, 0, 1], 0)).await.unwrap();
        let stream = TcpStream::connect(handle.address()).await.unwrap();
        let (mut sender, connection) = h2::client::handshake(stream).await.unwrap();
        tokio::spawn(connection);
        let request = http::Request::get(format!("{}/readyz", handle.url())).body(()).unwrap();
        let (response, _) = sender.send_request(request, true).unwrap();
        assert_eq!(response.await.unwrap().status(), 200);
    }

    #[tokio::test]
    async fn dropping_the_handle_closes_the_port() {
        let server = ApiServer::new();
        let handle = server.serve(([127, 0, 0, 1], 0)).await.unwrap();
        let namespaces: Api<Namespace> = Api::all(client(&handle).await);
        assert!(namespaces.get("default").await.is_ok());
        drop(handle);
        assert!(namespaces.get("default").await.is_err());
    }

    #[tokio::test]
    async fn the_url_of_any_address_is_that_of_the_loopback_interface() {
        let handle = ApiServer::new().serve(([0, 0, 0, 0], 0)).await.unwrap();
        assert_eq!(handle.url(), format!("http://127.0.0.1:{}", handle.address().port()));
        assert!(ApiServer::new().serve(handle.address()).await.is_err());
    }
}
