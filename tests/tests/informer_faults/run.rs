use std::{sync::Arc, time::Duration};

use crdkit::{
    Client,
    informer::{CacheObject, Compact, Event, Informer, Informers},
};
use crdkit_tests::{
    apiserver::{ApiServer, Exchange},
    faults::Faults,
};
use serde::de::DeserializeOwned;
use tokio::{
    sync::watch,
    task::JoinSet,
    time::{Instant, sleep, timeout},
};

use crate::{
    case::Case,
    event_checks::check_record,
    history::{History, difference},
    read_your_writes::check_read_your_writes,
    report::{ListHistory, Report, exchanges, respects_retry_after},
    subscribers::{Record, subscribe},
    widget::Widget,
    writer,
};

/// The transport between an informer and the server.
pub(crate) trait Transport {
    async fn client(&self, server: &Arc<ApiServer>) -> Client;
}

/// The form of objects in the store.
pub(crate) trait StoredObject: CacheObject<Kind = Widget> + DeserializeOwned {
    fn widget(self: Arc<Self>) -> Arc<Widget>;
}

impl StoredObject for Widget {
    fn widget(self: Arc<Self>) -> Arc<Widget> {
        self
    }
}

impl StoredObject for Compact<Widget> {
    fn widget(self: Arc<Self>) -> Arc<Widget> {
        Arc::new(self.to_full().expect("only widgets are written"))
    }
}

/// Runs a case with compact objects. Returns a report, or what is wrong.
pub(crate) async fn run_compact_case(case: &Case, transport: &impl Transport) -> Result<Report, String> {
    let server = ApiServer::new(case.settings, Faults::new(case.seed, case.percent));
    writer::create_objects(case, &server);
    let informers = Informers::new(transport.client(&server).await);
    let informer = start::<Compact<Widget>>(case, &informers);
    storm(case, &server).await;
    let time = converge(case, &History::of(case, &server), &informer).await?;
    let mut report = check_requests(case, &server)?;
    report.converged.push(time);
    Ok(report)
}

/// Runs a case. Returns a report, or what is wrong.
pub(crate) async fn run_case(case: &Case, transport: &impl Transport) -> Result<Report, String> {
    let server = ApiServer::new(case.settings, Faults::new(case.seed, case.percent));
    writer::create_objects(case, &server);
    let informers = Informers::new(transport.client(&server).await);
    let informer = start::<Widget>(case, &informers);
    let over = watch::Sender::new(false);
    let subscribers = subscribe(case, &informer, &over);
    let reads = check_read_your_writes(case.clone(), server.clone(), informer.clone(), over.subscribe());
    let reads = tokio::spawn(reads);
    storm(case, &server).await;

    let history = History::of(case, &server);
    let time = converge(case, &history, &informer).await?;
    over.send_replace(true);
    let reads = timeout(case.timing.limit, reads)
        .await
        .map_err(|_| "a write does not reach the store")?
        .expect("reads do not panic")?;
    informer.stop();
    let records = end(case, subscribers).await?;
    check_records(case, &server, &history, &records)?;

    let mut report = check_requests(case, &server)?;
    report.reads = reads;
    report.exact = records.iter().filter(|record| record.mode.is_exact()).count();
    report.converged.push(time);
    Ok(report)
}

/// Writes while faults are injected.
async fn storm(case: &Case, server: &Arc<ApiServer>) {
    let written = tokio::spawn(writer::write(case.clone(), server.clone()));
    written.await.expect("the writer does not panic");
    server.faults().stop();
}

fn start<T: StoredObject>(case: &Case, informers: &Informers) -> Informer<T> {
    let mut builder = informers.of::<T>().timeouts(case.timing.timeouts);
    if let Some(namespaces) = &case.namespaces {
        builder = builder.namespaces(namespaces.iter().copied());
    }
    if !case.selector.is_empty() {
        builder = builder.labels(case.selector);
    }
    builder.start()
}

