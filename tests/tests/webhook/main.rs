//! Webhooks that an API server calls over TLS: the real one, or the one in the process.

mod admission;
mod attacks;
mod conversion;
mod dev;
mod failures;
mod fixture;
mod machine;
mod manifests;
mod replicas;
mod rotation;
mod serving;
