//! Webhooks that an API server calls over TLS: the real one, or the one in the process.

mod admission;
mod failures;
mod fixture;
mod machine;
mod manifests;
#[allow(dead_code, reason = "the client's tests need more of it")]
#[path = "../client/server.rs"]
mod server;
mod serving;
