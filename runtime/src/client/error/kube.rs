use std::{error::Error as StdError, fmt, io};

use ::kube::{
    client::AuthError,
    config::{InferConfigError, KubeconfigError},
};

use crate::client::{connection::Killed, retry};

/// An error of kube's client or of the layers below, without tokens, headers and the output of a credential plugin.
///
/// Its `Display` and `Debug` output contains only texts that are known to be harmless; [`unredacted`](Self::unredacted)
/// returns all of it. There is no `source()`, because errors are often logged with all their sources.
pub struct KubeError(Box<::kube::Error>);

impl KubeError {
    /// Returns the complete error. Its text and those of its sources may contain secrets.
    pub fn unredacted(&self) -> &::kube::Error {
        &self.0
    }

    /// Returns the prefix of the message for a request that was sent without success.
    pub(super) fn without_answer(&self) -> &'static str {
        match retry::is_before_sending(&self.0) {
            true => "",
            false => "no response from the API server: ",
        }
    }
}

impl From<::kube::Error> for KubeError {
    fn from(error: ::kube::Error) -> Self {
        Self(Box::new(error))
    }
}

impl fmt::Display for KubeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&explain_transport(&*self.0))
    }
}

impl fmt::Debug for KubeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "KubeError({self})")
    }
}

impl StdError for KubeError {}

/// Why there is no configuration, without the content of the kubeconfig.
///
/// [`unredacted`](Self::unredacted) returns the complete error. There is no `source()`, because errors are often logged
/// with all their sources.
pub struct ConfigError(Box<InferConfigError>);

impl ConfigError {
    /// Returns the complete error. Its text may quote the kubeconfig.
    pub fn unredacted(&self) -> &InferConfigError {
        &self.0
    }
}

impl From<InferConfigError> for ConfigError {
    fn from(error: InferConfigError) -> Self {
        Self(Box::new(error))
    }
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let source = self.0.source();
        let kubeconfig = match source.and_then(|source| source.downcast_ref()) {
            Some(error) => from_kubeconfig(error),
            None => "it is invalid".to_owned(),
        };
        write!(f, "kubeconfig: {kubeconfig}; and the process does not run in a pod with a service account")
    }
}

impl fmt::Debug for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ConfigError({self})")
    }
}

impl StdError for ConfigError {}

