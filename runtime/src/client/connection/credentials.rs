//! Credentials that change while a client runs: tokens from files and from credential plugins.

mod program;

use std::{fs, path::PathBuf, sync::Arc, time::Duration};

use http::{HeaderValue, Request, Response, StatusCode, header::AUTHORIZATION};
use k8s_openapi::{ByteString, jiff::Timestamp};
use kube::{
    client::{AuthError, Body},
    config::AuthInfo,
};
use serde_json::json;
use tokio::{
    sync::{Mutex, OwnedMutexGuard},
    task::spawn_blocking,
    time::Instant,
};
use tower::{BoxError, ServiceExt, service_fn};

use super::{auth_methods::AuthMethods, network::Service};
use crate::client::body::ResponseBody;
use program::Plugin;
pub(in crate::client) use program::PluginFailure;

/// Interval after which a token file is read again.
const FILE_INTERVAL: Duration = Duration::from_secs(50);

/// Time before its expiry in which the token of a plugin is renewed.
const EXPIRY_MARGIN: Duration = Duration::from_secs(60);

/// Minimum interval between two runs of a plugin whose token has not expired.
const PLUGIN_INTERVAL: Duration = Duration::from_secs(10);

/// A token that is renewed before it expires, and when the server rejects it. Clones share it.
#[derive(Clone)]
pub(super) struct Credentials {
    source: CredentialSource,
    /// Locked during a renewal.
    token: Arc<Mutex<Token>>,
}

#[derive(Clone)]
enum CredentialSource {
    File(PathBuf),
    Plugin(Arc<Plugin>),
}

struct Token {
    header: HeaderValue,
    /// When the token was created, or the last renewal failed.
    since: Instant,
    /// The expiry, if a plugin specifies one.
    expires: Option<Timestamp>,
}

/// The credentials from a file or a plugin.
pub(super) enum LoadedCredentials {
    Token(Credentials),
    /// A certificate, which is now part of the configuration, and its expiry.
    Certificate(Option<Timestamp>),
    /// None: the plugin returned neither.
    Nothing,
}

impl Credentials {
    /// Reads the file or runs the plugin once, and removes it from the configuration.
    ///
    /// Returns `None` if there is neither. The credentials are those that [`auth_methods::select`](super::auth_methods::select)
    /// leaves. A token is used until its file can be read.
    pub(super) fn load(auth: &mut AuthInfo) -> Result<Option<LoadedCredentials>, AuthError> {
        Self::load_within(program::LIMIT, auth)
    }

    /// Like [`load`](Self::load), with a time limit for a plugin.
    fn load_within(limit: Duration, auth: &mut AuthInfo) -> Result<Option<LoadedCredentials>, AuthError> {
        if auth.token_file.is_some() {
            let methods = AuthMethods::of(auth);
            auth.token = None;
            let file = auth.token_file.take().unwrap_or_default();
            let source = CredentialSource::File(file.into());
            let token = match (source.load(), methods.text("token")) {
                (Err(_), Some(token)) => Token::new(token, None),
                (loaded, _) => loaded,
            };
            return Ok(Some(LoadedCredentials::Token(Self::new(source, token?))));
        }
        let Some(plugin) = auth.exec.take() else {
            return Ok(None);
        };
        let plugin = Plugin::new(plugin, limit);
        let credential = plugin.run()?;
        let expires = credential.expires()?;
        if let (Some(certificate), Some(key)) = (&credential.client_certificate_data, &credential.client_key_data) {
            set_certificate(auth, certificate, key)?;
            return Ok(Some(LoadedCredentials::Certificate(expires)));
        }
        let source = CredentialSource::Plugin(Arc::new(plugin));
        Ok(Some(match credential.token {
            Some(token) => LoadedCredentials::Token(Self::new(source, Token::new(&token, expires)?)),
            None => LoadedCredentials::Nothing,
        }))
    }

    fn new(source: CredentialSource, token: Token) -> Self {
        let token = Arc::new(Mutex::new(token));
        Self { source, token }
    }

    /// Wraps a service: adds the token to its requests, and repeats a request with a newer token if the server rejects
    /// the token.
    pub(super) fn wrap(self, inner: Service) -> Service {
        Service::new(service_fn(move |request| {
            let (credentials, inner) = (self.clone(), inner.clone());
            async move { credentials.send(inner, request).await }
        }))
    }

    async fn send(&self, inner: Service, mut request: Request<Body>) -> Result<Response<ResponseBody>, BoxError> {
        let token = self.current().await?;
        let again = try_clone(&request);
        request.headers_mut().insert(AUTHORIZATION, token.clone());
        let response = inner.clone().oneshot(request).await?;
        if response.status() != StatusCode::UNAUTHORIZED {
            return Ok(response);
        }
        let (Some(mut again), Some(newer)) = (again, self.newer_than(&token).await) else {
            return Ok(response);
        };
        again.headers_mut().insert(AUTHORIZATION, newer);
        inner.oneshot(again).await
    }

