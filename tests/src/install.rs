use std::time::Duration;

use serde_json::Value;
use tokio::time::{Instant, sleep};

use crate::{Answer, ControlPlane, Request, Verdict};

const CRDS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const AGGREGATED_DISCOVERY: &str = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
const SERVE_LIMIT: Duration = Duration::from_secs(60);
const POLL_INTERVAL: Duration = Duration::from_millis(20);

impl ControlPlane {
    /// Returns the API server's verdict on a CRD, and stores nothing. Unknown and duplicate fields are errors.
    pub async fn dry_run(&self, crd: &Value) -> Verdict {
        let path = format!("{CRDS}?dryRun=All&fieldValidation=Strict");
        self.raw(Request::post(path, crd.clone())).await.into()
    }

    /// Creates a CRD, and waits until its objects can be created and discovery has them, if it is accepted.
    ///
    /// # Panics
    ///
    /// If an accepted CRD is not served in time.
    pub async fn install(&self, crd: &Value) -> Verdict {
        let verdict: Verdict =
            self.raw(Request::post(format!("{CRDS}?fieldValidation=Strict"), crd.clone())).await.into();
        if let Some(stored) = &verdict.object {
            self.wait_until_served(stored).await;
        }
        verdict
    }

    async fn wait_until_served(&self, crd: &Value) {
        let deadline = Instant::now() + SERVE_LIMIT;
        while let Err(reason) = self.check_served(crd).await {
            assert!(Instant::now() < deadline, "{reason} after {SERVE_LIMIT:?}");
            sleep(POLL_INTERVAL).await;
        }
    }

    async fn check_served(&self, crd: &Value) -> Result<(), String> {
        let name = &crd["metadata"]["name"];
        let stored = self.raw(Request::get(format!("{CRDS}/{}", text(name)))).await.body;
        for condition in ["NamesAccepted", "Established"] {
            if !is_true(&stored, condition) {
                return Err(format!("{name} is not {condition}: {}", stored["status"]["conditions"]));
            }
        }
        let discovery = self.raw(Request::get("/apis").accept(AGGREGATED_DISCOVERY)).await;
        for version in served_versions(crd) {
            if !self.is_listed(crd, version, &discovery).await {
                return Err(format!("discovery does not list version {version} of {name}"));
            }
        }
        Ok(())
    }

    /// Returns whether both forms of discovery have the resource, and its objects can be listed.
    async fn is_listed(&self, crd: &Value, version: &str, aggregated: &Answer) -> bool {
        let (group, plural) = (text(&crd["spec"]["group"]), text(&crd["spec"]["names"]["plural"]));
        let resources = self.raw(Request::get(format!("/apis/{group}/{version}"))).await.body;
        has_element(&resources["resources"], "name", plural)
            && is_discovered(&aggregated.body, group, version, plural)
            && self.raw(Request::get(format!("/apis/{group}/{version}/{plural}?limit=1"))).await.is_success()
    }
}

fn is_discovered(discovery: &Value, group: &str, version: &str, plural: &str) -> bool {
    elements(&discovery["items"])
        .filter(|item| item["metadata"]["name"] == group)
        .flat_map(|item| elements(&item["versions"]))
        .filter(|candidate| candidate["version"] == version && candidate["freshness"] == "Current")
        .any(|candidate| has_element(&candidate["resources"], "resource", plural))
}

fn served_versions(crd: &Value) -> impl Iterator<Item = &str> {
    elements(&crd["spec"]["versions"]).filter(|version| version["served"] == true).map(|version| text(&version["name"]))
}

fn is_true(object: &Value, condition: &str) -> bool {
    elements(&object["status"]["conditions"])
        .any(|candidate| candidate["type"] == condition && candidate["status"] == "True")
}

fn has_element(list: &Value, key: &str, value: &str) -> bool {
    elements(list).any(|element| element[key] == value)
}

fn elements(list: &Value) -> impl Iterator<Item = &Value> {
    list.as_array().into_iter().flatten()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
