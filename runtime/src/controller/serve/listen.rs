//! Binds the addresses, and runs the threads that process requests.

use std::{io, net::SocketAddr, sync::Arc, thread};

use tokio::{
    net::TcpListener,
    runtime,
    sync::{oneshot, watch},
};

use super::{
    HEALTH_ADDRESS, METRICS_ADDRESS, ServeAddresses,
    http::{Endpoint, Paths},
};
use crate::serve::{
    BackgroundRuntime, Plain,
    listen::{self, port_of},
    serve,
};

/// Why a manager cannot serve health checks or metrics.
#[derive(Debug, thiserror::Error)]
#[error(
    "cannot listen at `{address}` for {purpose}: {source}; set {variable} to another address, or to `0` to disable it"
)]
#[non_exhaustive]
pub struct ServeError {
    /// The address.
    pub address: String,
    /// What would be served there.
    pub purpose: &'static str,
    /// The environment variable with the address.
    pub variable: &'static str,
    /// The error.
    pub source: io::Error,
}

/// The open ports.
pub(super) struct Listeners {
    ports: Vec<Port>,
    pub(super) addresses: ServeAddresses,
}

/// An open port, with what will serve it.
struct Port {
    paths: Paths,
    purpose: Purpose,
    listener: TcpListener,
    runtime: BackgroundRuntime,
}

/// What a port is for, in errors.
#[derive(Clone)]
struct Purpose {
    address: String,
    purpose: &'static str,
    variable: &'static str,
}

impl Purpose {
    fn error(&self, source: io::Error) -> ServeError {
        ServeError { address: self.address.clone(), purpose: self.purpose, variable: self.variable, source }
    }
}

impl Listeners {
    pub(super) fn bind(health: &str, metrics: &str) -> Result<Self, ServeError> {
        if health == metrics && port_of(health).is_some_and(|port| port != 0) {
            let bound = Port::bind(health, Paths::ALL, "health checks and metrics", HEALTH_ADDRESS)?;
            let address = bound.as_ref().map(|(_, address)| *address);
            let ports = bound.into_iter().map(|(port, _)| port).collect();
            let addresses = ServeAddresses { health: address, metrics: address, ..ServeAddresses::default() };
            return Ok(Self { ports, addresses });
        }
        let health = Port::bind(health, Paths::HEALTH, "health checks", HEALTH_ADDRESS)?;
        let metrics = Port::bind(metrics, Paths::METRICS, "metrics", METRICS_ADDRESS)?;
        let address = |bound: &Option<(Port, SocketAddr)>| bound.as_ref().map(|(_, address)| *address);
        let addresses =
            ServeAddresses { health: address(&health), metrics: address(&metrics), ..ServeAddresses::default() };
        Ok(Self { ports: health.into_iter().chain(metrics).map(|(port, _)| port).collect(), addresses })
    }

    /// Processes requests, each port's in a thread of its own, until the server is dropped. The port of metrics is encrypted if it
    /// should be.
    pub(super) fn serve(self, endpoint: Endpoint, encryption: &Encryption) -> Result<Server, ServeError> {
        let endpoint = Arc::new(endpoint);
        let threads = self.ports.into_iter().map(|port| {
            let encryption = if port.paths.has_metrics() { encryption.clone() } else { Encryption::None };
            let purpose = port.purpose.clone();
            port.serve(endpoint.clone(), encryption).map_err(|source| purpose.error(source))
        });
        Ok(Server(threads.collect::<Result<_, _>>()?))
    }
}

impl Port {
    /// Returns the port and its address; `None` if the purpose is disabled.
    fn bind(
        address: &str,
        paths: Paths,
        purpose: &'static str,
        variable: &'static str,
    ) -> Result<Option<(Self, SocketAddr)>, ServeError> {
        if address == "0" || address.is_empty() {
            return Ok(None);
        }
        let purpose = Purpose { address: address.to_owned(), purpose, variable };
        let error = |source| purpose.error(source);
        let runtime = BackgroundRuntime::new(runtime::Builder::new_current_thread()).map_err(error)?;
        let listener = {
            let _entered = runtime.enter();
            listen::bind(address).map_err(error)?
        };
        let bound = listener.local_addr().map_err(error)?;
        Ok(Some((Self { paths, purpose, listener, runtime }, bound)))
    }

    fn serve(self, endpoint: Arc<Endpoint>, encryption: Encryption) -> io::Result<ServerThread> {
        let (stop, stopped) = oneshot::channel::<()>();
        let (ended, end) = oneshot::channel();
        let Self { paths, listener, runtime, .. } = self;
        let run = move || {
            let served = async {
                // The port closes with the runtime, without delay.
                let (_never, never) = watch::channel(false);
                let (service, limits) = (endpoint.service(paths), paths.limits());
                match encryption {
                    Encryption::None => serve(listener, Plain, service, limits, never).await,
                    #[cfg(feature = "webhook")]
                    Encryption::Tls(acceptor) => serve(listener, acceptor, service, limits, never).await,
                }
            };
            runtime.block_on(async {
                tokio::select! {
                    () = served => {}
                    // An error means that the server was dropped.
                    _ = stopped => {}
                }
            });
            // A function for metrics that blocks does not delay the end.
            drop(runtime);
            let _ = ended.send(());
        };
        thread::Builder::new().name("crdkit-serve".to_owned()).spawn(run)?;
        Ok(ServerThread { stop, end })
    }
}

/// How the port of metrics is encrypted.
#[derive(Clone)]
pub(super) enum Encryption {
    None,
    #[cfg(feature = "webhook")]
    Tls(tokio_rustls::TlsAcceptor),
}

/// Threads that process requests, until this is dropped.
pub(in crate::controller) struct Server(Vec<ServerThread>);

struct ServerThread {
    stop: oneshot::Sender<()>,
    end: oneshot::Receiver<()>,
}

impl Server {
    /// Closes the ports.
    pub(in crate::controller) async fn stop(self) {
        let (stops, ends): (Vec<_>, Vec<_>) = self.0.into_iter().map(|thread| (thread.stop, thread.end)).unzip();
        drop(stops);
        for end in ends {
            let _ = end.await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn purposes_are_bound_apart_or_together() {
        let apart = Listeners::bind("127.0.0.1:0", "127.0.0.1:0").unwrap().addresses;
        assert_ne!(apart.health.unwrap().port(), apart.metrics.unwrap().port());
        let free = format!("127.0.0.1:{}", apart.health.unwrap().port());
        let together = Listeners::bind(&free, &free).unwrap();
        assert_eq!((together.ports.len(), together.addresses.health), (1, together.addresses.metrics));
        let one = Listeners::bind("0", ":0").unwrap().addresses;
        assert!(one.health.is_none() && one.metrics.unwrap().ip().is_unspecified());
    }

    #[test]
    fn errors_name_the_address_and_the_variable() {
        let error = |address: &str| Listeners::bind(address, "0").err().unwrap().to_string();
        let invalid = "cannot listen at `8081` for health checks: expected an address with a port, such as `:8080` or \
            `127.0.0.1:8080`; set HEALTH_PROBE_BIND_ADDRESS to another address, or to `0` to disable it";
        assert_eq!(error("8081"), invalid);
        // Not all interfaces: an address of IPv6 needs brackets.
        assert_eq!(error("::1:8081"), invalid.replacen("8081", "::1:8081", 1));
        let bound = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let address = bound.local_addr().unwrap().to_string();
        assert!(error(&address).starts_with(&format!("cannot listen at `{address}` for health checks: ")));
    }
}
