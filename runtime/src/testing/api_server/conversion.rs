//! Conversion of custom resources between their versions.

use std::{collections::HashMap, sync::Arc, time::Duration};

use futures_util::FutureExt;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Value, json};

use super::{
    ApiServer,
    admission::{Address, new_uid},
    decode::text,
    external::{Answer, External},
    failure::Failure,
    managed_fields::{Topology, Versions},
    resource::Resource,
    state::State,
};
use crate::definition::CustomResource;

/// The time that a webhook has.
const TIMEOUT: Duration = Duration::from_secs(30);

/// Converts an object to an `apiVersion`.
type Convert = dyn Fn(Value, &str) -> Result<Value, String> + Send + Sync;

/// How the objects of a resource are converted.
#[derive(Clone, Default)]
pub(super) enum Conversion {
    /// Only `apiVersion` changes.
    #[default]
    None,
    Functions(Functions),
    Webhook {
        address: Arc<Address>,
        review_version: &'static str,
    },
}

/// The functions of a test.
#[derive(Clone, Default)]
pub(super) struct Functions {
    /// Converts between all versions.
    all: Option<Arc<Convert>>,
    /// Converts from one `apiVersion` to another.
    pairs: Vec<(String, String, Arc<Convert>)>,
}

impl Functions {
    fn convert(&self, object: Value, api_version: &str) -> Result<Value, String> {
        if let Some(convert) = &self.all {
            return convert(object, api_version);
        }
        let from = text(&object, "apiVersion").to_owned();
        let path = self.path(&from, api_version);
        let path = path.ok_or_else(|| format!("no function converts {from} to {api_version}"))?;
        path.into_iter().try_fold(object, |object, (to, convert)| convert(object, to))
    }

    /// Returns the shortest sequence of conversions.
    fn path(&self, from: &str, to: &str) -> Option<Vec<(&str, &Convert)>> {
        let mut paths: Vec<(&str, Vec<(&str, &Convert)>)> = vec![(from, Vec::new())];
        let mut at = 0;
        while let Some((version, path)) = paths.get(at).cloned() {
            if version == to {
                return Some(path);
            }
            for (_, next, convert) in self.pairs.iter().filter(|(from, ..)| from == version) {
                if paths.iter().all(|(known, _)| known != next) {
                    paths.push((next, [&path[..], &[(next.as_str(), &**convert)]].concat()));
                }
            }
            at += 1;
        }
        None
    }
}

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
    /// let server = crdkit::testing::ApiServer::new().with::<v1::Server>().with::<v2::Server>().with_conversion_between(
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

    /// Adds a version of a kind that derives [`Convert`](macro@crate::convert::Convert). Objects convert through its hub.
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
    /// use crdkit::testing::ApiServer;
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
    pub fn with_spoke<S: crate::convert::Spoke>(self) -> Self {
        use crate::convert::convert_json;
        let to = |is_to_hub| -> Arc<Convert> {
            Arc::new(move |object, _| convert_json::<S>(object, is_to_hub).map_err(|error| error.to_string()))
        };
        self.add_conversion::<S>(|functions| {
            let [spoke, hub] = [api_version::<S>(), api_version::<S::Hub>()];
            functions.pairs.extend([(spoke.clone(), hub.clone(), to(true)), (hub, spoke, to(false))]);
        });
        self.with::<S>()
    }

    fn add_conversion<K: CustomResource>(&self, add: impl FnOnce(&mut Functions)) {
        let name = format!("{}.{}", K::DEFINITION.plural, K::DEFINITION.group);
        self.state(|state| {
            let is_served = state.resource(K::DEFINITION.group, K::DEFINITION.plural).is_some();
            assert!(!is_served, "{name} is served already: add conversions before the first client");
            add(state.conversions.entry(name).or_default());
        });
    }
}

fn api_version<K: CustomResource>() -> String {
    format!("{}/{}", K::DEFINITION.group, K::DEFINITION.version)
}

fn convert<A: DeserializeOwned, B: Serialize>(function: impl Fn(A) -> B, object: Value) -> Result<Value, String> {
    let object = serde_json::from_value(object).map_err(|error| error.to_string())?;
    serde_json::to_value(function(object)).map_err(|error| error.to_string())
}

