//! Binds the addresses, and runs the thread that processes requests.

use std::{io, net::SocketAddr, sync::Arc, thread};

use tokio::{
    net::TcpListener,
    runtime,
    sync::{oneshot, watch},
    task::JoinSet,
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
    runtime: BackgroundRuntime,
    ports: Vec<(TcpListener, Paths)>,
    pub(super) addresses: ServeAddresses,
}

impl Listeners {
    pub(super) fn bind(health: &str, metrics: &str) -> Result<Self, ServeError> {
        let runtime = BackgroundRuntime::new(runtime::Builder::new_current_thread()).map_err(|source| ServeError {
            address: health.to_owned(),
            purpose: "health checks and metrics",
            variable: HEALTH_ADDRESS,
            source,
        })?;
        let (ports, addresses) = {
            let _entered = runtime.enter();
            bind_all(health, metrics)?
        };
        Ok(Self { runtime, ports, addresses })
    }

    /// Processes requests in a thread until the server is dropped.
    pub(super) fn serve(self, endpoint: Endpoint) -> io::Result<Server> {
        let (stop, stopped) = oneshot::channel::<()>();
        let (ended, end) = oneshot::channel();
        let endpoint = Arc::new(endpoint);
        let run = move || {
            self.runtime.block_on(async {
                // The ports close with the runtime, without delay.
                let (_never, never) = watch::channel(false);
                let mut servers = JoinSet::new();
                for (listener, paths) in self.ports {
                    servers.spawn(serve(
                        listener,
                        Plain,
                        endpoint.clone().service(paths),
                        paths.limits(),
                        never.clone(),
                    ));
                }
                // An error means that the server was dropped.
                let _ = stopped.await;
            });
            // A function for metrics that blocks does not delay the end.
            drop(self.runtime);
            let _ = ended.send(());
        };
        thread::Builder::new().name("crdkit-serve".to_owned()).spawn(run)?;
        Ok(Server { stop, end })
    }
}

type Bound = (Vec<(TcpListener, Paths)>, ServeAddresses);

fn bind_all(health: &str, metrics: &str) -> Result<Bound, ServeError> {
    if health == metrics && port_of(health).is_some_and(|port| port != 0) {
        let listener = bind(health, "health checks and metrics", HEALTH_ADDRESS)?;
        let address = listener.as_ref().map(|(_, address)| *address);
        let ports = listener.into_iter().map(|(listener, _)| (listener, Paths::ALL)).collect();
        return Ok((ports, ServeAddresses { health: address, metrics: address, ..ServeAddresses::default() }));
    }
    let mut ports = Vec::new();
    let mut addresses = ServeAddresses::default();
    if let Some((listener, address)) = bind(health, "health checks", HEALTH_ADDRESS)? {
        ports.push((listener, Paths::HEALTH));
        addresses.health = Some(address);
    }
    if let Some((listener, address)) = bind(metrics, "metrics", METRICS_ADDRESS)? {
        ports.push((listener, Paths::METRICS));
        addresses.metrics = Some(address);
    }
    Ok((ports, addresses))
}

/// A thread that processes requests, until this is dropped.
pub(in crate::controller) struct Server {
    stop: oneshot::Sender<()>,
    end: oneshot::Receiver<()>,
}

impl Server {
    /// Closes the ports.
    pub(in crate::controller) async fn stop(self) {
        drop(self.stop);
        let _ = self.end.await;
    }
}

/// Returns the listener and its address; `None` if the purpose is disabled.
fn bind(
    address: &str,
    purpose: &'static str,
    variable: &'static str,
) -> Result<Option<(TcpListener, SocketAddr)>, ServeError> {
    let error = |source| ServeError { address: address.to_owned(), purpose, variable, source };
    if address == "0" || address.is_empty() {
        return Ok(None);
    }
    let listener = listen::bind(address).map_err(error)?;
    let bound = listener.local_addr().map_err(error)?;
    Ok(Some((listener, bound)))
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
