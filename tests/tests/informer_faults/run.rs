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
    judge::judge,
    reads::read_writes,
    report::{Reading, Report, exchanges, waits},
    subscribers::{Record, subscribe},
    truth::{Truth, difference},
    widget::Widget,
    writer,
};

/// How an informer reaches the server.
pub(crate) trait Way {
    async fn client(&self, server: &Arc<ApiServer>) -> Client;
}

/// What objects are kept as.
pub(crate) trait Form: CacheObject<Kind = Widget> + DeserializeOwned {
    fn widget(self: Arc<Self>) -> Arc<Widget>;
}

impl Form for Widget {
    fn widget(self: Arc<Self>) -> Arc<Widget> {
        self
    }
}

impl Form for Compact<Widget> {
    fn widget(self: Arc<Self>) -> Arc<Widget> {
        Arc::new(self.to_full().expect("nothing else than widgets is written"))
    }
}

/// Plays a case with compact objects, and says what is wrong.
pub(crate) async fn play_compact(case: &Case, way: &impl Way) -> Result<Report, String> {
    let server = ApiServer::new(case.settings, Faults::new(case.seed, case.percent));
    writer::begin(case, &server);
    let informers = Informers::new(way.client(&server).await);
    let informer = start::<Compact<Widget>>(case, &informers);
    storm(case, &server).await;
    let time = converge(case, &Truth::of(case, &server), &informer).await?;
    let mut report = judge_requests(case, &server)?;
    report.converged.push(time);
    Ok(report)
}

/// Plays a case, and says what is wrong.
pub(crate) async fn play(case: &Case, way: &impl Way) -> Result<Report, String> {
    let server = ApiServer::new(case.settings, Faults::new(case.seed, case.percent));
    writer::begin(case, &server);
    let informers = Informers::new(way.client(&server).await);
    let informer = start::<Widget>(case, &informers);
    let over = watch::Sender::new(false);
    let subscribers = subscribe(case, &informer, &over);
    let reads = read_writes(case.clone(), server.clone(), informer.clone(), over.subscribe());
    let reads = tokio::spawn(reads);
    storm(case, &server).await;

    let truth = Truth::of(case, &server);
    let time = converge(case, &truth, &informer).await?;
    over.send_replace(true);
    let reads = timeout(case.pace.limit, reads).await;
    let reads = reads.map_err(|_| "a write is never seen")?.expect("reads do not panic")?;
    informer.stop();
    let records = end(case, subscribers).await?;
    judge_all(case, &server, &truth, &records)?;

    let mut report = judge_requests(case, &server)?;
    report.reads = reads;
    report.exact = records.iter().filter(|record| record.manner.is_exact()).count();
    report.converged.push(time);
    Ok(report)
}

/// Writes while everything goes wrong.
async fn storm(case: &Case, server: &Arc<ApiServer>) {
    let written = tokio::spawn(writer::write(case.clone(), server.clone()));
    written.await.expect("the writer does not panic");
    server.faults().stop();
}

fn start<T: Form>(case: &Case, informers: &Informers) -> Informer<T> {
    let mut builder = informers.of::<T>().timeouts(case.pace.timeouts);
    if let Some(namespaces) = &case.namespaces {
        builder = builder.namespaces(namespaces.iter().copied());
    }
    if !case.selector.is_empty() {
        builder = builder.labels(case.selector);
    }
    builder.start()
}

/// Says how long it takes until the store is equal to the server.
async fn converge<T: Form>(case: &Case, truth: &Truth, informer: &Informer<T>) -> Result<Duration, String> {
    let began = Instant::now();
    while !is_equal(truth, informer) || !has_told_all(truth, informer) {
        sleep(case.pace.poll).await;
        if began.elapsed() > case.pace.limit {
            let health = informer.health();
            return Err(format!("not equal to the server in time: {:?}\n{health:#?}", different(truth, informer)));
        }
    }
    let different = different(truth, informer);
    if !different.is_empty() {
        return Err(format!("not equal to the server: {different:?}"));
    }
    let time = began.elapsed();
    // Not even the word of it is to be cut off.
    let mut events = informer.subscribe();
    while !matches!(events.next().await, Some(Event::Synced)) {}
    Ok(time)
}

/// Whether all watches are well and have come to the last change: one that takes another back shows nowhere else.
fn has_told_all<T: Form>(truth: &Truth, informer: &Informer<T>) -> bool {
    let health = informer.health();
    let reached = |place: &str| {
        let mut watches = health.watches.iter();
        let watch = watches.find(|watch| watch.namespace.as_deref().unwrap_or_default() == place);
        watch?.resource_version.as_deref()?.parse().ok()
    };
    let mut places = truth.places.iter();
    health.is_good() && places.all(|(place, versions)| reached(place) >= versions.last().copied())
}

/// Whether the store has the versions of the server.
fn is_equal<T: Form>(truth: &Truth, informer: &Informer<T>) -> bool {
    let shown = informer.lister().all();
    let is_shown = |object: &Arc<T>| {
        let key = (object.namespace().unwrap_or_default().to_owned(), object.name().to_owned());
        let expected = truth.objects.get(&key);
        expected.is_some_and(|expected| expected.resource_version() == object.resource_version())
    };
    shown.len() == truth.objects.len() && shown.iter().all(is_shown)
}

fn different<T: Form>(truth: &Truth, informer: &Informer<T>) -> Vec<String> {
    let shown = informer.lister().all().into_iter().map(T::widget);
    difference(&truth.objects, shown)
}

async fn end(case: &Case, subscribers: JoinSet<Vec<Record>>) -> Result<Vec<Record>, String> {
    let records = timeout(case.pace.limit, subscribers.join_all()).await;
    let records = records.map_err(|_| "a subscriber does not end with the informer")?;
    Ok(records.into_iter().flatten().collect())
}

/// Judges what each subscriber was told.
fn judge_all(case: &Case, server: &ApiServer, truth: &Truth, records: &[Record]) -> Result<(), String> {
    let exchanges = case.places().into_iter().map(|place| exchanges(server, place));
    let exchanges: Vec<_> = exchanges.collect();
    let readings: Vec<_> = exchanges.iter().map(|exchanges| Reading::of(exchanges)).collect();
    for record in records {
        let verdict = judge(truth, record, &readings);
        verdict.map_err(|mistake| {
            let asked: Vec<_> = exchanges.iter().map(|exchanges| lines(exchanges)).collect();
            let asked = asked.join("\n");
            format!("subscriber {:?}: {mistake}\nwhat was asked:\n{asked}", record.manner)
        })?;
    }
    Ok(())
}

/// Judges what was asked for each place.
fn judge_requests(case: &Case, server: &ApiServer) -> Result<Report, String> {
    let mut report = Report { schedules: 1, faults: server.faults().tally(), ..Report::default() };
    for place in case.places() {
        let exchanges = exchanges(server, place);
        let one = Report::of(&exchanges);
        if case.pace.strict && one.relists > one.reasons {
            return Err(format!("a place is read too often:\n{}", lines(&exchanges)));
        }
        if case.pace.strict && !waits(&exchanges) {
            return Err(format!("a place is asked for too early after 429:\n{}", lines(&exchanges)));
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
