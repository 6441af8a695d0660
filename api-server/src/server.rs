//! The API server, and how it is set up.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
};

use crdkit::{Client, CustomResource, merge::Versions};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use serde_json::json;

use crate::{
    ApiServerService,
    authorization::defaults,
    builtin,
    clock::Clock,
    controllers::running,
    definitions, internal, new_cluster,
    state::{SharedState, State},
    user::{User, service_account_name},
};

mod clock;
mod conversions;
mod journal;
mod watches;

/// An in-memory Kubernetes API server for tests, with the definitions of derived types.
///
/// It needs no port, no thread and no other program; [`Self::serve`] opens a port for kubectl and programs in other languages.
/// Custom resources are pruned, defaulted and validated by their schemas, with the messages of the API server of Kubernetes 1.37;
/// updates conflict, server-side apply tracks managers, deletion waits for finalizers, watches and lists have resource versions. Of
/// Kubernetes' own kinds, the names and the metadata are validated, and those that operators use most have their defaults.
///
/// ```
/// # use crdkit::{CustomResource, KubeSchema};
/// # use serde::{Deserialize, Serialize};
/// #[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
/// #[crd(group = "example.com", version = "v1", kind = "Server", namespaced)]
/// struct ServerSpec {
///     #[schemars(range(min = 1))]
///     replicas: i32,
/// }
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
/// let api_server = crdkit_api_server::ApiServer::new().with::<Server>();
/// let servers = api_server.client().resources::<Server>().namespace("default");
///
/// servers.create(&Server::new("web", ServerSpec { replicas: 2 })).await?;
/// let refused = servers.update("web", |server| server.spec.replicas = 0).await.unwrap_err();
/// assert!(refused.to_string().contains("spec.replicas in body should be greater than or equal to 1"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Differences from a cluster
///
#[doc = include_str!("differences.md")]
#[derive(Clone)]
pub struct ApiServer {
    pub(crate) service: ApiServerService,
    /// The types that were added, by the names of their definitions.
    pub(crate) pending: Arc<Mutex<BTreeMap<String, Versions>>>,
}

impl Default for ApiServer {
    fn default() -> Self {
        Self::new()
    }
}

impl ApiServer {
    /// Creates a server with Kubernetes' own resources and the objects of a new cluster, such as its namespaces and the Service
    /// `kubernetes`.
    pub fn new() -> Self {
        let mut state = State::new(Clock::running());
        builtin::shared().iter().for_each(|resource| state.resources.serve(resource.clone()));
        new_cluster::create(&mut state);
        Self {
            service: ApiServerService { state: SharedState::new(state), user: Arc::new(User::admin()) },
            pending: Arc::default(),
        }
    }

    /// Adds the definition of a type that derives crdkit's `CustomResource`. Types of one kind are the versions of one definition.
    pub fn with<K: CustomResource>(self) -> Self {
        let name = format!("{}.{}", K::DEFINITION.plural, K::DEFINITION.group);
        let mut pending = self.pending.lock().expect("nothing panics here");
        let versions = pending.remove(&name).unwrap_or_default().add::<K>();
        pending.insert(name, versions);
        drop(pending);
        self
    }

    /// Adds a definition, such as that of a type that derives kube's `CustomResource`. Definitions in YAML are objects for
    /// [`Self::with_objects`].
    ///
    /// ```
    /// use crdkit_api_server::ApiServer;
    /// use kube::{Api, CustomResource, CustomResourceExt, api::PostParams};
    /// use serde::{Deserialize, Serialize};
    ///
    /// #[derive(CustomResource, Serialize, Deserialize, Clone, Debug, schemars::JsonSchema)]
    /// #[kube(group = "example.com", version = "v1", kind = "Server", namespaced)]
    /// struct ServerSpec {
    ///     #[schemars(range(min = 1))]
    ///     replicas: i32,
    /// }
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// let server = ApiServer::new().with_crd(Server::crd());
    /// let servers = Api::<Server>::default_namespaced(server.kube_client());
    ///
    /// servers.create(&PostParams::default(), &Server::new("web", ServerSpec { replicas: 2 })).await?;
    /// let refused = servers.create(&PostParams::default(), &Server::new("idle", ServerSpec { replicas: 0 })).await;
    /// assert!(refused.unwrap_err().to_string().contains("should be greater than or equal to 1"));
    /// # Ok::<(), kube::Error>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If a real API server would reject the definition.
    #[track_caller]
    pub fn with_crd(self, crd: CustomResourceDefinition) -> Self {
        self.create_definition(&crd);
        self
    }

