//! Checks for `cargo test`.

use crate::CustomResource;

/// Checks a resource the way the API server does; each derive of a resource makes a test that calls this.
///
/// # Panics
///
/// If the API server would refuse the definition of `K`.
pub fn check<K: CustomResource>() {
    crate::render::render::<K>().unwrap();
}
