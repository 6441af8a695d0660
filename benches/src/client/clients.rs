//! The two clients, each used as its documentation describes.

use std::{fmt::Debug, str::FromStr};

use anyhow::{Context, Result, ensure};
use crdkit::client::{Deleted, Patch, Resources, scope::InNamespace};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::{
    Api,
    api::{DeleteParams, ListParams, PatchParams, PostParams},
};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::{
    objects::{VirtualMachine, new_virtual_machine},
    server::PAGE_SIZE,
};

/// Which client calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Client {
    Kube,
    Crdkit,
}

impl Client {
    pub(crate) const ALL: [Self; 2] = [Self::Kube, Self::Crdkit];

    /// As it stands on a command line.
    pub(crate) fn key(self) -> &'static str {
        match self {
            Self::Kube => "kube",
            Self::Crdkit => "crdkit",
        }
    }
}

impl FromStr for Client {
    type Err = anyhow::Error;

    fn from_str(key: &str) -> Result<Self> {
        let client = Self::ALL.into_iter().find(|client| client.key() == key);
        client.with_context(|| format!("there is no client `{key}`"))
    }
}

const NAME: &str = "web-00000";

/// The calls that are measured.
pub(crate) trait Calls {
    async fn get(&self) -> Result<VirtualMachine>;
    async fn create(&self) -> Result<VirtualMachine>;
    async fn replace(&self) -> Result<VirtualMachine>;
    async fn patch(&self) -> Result<VirtualMachine>;
    async fn delete(&self) -> Result<()>;
    /// All virtual machines in pages, with the client's default options.
    async fn list(&self) -> Result<Vec<VirtualMachine>>;
    /// All virtual machines with `metadata.managedFields`.
    async fn list_whole(&self) -> Result<Vec<VirtualMachine>>;
    async fn list_config_maps(&self) -> Result<Vec<ConfigMap>>;
}

/// crdkit's client.
pub(crate) struct Crdkit {
    vms: Resources<VirtualMachine, InNamespace>,
    configs: Resources<ConfigMap, InNamespace>,
    vm: VirtualMachine,
}

impl Crdkit {
    pub(crate) fn new(client: &crdkit::Client) -> Result<Self> {
        Ok(Self {
            vms: client.resources().namespace("default"),
            configs: client.resources().namespace("default"),
            vm: serde_json::from_value(new_virtual_machine())?,
        })
    }
}

impl Calls for Crdkit {
    async fn get(&self) -> Result<VirtualMachine> {
        Ok(self.vms.get(NAME).await?)
    }

    async fn create(&self) -> Result<VirtualMachine> {
        Ok(self.vms.create(&self.vm).await?)
    }

    async fn replace(&self) -> Result<VirtualMachine> {
        Ok(self.vms.replace(&self.vm).await?)
    }

    async fn patch(&self) -> Result<VirtualMachine> {
        Ok(self.vms.patch(NAME, &Patch::merge(change())).await?)
    }

    async fn delete(&self) -> Result<()> {
        let deleted = self.vms.delete(NAME).await?;
        ensure!(matches!(deleted, Deleted::Gone), "the object is there");
        Ok(())
    }

    async fn list(&self) -> Result<Vec<VirtualMachine>> {
        Ok(self.vms.list().await?.items)
    }

    async fn list_whole(&self) -> Result<Vec<VirtualMachine>> {
        Ok(self.vms.list().keep_managed_fields().await?.items)
    }

    async fn list_config_maps(&self) -> Result<Vec<ConfigMap>> {
        Ok(self.configs.list().await?.items)
    }
}

/// kube's client.
pub(crate) struct Kube {
    vms: Api<VirtualMachine>,
    configs: Api<ConfigMap>,
    vm: VirtualMachine,
}

impl Kube {
    pub(crate) fn new(client: kube::Client) -> Result<Self> {
        Ok(Self {
            vms: Api::namespaced(client.clone(), "default"),
            configs: Api::namespaced(client, "default"),
            vm: serde_json::from_value(new_virtual_machine())?,
        })
    }
}

impl Calls for Kube {
    async fn get(&self) -> Result<VirtualMachine> {
        Ok(self.vms.get(NAME).await?)
    }

    async fn create(&self) -> Result<VirtualMachine> {
        Ok(self.vms.create(&PostParams::default(), &self.vm).await?)
    }

    async fn replace(&self) -> Result<VirtualMachine> {
        let params = PostParams::default();
        Ok(self.vms.replace(NAME, &params, &self.vm).await?)
    }

    async fn patch(&self) -> Result<VirtualMachine> {
        let patch = kube::api::Patch::Merge(change());
        let params = PatchParams::default();
        Ok(self.vms.patch(NAME, &params, &patch).await?)
    }

    async fn delete(&self) -> Result<()> {
        let deleted = self.vms.delete(NAME, &DeleteParams::default()).await?;
        ensure!(deleted.is_right(), "the object is there");
        Ok(())
    }

    async fn list(&self) -> Result<Vec<VirtualMachine>> {
        pages(&self.vms).await
    }

    async fn list_whole(&self) -> Result<Vec<VirtualMachine>> {
        pages(&self.vms).await
    }

    async fn list_config_maps(&self) -> Result<Vec<ConfigMap>> {
        pages(&self.configs).await
    }
}

/// What `Api` leaves to its users.
async fn pages<K: Clone + Debug + DeserializeOwned>(api: &Api<K>) -> Result<Vec<K>> {
    let mut params = ListParams::default().limit(u32::try_from(PAGE_SIZE)?);
    let mut items = Vec::new();
    loop {
        let page = api.list(&params).await?;
        items.extend(page.items);
        match page.metadata.continue_ {
            Some(token) if !token.is_empty() => params = params.continue_token(&token),
            _ => return Ok(items),
        }
    }
}

fn change() -> Value {
    json!({ "spec": { "replicas": 5, "paused": true, "image": "registry.example.com/images/debian:13" } })
}
