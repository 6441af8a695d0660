//! The rate of an informer's requests.

use std::{sync::Arc, time::Duration};

use crdkit::informer::{Informer, Informers};
use crdkit_tests::{
    apiserver::{ApiServer, Exchange, RETRY_AFTER, RequestKind, Settings},
    faults::{Fault, Faults},
};
use tokio::time::sleep;

use crate::{run::Transport, single_faults::content, transports::Memory, widget::Widget};

async fn start(faults: Faults) -> (Arc<ApiServer>, Informer<Widget>) {
    let server = ApiServer::new(Settings::default(), faults);
    server.storage().create("prod", "a", content(1));
    let informers = Informers::new(Memory.client(&server).await);
    let informer = informers.of().start();
    informer.synced().await.unwrap();
    (server, informer)
}

fn requests_since(server: &ApiServer, count: usize) -> Vec<Exchange> {
    server.journal().exchanges().split_off(count)
}

#[tokio::test(start_paused = true)]
async fn retry_after_replaces_the_back_off_after_many_failures() {
    let (server, informer) = start(Faults::none()).await;
    let faults = server.faults();
    faults.repeat("watch", Fault::ErrorStatus { code: 500 });
    server.disconnect();
    sleep(Duration::from_secs(300)).await;
    assert!(informer.health().watches[0].failures >= 8);
    faults.repeat("watch", Fault::ErrorStatus { code: 429 });
    sleep(Duration::from_secs(40)).await;
    let before = server.journal().exchanges().len();
    sleep(Duration::from_secs(60)).await;
    let requests = requests_since(&server, before);
    for pair in requests.windows(2) {
        let gap = pair[1].began - pair[0].began;
        let expected = Duration::from_secs(RETRY_AFTER);
        assert!(gap >= expected, "too early: {gap:?}");
        assert!(gap <= 2 * expected, "too late: {gap:?}");
    }
    assert!(requests.len() >= 30, "only {} requests", requests.len());
}

#[tokio::test(start_paused = true)]
async fn watches_that_end_at_once_are_restarted_at_a_limited_rate() {
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
    let requests = requests_since(&server, before).len();
    assert!(requests <= 150, "{requests} watches in ten seconds");
    assert!(requests >= 10, "{requests} watches in ten seconds");
    server.faults().stop();
    sleep(Duration::from_secs(60)).await;
    let shown = informer.lister().find("prod", "a");
    assert_eq!(shown.as_deref().map(crate::widget::version), newest);
}

#[tokio::test(start_paused = true)]
async fn an_early_end_of_a_streaming_list_does_not_disable_streaming() {
    let ends = Faults::scripted([Fault::EarlyEnd { line: 1 }, Fault::None]);
    let (server, informer) = start(ends).await;
    server.faults().stop();
    let before = server.journal().exchanges().len();
    server.storage().advance_version();
    server.storage().compact();
    server.disconnect();
    sleep(Duration::from_secs(120)).await;
    let requests = requests_since(&server, before);
    assert!(requests.iter().any(|exchange| exchange.request_kind == RequestKind::Stream), "{requests:#?}");
    assert!(requests.iter().all(|exchange| exchange.request_kind != RequestKind::List), "{requests:#?}");
    assert!(informer.health().is_good());
}