/// Waits until the store is equal to the server. Returns how long it took.
async fn converge<T: StoredObject>(case: &Case, history: &History, informer: &Informer<T>) -> Result<Duration, String> {
    let began = Instant::now();
    while !is_equal(history, informer) || !has_reached_last_change(history, informer) {
        sleep(case.timing.poll).await;
        if began.elapsed() > case.timing.limit {
            let health = informer.health();
            return Err(format!("not equal to the server in time: {:?}\n{health:#?}", different(history, informer)));
        }
    }
    let different = different(history, informer);
    if !different.is_empty() {
        return Err(format!("not equal to the server: {different:?}"));
    }
    let time = began.elapsed();
    // `Synced` is sent too.
    let mut events = informer.subscribe();
    while !matches!(events.next().await, Some(Event::Synced)) {}
    Ok(time)
}

/// Returns whether all watches are healthy and have reached the last change. A change that reverts another is not
/// visible otherwise.
fn has_reached_last_change<T: StoredObject>(history: &History, informer: &Informer<T>) -> bool {
    let health = informer.health();
    let reached = |namespace: &str| {
        let mut watches = health.watches.iter();
        let watch = watches.find(|watch| watch.namespace.as_deref().unwrap_or_default() == namespace);
        watch?.resource_version.as_deref()?.parse().ok()
    };
    let mut watches = history.watches.iter();
    health.is_good() && watches.all(|(namespace, versions)| reached(namespace) >= versions.last().copied())
}

/// Returns whether the store has the versions of the server.
fn is_equal<T: StoredObject>(history: &History, informer: &Informer<T>) -> bool {
    let shown = informer.lister().list();
    let is_shown = |object: &Arc<T>| {
        let key = (object.namespace().unwrap_or_default().to_owned(), object.name().to_owned());
        let expected = history.objects.get(&key);
        expected.is_some_and(|expected| expected.resource_version() == object.resource_version())
    };
    shown.len() == history.objects.len() && shown.iter().all(is_shown)
}

fn different<T: StoredObject>(history: &History, informer: &Informer<T>) -> Vec<String> {
    let shown = informer.lister().list().into_iter().map(T::widget);
    difference(&history.objects, shown)
}

async fn end(case: &Case, subscribers: JoinSet<Vec<Record>>) -> Result<Vec<Record>, String> {
    let records = timeout(case.timing.limit, subscribers.join_all())
        .await
        .map_err(|_| "a subscriber does not end with the informer")?;
    Ok(records.into_iter().flatten().collect())
}

/// Checks the events of each subscriber.
fn check_records(case: &Case, server: &ApiServer, history: &History, records: &[Record]) -> Result<(), String> {
    let exchanges: Vec<_> =
        case.watched_namespaces().into_iter().map(|namespace| exchanges(server, namespace)).collect();
    let lists: Vec<_> = exchanges.iter().map(|exchanges| ListHistory::of(exchanges)).collect();
    for record in records {
        let verdict = check_record(history, record, &lists);
        verdict.map_err(|mistake| {
            let requests = exchanges.iter().map(|exchanges| lines(exchanges)).collect::<Vec<_>>().join("\n");
            format!("subscriber {:?}: {mistake}\nrequests:\n{requests}", record.mode)
        })?;
    }
    Ok(())
}

/// Checks the requests of each watch.
fn check_requests(case: &Case, server: &ApiServer) -> Result<Report, String> {
    let mut report = Report { schedules: 1, faults: server.faults().tally(), ..Report::default() };
    for namespace in case.watched_namespaces() {
        let exchanges = exchanges(server, namespace);
        let one = Report::of(&exchanges);
        if case.timing.strict && one.relists > one.reasons {
            return Err(format!("too many lists:\n{}", lines(&exchanges)));
        }
        if case.timing.strict && !respects_retry_after(&exchanges) {
            return Err(format!("a request too early after 429:\n{}", lines(&exchanges)));
        }
        report.add(one);
    }
    Ok(report)
}

pub(crate) fn lines(exchanges: &[Exchange]) -> String {
    let began = exchanges.first().map(|first| first.began);
    let since = |exchange: &Exchange| began.map(|began| exchange.began - began).unwrap_or_default();
    let lines = exchanges.iter().map(|exchange| format!("{:?} {exchange}", since(exchange)));
    lines.collect::<Vec<_>>().join("\n")
}
