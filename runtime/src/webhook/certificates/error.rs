use std::{io, path::PathBuf};

use crate::client;

/// Why certificates cannot be loaded, renewed or distributed.
///
/// No message contains a private key.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CertificateError {
    /// There is no certificate in PEM, or it is damaged.
    #[error("there is no valid certificate in PEM")]
    InvalidCertificate,
    /// There is no private key in PEM, or it is damaged.
    #[error("there is no valid private key in PEM")]
    InvalidKey,
    /// The private key is not that of the certificate, or rustls does not support them.
    #[error("the private key and the certificate cannot be used together: {0}")]
    Unusable(#[from] rustls::Error),
    /// A file cannot be read.
    #[error("cannot read `{}`: {source}", .path.display())]
    File {
        /// The path.
        path: PathBuf,
        /// The error.
        source: io::Error,
    },
    /// A certificate cannot be issued.
    #[error("cannot issue a certificate: {0}")]
    Issue(String),
    /// The Secret has a certificate of another program: it has no `ca.key`.
    #[error(
        "the Secret `{0}` has a certificate that is not crdkit's: choose another name, or mount it and use `CertWatcher`"
    )]
    OtherOwner(String),
    /// A request to the API server failed.
    #[error(transparent)]
    Client(#[from] client::Error),
}
