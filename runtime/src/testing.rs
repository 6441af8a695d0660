//! Checks for `cargo test`.
//!
//! | function | finds |
//! |---|---|
//! | [`check`] | violations of the API server's rules in a definition; each derived resource has a generated test that calls it |
//! | [`roundtrip()`] | documents that a resource's schema accepts, but that do not survive decoding and encoding (feature `testing`) |
//!
//! # Round trips
//!
//! The schema determines which objects the API server stores, serde which objects the program can read. If they differ,
//! the API server stores objects that no controller can read. Add a round-trip test for each resource:
//!
//! ```
//! # use crdkit::{CustomResource, KubeSchema};
//! # use serde::{Deserialize, Serialize};
//! #[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
//! #[crd(group = "example.com", version = "v1", kind = "Server")]
//! struct ServerSpec {
//!     port: std::num::NonZeroU16,
//!     #[serde(default)]
//!     protocol: Protocol,
//! }
//!
//! #[derive(KubeSchema, Serialize, Deserialize, Clone, Copy, Debug, Default)]
//! enum Protocol {
//!     #[default]
//!     Tcp,
//!     Udp,
//! }
//!
//! # /*
//! #[test]
//! # */
//! fn objects_round_trip() {
//!     # #[cfg(feature = "testing")]
//!     crdkit::testing::roundtrip::<Server>();
//! }
//! # objects_round_trip();
//! ```
//!
//! Enable the feature for tests only:
//!
//! ```toml
//! [dev-dependencies]
//! crdkit = { version = "0.1", features = ["testing"] }
//! ```
//!
//! [`RoundtripTest`] describes the procedure and has the options.
//!
//! # Without a cluster
//!
//! To test the types and the code of an operator without an API server:
//!
//! | subject | tool |
//! |---|---|
//! | definitions | [the generated test](crate::attributes::resource#the-generated-test) of each resource, which calls [`check`] |
//! | committed files | [`Crds::check`](crate::emit::Crds::check) |
//! | schemas, compared with serde's behaviour | [`roundtrip()`] |
//! | CEL rules | [`validate_cel`](crate::attributes::resource#rules-run-in-process) |
//! | a reconciler that reads from listers | `crdkit::informer::Lister::of([...])`, a lister with fixed objects |
//! | an event handler | `crdkit::informer::Subscription::from_iter([...])`, a subscription with fixed events |
//! | a program that calls the API server | the crate [crdkit-api-server](https://docs.rs/crdkit-api-server): an API server in the process |
//! | a program, with responses that the test dictates | `Client::from` a `kube::Client` with a mock service |
//!
//! A mock service is a function from requests to responses:
//!
//! ```
//! # #[cfg(feature = "client")] {
//! use crdkit::{Client, kube};
//! use http::{Request, Response};
//! use k8s_openapi::api::core::v1::ConfigMap;
//! use kube::client::Body;
//! use serde_json::json;
//!
//! /// A server with one ConfigMap.
//! async fn answer(request: Request<Body>) -> Result<Response<Body>, std::convert::Infallible> {
//!     let path = request.uri().path();
//!     let (code, body) = match (request.method().as_str(), path) {
//!         ("GET", "/api/v1/namespaces/default/configmaps/web") => (
//!             200,
//!             json!({
//!                 "apiVersion": "v1", "kind": "ConfigMap",
//!                 "metadata": { "name": "web", "namespace": "default", "uid": "1", "resourceVersion": "1" },
//!                 "data": { "size": "2" },
//!             }),
//!         ),
//!         _ => (
//!             404,
//!             json!({
//!                 "apiVersion": "v1", "kind": "Status", "status": "Failure",
//!                 "reason": "NotFound", "message": "not found", "code": 404,
//!                 "details": { "kind": "configmaps", "name": path.rsplit('/').next() }, // of objects, not of kinds
//!             }),
//!         ),
//!     };
//!     let response = Response::builder().status(code).header("content-type", "application/json");
//!     Ok(response.body(Body::from(body.to_string().into_bytes())).expect("a response"))
//! }
//!
//! # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
//! let client = Client::from(kube::Client::new(tower::service_fn(answer), "default"));
//! let configs = client.resources::<ConfigMap>().namespace("default");
//! assert_eq!(configs.get("web").await?.data.unwrap()["size"], "2");
//! assert!(configs.get_opt("other").await?.is_none());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! # })?;
//! # }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Such a test depends on the crates `http` and `tower`.
//!
//! The page `guide` of crdkit-api-server tests an operator step by step. What needs a real API server runs on its
//! `ControlPlane`, or on [kind](https://kind.sigs.k8s.io).

use std::io::Write as _;

use crate::CustomResource;

mod check_report;
#[cfg(all(feature = "testing", feature = "convert"))]
mod conversion;
mod render_errors;
#[cfg(any(feature = "testing", test, doc))]
pub(crate) mod roundtrip;
mod size;

pub use check_report::CheckReport;
#[cfg(all(feature = "testing", feature = "convert"))]
#[cfg_attr(docsrs, doc(cfg(all(feature = "testing", feature = "convert"))))]
pub use conversion::ConversionTest;
#[cfg(any(feature = "testing", test, doc))]
#[cfg_attr(docsrs, doc(cfg(feature = "testing")))]
pub use roundtrip::{RoundtripCase, RoundtripFailure, RoundtripReport, RoundtripTest, roundtrip, roundtrip_of_type};

/// Validates the definition of a resource as the API server does. The generated test of each derived resource calls this.
///
/// It renders the definition, including foreign types, and checks everything that cannot be checked at compile time. Notes
/// that are not errors are printed to the standard error.
///
/// ```
/// # use crdkit::{CustomResource, KubeSchema};
/// # use serde::{Deserialize, Serialize};
/// #[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
/// #[crd(group = "example.com", version = "v1", kind = "Foo", test = false)]
/// struct FooSpec {
///     size: u8,
/// }
///
/// crdkit::testing::check::<Foo>(); // equivalent to the generated test, which `test = false` disables
/// ```
///
/// # Panics
///
/// If the API server would reject the definition of `K`, or a part of it can never work.
#[track_caller]
pub fn check<K: CustomResource>() {
    let report = CheckReport::new(&K::DEFINITION);
    if let Some(notes) = report.notes_text() {
        // Unlike the output of `eprint!`, this is shown for passing tests.
        let _ = std::io::stderr().lock().write_all(notes.as_bytes());
    }
    assert!(report.is_good(), "{report}");
}
