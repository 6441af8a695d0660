use std::{fs, os::unix::fs::symlink, time::SystemTime};

use rustls::pki_types::{CertificateDer, pem::PemObject};
use tempfile::TempDir;
use tokio::{task::JoinHandle, time::sleep};

use super::*;
use crate::webhook::certificates::authority::{Authority, Issued};

/// A volume of a Secret: `..data` is a link to a folder, which is replaced as a whole.
struct Volume {
    folder: TempDir,
    number: usize,
    authority: Authority,
}

impl Volume {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        for name in ["tls.crt", "tls.key", "ca.crt"] {
            symlink(format!("..data/{name}"), folder.path().join(name)).unwrap();
        }
        let authority = Authority::create(SystemTime::now(), Duration::from_secs(1000)).unwrap();
        Self { folder, number: 0, authority }
    }

    fn issue(&self) -> Issued {
        self.authority.issue(&["a.b.svc".to_owned()], SystemTime::now(), Duration::from_secs(100)).unwrap()
    }

    fn replace(&mut self, chain: &str, key: &str) {
        self.number += 1;
        let folder = format!("..{}", self.number);
        let path = self.folder.path().join(&folder);
        fs::create_dir(&path).unwrap();
        let ca = self.authority.certificate.to_pem();
        for (name, text) in [("tls.crt", chain), ("tls.key", key), ("ca.crt", &ca)] {
            fs::write(path.join(name), text).unwrap();
        }
        let link = self.folder.path().join("..new");
        symlink(folder, &link).unwrap();
        fs::rename(link, self.folder.path().join("..data")).unwrap();
    }
}

struct Running(Certificates, JoinHandle<()>);

impl Running {
    fn start(volume: &Volume) -> Self {
        let watcher = CertWatcher::new(volume.folder.path());
        Self(watcher.certificates(), tokio::spawn(watcher.run()))
    }

    fn presented(&self) -> CertificateDer<'static> {
        self.0.shared.current.borrow().as_ref().unwrap().serving.key.cert[0].clone()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.1.abort();
    }
}

fn der(issued: &Issued) -> CertificateDer<'static> {
    CertificateDer::from_pem_slice(issued.chain.as_bytes()).unwrap()
}

#[tokio::test(start_paused = true)]
async fn changed_files_are_loaded_and_invalid_ones_are_not() {
    let mut volume = Volume::new();
    let running = Running::start(&volume);
    sleep(INTERVAL * 2).await;
    assert!(!running.0.is_ready());
    assert!(running.0.metrics().failures > 0);

    let first = volume.issue();
    volume.replace(&first.chain, &first.key);
    running.0.ready().await;
    assert_eq!(running.presented(), der(&first));
    assert_eq!(running.0.ca_bundle(), Some(volume.authority.certificate.to_pem().into_bytes()));

    let failures = running.0.metrics().failures;
    let other = volume.issue();
    for (chain, key) in
        [(&*other.chain, &*first.key), ("", &first.key), (&first.chain, "text"), (&other.chain, &other.chain)]
    {
        volume.replace(chain, key);
        sleep(INTERVAL * 3).await;
        assert_eq!(running.presented(), der(&first));
    }
    // Once for each of them.
    assert_eq!(running.0.metrics().failures, failures + 4);

    volume.replace(&other.chain, &other.key);
    sleep(INTERVAL * 2).await;
    assert_eq!(running.presented(), der(&other));
    let metrics = running.0.metrics();
    assert_eq!((metrics.loads, metrics.failures), (2, failures + 4));
    assert!(metrics.not_after.unwrap() > SystemTime::now());

    fs::remove_file(volume.folder.path().join("..data")).unwrap();
    sleep(INTERVAL * 2).await;
    assert_eq!(running.presented(), der(&other));
    assert!(running.0.metrics().failures > failures + 4);
}
