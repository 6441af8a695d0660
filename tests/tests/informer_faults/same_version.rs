//! Objects that cannot be decoded until the API server sends the same version otherwise, as after the mend of a conversion webhook.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use bytes::Bytes;
use crdkit::{
    Client,
    informer::{CacheObject, Compact, Event, Informer, Informers},
};
use crdkit_api_server::ApiServer;
use http::{Request, Response};
use http_body_util::BodyExt;
use kube::client::Body;
use serde::de::DeserializeOwned;
use tokio::time::{sleep, timeout};
use tower::{BoxError, ServiceExt, service_fn};

use crate::widget::{Widget, WidgetSpec};

/// A server whose widgets have a text as their size while it is broken, and a client for it.
struct Broken {
    is_broken: Arc<AtomicBool>,
    client: Client,
}

impl Broken {
    /// A server with two widgets, of which one has a size of 8, which is broken.
    async fn new() -> Self {
        let server = ApiServer::new().with::<Widget>();
        for (name, size) in [("good", 3), ("odd", 8)] {
            let widget = Widget::new(name, WidgetSpec { size, note: String::new() });
            server.client().resources::<Widget>().namespace("default").create(&widget).await.unwrap();
        }
        let is_broken = Arc::new(AtomicBool::new(true));
        let (service, broken) = (server.service(), is_broken.clone());
        let answers = service_fn(move |request: Request<Body>| {
            let (service, broken) = (service.clone(), broken.clone());
            async move {
                let response = service.oneshot(request).await?;
                let broken = broken.load(Ordering::Relaxed);
                Ok::<Response<_>, BoxError>(response.map(|body| {
                    body.map_frame(move |frame| {
                        frame.map_data(|data: Bytes| if broken { with_text(&data) } else { data })
                    })
                }))
            }
        });
        Self { is_broken, client: Client::from(kube::Client::new(answers, "default")) }
    }

    async fn start<T: CacheObject<Kind = Widget> + DeserializeOwned>(&self) -> Informer<T> {
        let informer = Informers::new(self.client.clone()).of::<T>().namespace("default").start();
        informer.synced().await.unwrap();
        informer
    }

    fn mend(&self) {
        self.is_broken.store(false, Ordering::Relaxed);
    }
}

fn with_text(data: &Bytes) -> Bytes {
    String::from_utf8_lossy(data).replace("\"size\":8", "\"size\":\"8\"").into()
}

const MINUTE: Duration = Duration::from_secs(60);

#[tokio::test(start_paused = true)]
async fn an_object_is_read_once_the_server_is_mended() {
    let server = Broken::new().await;
    let informer = server.start::<Widget>().await;
    assert_eq!(informer.health().undecodable_objects, 1);
    assert!(informer.lister().find("default", "odd").is_none());
    sleep(10 * MINUTE).await;
    server.mend();
    sleep(10 * MINUTE).await;
    assert_eq!(informer.lister().find("default", "odd").unwrap().spec.size, 8);
    assert_eq!(informer.health().undecodable_objects, 0);
    assert_eq!(informer.health().watches[0].lists, 1);
}

/// A part that was read, or a whole object.
#[tokio::test(start_paused = true)]
async fn a_part_of_a_compact_object_is_read_once_the_server_is_mended() {
    for reads_all in [false, true] {
        let server = Broken::new().await;
        let informer = server.start::<Compact<Widget>>().await;
        let size = |name| {
            let widget = informer.lister().find("default", name).unwrap();
            if reads_all {
                widget.to_full().map(|widget| widget.spec.size)
            } else {
                widget.spec().map(|spec| spec.size)
            }
        };
        assert_eq!(size("good").unwrap(), 3);
        let error = size("odd").unwrap_err().to_string();
        assert!(error.contains("`spec.size`"), "{error}");
        let mut changes = informer.subscribe();
        while !matches!(changes.next().await, Some(Event::Synced)) {}
        sleep(10 * MINUTE).await;
        assert!(timeout(MINUTE, changes.next()).await.is_err(), "the text is still the same");
        server.mend();
        let change = timeout(10 * MINUTE, changes.next()).await.expect("it is requested again");
        assert!(matches!(&change, Some(Event::Updated { new, .. }) if new.name() == "odd"), "{change:?}");
        assert_eq!(size("odd").unwrap(), 8);
        assert_eq!(informer.health().watches[0].lists, 1);
    }
}
