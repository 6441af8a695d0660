//! Waiting for what an operator does, in tests.

use std::{
    collections::BTreeMap,
    fmt::{self, Write as _},
    future::Future,
    panic::Location,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use crdkit::client::{Object, Resources, scope::SingleObject};
use k8s_openapi::api::events::v1::Event as ObjectEvent;
use tokio::time::{Instant, sleep};
use tracing::{
    Dispatch, Event, Level, Metadata, Subscriber,
    field::{Field, Visit},
    span::{Attributes, Id, Record},
    subscriber::Interest,
};

/// The longest wait. With tokio's paused clock, it takes no time.
const LIMIT: Duration = Duration::from_secs(30);
/// The target of records about failed reconciliations: the module that writes them, which needs the feature `informer`.
const TARGET: &str = "crdkit::informer::queue::run";
const INTERVAL: Duration = Duration::from_millis(50);

/// Waits until an object exists and fulfils a condition, and returns it.
///
/// ```
/// # use crdkit::{CustomResource, KubeSchema, controller::{Action, Context, Controller, Error, Manager}};
/// # use serde::{Deserialize, Serialize};
/// # use std::sync::Arc;
/// # #[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
/// # #[crd(group = "example.com", version = "v1", kind = "Site", namespaced, status = "SiteStatus")]
/// # pub struct SiteSpec { pub title: String }
/// # #[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, Default)]
/// # pub struct SiteStatus { pub pages: u32 }
/// # async fn reconcile(site: Arc<Site>, cx: Context<Site>) -> Result<Action, Error> {
/// #     cx.status(&site).update(|status| status.pages = 1);
/// #     Ok(Action::Done)
/// # }
/// # fn controller() -> Controller { Controller::of::<Site>().reconcile(reconcile) }
/// use crdkit_api_server::{ApiServer, wait_until};
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build()?.block_on(async {
/// let client = ApiServer::new().with::<Site>().client().field_manager("test");
/// tokio::spawn(Manager::new(client.clone()).add(controller()).run());
/// let sites = client.resources::<Site>().namespace("default");
/// sites.create(&Site::new("home", SiteSpec { title: "Hello".into() })).await?;
///
/// let site = wait_until(&sites, "home", |site| site.status.is_some()).await;
/// assert_eq!(site.status.unwrap().pages, 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Panics
///
/// After 30 seconds of tokio's clock, with the object, its Events and the errors of reconcile functions in the meantime. The errors
/// are those of controllers in the same thread, as in a test with `#[tokio::test]`.
#[track_caller]
pub fn wait_until<K, P>(
    objects: &Resources<K, P>,
    name: &str,
    condition: impl Fn(&K) -> bool,
) -> impl Future<Output = K>
where
    K: Object<DynamicType = ()>,
    P: SingleObject<K>,
{
    let caller = Location::caller();
    async move {
        let failures = Failures::default();
        let recorder =
            Recorder { inner: tracing::dispatcher::get_default(Dispatch::clone), failures: failures.clone() };
        let recording = tracing::dispatcher::set_default(&Dispatch::new(recorder));
        let start = Instant::now();
        let mut last = None;
        while start.elapsed() < LIMIT {
            let read = objects.get_opt(name).await;
            match read {
                Ok(Some(object)) if condition(&object) => return object,
                read => last = Some(read),
            }
            sleep(INTERVAL).await;
        }
        drop(recording);
        let mut text = format!("{} `{name}` does not fulfil the condition after {LIMIT:?}, at {caller}", K::kind(&()));
        let _ = match last {
            Some(Ok(Some(object))) => write!(text, "\nThe object: {}", json(&object)),
            Some(Err(error)) => write!(text, "\nIt cannot be read: {error}"),
            _ => write!(text, "\nIt does not exist"),
        };
        text += &events(objects, name).await;
        text += &failures.to_string();
        panic!("{text}");
    }
}

fn json<K: Object>(object: &K) -> String {
    let mut value = serde_json::to_value(object).unwrap_or_default();
    if let Some(metadata) = value["metadata"].as_object_mut() {
        metadata.remove("managedFields");
    }
    serde_json::to_string_pretty(&value).unwrap_or_default()
}

/// Describes the Events about an object.
async fn events<K: Object<DynamicType = ()>, P>(objects: &Resources<K, P>, name: &str) -> String {
    let events = objects.client().resources::<ObjectEvent>().all_namespaces().list().await;
    let kind = K::kind(&());
    let is_about = |event: &&ObjectEvent| {
        event
            .regarding
            .as_ref()
            .is_some_and(|object| object.name.as_deref() == Some(name) && object.kind.as_deref() == Some(kind.as_ref()))
    };
    let mut text = String::new();
    for event in events.iter().flat_map(|list| &list.items).filter(is_about) {
        let [type_, reason, note] =
            [&event.type_, &event.reason, &event.note].map(|part| part.as_deref().unwrap_or_default());
        let _ = write!(text, "\nEvent: {type_} {reason}: {note}");
    }
    text
}

/// How often each reconciliation has failed, by the object and the error.
#[derive(Clone, Default)]
struct Failures(Arc<Mutex<BTreeMap<(String, String), usize>>>);

impl Failures {
    fn add(&self, failure: Failure) {
        let error = if failure.error.is_empty() { failure.message } else { failure.error };
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *all.entry((failure.key, error)).or_default() += 1;
    }
}

impl fmt::Display for Failures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if all.is_empty() {
            return f.write_str("\nNo reconciliation has failed in this thread");
        }
        all.iter().try_for_each(|((key, error), count)| {
            let times = if *count == 1 { String::new() } else { format!(" ({count} times)") };
            write!(f, "\nThe reconciliation of {key} failed{times}: {error}")
        })
    }
}

/// The fields of a record about a failed reconciliation.
#[derive(Default)]
struct Failure {
    key: String,
    error: String,
    message: String,
}

impl Visit for Failure {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        let text = format!("{value:?}");
        match field.name() {
            "key" => self.key = text,
            "error" => self.error = text,
            "message" => self.message = text,
            _ => {}
        }
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        if field.name() == "error" {
            value.clone_into(&mut self.error);
        }
    }
}

