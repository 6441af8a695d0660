//! Connectors: TCP, proxies and TLS.

use std::{sync::Arc, time::Duration};

use http::Uri;
use hyper::rt::{Read, Write};
use hyper_timeout::TimeoutConnector;
use hyper_util::{
    client::legacy::{
        Builder, Client,
        connect::{Connect, Connection, HttpConnector},
    },
    rt::{TokioExecutor, TokioTimer},
};
use kube::{Config, client::Body};
use tower::{BoxError, Service, ServiceExt};

#[cfg(feature = "rustls-tls")]
use super::http2::{Pings, http2};
use super::{pool::Http, stream_limit::StreamLimit};

/// Idle time after which a connection is probed.
pub(super) const IDLE_TIME: Duration = Duration::from_secs(30);
/// The interval of Go's TCP connections.
const PROBE_INTERVAL: Duration = Duration::from_secs(15);
const PROBES: u32 = 3;

/// A connection is dead if the peer's kernel does not acknowledge sent data within this time.
#[cfg(any(target_os = "android", target_os = "fuchsia", target_os = "linux"))]
const UNACKNOWLEDGED_TIMEOUT: Duration = Duration::from_secs(30);

/// The protocols that are offered to a server that supports several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Protocols {
    /// HTTP/1.1 only, from which connections can be upgraded.
    Http1,
    /// HTTP/2 if the server supports it over TLS, otherwise HTTP/1.1.
    Http2,
}

impl Protocols {
    /// Returns the maximum number of requests per connection, if the server allows as many. API servers allow 100
    /// streams.
    pub(super) fn max_requests(self) -> usize {
        match self {
            Self::Http1 => usize::MAX,
            Self::Http2 => 64,
        }
    }
}

/// Creates HTTP clients for all pools of a client. A new one has no connections yet, and sets the limit when the server
/// sends it.
pub(super) type Connector = Arc<dyn Fn(Protocols, &Arc<StreamLimit>) -> Http + Send + Sync>;

/// Returns whether the features of this crate suffice for a configuration. Kube may have more features enabled.
pub(super) fn is_supported(config: &Config) -> bool {
    let has_tls = cfg!(any(feature = "rustls-tls", feature = "openssl-tls"));
    let needs_tls = config.cluster_url.scheme_str() == Some("https");
    let proxy = config.proxy_url.as_ref().map(Uri::scheme_str);
    (has_tls || !needs_tls)
        && match proxy {
            None => true,
            Some(Some("socks5")) => cfg!(feature = "socks5"),
            Some(Some("http")) => cfg!(feature = "http-proxy"),
            Some(Some("https")) => cfg!(feature = "http-proxy") && has_tls,
            Some(_) => false,
        }
}

/// Creates the connector for a configuration, which must be [supported](is_supported).
pub(super) fn from_config(config: &Config) -> Result<Connector, kube::Error> {
    let tcp = tcp(config);
    match config.proxy_url.as_ref() {
        #[cfg(feature = "socks5")]
        Some(proxy) if proxy.scheme_str() == Some("socks5") => {
            use hyper_util::client::legacy::connect::proxy::SocksV5;
            with_tls(config, SocksV5::new(proxy.clone(), tcp))
        }
        #[cfg(all(feature = "http-proxy", feature = "rustls-tls"))]
        Some(proxy) if proxy.scheme_str() == Some("https") => {
            use kube::client::ConfigExt;
            let tls = config.rustls_https_connector_with_connector(tcp)?;
            with_tls(config, tunnel(proxy, tls))
        }
        #[cfg(all(feature = "http-proxy", feature = "openssl-tls", not(feature = "rustls-tls")))]
        Some(proxy) if proxy.scheme_str() == Some("https") => {
            use kube::client::ConfigExt;
            let tls = config.openssl_https_connector_with_connector(tcp)?;
            with_tls(config, tunnel(proxy, tls))
        }
        #[cfg(feature = "http-proxy")]
        Some(proxy) if proxy.scheme_str() == Some("http") => with_tls(config, tunnel(proxy, tcp)),
        _ => with_tls(config, tcp),
    }
}

fn tcp(config: &Config) -> HttpConnector {
    let mut tcp = HttpConnector::new();
    tcp.enforce_http(false);
    tcp.set_nodelay(true);
    tcp.set_connect_timeout(config.connect_timeout);
    tcp.set_keepalive(Some(IDLE_TIME));
    tcp.set_keepalive_interval(Some(PROBE_INTERVAL));
    tcp.set_keepalive_retries(Some(PROBES));
    #[cfg(any(target_os = "android", target_os = "fuchsia", target_os = "linux"))]
    tcp.set_tcp_user_timeout(Some(UNACKNOWLEDGED_TIMEOUT));
    tcp
}

