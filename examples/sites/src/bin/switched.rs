//! An operator that was written for kube-derive and kube-runtime. Two lines have changed; a comment at the end of each
//! contains the old line.
//!
//! `cargo run -p example-sites --bin switched -- crd` prints the CustomResourceDefinition, without `crd` the operator runs until
//! ctrl-c or SIGTERM.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use crdkit::CustomResource; // before: use kube::CustomResource;
use crdkit::JsonSchema; // before: use schemars::JsonSchema;

use futures_util::StreamExt;
use k8s_openapi::{
    api::core::v1::ConfigMap,
    apimachinery::pkg::apis::meta::v1::{Condition, Time},
    jiff::Timestamp,
};
use kube::{
    Api, Client, CustomResourceExt, Resource, ResourceExt,
    api::{ObjectMeta, Patch, PatchParams},
    runtime::{
        controller::{Action, Controller},
        events::{Event, EventType, Recorder, Reporter},
        finalizer::{self, finalizer},
        watcher,
    },
};
use serde::{Deserialize, Serialize};
use serde_json::json;

const MANAGER: &str = "sites";
const FINALIZER: &str = "web.example.com/pages";

/// A web site, whose pages a ConfigMap of its name has.
#[derive(CustomResource, Serialize, Deserialize, Clone, Debug, JsonSchema)]
#[kube(
    group = "web.example.com",
    version = "v1",
    kind = "Site",
    namespaced,
    status = "SiteStatus",
    shortname = "st",
    printcolumn = r#"{"name": "Title", "type": "string", "jsonPath": ".spec.title"}"#,
    printcolumn = r#"{"name": "Pages", "type": "integer", "jsonPath": ".status.pages"}"#
)]
#[serde(rename_all = "camelCase")]
struct SiteSpec {
    /// What stands above each page.
    #[schemars(length(min = 1, max = 80))]
    title: String,
    /// The text of each page, by its name.
    #[serde(default)]
    pages: BTreeMap<String, String>,
    /// Who may read the pages.
    #[serde(default)]
    visibility: Visibility,
}

#[derive(Serialize, Deserialize, Clone, Copy, Debug, Default, PartialEq, JsonSchema)]
enum Visibility {
    #[default]
    Private,
    Public,
}

#[derive(Serialize, Deserialize, Clone, Debug, Default, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct SiteStatus {
    /// How many pages are served.
    pages: u32,
    #[serde(default)]
    conditions: Vec<Condition>,
}

#[derive(Debug, thiserror::Error)]
enum Error {
    #[error("a site has no `{0}`")]
    Incomplete(&'static str),
    #[error(transparent)]
    Kube(#[from] kube::Error),
    #[error(transparent)]
    Finalizer(#[from] Box<finalizer::Error<Error>>),
}

struct Context {
    client: Client,
    recorder: Recorder,
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    if std::env::args().any(|argument| argument == "crd") {
        println!("{}", serde_json::to_string_pretty(&Site::crd())?);
        return Ok(());
    }
    let client = Client::try_default().await?;
    let reporter = Reporter { controller: MANAGER.to_owned(), instance: None };
    let context = Context { recorder: Recorder::new(client.clone(), reporter), client: client.clone() };
    Controller::new(Api::<Site>::all(client.clone()), watcher::Config::default())
        .owns(Api::<ConfigMap>::all(client), watcher::Config::default())
        .shutdown_on_signal()
        .run(reconcile, try_again, Arc::new(context))
        .for_each(async |_| {})
        .await;
    println!("stopped");
    Ok(())
}

fn try_again(_: Arc<Site>, error: &Error, _: Arc<Context>) -> Action {
    eprintln!("{error}");
    Action::requeue(Duration::from_secs(1))
}

async fn reconcile(site: Arc<Site>, context: Arc<Context>) -> Result<Action, Error> {
    let namespace = site.namespace().ok_or(Error::Incomplete("namespace"))?;
    let sites = Api::<Site>::namespaced(context.client.clone(), &namespace);
    let done = finalizer(&sites, FINALIZER, site, async |event| match event {
        finalizer::Event::Apply(site) => serve(&site, &sites, &context).await,
        finalizer::Event::Cleanup(site) => {
            publish(&site, "Closed", &context).await?;
            Ok(Action::await_change())
        }
    });
    done.await.map_err(|error| Error::Finalizer(Box::new(error)))
}

async fn serve(site: &Site, sites: &Api<Site>, context: &Context) -> Result<Action, Error> {
    let namespace = site.namespace().ok_or(Error::Incomplete("namespace"))?;
    let owner = site.controller_owner_ref(&());
    let config = ConfigMap {
        metadata: ObjectMeta {
            name: Some(site.name_any()),
            owner_references: Some(vec![owner.ok_or(Error::Incomplete("uid"))?]),
            ..ObjectMeta::default()
        },
        data: Some(pages(site)),
        ..ConfigMap::default()
    };
    let configs = Api::<ConfigMap>::namespaced(context.client.clone(), &namespace);
    let manager = PatchParams::apply(MANAGER).force();
    configs.patch(&site.name_any(), &manager, &Patch::Apply(&config)).await?;
    if let Some(status) = changed_status(site) {
        let patch = Patch::Merge(json!({ "status": status }));
        sites.patch_status(&site.name_any(), &PatchParams::default(), &patch).await?;
        publish(site, "Served", context).await?;
    }
    Ok(Action::await_change())
}

/// The pages as they are served.
fn pages(site: &Site) -> BTreeMap<String, String> {
    let title = &site.spec.title;
    let with_title = |(name, text): (&String, &String)| (name.clone(), format!("{title}\n\n{text}"));
    match site.spec.visibility {
        Visibility::Private => BTreeMap::new(),
        Visibility::Public => site.spec.pages.iter().map(with_title).collect(),
    }
}

/// The status, if it is not as it should be.
fn changed_status(site: &Site) -> Option<SiteStatus> {
    let served = u32::try_from(pages(site).len()).unwrap_or(u32::MAX);
    let generation = site.meta().generation;
    let status = site.status.clone().unwrap_or_default();
    let is_current = |condition: &Condition| condition.observed_generation == generation;
    if status.pages == served && status.conditions.iter().any(is_current) {
        return None;
    }
    Some(SiteStatus {
        pages: served,
        conditions: vec![Condition {
            type_: "Ready".to_owned(),
            status: "True".to_owned(),
            reason: "Served".to_owned(),
            message: format!("{served} pages"),
            observed_generation: generation,
            last_transition_time: Time(Timestamp::now()),
        }],
    })
}

async fn publish(site: &Site, reason: &str, context: &Context) -> Result<(), Error> {
    let event = Event {
        type_: EventType::Normal,
        reason: reason.to_owned(),
        note: None,
        action: "Reconcile".to_owned(),
        secondary: None,
    };
    let reference = site.object_ref(&());
    Ok(context.recorder.publish(&event, &reference).await?)
}
