//! The scenario of all servers: requests of each kind, and their cost.

use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use crdkit_benches::{
    Figures,
    gauges::Lapse,
    objects::{NAMESPACES, namespace},
};
use futures_util::{StreamExt, TryStreamExt, stream};
use http::Request;
use http_body_util::BodyExt;
use kube::{Client, client::Body};
use serde_json::Value;

use crate::{
    requests::Requests,
    usage::{FamilyMeter, memory},
    work::Work,
};

/// After this nothing moves any more.
const REST: Duration = Duration::from_millis(400);
/// The time in which each watch receives all changes.
const LIMIT: Duration = Duration::from_secs(120);

/// A server, and how its client uses it.
pub(crate) struct Scenario<'w> {
    pub(crate) client: Client,
    pub(crate) work: &'w Work,
    /// The number of requests that run at the same time.
    pub(crate) concurrency: usize,
    pub(crate) figures: Figures,
}

impl Scenario<'_> {
    /// Measures everything but the start.
    pub(crate) async fn run(mut self) -> Result<Figures> {
        let Work { requests: count, objects, .. } = *self.work;
        let requests = Requests { objects };
        let before = memory()?;
        for number in 0..NAMESPACES {
            self.client.request_text(Requests::create_namespace(&namespace(number))?).await?;
        }
        let numbers: Vec<usize> = self.numbers().collect();
        let all = |build: &dyn Fn(usize) -> Result<Request<Vec<u8>>>| -> Result<Vec<Request<Vec<u8>>>> {
            numbers.iter().copied().map(build).collect()
        };
        self.measure("create", all(&|number| requests.create(number))?).await?;
        let current = self.measure("get", all(&|number| requests.get(number))?).await?;
        self.measure("list", all(&|number| requests.list(number))?).await?;
        let updates: Result<_> =
            numbers.iter().zip(&current).map(|(number, it)| requests.update_status(*number, it)).collect();
        self.measure("status", updates?).await?;
        self.measure("apply", all(&|number| requests.apply(number))?).await?;
        drop(current);
        self.watch(requests, &numbers).await?;

        let created: Vec<bool> = (0..objects).map(|number| numbers.binary_search(&number).is_ok()).collect();
        let rest = created
            .into_iter()
            .enumerate()
            .filter(|(_, is_created)| !is_created)
            .map(|(number, _)| requests.create(number));
        self.send(rest).try_for_each(|_| async { Ok(()) }).await?;
        tokio::time::sleep(REST).await;
        self.figures.add("memory", memory()?);
        self.figures.add("memory_growth", memory()? - before);
        self.pages(count).await?;
        Ok(self.figures)
    }

    /// The objects of the requests, spread over all namespaces.
    fn numbers(&self) -> impl Iterator<Item = usize> + use<> {
        let Work { requests, objects, .. } = *self.work;
        (0..requests).map(move |at| at * objects / requests)
    }

    fn send<'a>(
        &'a self,
        requests: impl Iterator<Item = Result<Request<Vec<u8>>>> + 'a,
    ) -> impl futures_util::Stream<Item = Result<String>> + 'a {
        let sent = requests.map(|request| async { Ok(self.client.request_text(request?).await?) });
        stream::iter(sent).buffered(self.concurrency)
    }

    /// Sends requests, adds their rates, and returns the responses.
    async fn measure(&mut self, name: &str, requests: Vec<Request<Vec<u8>>>) -> Result<Vec<String>> {
        let count = requests.len();
        let meter = FamilyMeter::start()?;
        let responses = self.send(requests.into_iter().map(Ok)).try_collect().await?;
        add(&mut self.figures, name, meter.stop()?, count);
        Ok(responses)
    }

    /// Measures how fast many watches receive the same changes.
    async fn watch(&mut self, requests: Requests, numbers: &[usize]) -> Result<()> {
        let Work { watches, changes, .. } = *self.work;
        let page = self.client.request_text(Requests::probe()?).await?;
        let page: Value = serde_json::from_str(&page)?;
        let revision = page["metadata"]["resourceVersion"].as_str().context("a list has a version")?.to_owned();
        let opened: Result<Vec<_>> = stream::iter(0..watches)
            .then(|_| async { Ok(self.client.send(Requests::watch(&revision)?.map(Body::from)).await?.into_body()) })
            .try_collect()
            .await;
        let watches = opened?;
        let count = watches.len();
        let meter = FamilyMeter::start()?;
        let received: Vec<_> =
            watches.into_iter().map(|body| tokio::spawn(tokio::time::timeout(LIMIT, receive(body, changes)))).collect();
        let numbers = numbers.iter().cycle().take(changes).enumerate();
        let patches = numbers.map(|(at, number)| requests.change(*number, 10 + at));
        self.send(patches).try_for_each(|_| async { Ok(()) }).await?;
        for watch in received {
            watch.await?.context("a watch did not receive all changes")??;
        }
        add(&mut self.figures, "watch", meter.stop()?, count * changes);
        Ok(())
    }

    /// Reads all objects in pages of 500.
    async fn pages(&mut self, at_least: usize) -> Result<()> {
        let meter = FamilyMeter::start()?;
        let (mut count, mut token) = (0, String::new());
        loop {
            let page = self.client.request_text(Requests::page(&token)?).await?;
            count += page.matches("\"kind\":\"VirtualMachine\"").count();
            token = continue_token(&page);
            if token.is_empty() {
                break;
            }
        }
        ensure!(count >= at_least && count == self.work.objects, "{count} objects were listed");
        add(&mut self.figures, "pages", meter.stop()?, count);
        Ok(())
    }
}

/// Returns the token in the metadata of a list, which no object has.
fn continue_token(page: &str) -> String {
    let token = page.split_once("\"continue\":\"").and_then(|(_, rest)| rest.split_once('"'));
    token.map_or_else(String::new, |(token, _)| token.to_owned())
}

/// Reads a number of events.
async fn receive(mut body: Body, events: usize) -> Result<()> {
    let mut received = 0;
    while received < events {
        let frame = body.frame().await.context("the watch has ended")??;
        received += frame.data_ref().map_or(0, |data| data.split(|byte| *byte == b'\n').count() - 1);
    }
    Ok(())
}

/// Adds requests a second on the clock, and the processor time of one in microseconds.
fn add(figures: &mut Figures, name: &str, lapse: Lapse, count: usize) {
    figures.add(format!("{name}_rate"), count as f64 / lapse.wall);
    figures.add(format!("{name}_cpu"), lapse.cpu / count as f64 * 1e6);
}

/// Waits until a request succeeds.
pub(crate) async fn until_served(client: &Client, request: impl Fn() -> Result<Request<Vec<u8>>>) -> Result<()> {
    const INTERVAL: Duration = Duration::from_millis(20);
    let deadline = Instant::now() + LIMIT;
    while let Err(error) = client.request_text(request()?).await {
        ensure!(Instant::now() < deadline, "the kind is not served: {error}");
        tokio::time::sleep(INTERVAL).await;
    }
    Ok(())
}