    async fn current(&self) -> Result<HeaderValue, kube::Error> {
        let token = self.token.clone().lock_owned().await;
        if !self.source.needs_renewal(&token) {
            return Ok(token.header.clone());
        }
        let (token, renewed) = self.renew(token).await.map_err(kube::Error::Auth)?;
        match renewed {
            Err(error) if !self.source.is_usable_after_failure(&token) => Err(kube::Error::Auth(error)),
            _ => Ok(token.header.clone()),
        }
    }

    /// Returns another token than the rejected one, if there is one.
    async fn newer_than(&self, refused: &HeaderValue) -> Option<HeaderValue> {
        let mut token = self.token.clone().lock_owned().await;
        if token.header == *refused {
            let is_plugin = matches!(self.source, CredentialSource::Plugin(_));
            if is_plugin && token.since.elapsed() < PLUGIN_INTERVAL {
                return None;
            }
            (token, _) = self.renew(token).await.ok()?;
        }
        (token.header != *refused).then(|| token.header.clone())
    }

    /// Renews the token. The renewal continues even if the caller is dropped, so that the next caller does not start
    /// again.
    async fn renew(&self, mut token: OwnedMutexGuard<Token>) -> Result<Renewal, AuthError> {
        let source = self.source.clone();
        let renewal = spawn_blocking(move || {
            let renewed = source.load().map(|newer| *token = newer);
            if renewed.is_err() {
                token.since = Instant::now();
            }
            (token, renewed)
        })
        .await;
        renewal.map_err(|error| AuthError::AuthExec(format!("the plugin cannot be run: {error}")))
    }
}

/// The current token, and whether the renewal succeeded.
type Renewal = (OwnedMutexGuard<Token>, Result<(), AuthError>);

impl CredentialSource {
    fn needs_renewal(&self, token: &Token) -> bool {
        match (self, token.expires) {
            (Self::File(_), _) => token.since.elapsed() >= FILE_INTERVAL,
            (Self::Plugin(_), Some(end)) => {
                let now = Timestamp::now();
                now >= end || now + EXPIRY_MARGIN >= end && token.since.elapsed() >= PLUGIN_INTERVAL
            }
            (Self::Plugin(_), None) => false,
        }
    }

    /// Returns whether a token is still usable after a failed renewal.
    fn is_usable_after_failure(&self, token: &Token) -> bool {
        match self {
            // Programs may remove their token file after they have started: kubernetes/kubernetes#68164.
            Self::File(_) => true,
            Self::Plugin(_) => token.expires.is_none_or(|end| Timestamp::now() < end),
        }
    }

    fn load(&self) -> Result<Token, AuthError> {
        match self {
            Self::File(file) => {
                let token = fs::read_to_string(file).map_err(|error| AuthError::ReadTokenFile(error, file.clone()))?;
                Token::new(&token, None)
            }
            Self::Plugin(plugin) => {
                let credential = plugin.run()?;
                let expires = credential.expires()?;
                let token = credential.token;
                Token::new(&token.ok_or(AuthError::UnrefreshableTokenResponse)?, expires)
            }
        }
    }
}

impl Token {
    fn new(token: &str, expires: Option<Timestamp>) -> Result<Self, AuthError> {
        let token = token.trim();
        if token.is_empty() {
            return Err(AuthError::UnrefreshableTokenResponse);
        }
        let mut header = HeaderValue::try_from(format!("Bearer {token}")).map_err(AuthError::InvalidBearerToken)?;
        header.set_sensitive(true);
        Ok(Self { header, since: Instant::now(), expires })
    }
}

/// Sets a certificate in the configuration, as if it had always been there.
fn set_certificate(auth: &mut AuthInfo, certificate: &str, key: &str) -> Result<(), AuthError> {
    let encoded = |text: &str| ByteString(text.as_bytes().to_vec());
    let made = json!({
        "client-certificate-data": encoded(certificate), "client-key-data": encoded(key),
    });
    let made: AuthInfo = serde_json::from_value(made).map_err(AuthError::AuthExecSerialize)?;
    auth.client_certificate_data = made.client_certificate_data;
    auth.client_key_data = made.client_key_data;
    Ok(())
}

/// Leaves kube only the file of a token, which it would not read beside a token, if the file can be read.
pub(super) fn prefer_file(auth: &mut AuthInfo) {
    if auth.token_file.as_ref().is_some_and(|file| fs::read(file).is_ok()) {
        auth.token = None;
    }
}

/// Copies a request; returns `None` if its body can be read only once.
fn try_clone(request: &Request<Body>) -> Option<Request<Body>> {
    let mut copy = Request::new(request.body().try_clone()?);
    *copy.method_mut() = request.method().clone();
    *copy.uri_mut() = request.uri().clone();
    *copy.version_mut() = request.version();
    *copy.headers_mut() = request.headers().clone();
    *copy.extensions_mut() = request.extensions().clone();
    Some(copy)
}

#[cfg(all(test, unix))]
mod tests;
