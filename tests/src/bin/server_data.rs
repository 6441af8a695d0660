//! Writes the data of the API server in the process: the built-in resources, their schemas, the template of OpenAPI
//! documents, the default roles and the objects of a new cluster.
//!
//! `cargo run -p crdkit-tests --bin server_data` copies them from the real API server.

use std::fs;

use anyhow::{Context, Result};
use crdkit_tests::{
    ControlPlane,
    server_data::{empty, kinds, new_cluster, openapi, resources, roles},
};

#[tokio::main]
async fn main() -> Result<()> {
    let plane = ControlPlane::start().context("there is no control plane")?;
    fs::write(resources::path(), resources::lines(&plane).await?)?;
    fs::write(kinds::path(), kinds::lines(&plane).await?)?;
    fs::write(empty::path(), empty::lines(&plane).await?)?;
    fs::write(new_cluster::path(), new_cluster::lines(&plane).await?)?;
    fs::write(openapi::path(), openapi::template(&plane).await?)?;
    fs::write(roles::path(), roles::lines(&plane).await?)?;
    Ok(())
}
