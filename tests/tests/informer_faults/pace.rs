//! How often an informer asks.

use std::{sync::Arc, time::Duration};

use crdkit::informer::{Informer, Informers};
use crdkit_tests::{
    apiserver::{ApiServer, Ask, Exchange, RETRY_AFTER, Settings},
    faults::{Fault, Faults},
};
use tokio::time::sleep;

use crate::{aimed::content, run::Way, ways::Memory, widget::Widget};

async fn start(faults: Faults) -> (Arc<ApiServer>, Informer<Widget>) {
    let server = ApiServer::new(Settings::default(), faults);
    server.storage().create("prod", "a", content(1));
    let informers = Informers::new(Memory.client(&server).await);
    let informer = informers.of().start();
    informer.synced().await.unwrap();
    (server, informer)
}

fn asked_since(server: &ApiServer, count: usize) -> Vec<Exchange> {
    server.journal().exchanges().split_off(count)
}

#[tokio::test(start_paused = true)]
async fn the_api_server_says_when_to_come_again_however_often_it_failed() {
    let (server, informer) = start(Faults::none()).await;
    let faults = server.faults();
    faults.repeat("watch", Fault::Refuse { code: 500 });
    server.disconnect();
    sleep(Duration::from_secs(300)).await;
    assert!(informer.health().watches[0].failures >= 8);
    faults.repeat("watch", Fault::Refuse { code: 429 });
    sleep(Duration::from_secs(40)).await;
    let before = server.journal().exchanges().len();
    sleep(Duration::from_secs(60)).await;
    let asked = asked_since(&server, before);
    for pair in asked.windows(2) {
        let gap = pair[1].began - pair[0].began;
        let wanted = Duration::from_secs(RETRY_AFTER);
        assert!(gap >= wanted, "too early: {gap:?}");
        assert!(gap <= 2 * wanted, "too late: {gap:?}");
    }
    assert!(asked.len() >= 30, "asked {} times only", asked.len());
}

#[tokio::test(start_paused = true)]
async fn watches_that_end_at_once_are_begun_at_a_bounded_rate() {
    let (server, informer) = start(Faults::none()).await;
    server.faults().repeat("watch", Fault::EarlyEnd { line: 1 });
    server.disconnect();
    sleep(Duration::from_secs(5)).await;
    let before = server.journal().exchanges().len();
    let mut newest = None;
    for size in 0..10_000 {
        newest = server.storage().update("prod", "a", |a| *a = content(size));
        sleep(Duration::from_millis(1)).await;
    }
    let asked = asked_since(&server, before).len();
    assert!(asked <= 150, "{asked} watches in ten seconds");
    assert!(asked >= 10, "{asked} watches in ten seconds");
    server.faults().stop();
    sleep(Duration::from_secs(60)).await;
    let shown = informer.lister().find("prod", "a");
    assert_eq!(shown.as_deref().map(crate::widget::version), newest);
}

#[tokio::test(start_paused = true)]
async fn one_clean_end_of_a_streaming_list_leaves_streaming_on() {
    let ends = Faults::scripted([Fault::EarlyEnd { line: 1 }, Fault::None]);
    let (server, informer) = start(ends).await;
    server.faults().stop();
    let before = server.journal().exchanges().len();
    server.storage().pass();
    server.storage().compact();
    server.disconnect();
    sleep(Duration::from_secs(120)).await;
    let asked = asked_since(&server, before);
    assert!(asked.iter().any(|exchange| exchange.ask == Ask::Stream), "{asked:#?}");
    assert!(asked.iter().all(|exchange| exchange.ask != Ask::List), "{asked:#?}");
    assert!(informer.health().is_good());
}