    /// Turns on authorization by `Role`, `ClusterRole`, `RoleBinding` and `ClusterRoleBinding` objects.
    ///
    /// The server then has the roles `cluster-admin`, `admin`, `edit` and `view`, those that they aggregate, and those for discovery,
    /// with their bindings. The clients of the server itself may do everything; those of [`Self::as_user`] and
    /// [`Self::as_service_account`] what is granted to them.
    ///
    /// ```
    /// # use k8s_openapi::api::core::v1::Pod;
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// let server = crdkit_api_server::ApiServer::new().with_rbac();
    /// let jane = kube::Api::<Pod>::default_namespaced(server.as_user("jane", ["developers"]).kube_client());
    ///
    /// let refused = jane.list(&Default::default()).await.unwrap_err();
    /// assert!(refused.to_string().contains(
    ///     r#"User "jane" cannot list resource "pods" in API group "" in the namespace "default""#
    /// ));
    /// # });
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn with_rbac(self) -> Self {
        self.state(defaults::enable);
        self
    }

    /// Turns on the parameter `shardSelector` of lists and watches, as the feature gate `ShardedListAndWatch`, which is off by
    /// default, does in Kubernetes 1.36 and newer. A selector consists of calls of `shardRange`, joined by `||`, without parentheses.
    #[cfg(feature = "sharded-lists")]
    #[cfg_attr(docsrs, doc(cfg(feature = "sharded-lists")))]
    pub fn with_sharded_lists(self) -> Self {
        self.state(|state| state.has_shards = true);
        self
    }

    /// Returns the same server, whose clients are those of a user with these groups and `system:authenticated`.
    pub fn as_user<G: Into<String>>(&self, name: &str, groups: impl IntoIterator<Item = G>) -> Self {
        let user = User::new(name, groups.into_iter().map(Into::into));
        Self {
            service: ApiServerService { user: Arc::new(user), ..self.service.clone() },
            pending: self.pending.clone(),
        }
    }

    /// Returns the same server, whose clients are those of a service account.
    pub fn as_service_account(&self, namespace: &str, name: &str) -> Self {
        self.as_user(&service_account_name(namespace, name), [] as [String; 0])
    }

    /// Forgets the history of changes, as etcd's compaction does. Watches and lists of earlier versions then fail with the
    /// code 410, so that informers list again.
    pub fn compact(&self) {
        self.state(|state| state.store.compact());
    }

    /// Returns a client of the server, with the default namespace `default`. Its errors [quote values](Client::quote_values), and it
    /// has the [clock](Client::clock) of the server.
    ///
    /// # Panics
    ///
    /// If the definition of a type is invalid.
    pub fn client(&self) -> Client {
        let clock = self.clock();
        Client::from(self.kube_client()).quote_values().clock(move || clock.now())
    }

    /// Returns kube's client of the server, with the default namespace `default`.
    ///
    /// # Panics
    ///
    /// If the definition of a type is invalid.
    pub fn kube_client(&self) -> kube::Client {
        kube::Client::new(self.service(), "default")
    }

    /// Returns the server as a service of HTTP requests.
    ///
    /// # Panics
    ///
    /// If the definition of a type is invalid.
    pub fn service(&self) -> ApiServerService {
        self.install_types();
        self.service.clone()
    }

    pub(crate) fn install_types(&self) {
        let pending = std::mem::take(&mut *self.pending.lock().expect("nothing panics here"));
        for (name, versions) in pending {
            let merged = versions.merge().unwrap_or_else(|error| panic!("{name} is invalid: {error}"));
            self.create_definition(&merged.crd);
        }
    }

    #[track_caller]
    fn create_definition(&self, crd: &CustomResourceDefinition) {
        let mut definition = json!(crd);
        definition["apiVersion"] = "apiextensions.k8s.io/v1".into();
        definition["kind"] = "CustomResourceDefinition".into();
        let created = self.state(|state| {
            let created = internal::create(state, definitions::GROUP, definitions::PLURAL, definition);
            state.mark_initial();
            created
        });
        if let Err(failure) = created {
            panic!("{}", failure.message);
        }
    }

    pub(crate) fn state<T>(&self, action: impl FnOnce(&mut State) -> T) -> T {
        self.service.state(|state| {
            let result = action(state);
            let writes = state.store.take_writes();
            running::settle_after(state, writes);
            result
        })
    }
}
