use std::{path::Path, sync::OnceLock, thread, time::Duration};

use anyhow::{Result, bail};
use kube::{
    Client, Config,
    config::{KubeConfigOptions, Kubeconfig},
};
use tokio::{runtime::Runtime, time::timeout};

use crate::{Answer, Request};

const PROBE_LIMIT: Duration = Duration::from_secs(10);

/// The way to an API server that is ready.
///
/// Its client lives on a runtime of its own, so that tests, each on a runtime of theirs, share open connections:
/// to open one takes fifty times as long as a request.
pub(crate) struct Connection {
    config: Config,
    client: Client,
}

impl Connection {
    /// Opens the way once, and fails if the API server is not ready.
    pub(crate) fn open(kubeconfig: &Path) -> Result<Self> {
        // The caller may be inside of a runtime, on whose threads nothing may wait for another runtime.
        thread::scope(|scope| scope.spawn(|| runtime().block_on(Self::probe(kubeconfig))).join())
            .expect("probing does not panic")
    }

    pub(crate) fn config(&self) -> &Config {
        &self.config
    }

    pub(crate) async fn send(&self, request: Request) -> Result<Answer> {
        runtime().spawn(request.send(self.client.clone())).await?
    }

    async fn probe(kubeconfig: &Path) -> Result<Self> {
        let config = read_config(kubeconfig).await?;
        let client = Client::try_from(config.clone())?;
        let answer = timeout(PROBE_LIMIT, Request::get("/readyz").send(client.clone())).await??;
        if answer.status != 200 {
            bail!("/readyz answers {}: {}", answer.status, answer.body);
        }
        Ok(Self { config, client })
    }
}

/// Fails until kube-apiserver has written its certificate.
async fn read_config(kubeconfig: &Path) -> Result<Config> {
    let kubeconfig = Kubeconfig::read_from(kubeconfig)?;
    let mut config = Config::from_custom_kubeconfig(kubeconfig, &KubeConfigOptions::default()).await?;
    config.proxy_url = None;
    Ok(config)
}

/// A runtime that is never dropped, which it could not be inside of another.
fn runtime() -> &'static Runtime {
    static RUNTIME: OnceLock<Runtime> = OnceLock::new();
    RUNTIME.get_or_init(|| {
        tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .expect("a runtime can be built")
    })
}
