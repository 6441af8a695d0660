//! Clients of the kinds of one group version.

#[allow(clippy::result_large_err)] // const evaluation has no allocator
pub(crate) mod check;

use kube_core::Resource;

use super::{
    Client,
    resources::Resources,
    scope::{ClusterScope, InNamespace, NamespacedScope},
};

/// Defines a client of the kinds of one group version, with a method for each kind.
///
/// List a namespaced kind with `(namespace)` and a cluster-scoped kind with `()`. A type of another group version or of
/// another scope does not compile.
///
/// ```no_run
/// # use k8s_openapi::api::core::v1::{ConfigMap, Namespace, Pod};
/// crdkit::group_client! {
///     /// Some kinds of Kubernetes' core.
///     pub struct CoreV1("v1");
///
///     Pod => pods(namespace);
///     ConfigMap => config_maps(namespace);
///     Namespace => namespaces();
/// }
///
/// # async fn example(client: crdkit::Client) -> Result<(), crdkit::client::Error> {
/// let core = CoreV1::new(&client);
/// let web = core.pods("default").get("web").await?;
/// let namespaces = core.namespaces().list().await?;
/// # Ok(())
/// # }
/// ```
///
/// The compiler reports a type of another group version by name:
///
/// ```compile_fail,E0080
/// # use k8s_openapi::api::core::v1::Pod;
/// crdkit::group_client! {
///     struct AppsV1("apps/v1");
///     Pod => pods(namespace);
/// }
/// ```
///
/// It also rejects a kind that is not namespaced:
///
/// ```compile_fail,E0277
/// # use k8s_openapi::api::core::v1::Node;
/// crdkit::group_client! {
///     struct CoreV1("v1");
///     Node => nodes(namespace);
/// }
/// ```
#[macro_export]
macro_rules! group_client {
    (
        $(#[$attribute:meta])*
        $visibility:vis struct $name:ident($group_version:literal);
        $($kind:ty => $method:ident($($namespace:ident)?);)*
    ) => {
        $(#[$attribute])*
        #[derive(::std::clone::Clone, ::std::fmt::Debug)]
        $visibility struct $name {
            client: $crate::Client,
        }

        #[allow(dead_code)] // not every listed kind has to be used
        impl $name {
            /// Creates a client with the connections and options of `client`.
            $visibility fn new(client: &$crate::Client) -> Self {
                Self { client: ::std::clone::Clone::clone(client) }
            }

            $($crate::__group_method! { $visibility $kind => $method($($namespace)?) })*
        }

        $(const _: () = {
            use $crate::__private::group::{BuiltIn as _, VersionOf, check};
            $crate::__private::require(check(
                ::std::stringify!($name),
                $group_version,
                ::std::stringify!($kind),
                &VersionOf::<$kind>::GROUP_VERSION,
            ));
        };)*
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __group_method {
    ($visibility:vis $kind:ty => $method:ident()) => {
        #[doc = ::std::concat!("Returns a handle to the objects of `", ::std::stringify!($kind), "`.")]
        $visibility fn $method(&self) -> $crate::client::Resources<$kind> {
            $crate::__private::group::cluster_scoped::<$kind>(&self.client)
        }
    };
    ($visibility:vis $kind:ty => $method:ident($namespace:ident)) => {
        #[doc = ::std::concat!("Returns a handle to the objects of `", ::std::stringify!($kind), "` in a namespace.")]
        $visibility fn $method(
            &self,
            $namespace: &::std::primitive::str,
        ) -> $crate::client::Resources<$kind, $crate::client::scope::InNamespace> {
            $crate::__private::group::namespaced::<$kind>(&self.client, $namespace)
        }
    };
}

/// Returns the handle of a kind that is listed with `()`.
pub fn cluster_scoped<K>(client: &Client) -> Resources<K>
where
    K: Resource<DynamicType = (), Scope: ClusterScope<K>>,
{
    client.resources()
}

/// Returns the handle of a kind that is listed with `(namespace)`.
pub fn namespaced<K>(client: &Client, namespace: &str) -> Resources<K, InNamespace>
where
    K: Resource<DynamicType = (), Scope: NamespacedScope<K>>,
{
    client.resources().namespace(namespace)
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::core::v1::{ConfigMap, Node};
    use serde_json::json;

    use crate::client::mock::{Mock, Reply};

    group_client! {
        /// Two kinds.
        struct CoreV1("v1");

        ConfigMap => config_maps(namespace);
        Node => nodes();
    }

    #[tokio::test]
    async fn methods_return_handles_to_their_kinds() {
        let mock = Mock::new([Reply::json(200, json!({})), Reply::json(200, json!({}))]);
        let core = CoreV1::new(&mock.client());
        core.config_maps("prod").get("web").await.unwrap();
        core.nodes().get("n1").await.unwrap();
        let lines = ["GET /api/v1/namespaces/prod/configmaps/web", "GET /api/v1/nodes/n1"];
        assert_eq!(mock.lines(), lines);
    }
}
