//! Writes the keywords of Kubernetes' own types that k8s-openapi omits: list types, map types and defaults, from the
//! OpenAPI documents of the API server.
//!
//! `cargo run -p crdkit-tests --bin topology` writes the table that `#[crd(embed = "full")]` reads.

use std::fs;

use anyhow::{Context, Result};
use crdkit_tests::{ControlPlane, topology};

#[tokio::main]
async fn main() -> Result<()> {
    let plane = ControlPlane::start().context("there is no control plane")?;
    fs::write(topology::path(), topology::table(&plane).await?)?;
    Ok(())
}
