use std::{sync::OnceLock, thread};

use anyhow::Result;
use kube::{Client, Config};
use tokio::runtime::Runtime;

use crate::{Answer, Request};

/// Open connections to an API server.
///
/// The client has its own runtime, so that tests, which each have a runtime, share connections: opening one takes fifty
/// times as long as a request.
pub(crate) struct Connection {
    client: Client,
}

impl Connection {
    pub(crate) fn open(config: Config) -> Self {
        let open = || runtime().block_on(async { Client::try_from(config) });
        // The caller may be inside a runtime, whose threads must not block on another runtime.
        let opened = thread::scope(|scope| scope.spawn(open).join()).expect("a client is made without a panic");
        Self { client: opened.expect("the configuration of the control plane is valid") }
    }

    pub(crate) async fn send(&self, request: Request) -> Result<Answer> {
        runtime().spawn(request.send(self.client.clone())).await?
    }
}

/// A runtime that is never dropped, since it cannot be dropped inside another one.
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