impl Conversion {
    /// Returns how the objects of a definition are converted.
    pub(super) fn of_definition(state: &State, definition: &Value) -> Self {
        if let Some(functions) = state.conversions.get(text(&definition["metadata"], "name")) {
            return Self::Functions(functions.clone());
        }
        let conversion = &definition["spec"]["conversion"];
        if text(conversion, "strategy") != "Webhook" {
            return Self::None;
        }
        let webhook = &conversion["webhook"];
        let versions = webhook["conversionReviewVersions"].as_array().into_iter().flatten();
        let mut versions = versions.filter_map(|it| ["v1", "v1beta1"].into_iter().find(|known| *it == **known));
        let review_version = versions.next().unwrap_or("v1");
        let address = Arc::new(Address::parse(&webhook["clientConfig"], state.services()));
        Self::Webhook { address, review_version }
    }

    pub(super) const fn is_webhook(&self) -> bool {
        matches!(self, Self::Webhook { .. })
    }

    /// Returns an object of another version, without pruning and defaults.
    pub(super) fn convert(&self, external: &External, object: Value, api_version: &str) -> Result<Value, Failure> {
        let from = text(&object, "apiVersion").to_owned();
        if from == api_version {
            return Ok(object);
        }
        let (group, version) = from.split_once('/').unwrap_or(("", &from));
        let gvk = format!("{group}/{version}, Kind={}", text(&object, "kind"));
        let fail = |problem: &str| Failure::internal(format!("conversion webhook for {gvk} {problem}"));
        let mut converted = match self {
            Self::None => {
                let mut object = object;
                object["apiVersion"] = api_version.into();
                return Ok(object);
            }
            Self::Functions(functions) => functions.convert(object.clone(), api_version),
            Self::Webhook { address, review_version } => {
                let question = format!("conversion to {api_version} of {object}");
                let ask = || ask(address.clone(), review_version, object.clone(), api_version.to_owned()).boxed();
                external.answer(question, ask)?
            }
        }
        .map_err(|error| match error.starts_with("returned") {
            true => fail(&error),
            false => fail(&format!("failed: {error}")),
        })?;
        let found = text(&converted, "apiVersion");
        if found != api_version {
            let problem = format!("invalid groupVersion (expected {api_version}, received {found})");
            return Err(fail(&format!("returned invalid object at index 0: {problem}")));
        }
        let [expected, found] = [&object, &converted].map(|object| text(object, "kind"));
        if found != expected {
            let problem = format!("invalid kind (expected {expected}, received {found})");
            return Err(fail(&format!("returned invalid object at index 0: {problem}")));
        }
        check(&object, &converted).map_err(|problem| fail(&format!("returned invalid object: {problem}")))?;
        restore_metadata(&object, &mut converted)
            .map_err(|problem| fail(&format!("returned invalid metadata: {problem}")))?;
        Ok(converted)
    }
}

/// Sends an object to a webhook. The error begins with `returned` if the answer is wrong.
async fn ask(address: Arc<Address>, version: &str, object: Value, api_version: String) -> Answer {
    let uid = new_uid();
    let review_version = format!("apiextensions.k8s.io/{version}");
    let request = json!({ "uid": uid, "desiredAPIVersion": api_version, "objects": [object] });
    let review = json!({ "kind": "ConversionReview", "apiVersion": review_version, "request": request });
    let answer = address.post(review, TIMEOUT).await;
    let review =
        answer.map_err(|error| error.strip_prefix("failed to call webhook: ").map(str::to_owned).unwrap_or(error))?;
    let (found, kind) = (text(&review, "apiVersion"), text(&review, "kind"));
    if version == "v1" && (found, kind) != (review_version.as_str(), "ConversionReview") {
        return Err(format!(
            "expected webhook response of {review_version}, Kind=ConversionReview, got {found}, Kind={kind}"
        ));
    }
    let response = &review["response"];
    if !response.is_object() {
        return Err("no response provided".to_owned());
    }
    let found = text(response, "uid");
    if version == "v1" && found != uid {
        return Err(format!("expected response.uid=\"{uid}\", got \"{found}\""));
    }
    let (status, message) = (text(&response["result"], "status"), text(&response["result"], "message"));
    match (status, message) {
        ("Success", _) => {}
        (status, "") => return Err(format!("response.result.status was '{status}', not 'Success'")),
        (_, message) => return Err(message.to_owned()),
    }
    match response["convertedObjects"].as_array().map_or(&[][..], Vec::as_slice) {
        [converted] => Ok(converted.clone()),
        objects => Err(format!("returned {} objects, expected 1", objects.len())),
    }
}

