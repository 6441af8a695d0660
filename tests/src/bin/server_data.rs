//! Writes the data of the API server in the process: the built-in resources, their schemas, the template of OpenAPI
//! documents and the default roles.
//!
//! `cargo run -p crdkit-tests --bin server_data` copies them from the real API server.

use std::fs;

use anyhow::{Context, Result};
use crdkit_tests::{
    ControlPlane,
    server_data::{empty, kinds, openapi, resources, roles},
};

#[tokio::main]
async fn main() -> Result<()> {
    let plane = ControlPlane::start().context("there is no control plane")?;
    fs::write(resources::path(), resources::lines(&plane).await?)?;
    fs::write(kinds::path(), kinds::lines(&plane).await?)?;
    fs::write(empty::path(), empty::lines(&plane).await?)?;
    fs::write(openapi::path(), openapi::template(&plane).await?)?;
    fs::write(roles::path(), roles::lines(&plane).await?)?;
    Ok(())
}