#[cfg(feature = "http-proxy")]
fn tunnel<C>(proxy: &Uri, connector: C) -> hyper_util::client::legacy::connect::proxy::Tunnel<C> {
    use hyper_util::client::{legacy::connect::proxy::Tunnel, proxy::matcher::Matcher};
    let tunnel = Tunnel::new(proxy.clone(), connector);
    let credentials = Matcher::builder().all(proxy.to_string()).build().intercept(&Uri::from_static("https://any"));
    match credentials.as_ref().and_then(|proxy| proxy.basic_auth()) {
        Some(credentials) => tunnel.with_auth(credentials.clone()),
        None => tunnel,
    }
}

/// Creates a connector on top of another, with TLS if the URI requires it.
fn with_tls<C>(config: &Config, connector: C) -> Result<Connector, kube::Error>
where
    C: Service<Uri> + Clone + Send + Sync + 'static,
    C::Response: Connection + Read + Write + Send + Unpin + 'static,
    C::Future: Send + 'static,
    C::Error: Into<BoxError>,
{
    let timeouts = Timeouts::from_config(config);
    #[cfg(feature = "rustls-tls")]
    {
        let https = https(config)?;
        Ok(Arc::new(move |protocols, limit| match protocols {
            Protocols::Http1 => {
                let https = https().enable_http1().wrap_connector(connector.clone());
                http1(timeouts.wrap(https), limit)
            }
            Protocols::Http2 => {
                let https = https().enable_all_versions().wrap_connector(connector.clone());
                http2(timeouts.wrap(https), limit, Pings::default())
            }
        }))
    }
    #[cfg(not(feature = "rustls-tls"))]
    {
        #[cfg(feature = "openssl-tls")]
        let connector = {
            use kube::client::ConfigExt;
            config.openssl_https_connector_with_connector(connector)?
        };
        Ok(Arc::new(move |_, limit| http1(timeouts.wrap(connector.clone()), limit)))
    }
}

/// Returns a factory of connectors with the TLS settings of a configuration.
#[cfg(feature = "rustls-tls")]
fn https(config: &Config) -> Result<impl Fn() -> HttpsBuilder + Send + Sync + use<>, kube::Error> {
    use hyper_rustls::{FixedServerNameResolver, HttpsConnectorBuilder};
    use kube::client::{ConfigExt, RustlsTlsError};

    let tls = config.rustls_client_config()?;
    let resolver = |name: String| name.try_into().map(FixedServerNameResolver::new);
    let name = config.tls_server_name.clone();
    if let Some(name) = name.clone() {
        resolver(name).map_err(|error| kube::Error::RustlsTls(RustlsTlsError::InvalidServerName(error)))?;
    }
    Ok(move || {
        let https = HttpsConnectorBuilder::new().with_tls_config(tls.clone()).https_or_http();
        match name.clone().map(resolver) {
            Some(Ok(resolver)) => https.with_server_name_resolver(resolver),
            _ => https,
        }
    })
}

#[cfg(feature = "rustls-tls")]
type HttpsBuilder = hyper_rustls::HttpsConnectorBuilder<hyper_rustls::builderstates::WantsProtocols1>;

/// The timeouts of a configuration for the operations on a connection.
#[derive(Clone, Copy)]
struct Timeouts {
    connect: Option<Duration>,
    read: Option<Duration>,
    write: Option<Duration>,
    reset_reader_on_write: bool,
}

impl Timeouts {
    fn from_config(config: &Config) -> Self {
        Self {
            connect: config.connect_timeout,
            read: config.read_timeout,
            write: config.write_timeout,
            reset_reader_on_write: config.reset_reader_on_write,
        }
    }

    fn wrap<C>(self, connector: C) -> TimeoutConnector<C>
    where
        C: Service<Uri> + Send,
        C::Response: Read + Write + Send + Unpin,
        C::Future: Send + 'static,
        C::Error: Into<BoxError>,
    {
        let mut connector = TimeoutConnector::new(connector);
        connector.set_connect_timeout(self.connect);
        connector.set_read_timeout(self.read);
        connector.set_write_timeout(self.write);
        connector.set_reset_reader_on_write(self.reset_reader_on_write);
        connector
    }
}

fn http1<C>(connector: C, limit: &StreamLimit) -> Http
where
    C: Connect + Clone + Send + Sync + 'static,
{
    limit.set(usize::MAX);
    boxed(&builder(), connector)
}

pub(super) fn builder() -> Builder {
    let mut builder = Client::builder(TokioExecutor::new());
    builder.timer(TokioTimer::new()).pool_timer(TokioTimer::new());
    builder
}

pub(super) fn boxed<C>(builder: &Builder, connector: C) -> Http
where
    C: Connect + Clone + Send + Sync + 'static,
{
    let client: Client<C, Body> = builder.build(connector);
    Http::new(client.map_err(BoxError::from))
}
