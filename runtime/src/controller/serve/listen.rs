//! Binds the addresses, and runs the thread that processes requests.

use std::{
    io,
    net::{SocketAddr, TcpListener},
    sync::Arc,
    thread,
};

use tokio::{runtime, sync::oneshot};

use super::{
    HEALTH_ADDRESS, METRICS_ADDRESS, ServeAddresses,
    http::{Endpoint, Paths, accept},
};
use crate::listen::{self, port_of};

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
    ports: Vec<(TcpListener, Paths)>,
    pub(super) addresses: ServeAddresses,
}

impl Listeners {
    pub(super) fn bind(health: &str, metrics: &str) -> Result<Self, ServeError> {
        if health == metrics && port_of(health).is_some_and(|port| port != 0) {
            let listener = bind(health, "health checks and metrics", HEALTH_ADDRESS)?;
            let address = listener.as_ref().map(|(_, address)| *address);
            let ports = listener.into_iter().map(|(listener, _)| (listener, Paths::ALL)).collect();
            let addresses = ServeAddresses { health: address, metrics: address, ..ServeAddresses::default() };
            return Ok(Self { ports, addresses });
        }
        let mut listeners = Self { ports: Vec::new(), addresses: ServeAddresses::default() };
        if let Some((listener, address)) = bind(health, "health checks", HEALTH_ADDRESS)? {
            listeners.ports.push((listener, Paths::HEALTH));
            listeners.addresses.health = Some(address);
        }
        if let Some((listener, address)) = bind(metrics, "metrics", METRICS_ADDRESS)? {
            listeners.ports.push((listener, Paths::METRICS));
            listeners.addresses.metrics = Some(address);
        }
        Ok(listeners)
    }

    /// Processes requests in a thread until the server is dropped.
    pub(super) fn serve(self, endpoint: Endpoint) -> io::Result<Server> {
        let (stop, stopped) = oneshot::channel::<()>();
        let (ended, end) = oneshot::channel();
        let runtime = runtime::Builder::new_current_thread().enable_io().enable_time().build()?;
        let endpoint = Arc::new(endpoint);
        let run = move || {
            runtime.block_on(async {
                for (listener, paths) in self.ports {
                    tokio::spawn(accept(listener, paths, endpoint.clone()));
                }
                // An error means that the server was dropped.
                let _ = stopped.await;
            });
            // The ports close with the runtime.
            drop(runtime);
            let _ = ended.send(());
        };
        thread::Builder::new().name("crdkit-serve".to_owned()).spawn(run)?;
        Ok(Server { stop, end })
    }
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
        let bound = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = bound.local_addr().unwrap().to_string();
        assert!(error(&address).starts_with(&format!("cannot listen at `{address}` for health checks: ")));
    }
}
