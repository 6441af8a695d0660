//! Connections that end in the middle of a response, without the `close_notify` alert of TLS.

use crdkit::Client;
use crdkit_tests::{
    apiserver::{Exchange, RequestKind, Streaming},
    faults::{Fault, FaultKind, Faults},
};
use tokio::time::Instant;

use super::{Fixture, LIMIT, OBJECTS, server};
use crate::{transports::tls_config, widget::Widget};

/// In the head of the response, between it and the first object, and in the middle of objects.
const CUTS: [usize; 4] = [10, 120, 400, 3_000];

/// A fault that cuts the response after a number of others.
fn cut(requests_before: usize, at: usize, reset: bool) -> Faults {
    let before = std::iter::repeat_n(Fault::None, requests_before);
    Faults::scripted(before.chain([Fault::Cut { at, reset }]))
}

/// Checks that an informer converges after a response was cut, and sends no event from an incomplete one.
async fn expect_converged_after_cut(streaming: Streaming, requests_before: usize, is_cut: fn(&RequestKind) -> bool) {
    for at in CUTS {
        for reset in [false, true] {
            let server = server(streaming, cut(requests_before, at, reset));
            let (config, identity) = tls_config(&server).await;
            let fixture = Fixture::of(server, config, identity).await;
            let cut = cut_exchange(&fixture).await;
            assert!(is_cut(&cut.request_kind), "at {at}: {cut}");
            fixture.expect_converged().await;
            assert_eq!(fixture.follower.mistakes(), [""; 0], "at {at}");
        }
    }
}

/// Returns the exchange that was cut.
async fn cut_exchange(fixture: &Fixture) -> Exchange {
    let began = Instant::now();
    loop {
        let exchanges = fixture.server.journal().exchanges();
        let cut = [Some(FaultKind::CutEnd), Some(FaultKind::CutReset)];
        if let Some(exchange) = exchanges.iter().find(|one| cut.contains(&one.injected_fault)) {
            return exchange.clone();
        }
        assert!(began.elapsed() < LIMIT, "no response is cut");
        fixture.expect_converged().await;
    }
}

#[tokio::test]
async fn a_streaming_list_that_is_cut_is_read_again() {
    expect_converged_after_cut(Streaming::Served, 0, |request| *request == RequestKind::Stream).await;
}

#[tokio::test]
async fn a_page_that_is_cut_is_read_again() {
    expect_converged_after_cut(Streaming::Refused, 1, |request| *request == RequestKind::List).await;
}

#[tokio::test]
async fn a_watch_that_is_cut_in_a_line_resumes() {
    let is_watch = |request: &RequestKind| matches!(request, RequestKind::Watch { .. });
    expect_converged_after_cut(Streaming::Refused, 2, is_watch).await;
}

#[tokio::test]
async fn a_list_of_a_client_that_is_cut_is_requested_again() {
    for at in CUTS {
        for reset in [false, true] {
            let server = server(Streaming::Served, cut(0, at, reset));
            let (config, _) = tls_config(&server).await;
            let client = Client::try_from(config).unwrap();
            let list = client.resources::<Widget>().all_namespaces().list().await.unwrap();
            assert_eq!(list.items.len(), OBJECTS);
            let requests = server.journal().exchanges().len();
            assert_eq!(requests, 2, "cut at {at}");
        }
    }
}
