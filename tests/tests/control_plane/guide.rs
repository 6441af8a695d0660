//! The example of the guide to testing, as it is printed there.

use crdkit_tests::ControlPlane;

include!("../../../api-server/src/end_to_end.rs");

#[tokio::test]
async fn the_example_of_the_guide_passes() {
    if ControlPlane::shared().is_some() {
        pages_are_stored().await.unwrap();
    }
}