/// Checks what a conversion must not change.
fn check(before: &Value, after: &Value) -> Result<(), String> {
    for (what, member) in [("name", "name"), ("namespace", "namespace"), ("UID", "uid")] {
        let [before, after] = [before, after].map(|object| text(&object["metadata"], member));
        if before != after {
            return Err(format!("must have the same {what}: {before} != {after}"));
        }
    }
    Ok(())
}

/// Keeps the metadata of the original except labels and annotations.
fn restore_metadata(before: &Value, after: &mut Value) -> Result<(), String> {
    let Some(metadata) = after.get("metadata") else {
        return Err("missing metadata in converted object".to_owned());
    };
    let mut restored = before["metadata"].clone();
    for name in ["labels", "annotations"] {
        match metadata.get(name).filter(|value| !value.is_null()) {
            Some(value) => restored[name] = value.clone(),
            None => drop(restored.as_object_mut().and_then(|members| members.remove(name))),
        }
    }
    after["metadata"] = restored;
    Ok(())
}

/// The versions of a resource, whose objects a webhook may convert.
pub(super) struct Converted<'c> {
    pub(super) resource: &'c Resource,
    pub(super) external: &'c External,
}

impl Versions for Converted<'_> {
    fn kind(&self) -> &str {
        self.resource.kind()
    }

    fn topology(&self, api_version: &str) -> Option<&Topology> {
        self.resource.topology(api_version)
    }

    fn has_status(&self, api_version: &str) -> bool {
        self.resource.has_status(api_version)
    }

    fn convert(&self, object: &Value, api_version: &str) -> Value {
        let converted = self.resource.conversion.convert(self.external, object.clone(), api_version);
        // A request that waits for a webhook starts again.
        converted.unwrap_or_else(|_| Versions::convert(self.resource, object, api_version))
    }
}

pub(super) type Conversions = HashMap<String, Functions>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conversions_go_through_other_versions() {
        let step = |from: &str, to: &str| -> (String, String, Arc<Convert>) {
            let convert = |mut object: Value, to: &str| {
                object["path"] = format!("{}>{to}", text(&object, "path")).into();
                object["apiVersion"] = to.into();
                Ok(object)
            };
            (from.to_owned(), to.to_owned(), Arc::new(convert))
        };
        let pairs = vec![step("v1", "v2"), step("v2", "v1"), step("v2", "v3")];
        let functions = Functions { all: None, pairs };
        let converted = functions.convert(json!({ "apiVersion": "v1" }), "v3").unwrap();
        assert_eq!(converted["path"], ">v2>v3");
        let failed = functions.convert(json!({ "apiVersion": "v3" }), "v1").unwrap_err();
        assert_eq!(failed, "no function converts v3 to v1");
    }

    #[test]
    fn metadata_is_kept() {
        let before = json!({ "kind": "K", "metadata": { "name": "a", "uid": "u", "labels": { "a": "b" } } });
        let mut after = json!({ "kind": "K", "metadata": { "name": "a", "uid": "u", "generation": 3, "annotations": { "c": "d" } } });
        check(&before, &after).unwrap();
        restore_metadata(&before, &mut after).unwrap();
        assert_eq!(after["metadata"], json!({ "name": "a", "uid": "u", "annotations": { "c": "d" } }));
        let other = json!({ "kind": "K", "metadata": { "name": "b", "uid": "u" } });
        assert_eq!(check(&before, &other).unwrap_err(), "must have the same name: a != b");
    }
}