/// Joins the texts of an error and its sources, as far as they are known to contain no secrets.
pub(crate) fn explain_transport(error: &(dyn StdError + 'static)) -> String {
    let mut known: Vec<String> = Vec::new();
    let mut all = true;
    let mut next = Some(error);
    while let Some(error) = next {
        match known_text(error) {
            SafeText::Text(text) if known.last() == Some(&text) => {}
            SafeText::Text(text) => known.push(text),
            SafeText::Wrapper => {}
            SafeText::Hidden => all = false,
        }
        next = inner(error);
    }
    let mut text = match known.is_empty() {
        true => "the request failed".to_owned(),
        false => known.join(": "),
    };
    if !all {
        text += " (details that may contain secrets are omitted: see `.unredacted()`)";
    }
    text
}

/// Returns the cause of an error. The content of an [`io::Error`] is not its source but its own text.
fn inner<'a>(error: &'a (dyn StdError + 'static)) -> Option<&'a (dyn StdError + 'static)> {
    let in_io = error.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
    match in_io {
        Some(inner) => Some(inner),
        None => error.source(),
    }
}

/// The displayable part of an error itself.
enum SafeText {
    Text(String),
    /// It only wraps another error.
    Wrapper,
    Hidden,
}

fn known_text(error: &(dyn StdError + 'static)) -> SafeText {
    if let Some(error) = error.downcast_ref::<::kube::Error>() {
        return from_kube(error);
    }
    if let Some(error) = error.downcast_ref::<AuthError>() {
        return SafeText::Text(from_auth(error));
    }
    if let Some(error) = error.downcast_ref::<KubeconfigError>() {
        return SafeText::Text(format!("kubeconfig: {}", from_kubeconfig(error)));
    }
    if let Some(error) = error.downcast_ref::<io::Error>() {
        return from_io(error);
    }
    if let Some(error) = error.downcast_ref::<Killed>() {
        return SafeText::Text(error.to_string());
    }
    let text = error.to_string();
    match is_of_transport(&text) {
        true => SafeText::Text(text),
        false => SafeText::Hidden,
    }
}

fn from_kube(error: &::kube::Error) -> SafeText {
    use ::kube::Error as E;
    let text = match error {
        E::HyperError(_) | E::Service(_) | E::Auth(_) | E::InferKubeconfig(_) | E::ReadEvents(_) => {
            return SafeText::Wrapper;
        }
        E::Api(status) => {
            return SafeText::Text(format!("the API server responded with {}", status.code));
        }
        E::HttpError(_) | E::BuildRequest(_) => "the request cannot be built",
        E::ProxyProtocolUnsupported { .. } => "the proxy's protocol is not supported",
        E::ProxyProtocolDisabled { protocol_feature, .. } => {
            return SafeText::Text(format!("the proxy requires the feature `{protocol_feature}`"));
        }
        E::FromUtf8(_) => "the response is not UTF-8",
        E::SerdeError(_) => "the response cannot be decoded",
        E::TlsRequired => "TLS is required: enable a feature such as `rustls-tls`",
        #[cfg(feature = "rustls-tls")]
        E::RustlsTls(_) => "TLS cannot be set up",
        _ => return SafeText::Hidden,
    };
    SafeText::Text(text.to_owned())
}

fn from_auth(error: &AuthError) -> String {
    use AuthError as E;
    match error {
        E::AuthExecRun { out, .. } => {
            let sizes = (out.stdout.len(), out.stderr.len());
            format!(
                "the credential plugin failed ({}), after it wrote {} bytes to stdout and {} to stderr: see \
                 `.unredacted()`",
                out.status, sizes.0, sizes.1
            )
        }
        E::AuthExecStart(error) if is_killed(error) => error.to_string(),
        E::AuthExecStart(error) => format!("the credential plugin cannot be run: {}", error.kind()),
        E::AuthExecParse(_) => "the output of the credential plugin cannot be parsed".to_owned(),
        E::ExecPluginFailed => "the output of the credential plugin has no status".to_owned(),
        E::ReadTokenFile(error, path) => {
            format!("the token file `{}` cannot be read: {}", path.display(), error.kind())
        }
        E::MissingCommand => "the credential plugin has no command".to_owned(),
        E::InvalidBasicAuth(_) => "the user name or password is not valid in a header".to_owned(),
        E::UnrefreshableTokenResponse => "the token is missing or empty".to_owned(),
        E::InvalidBearerToken(_) => "the token is not valid in a header".to_owned(),
        E::MalformedTokenExpirationDate(_) => "the expiration of the token is not a time".to_owned(),
        _ => "there are no valid credentials".to_owned(),
    }
}

/// Returns whether a credential plugin was killed. The text of that error contains none of its output.
fn is_killed(error: &io::Error) -> bool {
    error.get_ref().is_some_and(|inner| inner.is::<Killed>())
}

pub(crate) fn from_kubeconfig(error: &KubeconfigError) -> String {
    use KubeconfigError as E;
    match error {
        E::Parse(error) => match error.location() {
            Some(location) => format!("it cannot be parsed at line {} column {}", location.line(), location.column()),
            None => "it cannot be parsed".to_owned(),
        },
        E::ReadConfig(error, path) => {
            format!("`{}` cannot be read: {}", path.display(), error.kind())
        }
        // These contain the names of contexts and clusters.
        E::CurrentContextNotSet
        | E::KindMismatch
        | E::ApiVersionMismatch
        | E::LoadContext(_)
        | E::LoadClusterOfContext(_)
        | E::FindPath
        | E::MissingClusterUrl => error.to_string(),
        E::ParseClusterUrl(_) => "the URL of the cluster is invalid".to_owned(),
        E::ParseProxyUrl(_) => "the URL of the proxy is invalid".to_owned(),
        E::LoadCertificateAuthority(_) => "the certificate authority cannot be read".to_owned(),
        E::LoadClientCertificate(_) => "the client's certificate cannot be read".to_owned(),
        E::LoadClientKey(_) => "the client's key cannot be read".to_owned(),
        E::ParseCertificates(_) => "the certificates are not PEM".to_owned(),
        #[allow(unreachable_patterns)]
        _ => "it is invalid".to_owned(),
    }
}

/// Errors of the operating system have fixed texts; others may contain anything.
fn from_io(error: &io::Error) -> SafeText {
    match (error.raw_os_error(), error.get_ref()) {
        (Some(_), _) | (None, None) => SafeText::Text(error.to_string()),
        (None, Some(_)) if error.kind() == io::ErrorKind::Other => SafeText::Wrapper,
        (None, Some(_)) => SafeText::Text(error.kind().to_string()),
    }
}

/// Returns whether a text comes from hyper, the connectors or TLS. These texts contain steps, hosts and certificate
/// problems, but nothing that is sent.
fn is_of_transport(text: &str) -> bool {
    const WHOLE: [&str; 22] = [
        "dns error",
        "tcp connect error",
        "tcp open error",
        "connection closed before message completed",
        "connection error",
        "connection closed",
        "channel closed",
        "operation was canceled",
        "error reading a body from connection",
        "error writing a body to connection",
        "error shutting down connection",
        "http2 error",
        "message head is too large",
        "invalid HTTP version parsed",
        "invalid HTTP version parsed (found HTTP2 preface)",
        "invalid HTTP header parsed",
        "invalid HTTP status-code parsed",
        "deadline has elapsed",
        "request timed out",
        "tls handshake eof",
        "unexpected end of file",
        "peer closed connection without sending TLS close_notify: https://docs.rs/rustls/latest/rustls/manual/_03_howto/index.html#unexpected-eof",
    ];
    const STARTS: [&str; 7] = [
        "client error (",
        "failed to lookup address information: ",
        "invalid peer certificate: ",
        "received fatal alert: ",
        "received corrupt message of type ",
        "peer is incompatible: ",
        "peer misbehaved: ",
    ];
    let is_short = text.len() <= 300 && !text.contains(char::is_control) && !text.contains("Other(");
    is_short && (WHOLE.contains(&text) || STARTS.iter().any(|start| text.starts_with(start)))
}

#[cfg(test)]
mod tests;
