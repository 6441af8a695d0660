//! A control plane to play with: prints its kubeconfig and runs until its standard input ends.

use std::io::Read;

use crdkit_tests::ControlPlane;

fn main() -> std::io::Result<()> {
    let Some(plane) = ControlPlane::start() else {
        return Ok(());
    };
    println!("export KUBECONFIG={}", plane.kubeconfig().display());
    std::io::stdin().read_to_end(&mut Vec::new())?;
    Ok(())
}
