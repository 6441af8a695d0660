//! Receives and counts lines: what the server, the connection and HTTP take.

use anyhow::{Context, Result, ensure};
use bytes::Bytes;
use http::Request;
use http_body_util::BodyExt;
use kube::{Client, client::Body};

use crate::{
    client,
    gauges::{Meter, peak},
    work::{Figures, Work, control},
};

const COLLECTION: &str = "/apis/vm.test/v1/virtualmachines";

pub(super) async fn floor(work: &Work) -> Result<Figures> {
    let client: Client = client(work.port)?;
    let mut figures = Figures::default();
    let meter = Meter::start()?;
    if !work.streams {
        list(&client).await?;
    }
    let query = "watch=true&allowWatchBookmarks=true&sendInitialEvents=";
    let mut events = get(&client, &format!("{query}{}", work.streams)).await?;
    if work.streams {
        // The last one is a bookmark.
        lines(&mut events, work.objects + 1).await?;
    }
    let lapse = meter.stop()?;
    figures.add("sync_wall", lapse.wall);
    figures.add("sync_cpu", lapse.cpu);
    if work.events > 0 {
        let meter = Meter::start()?;
        control(work.port, &format!("modify?count={}", work.events))?;
        lines(&mut events, work.events).await?;
        let lapse = meter.stop()?;
        figures.add("watch_wall", lapse.wall);
        figures.add("watch_cpu", lapse.cpu);
    }
    figures.add("sync_peak", peak()?);
    Ok(figures)
}

async fn get(client: &Client, query: &str) -> Result<Body> {
    let request = Request::get(format!("{COLLECTION}?{query}")).body(Body::empty())?;
    let response = client.send(request).await?;
    ensure!(response.status().is_success(), "refused: {}", response.status());
    Ok(response.into_body())
}

async fn list(client: &Client) -> Result<()> {
    let mut token = Some(String::new());
    while let Some(from) = token {
        let mut page = get(client, &format!("limit=500&continue={from}")).await?;
        let mut last = Bytes::new();
        while let Some(frame) = page.frame().await {
            last = frame?.into_data().unwrap_or_default();
        }
        token = continue_token(&last)?;
    }
    Ok(())
}

/// The token stands in the last bytes of a page.
fn continue_token(end: &[u8]) -> Result<Option<String>> {
    let end = String::from_utf8_lossy(end);
    let (_, metadata) = end.rsplit_once("\"metadata\":").context("a page without its end")?;
    let Some((_, token)) = metadata.split_once("\"continue\":\"") else { return Ok(None) };
    Ok(token.split('"').next().map(str::to_owned))
}

async fn lines(body: &mut Body, count: usize) -> Result<()> {
    let mut received = 0;
    while received < count {
        let frame = body.frame().await.context("the watch ended")??;
        let data = frame.into_data().unwrap_or_default();
        #[expect(clippy::naive_bytecount, reason = "a crate for it would be measured, too")]
        let lines = data.iter().filter(|byte| **byte == b'\n').count();
        received += lines;
    }
    Ok(())
}
