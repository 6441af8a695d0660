//! Each operator serves sites on a control plane, and takes over from the one before it.

use std::time::Duration;

use crdkit::{
    Client,
    client::{Resources, scope::InNamespace},
    informer::CacheObject,
};
use crdkit_tests::{ControlPlane, Program, observed};
use example_sites::{Site, SiteSpec, Visibility};
use k8s_openapi::api::{core::v1::ConfigMap, events::v1::Event};

const LIMIT: Duration = Duration::from_secs(60);

/// The cluster as somebody sees it who is none of the operators.
struct Observer {
    client: Client,
    sites: Resources<Site, InNamespace>,
}

impl Observer {
    fn new(plane: &ControlPlane) -> Self {
        let client = Client::try_from(plane.config()).unwrap();
        Self { sites: client.resources().namespace("default"), client }
    }

    async fn install(&self, crd: &str) {
        let crd = serde_json::from_str(crd).unwrap();
        self.client.install([crd]).await.unwrap();
    }

    /// Waits until the newest state of a site is served.
    async fn served(&self, name: &str) -> Site {
        let get = async || self.sites.get(name).await.unwrap();
        observed(LIMIT, get, is_served).await
    }

    async fn page(&self, site: &str, page: &str) -> Option<String> {
        let configs = self.client.resources::<ConfigMap>().namespace("default");
        let config = configs.get(site).await.unwrap();
        config.data.unwrap_or_default().remove(page)
    }

    /// Waits for an event, which operators publish after they have written the status.
    async fn wait_for_event(&self, site: &str, reason: &str) {
        observed(LIMIT, async || self.events(site).await, |events| events.iter().any(|it| it == reason)).await;
    }

    /// What operators have published of a site.
    async fn events(&self, site: &str) -> Vec<String> {
        let events = self.client.resources::<Event>().namespace("default").list().await.unwrap().items.into_iter();
        let of_site = events.filter(|event| {
            let regarding = event.regarding.as_ref();
            regarding.and_then(|object| object.name.as_deref()) == Some(site)
        });
        of_site.filter_map(|event| event.reason).collect()
    }
}

fn is_served(site: &Site) -> bool {
    let Some(status) = &site.status else {
        return false;
    };
    let ready = status.conditions.iter().find(|it| it.type_ == "Ready");
    ready.is_some_and(|ready| ready.status == "True" && ready.observed_generation == site.metadata.generation)
}

fn site(name: &str, text: &str) -> Site {
    let spec = SiteSpec {
        title: "Gardens".to_owned(),
        pages: [("index".to_owned(), text.to_owned())].into(),
        visibility: Visibility::Public,
    };
    let mut site = Site::new(name, spec);
    site.metadata.namespace = Some("default".to_owned());
    site
}

#[tokio::test(flavor = "multi_thread")]
async fn operators_serve_sites_and_take_over_from_each_other() {
    let Some(plane) = ControlPlane::start() else {
        return;
    };
    let observer = Observer::new(&plane);
    for program in [env!("CARGO_BIN_EXE_before"), env!("CARGO_BIN_EXE_switched"), env!("CARGO_BIN_EXE_operator")] {
        observer.install(&Program::run(&plane, program, &["crd"])).await;
        let operator = Program::start(&plane, program, &[]);
        a_site_is_served(&observer, program).await;
        its_pages_change(&observer).await;
        it_is_closed_before_it_goes(&observer).await;
        assert_eq!(operator.terminate(), "stopped\n", "{program}");
    }
}

async fn a_site_is_served(observer: &Observer, text: &str) {
    let wanted = site("home", text);
    let written = observer.sites.create_or_update(&wanted, |site| {
        site.spec = wanted.spec.clone();
    });
    written.await.unwrap();
    let served = observer.served("home").await;
    assert_eq!(served.status.unwrap().pages, 1);
    let page = observer.page("home", "index").await;
    assert_eq!(page, Some(format!("Gardens\n\n{text}")));
    observer.wait_for_event("home", "Served").await;
}

async fn its_pages_change(observer: &Observer) {
    let hidden = observer.sites.update("home", |site| {
        site.spec.visibility = Visibility::Private;
    });
    hidden.await.unwrap();
    let served = observer.served("home").await;
    assert_eq!(served.status.unwrap().pages, 0);
    assert_eq!(observer.page("home", "index").await, None);
}

async fn it_is_closed_before_it_goes(observer: &Observer) {
    observer.sites.create(&site("gone", "")).await.unwrap();
    let served = observer.served("gone").await;
    assert_eq!(served.finalizers().count(), 1);
    let before = observer.events("gone").await.len();
    observer.sites.delete("gone").and_wait(LIMIT).await.unwrap();
    assert!(observer.events("gone").await.len() > before);
}
