//! Clients of a group without the standard library's prelude, under strict lints.

#![no_implicit_prelude]
#![deny(missing_docs, unreachable_pub)]
#![forbid(unsafe_code)]

/// Clients.
pub mod clients {
    ::crdkit::group_client! {
        /// Two kinds of Kubernetes' core.
        pub struct CoreV1("v1");

        ::k8s_openapi::api::core::v1::Pod => pods(namespace);
        ::k8s_openapi::api::core::v1::Node => nodes();
    }
}

pub(super) fn main() {
    ::crdkit::group_client! {
        struct Empty("v1");
    }
    let _ = Empty::new;
}
