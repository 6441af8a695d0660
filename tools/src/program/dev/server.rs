//! The API server of `dev`.

use std::{fs, io, net::Ipv4Addr, path::Path};

use crdkit::Client;
use crdkit_api_server::{ApiServer, PodState, ServerHandle};

use super::super::cluster::FIELD_MANAGER;
use crate::project::Project;

/// The port of `WebhookServer`.
const WEBHOOK_PORT: u16 = 9443;

/// An API server with a port, and with the controllers that operators rely on.
pub(super) struct Server {
    server: ApiServer,
    handle: ServerHandle,
}

impl Server {
    pub(super) async fn start(project: &Project) -> io::Result<Self> {
        let mut server = ApiServer::new()
            .with_system_time()
            .with_garbage_collection()
            .with_namespace_deletion()
            .with_service_accounts()
            .with_workloads(PodState::usual);
        if let Some((namespace, name)) = project.service_name() {
            server = server.with_service(namespace, name, (Ipv4Addr::LOCALHOST, WEBHOOK_PORT).into());
        }
        let handle = server.serve((Ipv4Addr::LOCALHOST, 0)).await?;
        Ok(Self { server, handle })
    }

    pub(super) fn client(&self) -> Client {
        self.server.client().field_manager(FIELD_MANAGER)
    }

    pub(super) fn write_kubeconfig(&self, path: &Path) -> io::Result<()> {
        let in_path =
            |error: io::Error| io::Error::new(error.kind(), format!("cannot write `{}`: {error}", path.display()));
        if let Some(directory) = path.parent() {
            fs::create_dir_all(directory).map_err(in_path)?;
        }
        fs::write(path, self.handle.kubeconfig()).map_err(in_path)
    }
}
