use std::{error::Error as StdError, fmt, io, path::PathBuf};

use ::kube::{client::AuthError, config::KubeconfigError};

use crate::client::{connection::PluginFailure, retry};

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
        if retry::is_before_sending(&self.0) { "" } else { "no response from the API server: " }
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
pub struct ConfigError(ConfigCause);

enum ConfigCause {
    /// None of the files exists, and the process does not run in a pod.
    Missing(Vec<PathBuf>),
    Kubeconfig(Box<KubeconfigError>),
}

impl ConfigError {
    /// Returns the complete error of a kubeconfig; `None` if there is no kubeconfig. Its text may quote the kubeconfig.
    pub fn unredacted(&self) -> Option<&KubeconfigError> {
        match &self.0 {
            ConfigCause::Missing(_) => None,
            ConfigCause::Kubeconfig(error) => Some(error),
        }
    }

    pub(crate) fn missing(paths: Vec<PathBuf>) -> Self {
        Self(ConfigCause::Missing(paths))
    }
}

impl From<KubeconfigError> for ConfigError {
    fn from(error: KubeconfigError) -> Self {
        Self(ConfigCause::Kubeconfig(Box::new(error)))
    }
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            ConfigCause::Kubeconfig(error) => write!(f, "kubeconfig: {}", from_kubeconfig(error)),
            ConfigCause::Missing(paths) => {
                f.write_str("there is no kubeconfig")?;
                for (at, path) in paths.iter().enumerate() {
                    write!(f, "{}`{}`", if at == 0 { " at " } else { ", " }, path.display())?;
                }
                f.write_str(", and the process does not run in a pod with a service account")
            }
        }
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
    let mut text = if known.is_empty() { "the request failed".to_owned() } else { known.join(": ") };
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
    if let Some(error) = error.downcast_ref::<PluginFailure>() {
        return SafeText::Text(error.to_string());
    }
    let text = error.to_string();
    if is_of_transport(&text) { SafeText::Text(text) } else { SafeText::Hidden }
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
            // The features of crdkit have the names of kube's.
            let feature = protocol_feature.trim_start_matches("kube/");
            return SafeText::Text(format!("the proxy requires the feature `{feature}` of crdkit"));
        }
        E::FromUtf8(_) => "the response is not UTF-8",
        E::SerdeError(_) => "the response cannot be decoded",
        E::TlsRequired => "TLS is required: enable a feature of crdkit such as `rustls-tls`",
        #[cfg(feature = "rustls-tls")]
        E::RustlsTls(_) => "TLS cannot be set up",
        _ => return SafeText::Hidden,
    };
    SafeText::Text(text.to_owned())
}

fn from_auth(error: &AuthError) -> String {
    use AuthError as E;
    match error {
        E::AuthExecRun { cmd, out } => {
            let sizes = (out.stdout.len(), out.stderr.len());
            // kube's own also has variables and arguments, which may be secret.
            let command = cmd.split_whitespace().next().map(|word| word.trim_matches('"')).unwrap_or_default();
            let command = if command.contains('=') { String::new() } else { format!("`{command}` ") };
            format!(
                "the credential plugin {command}failed ({}), after it wrote {} bytes to stdout and {} to stderr: see \
                 `.unredacted()`",
                out.status, sizes.0, sizes.1
            )
        }
        E::AuthExecStart(error) if is_of_plugin(error) => error.to_string(),
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
        E::AuthExec(text) => from_provider(text).to_owned(),
        _ => "there are no valid credentials".to_owned(),
    }
}

/// Returns the text of an error of kube's providers, which may contain what a program printed.
fn from_provider(text: &str) -> &'static str {
    const KNOWN: [(&str, &str); 4] = [
        ("Enable oauth feature", "the provider `gcp` of the credentials requires the feature `oauth` of crdkit"),
        (
            "No id-token for oidc",
            "the provider `oidc` of the credentials has no `id-token`: the feature `oidc` of crdkit renews it",
        ),
        (
            "The azure auth plugin",
            "the provider `azure` is not supported: https://github.com/Azure/kubelogin replaces it",
        ),
        (
            "Authentication with provider",
            "the provider of the credentials is not supported: use a credential plugin (`exec`)",
        ),
    ];
    let known = KNOWN.iter().find(|(start, _)| text.starts_with(start));
    known.map_or("there are no valid credentials", |(_, known)| known)
}

/// Returns whether the text is one of [`PluginFailure`], which contains no secrets.
fn is_of_plugin(error: &io::Error) -> bool {
    error.get_ref().is_some_and(|inner| inner.is::<PluginFailure>())
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
