//! An operator for sites, written on crdkit from the beginning.
//!
//! `cargo run -p example-sites --bin operator -- crd` prints the CustomResourceDefinition, without `crd` the operator runs until
//! ctrl-c or SIGTERM.

use std::{collections::BTreeMap, sync::Arc};

use crdkit::{
    Client, CustomResourceExt,
    client::set_controller_reference,
    conditions::{NewCondition, set_condition},
    informer::{Action, CacheObject, Informers, Lister, ObjectKey, shutdown_signal},
};
use example_sites::{Site, SiteStatus, Visibility};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::{
    Resource,
    api::ObjectMeta,
    runtime::events::{Event, EventType, Recorder, Reporter},
};

const MANAGER: &str = "sites";
const FINALIZER: &str = "web.example.com/pages";
const CONCURRENCY: usize = 4;

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    if std::env::args().any(|argument| argument == "crd") {
        println!("{}", serde_json::to_string_pretty(&Site::crd())?);
        return Ok(());
    }
    tracing_subscriber::fmt().with_writer(std::io::stderr).init();
    let client = Client::try_default().await?.field_manager(MANAGER).force();
    let informers = Informers::new(client.clone());
    let sites = informers.of::<Site>().start();
    let configs = informers.of::<ConfigMap>().start();

    let operator = Arc::new(Operator::new(client, sites.lister()));
    let work = sites.reconciler().owns(&configs).until(shutdown_signal());
    work.run(CONCURRENCY, move |key| {
        let operator = operator.clone();
        async move { operator.reconcile(&key).await }
    })
    .await?;
    println!("stopped");
    Ok(())
}

struct Operator {
    client: Client,
    sites: Lister<Site>,
    recorder: Recorder,
}

impl Operator {
    fn new(client: Client, sites: Lister<Site>) -> Self {
        let reporter = Reporter { controller: MANAGER.to_owned(), instance: None };
        let recorder = Recorder::new(client.kube().clone(), reporter);
        Self { client, sites, recorder }
    }

    async fn reconcile(&self, key: &ObjectKey) -> anyhow::Result<Action> {
        let Some(site) = self.sites.find(key.namespace(), key.name()) else {
            return Ok(Action::Done);
        };
        if site.is_terminating() {
            self.close(&site).await?;
        } else {
            self.serve(&site).await?;
        }
        Ok(Action::Done)
    }

    async fn serve(&self, site: &Site) -> anyhow::Result<()> {
        let namespace = site.namespace().unwrap_or_default();
        let sites = self.client.resources::<Site>().namespace(namespace);
        sites.finalizers().add_to(site, FINALIZER).await?;

        let mut config = ConfigMap {
            metadata: ObjectMeta {
                name: site.metadata.name.clone(),
                namespace: site.metadata.namespace.clone(),
                ..ObjectMeta::default()
            },
            data: Some(pages(site)),
            ..ConfigMap::default()
        };
        set_controller_reference(&mut config, site)?;
        let configs = self.client.resources::<ConfigMap>().namespace(namespace);
        configs.apply(site.name(), &config).await?;

        let status = sites.status();
        let served = status.update_from(site, |status| report(site, status)).await?;
        if served.status != site.status {
            self.publish(site, "Served").await?;
        }
        Ok(())
    }

    async fn close(&self, site: &Site) -> anyhow::Result<()> {
        if !site.finalizers().any(|finalizer| finalizer == FINALIZER) {
            return Ok(());
        }
        self.publish(site, "Closed").await?;
        let namespace = site.namespace().unwrap_or_default();
        let sites = self.client.resources::<Site>().namespace(namespace);
        sites.finalizers().remove_from(site, FINALIZER).await?;
        Ok(())
    }

    async fn publish(&self, site: &Site, reason: &str) -> anyhow::Result<()> {
        let event = Event {
            type_: EventType::Normal,
            reason: reason.to_owned(),
            note: None,
            action: "Reconcile".to_owned(),
            secondary: None,
        };
        let reference = site.object_ref(&());
        Ok(self.recorder.publish(&event, &reference).await?)
    }
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

fn report(site: &Site, status: &mut SiteStatus) {
    status.pages = u32::try_from(pages(site).len()).unwrap_or(u32::MAX);
    let ready = NewCondition::is_true("Ready", "Served")
        .message(&format!("{} pages", status.pages))
        .observed_generation(site.metadata.generation.unwrap_or_default());
    set_condition(&mut status.conditions, ready);
}