/// Notes failed reconciliations, and passes everything on to the subscriber before.
struct Recorder {
    inner: Dispatch,
    failures: Failures,
}

impl Recorder {
    fn is_failure(metadata: &Metadata<'_>) -> bool {
        // Levels that are more severe are less.
        metadata.is_event() && *metadata.level() <= Level::WARN && metadata.target() == TARGET
    }
}

impl Subscriber for Recorder {
    fn register_callsite(&self, _: &'static Metadata<'static>) -> Interest {
        Interest::sometimes()
    }

    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        Self::is_failure(metadata) || self.inner.enabled(metadata)
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        self.inner.new_span(span)
    }

    fn record(&self, span: &Id, values: &Record<'_>) {
        self.inner.record(span, values);
    }

    fn record_follows_from(&self, span: &Id, follows: &Id) {
        self.inner.record_follows_from(span, follows);
    }

    fn event(&self, event: &Event<'_>) {
        if Self::is_failure(event.metadata()) {
            let mut failure = Failure::default();
            event.record(&mut failure);
            self.failures.add(failure);
        }
        if self.inner.enabled(event.metadata()) {
            self.inner.event(event);
        }
    }

    fn enter(&self, span: &Id) {
        self.inner.enter(span);
    }

    fn exit(&self, span: &Id) {
        self.inner.exit(span);
    }

    fn clone_span(&self, span: &Id) -> Id {
        self.inner.clone_span(span)
    }

    fn try_close(&self, span: Id) -> bool {
        self.inner.try_close(span)
    }
}
