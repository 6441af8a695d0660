//! Generic types in each other, as operators of clusters with several roles have them. Derived twice; this file does not name
//! the derive.

use std::{
    collections::{BTreeMap, HashMap},
    marker::PhantomData,
};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::derives::{CustomResource, JsonSchema};

#[derive(CustomResource, JsonSchema, Serialize, Deserialize, Clone, Debug)]
#[kube(group = "dropin.example.com", version = "v1", kind = "Warehouse", namespaced)]
#[serde(rename_all = "camelCase")]
pub(crate) struct WarehouseSpec {
    pub(crate) brokers: Role<BrokerConfig, Budget>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) workers: Option<Role<WorkerConfig>>,
    pub(crate) cache: Cache<Lookups>,
    pub(crate) shop: Orders<Bakery>,
    pub(crate) port: Port<1024>,
    pub(crate) login: Client,
    pub(crate) other_logins: Vec<Client<Disks>>,
    pub(crate) properties: Properties,
}

/// What a role and its groups set.
#[derive(JsonSchema, Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[serde(rename_all = "camelCase", bound(deserialize = "C: Default + Deserialize<'de>"))]
#[schemars(bound = "C: JsonSchema")]
pub(crate) struct Settings<C> {
    #[serde(default)]
    #[schemars(default = "Self::nothing")]
    pub(crate) config: C,
    #[serde(default)]
    pub(crate) overrides: BTreeMap<String, BTreeMap<String, String>>,
}

impl<C> Settings<C> {
    fn nothing() -> Value {
        json!({})
    }
}

#[derive(JsonSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
#[serde(rename_all = "camelCase", bound(deserialize = "C: Default + Deserialize<'de>"))]
pub(crate) struct Group<C> {
    #[serde(flatten)]
    pub(crate) settings: Settings<C>,
    pub(crate) replicas: Option<u16>,
}

#[derive(JsonSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
#[serde(rename_all = "camelCase", bound(deserialize = "C: Default + Deserialize<'de>, M: Default + Deserialize<'de>"))]
#[schemars(bound = "C: JsonSchema, M: Default + JsonSchema + Serialize")]
pub(crate) struct Role<C, M = NoManagement> {
    #[serde(flatten)]
    pub(crate) settings: Settings<C>,
    #[serde(default)]
    pub(crate) management: M,
    pub(crate) groups: HashMap<String, Group<C>>,
}

#[derive(JsonSchema, Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
pub(crate) struct NoManagement {}

#[derive(JsonSchema, Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Budget {
    pub(crate) max_unavailable: u8,
}

#[derive(JsonSchema, Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[serde(rename_all = "camelCase")]
pub(crate) struct BrokerConfig {
    #[serde(default)]
    pub(crate) logging: Logging<Container>,
    pub(crate) resources: Option<Resources<Disks>>,
}

#[derive(JsonSchema, Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[serde(rename_all = "camelCase")]
pub(crate) struct WorkerConfig {
    pub(crate) common: Option<Watched<Container>>,
    pub(crate) resources: Option<Resources<NoManagement>>,
}

/// No container is the default one, and yet there is a logging without any.
#[derive(JsonSchema, Serialize, Deserialize, Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Container {
    Main,
    LogAgent,
}

#[derive(JsonSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
#[serde(rename_all = "camelCase", bound(serialize = "T: Serialize", deserialize = "T: Deserialize<'de>"))]
pub(crate) struct Logging<T: Ord> {
    pub(crate) agent: Option<bool>,
    #[serde(default)]
    pub(crate) containers: BTreeMap<T, Level>,
    pub(crate) loudest: Option<T>,
}

impl<T: Ord> Default for Logging<T> {
    fn default() -> Self {
        Self { agent: None, containers: BTreeMap::new(), loudest: None }
    }
}

#[derive(JsonSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
pub(crate) struct Level {
    pub(crate) level: String,
}

#[derive(JsonSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
#[serde(bound(serialize = "T: Serialize", deserialize = "T: Deserialize<'de>"))]
pub(crate) struct Watched<T: Ord> {
    #[serde(default)]
    pub(crate) logging: Logging<T>,
}

#[derive(JsonSchema, Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[schemars(bound(deserialize = "S: JsonSchema"))]
pub(crate) struct Resources<S> {
    pub(crate) cpu: Option<String>,
    pub(crate) storage: Option<S>,
}

#[derive(JsonSchema, Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
pub(crate) struct Disks {
    pub(crate) data: Option<String>,
}

/// The marker is an argument alone.
#[derive(JsonSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
#[serde(rename_all = "camelCase", bound(serialize = "", deserialize = ""))]
#[schemars(bound(serialize = "D: JsonSchema"))]
pub(crate) struct Cache<D> {
    #[serde(default = "Cache::<D>::default_seconds")]
    pub(crate) seconds: u32,
    #[serde(skip)]
    pub(crate) of: PhantomData<D>,
}

impl<D> Cache<D> {
    fn default_seconds() -> u32 {
        30
    }
}

#[derive(JsonSchema, Clone, Debug, PartialEq)]
pub(crate) struct Lookups;

pub(crate) trait Shop {
    type Ware;
}

#[derive(Clone, Debug)]
pub(crate) struct Bakery;

impl Shop for Bakery {
    type Ware = Disks;
}

#[derive(JsonSchema, Serialize, Deserialize, Clone, Debug)]
#[serde(bound(serialize = "S::Ware: Serialize", deserialize = "S::Ware: Deserialize<'de>"))]
#[schemars(bound = "S::Ware: JsonSchema")]
pub(crate) struct Orders<S: Shop> {
    pub(crate) last: Order<S>,
    pub(crate) stock: Resources<S::Ware>,
}

#[derive(JsonSchema, Serialize, Deserialize, Clone, Debug)]
#[serde(bound(serialize = "S::Ware: Serialize", deserialize = "S::Ware: Deserialize<'de>"))]
pub(crate) struct Order<S: Shop> {
    #[schemars(bound = "S::Ware: JsonSchema")]
    pub(crate) ware: S::Ware,
}

#[derive(JsonSchema, Serialize, Deserialize, Clone, Debug)]
pub(crate) struct Port<const LEAST: u16> {
    pub(crate) number: u16,
}

/// What a product adds to it is nothing where none is named.
#[derive(JsonSchema, Serialize, Deserialize, Clone, Debug)]
pub(crate) struct Client<T = ()> {
    pub(crate) secret: String,
    #[serde(flatten)]
    pub(crate) added: T,
    #[serde(flatten)]
    pub(crate) reserved: (),
}

#[derive(JsonSchema, Serialize, Deserialize, Clone, Debug, Default)]
pub(crate) struct Properties {
    #[serde(flatten)]
    pub(crate) all: BTreeMap<String, String>,
}
