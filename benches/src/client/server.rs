//! An API server in the process with prepared responses.

use std::{convert::Infallible, sync::Arc};

use bytes::Bytes;
use http::{Method, Request, Response, StatusCode, Uri};
use http_body_util::Full;
use kube::client::Body;
use serde_json::{Value, json};

use crate::objects;

/// How many objects there are to list.
pub(crate) const OBJECTS: usize = 10_000;

/// The number of objects in a page.
pub(crate) const PAGE_SIZE: usize = 500;

/// The answers.
pub(crate) struct Server {
    virtual_machine: Bytes,
    virtual_machines: Vec<Bytes>,
    config_maps: Vec<Bytes>,
    deleted: Bytes,
    lost: Bytes,
}

impl Server {
    /// A server with a number of objects of each kind.
    pub(crate) fn new(objects: usize) -> Arc<Self> {
        let status = |status: Value| Bytes::from(status.to_string());
        Arc::new(Self {
            virtual_machine: objects::virtual_machine(0).to_string().into(),
            virtual_machines: pages(objects, unstructured_page),
            config_maps: pages(objects, typed_page),
            deleted: status(json!({
                "apiVersion": "v1",
                "kind": "Status",
                "metadata": {},
                "status": "Success",
                "details": {
                    "group": "infra.example.com",
                    "kind": "virtualmachines",
                    "name": "web-00000",
                    "uid": "9c6f6f0a-6d5c-4a7f-9a35-000000000000",
                },
            })),
            lost: status(json!({
                "kind": "Status", "status": "Failure", "reason": "NotFound", "message": "no such page", "code": 404,
            })),
        })
    }

    /// Kube's client on this server, without anything in between.
    pub(crate) fn client(self: &Arc<Self>) -> kube::Client {
        let server = self.clone();
        let service = tower::service_fn(move |request: Request<Body>| {
            let response = server.respond(request.method(), request.uri());
            async { Ok::<_, Infallible>(response) }
        });
        kube::Client::new(service, "default")
    }

    /// The answer to a request.
    pub(crate) fn respond(&self, method: &Method, uri: &Uri) -> Response<Full<Bytes>> {
        let kind = uri.path().rsplit('/').next().unwrap_or_default();
        let body = match (method, kind) {
            (&Method::GET, "virtualmachines") => page(&self.virtual_machines, uri),
            (&Method::GET, "configmaps") => page(&self.config_maps, uri),
            (&Method::DELETE, _) => Some(&self.deleted),
            _ => Some(&self.virtual_machine),
        };
        let mut response = Response::new(Full::new(body.unwrap_or(&self.lost).clone()));
        if body.is_none() {
            *response.status_mut() = StatusCode::NOT_FOUND;
        }
        response
    }
}

/// The page that a request goes on with.
fn page<'a>(pages: &'a [Bytes], uri: &Uri) -> Option<&'a Bytes> {
    let query = uri.query().unwrap_or_default();
    let mut pairs = form_urlencoded::parse(query.as_bytes());
    let token = pairs.find(|(key, _)| key == "continue");
    let number = token.map_or(Some(0), |(_, token)| token.parse().ok())?;
    pages.get::<usize>(number)
}

fn pages(objects: usize, page: fn(&[usize], Value) -> String) -> Vec<Bytes> {
    let numbers: Vec<_> = (0..objects).collect();
    let pages = numbers.chunks(PAGE_SIZE);
    let count = pages.len();
    let pages = pages.enumerate().map(|(at, numbers)| {
        let mut metadata = json!({ "resourceVersion": "3000000" });
        if at + 1 < count {
            metadata["continue"] = (at + 1).to_string().into();
            metadata["remainingItemCount"] = (objects - (at + 1) * PAGE_SIZE).into();
        }
        Bytes::from(page(numbers, metadata))
    });
    pages.collect()
}

/// A page of custom resources, whose keys are in alphabetical order.
fn unstructured_page(numbers: &[usize], metadata: Value) -> String {
    let items: Vec<_> = numbers.iter().copied().map(objects::virtual_machine).collect();
    let list = json!({
        "apiVersion": "infra.example.com/v1",
        "items": items,
        "kind": "VirtualMachineList",
        "metadata": metadata,
    });
    format!("{list}\n")
}

/// A page of a type of Kubernetes' own, whose keys are in the order of Go's structs.
fn typed_page(numbers: &[usize], metadata: Value) -> String {
    let items: Vec<_> = numbers.iter().copied().map(objects::config_map).collect();
    let items = Value::from(items);
    format!(r#"{{"kind":"ConfigMapList","apiVersion":"v1","metadata":{metadata},"items":{items}}}"#) + "\n"
}
