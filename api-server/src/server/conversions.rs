//! Conversions that a test adds to a server.

use std::sync::Arc;

use crdkit::{__internal::json_value::to_value, CustomResource};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

use crate::{
    ApiServer,
    conversion::functions::{Convert, Functions},
};

impl ApiServer {
    /// Converts the objects of a type between its versions by a function of the object and the `apiVersion` that it is to have.
    ///
    /// The function has priority over `spec.conversion` of the definition. As in a cluster, it can change the labels and the
    /// annotations, but no other metadata. Without it and without a webhook, only `apiVersion` changes.
    ///
    /// # Panics
    ///
    /// If a client of the server exists already, because the type is then served.
    pub fn with_conversion<K: CustomResource>(
        self,
        convert: impl Fn(Value, &str) -> Result<Value, String> + Send + Sync + 'static,
    ) -> Self {
        self.add_conversion::<K>(|functions| functions.all = Some(Arc::new(convert)));
        self
    }

    /// Converts the objects of a type between two of its versions. Conversions between several versions go through others.
    ///
    /// ```
    /// # mod v1 { use crdkit::{CustomResource, KubeSchema}; use serde::{Deserialize, Serialize};
    /// #[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
    /// #[crd(group = "example.com", version = "v1", kind = "Server", namespaced, storage = false)]
    /// pub struct ServerSpec { pub minutes: i64 }
    /// # }
    /// # mod v2 { use crdkit::{CustomResource, KubeSchema}; use serde::{Deserialize, Serialize};
    /// #[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
    /// #[crd(group = "example.com", version = "v2", kind = "Server", namespaced)]
    /// pub struct ServerSpec { pub seconds: i64 }
    /// # }
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// let server = crdkit_api_server::ApiServer::new().with::<v1::Server>().with::<v2::Server>().with_conversion_between(
    ///     |old: v1::Server| v2::Server { metadata: old.metadata, spec: v2::ServerSpec { seconds: old.spec.minutes * 60 } },
    ///     |new: v2::Server| v1::Server { metadata: new.metadata, spec: v1::ServerSpec { minutes: new.spec.seconds / 60 } },
    /// );
    /// let client = server.client();
    /// let old = client.resources::<v1::Server>().namespace("default");
    /// let new = client.resources::<v2::Server>().namespace("default");
    /// old.create(&v1::Server::new("web", v1::ServerSpec { minutes: 2 })).await?;
    /// assert_eq!(new.get("web").await?.spec.seconds, 120);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If a client of the server exists already, because the type is then served.
    pub fn with_conversion_between<A, B>(
        self,
        up: impl Fn(A) -> B + Send + Sync + 'static,
        down: impl Fn(B) -> A + Send + Sync + 'static,
    ) -> Self
    where
        A: CustomResource + Serialize + DeserializeOwned,
        B: CustomResource + Serialize + DeserializeOwned,
    {
        let up: Arc<Convert> = Arc::new(move |object, _| convert(&up, object));
        let down: Arc<Convert> = Arc::new(move |object, _| convert(&down, object));
        self.add_conversion::<A>(|functions| {
            let [a, b] = [api_version::<A>(), api_version::<B>()];
            functions.pairs.extend([(a.clone(), b.clone(), up), (b, a, down)]);
        });
        self
    }

    /// Adds a version of a kind that derives [`Convert`](macro@crdkit::convert::Convert). Objects convert through its hub.
    ///
    /// ```
    /// # mod v1 {
    /// #     use crdkit::{CustomResource, KubeSchema};
    /// #     use serde::{Deserialize, Serialize};
    /// #     #[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
    /// #     #[crd(group = "example.com", version = "v1", kind = "Server", namespaced)]
    /// #     pub struct ServerSpec { pub memory: String, pub zone: String }
    /// # }
    /// # mod v1alpha1 {
    /// #     use crdkit::{convert::Convert, CustomResource, KubeSchema};
    /// #     use serde::{Deserialize, Serialize};
    /// #     #[derive(CustomResource, KubeSchema, Convert, Serialize, Deserialize, Clone, Debug)]
    /// #     #[crd(group = "example.com", version = "v1alpha1", kind = "Server", namespaced, storage = false)]
    /// #     #[convert(hub = super::v1::Server)]
    /// #     pub struct ServerSpec { #[convert(to = "memory")] pub ram: String }
    /// # }
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// use crdkit_api_server::ApiServer;
    ///
    /// let client = ApiServer::new().with::<v1::Server>().with_spoke::<v1alpha1::Server>().client();
    /// let new = client.resources::<v1::Server>().namespace("default");
    /// let old = client.resources::<v1alpha1::Server>().namespace("default");
    ///
    /// let spec = v1::ServerSpec { memory: "1Gi".into(), zone: "eu-1".into() };
    /// new.create(&v1::Server::new("web", spec)).await?;
    /// old.update("web", |server| server.spec.ram = "2Gi".into()).await?;
    ///
    /// let spec = new.get("web").await?.spec;
    /// assert_eq!((&*spec.memory, &*spec.zone), ("2Gi", "eu-1")); // `zone` is not lost
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Panics
    ///
    /// If a client of the server exists already, because the type is then served.
    #[cfg(feature = "convert")]
    #[cfg_attr(docsrs, doc(cfg(feature = "convert")))]
    pub fn with_spoke<S: crdkit::convert::Spoke>(self) -> Self {
        use crdkit::__internal::convert::convert_json;
        let to = |is_to_hub| -> Arc<Convert> {
            Arc::new(move |object, _| convert_json::<S>(object, is_to_hub).map_err(|error| error.to_string()))
        };
        self.add_conversion::<S>(|functions| {
            let [spoke, hub] = [api_version::<S>(), api_version::<S::Hub>()];
            functions.pairs.extend([(spoke.clone(), hub.clone(), to(true)), (hub, spoke, to(false))]);
        });
        self.with::<S>()
    }

