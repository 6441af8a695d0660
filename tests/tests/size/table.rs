//! The table of Kubernetes' schemas for its types.

use crdkit_tests::{ControlPlane, topology};

/// `cargo run -p crdkit-tests --bin topology` writes it anew.
#[tokio::test]
async fn it_is_that_of_the_server() {
    let Some(plane) = ControlPlane::shared().filter(|plane| plane.built_version().is_some()) else {
        return;
    };
    let table = topology::table(plane).await.unwrap();
    let kept = std::fs::read_to_string(topology::path()).unwrap();
    let differs = table.lines().zip(kept.lines()).find(|(new, kept)| new != kept);
    assert!(table == kept, "the table is not up to date: {differs:?}");
}
