//! The network settings of a configuration.

use std::sync::Arc;

use http::{Request, Response};
use k8s_openapi::jiff::Timestamp;
use kube::{
    Config,
    client::{
        Body, ClientBuilder, ConfigExt,
        middleware::{AuthLayer, ExtraHeadersLayer},
        retry::RetryPolicy,
    },
};
use tower::{
    BoxError, Layer, ServiceBuilder, ServiceExt,
    retry::RetryLayer,
    service_fn,
    util::{BoxCloneSyncService, option_layer},
};

use super::{
    connector::{self, Connector, Protocols},
    credentials::{Credentials, LoadedCredentials},
    pool::Pool,
    stream_limit::StreamLimit,
};
use crate::client::body::ResponseBody;

/// The settings that all connections of a client share: server, proxy, certificates and credentials.
///
/// A credential plugin runs only once for all of them.
pub(super) struct Network {
    config: Config,
    connector: Connector,
    auth: Auth,
    headers: ExtraHeadersLayer,
    /// The expiry of the certificate that a credential plugin returned.
    valid_until: Option<Timestamp>,
}

/// How requests are authenticated.
enum Auth {
    /// Not per request, but by a client certificate, if at all.
    None,
    /// Constant credentials, and those for which kube has providers.
    Kube(AuthLayer),
    Own(Credentials),
}

/// Sends requests, with authentication and decompression.
pub(super) type Service = BoxCloneSyncService<Request<Body>, Response<ResponseBody>, BoxError>;

/// Connections, and the services that send requests on them.
#[derive(Clone)]
pub(super) struct Stack {
    service: Service,
    pool: Pool,
}

impl Network {
    /// Returns `None` if only kube supports the configuration.
    pub(super) fn from_config(config: &Config) -> Result<Option<Self>, kube::Error> {
        if !connector::is_supported(config) {
            return Ok(None);
        }
        choose_cryptography();
        let mut config = config.clone();
        let made = Credentials::load(&mut config.auth_info).map_err(kube::Error::Auth)?;
        let (auth, valid_until) = match made {
            Some(LoadedCredentials::Token(credentials)) => (Auth::Own(credentials), None),
            Some(LoadedCredentials::Certificate(expires)) => (Auth::None, expires),
            Some(LoadedCredentials::Nothing) => (Auth::None, None),
            None => (config.auth_layer()?.map_or(Auth::None, Auth::Kube), None),
        };
        if !matches!(auth, Auth::None) {
            // Do not renew credentials that are in use only to check whether they are a certificate.
            config.auth_info.exec = None;
            config.auth_info.auth_provider = None;
        }
        Ok(Some(Self {
            connector: connector::from_config(&config)?,
            headers: config.extra_headers_layer()?,
            auth,
            config,
            valid_until,
        }))
    }

    /// Returns new connections to the same cluster.
    pub(super) fn stack(&self, protocols: Protocols) -> Stack {
        let connector = self.connector.clone();
        let make = Arc::new(move |limit: &Arc<StreamLimit>| connector(protocols, limit));
        let pool = Pool::new(make, protocols.max_requests());
        let service = ServiceBuilder::new()
            .layer(self.config.base_uri_layer())
            .layer_fn(|inner| self.decompressing(inner))
            .layer_fn(|inner| self.authorized(inner))
            .layer(self.headers.clone())
            .service(service_fn({
                let pool = pool.clone();
                move |request| pool.clone().send(request)
            }));
        Stack { service: Service::new(service), pool }
    }

    fn authorized<S>(&self, inner: S) -> Service
    where
        S: tower::Service<Request<Body>, Response = Response<ResponseBody>, Error = BoxError>,
        S: Clone + Send + Sync + 'static,
        S::Future: Send + 'static,
    {
        match &self.auth {
            Auth::None => Service::new(inner),
            Auth::Kube(layer) => Service::new(layer.layer(inner)),
            Auth::Own(credentials) => credentials.clone().wrap(Service::new(inner)),
        }
    }

    #[cfg(feature = "gzip")]
    fn decompressing<S>(&self, inner: S) -> Service
    where
        S: tower::Service<Request<Body>, Response = Response<ResponseBody>, Error = BoxError>,
        S: Clone + Send + Sync + 'static,
        S::Future: Send + 'static,
    {
        use http_body_util::BodyExt;
        use tower_http::decompression::DecompressionLayer;

        let layer = DecompressionLayer::new().no_br().no_deflate().no_zstd().gzip(!self.config.disable_compression);
        let service = ServiceBuilder::new().layer(layer).service(inner).map_response(|response: Response<_>| {
            response.map(|body| BodyExt::map_err(body, BoxError::from).boxed_unsync())
        });
        Service::new(service)
    }

    #[cfg(not(feature = "gzip"))]
    fn decompressing<S>(&self, inner: S) -> S {
        inner
    }

    /// Returns kube's client on the connections of a stack, with the retry setting of the configuration.
    pub(super) fn kube(&self, stack: &Stack, full: &Config) -> Result<kube::Client, kube::Error> {
        let retries = full.default_retry.then(RetryPolicy::server_retry);
        let service =
            ServiceBuilder::new().layer(option_layer(retries.map(RetryLayer::new))).service(stack.service.clone());
        Ok(kube::Client::new(service, full.default_namespace.clone()).with_valid_until(self.valid_until))
    }
}

impl Stack {
    /// Sends a request once.
    pub(super) async fn send(&self, request: Request<Body>) -> Result<Response<ResponseBody>, BoxError> {
        self.service.clone().oneshot(request).await
    }

    pub(super) fn pool(&self) -> &Pool {
        &self.pool
    }
}

/// Lets kube choose the cryptography library if there are several, which it does before it validates the rest.
fn choose_cryptography() {
    let mut nowhere = Config::new(http::Uri::from_static("http://localhost"));
    nowhere.proxy_url = Some(http::Uri::from_static("none://localhost"));
    drop(ClientBuilder::try_from(nowhere));
}
