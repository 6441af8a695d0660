use std::{
    fs, io,
    path::{Path, PathBuf},
    time::Duration,
};

use futures_util::future::join;
use tokio::{task::spawn_blocking, time::sleep};

use super::{
    CaTarget, CertificateRequest, Certificates, error::CertificateError, injector::Injector,
    serving::ServingCertificate,
};
use crate::{Client, webhook::crypto::provider};

/// controller-runtime's.
const INTERVAL: Duration = Duration::from_secs(10);
/// How often files that change while they are read are read again.
const ATTEMPTS: usize = 5;

/// Certificates in files, such as those that cert-manager writes into a Secret which is mounted as a volume.
///
/// The files are read again every ten seconds. A changed certificate is used for new connections. If the new files are invalid, the
/// last good certificate stays in use, which is logged and counted.
///
/// ```no_run
/// use crdkit::webhook::certificates::CertWatcher;
///
/// # async fn example() {
/// let watcher = CertWatcher::new("/tmp/k8s-webhook-server/serving-certs");
/// let certificates = watcher.certificates();
/// tokio::spawn(watcher.run());
/// certificates.ready().await;
/// # }
/// ```
#[derive(Debug)]
#[doc(alias("cert-manager", "certwatcher"))]
#[must_use = "nothing is read until `run` is called"]
pub struct CertWatcher {
    folder: PathBuf,
    certificate: String,
    key: String,
    authority: String,
    interval: Duration,
    client: Option<Client>,
    targets: Vec<CaTarget>,
    certificates: Certificates,
}

/// The contents of the files.
#[derive(PartialEq)]
struct Files {
    chain: Vec<u8>,
    key: Vec<u8>,
    ca_bundle: Option<Vec<u8>>,
}

impl CertWatcher {
    /// Watches the files `tls.crt`, `tls.key` and, if it exists, `ca.crt` in a folder.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self {
            folder: folder.into(),
            certificate: "tls.crt".to_owned(),
            key: "tls.key".to_owned(),
            authority: "ca.crt".to_owned(),
            interval: INTERVAL,
            client: None,
            targets: Vec::new(),
            certificates: Certificates::new(),
        }
    }

    /// Sets the names of the files with the certificate and its private key, in PEM.
    pub fn file_names(self, certificate: &str, key: &str) -> Self {
        Self { certificate: certificate.to_owned(), key: key.to_owned(), ..self }
    }

    /// Sets how often the files are read: every 10 s by default, as in controller-runtime.
    pub fn interval(self, interval: Duration) -> Self {
        Self { interval, ..self }
    }

    /// Keeps the `caBundle` of objects up to date with `ca.crt`. cert-manager's cainjector does so too.
    pub fn inject(self, client: &Client, targets: impl IntoIterator<Item = CaTarget>) -> Self {
        Self { client: Some(client.clone()), targets: targets.into_iter().collect(), ..self }
    }

    /// Returns the certificates, for a server.
    pub fn certificates(&self) -> Certificates {
        self.certificates.clone()
    }

    pub(super) fn requests(&self) -> Vec<CertificateRequest> {
        self.targets.iter().map(CaTarget::request).collect()
    }

    /// Reads the files, and again when they change, until the future is dropped.
    pub async fn run(self) {
        match &self.client {
            Some(client) => {
                let injector = Injector::new(client, self.targets.clone(), &self.certificates);
                join(self.watch(), injector.run()).await;
            }
            None => self.watch().await,
        }
    }

    async fn watch(&self) {
        let (mut last, mut last_error) = (None, String::new());
        loop {
            let loaded = match self.read().await {
                Ok(files) if last.as_ref() == Some(&files) => Ok(()),
                Ok(files) => {
                    let loaded = self.load(&files);
                    last = Some(files);
                    last_error.clear();
                    loaded
                }
                Err(error) => Err(error),
            };
            if let Err(error) = loaded {
                self.certificates.count_failure();
                let text = error.to_string();
                // Once for each reason.
                if text != last_error {
                    tracing::warn!(folder = %self.folder.display(), %error, "cannot load the certificate of webhooks");
                    last_error = text;
                }
            }
            sleep(self.interval).await;
        }
    }

    fn load(&self, files: &Files) -> Result<(), CertificateError> {
        let serving = ServingCertificate::from_pem(&files.chain, &files.key, &*provider()?)?;
        if self.certificates.publish(serving, files.ca_bundle.clone()) {
            tracing::info!(folder = %self.folder.display(), "webhooks have another certificate");
        }
        Ok(())
    }

    async fn read(&self) -> Result<Files, CertificateError> {
        let [chain, key, authority] =
            [&self.certificate, &self.key, &self.authority].map(|name| self.folder.join(name));
        match spawn_blocking(move || read_files(&chain, &key, &authority)).await {
            Ok(files) => files,
            Err(error) => {
                let path = self.folder.clone();
                Err(CertificateError::File { path, source: io::Error::other(error) })
            }
        }
    }
}

/// Reads files that belong together: they may be exchanged in between.
fn read_files(chain: &Path, key: &Path, authority: &Path) -> Result<Files, CertificateError> {
    let read_all = || -> Result<Files, CertificateError> {
        let ca_bundle = match read(authority) {
            Err(CertificateError::File { source, .. }) if source.kind() == io::ErrorKind::NotFound => None,
            bundle => Some(bundle?),
        };
        Ok(Files { chain: read(chain)?, key: read(key)?, ca_bundle })
    };
    let mut files = read_all()?;
    for _ in 1..ATTEMPTS {
        let again = read_all()?;
        if again == files {
            break;
        }
        files = again;
    }
    Ok(files)
}

fn read(path: &Path) -> Result<Vec<u8>, CertificateError> {
    fs::read(path).map_err(|source| CertificateError::File { path: path.to_owned(), source })
}

#[cfg(all(test, unix, any(feature = "ring", feature = "aws-lc-rs")))]
mod tests;