    /// Adds all versions of a kind, which convert as in the program. They are stored in the version that [`Hub::store_as`] chooses.
    ///
    /// ```
    /// # mod v1 {
    /// #     use crdkit::{CustomResource, KubeSchema};
    /// #     use serde::{Deserialize, Serialize};
    /// #     #[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
    /// #     #[crd(group = "example.com", version = "v1", kind = "Server", namespaced)]
    /// #     pub struct ServerSpec { pub memory: String }
    /// # }
    /// # mod v1alpha1 {
    /// #     use crdkit::{convert::Convert, CustomResource, KubeSchema};
    /// #     use serde::{Deserialize, Serialize};
    /// #     #[derive(CustomResource, KubeSchema, Convert, Serialize, Deserialize, Clone, Debug)]
    /// #     #[crd(group = "example.com", version = "v1alpha1", kind = "Server", namespaced)]
    /// #     #[convert(hub = super::v1::Server)]
    /// #     pub struct ServerSpec { #[convert(to = "memory")] pub ram: String }
    /// # }
    /// use crdkit::convert::Hub;
    /// use crdkit_api_server::ApiServer;
    ///
    /// fn servers() -> Hub<v1::Server> {
    ///     Hub::new().spoke::<v1alpha1::Server>().store_as::<v1::Server>()
    /// }
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// let client = ApiServer::new().with_hub(&servers()).client();
    /// let old = client.resources::<v1alpha1::Server>().namespace("default");
    /// old.create(&v1alpha1::Server::new("web", v1alpha1::ServerSpec { ram: "1Gi".into() })).await?;
    /// let new = client.resources::<v1::Server>().namespace("default");
    /// assert_eq!(new.get("web").await?.spec.memory, "1Gi");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Panics
    ///
    /// If a client of the server exists already, because the kind is then served.
    ///
    /// [`Hub::store_as`]: crdkit::convert::Hub::store_as
    #[cfg(feature = "convert")]
    #[cfg_attr(docsrs, doc(cfg(feature = "convert")))]
    pub fn with_hub<K: CustomResource>(self, hub: &crdkit::convert::Hub<K>) -> Self {
        self.add_conversion::<K>(|functions| *functions = Functions::of_converter(hub.converter()));
        let mut pending = self.pending.lock().expect("nothing panics here");
        pending.insert(definition_name::<K>(), hub.without_conversion());
        drop(pending);
        self
    }

    fn add_conversion<K: CustomResource>(&self, add: impl FnOnce(&mut Functions)) {
        let name = definition_name::<K>();
        self.state(|state| {
            let is_served = state.resources.get(K::DEFINITION.group, K::DEFINITION.plural).is_some();
            assert!(!is_served, "{name} is served already: add conversions before the first client");
            add(state.conversions.entry(name).or_default());
        });
    }
}

/// Returns the name of the definition of a type.
fn definition_name<K: CustomResource>() -> String {
    format!("{}.{}", K::DEFINITION.plural, K::DEFINITION.group)
}

fn api_version<K: CustomResource>() -> String {
    format!("{}/{}", K::DEFINITION.group, K::DEFINITION.version)
}

fn convert<A: DeserializeOwned, B: Serialize>(function: impl Fn(A) -> B, object: Value) -> Result<Value, String> {
    let object = serde_json::from_value(object).map_err(|error| error.to_string())?;
    to_value(&function(object)).map_err(|error| error.to_string())
}
