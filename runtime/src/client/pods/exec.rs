//! Processes and ports of running Pods, by kube's WebSockets.

use k8s_openapi::api::core::v1::Pod;
use kube::api::{AttachParams, AttachedProcess, Portforwarder};

use crate::client::{
    endpoint::Endpoint,
    error::Error,
    request::{Request, Verb},
    request_future::RequestFuture,
    resources::Resources,
    scope::SingleObject,
};

impl<P> Resources<Pod, P> {
    /// Runs a command in a container, with kube's parameters and kube's handle of the process. (Feature `ws`)
    ///
    /// It requires the permission to `create` `pods/exec`. The exit code of the command is in the
    /// [status](AttachedProcess::take_status) of the process.
    ///
    /// # Errors
    ///
    /// [`Error::Transport`] if the API server does not open the connection, [`Error::NotLeader`] and [`Error::InvalidName`].
    pub fn exec<'a>(
        &'a self,
        name: &'a str,
        command: impl IntoIterator<Item: Into<String>>,
        params: &'a AttachParams,
    ) -> RequestFuture<'a, AttachedProcess>
    where
        P: SingleObject<Pod>,
    {
        let (endpoint, api) = (&self.endpoint, self.api());
        let command: Vec<String> = command.into_iter().map(Into::into).collect();
        Box::pin(async move {
            let request = begin(endpoint, name, "exec")?;
            let process = api.exec(name, command, params).await;
            process.map_err(|source| refused(endpoint, &request, source))
        })
    }

    /// Attaches to the process of a container, with kube's parameters and kube's handle. (Feature `ws`)
    ///
    /// It requires the permission to `create` `pods/attach`.
    ///
    /// # Errors
    ///
    /// As [`exec`](Self::exec).
    pub fn attach<'a>(&'a self, name: &'a str, params: &'a AttachParams) -> RequestFuture<'a, AttachedProcess>
    where
        P: SingleObject<Pod>,
    {
        let (endpoint, api) = (&self.endpoint, self.api());
        Box::pin(async move {
            let request = begin(endpoint, name, "attach")?;
            let process = api.attach(name, params).await;
            process.map_err(|source| refused(endpoint, &request, source))
        })
    }

    /// Connects to ports of a Pod. (Feature `ws`)
    ///
    /// It requires the permission to `create` `pods/portforward`.
    ///
    /// # Errors
    ///
    /// As [`exec`](Self::exec).
    pub fn portforward<'a>(&'a self, name: &'a str, ports: &'a [u16]) -> RequestFuture<'a, Portforwarder>
    where
        P: SingleObject<Pod>,
    {
        let (endpoint, api) = (&self.endpoint, self.api());
        Box::pin(async move {
            let request = begin(endpoint, name, "portforward")?;
            let ports = api.portforward(name, ports).await;
            ports.map_err(|source| refused(endpoint, &request, source))
        })
    }
}

/// Checks what kube does not: the name, and whether the process may write.
fn begin<'a>(endpoint: &Endpoint<Pod>, name: &'a str, subresource: &'static str) -> Result<Request<'a>, Error> {
    let request = Request::object(Verb::Create, name).subresource(Some(subresource));
    endpoint.prepare(&request)?;
    endpoint.check_write(&request)?;
    Ok(request)
}

fn refused(endpoint: &Endpoint<Pod>, request: &Request<'_>, source: kube::Error) -> Error {
    Error::Transport { operation: Box::new(endpoint.operation(request)), source: source.into() }
}
