//! Connections that end in the middle of an answer, without the notice by which TLS tells an end from a cut.

use crdkit::Client;
use crdkit_tests::{
    apiserver::{Ask, Exchange, Streaming},
    faults::{Fault, Faults, Kind},
};
use tokio::time::Instant;

use super::{LIMIT, OBJECTS, Scene, server};
use crate::{ways::tls_config, widget::Widget};

/// In the head of the answer, between it and the first object, and in the middle of objects.
const CUTS: [usize; 4] = [10, 120, 400, 3_000];

/// The faults of requests that come before the one that is cut.
fn cut(requests_before: usize, at: usize, reset: bool) -> Faults {
    let before = std::iter::repeat_n(Fault::None, requests_before);
    Faults::scripted(before.chain([Fault::Cut { at, reset }]))
}

/// An informer whose request for something is cut is right, and has believed nothing that was not whole.
async fn is_right_after(streaming: Streaming, requests_before: usize, is_cut: fn(&Ask) -> bool) {
    for at in CUTS {
        for reset in [false, true] {
            let server = server(streaming, cut(requests_before, at, reset));
            let (config, identity) = tls_config(&server).await;
            let scene = Scene::of(server, config, identity).await;
            let cut = struck(&scene).await;
            assert!(is_cut(&cut.ask), "at {at}: {cut}");
            scene.is_right().await;
            assert_eq!(scene.follower.mistakes(), [""; 0], "at {at}");
        }
    }
}

/// The exchange that was cut.
async fn struck(scene: &Scene) -> Exchange {
    let began = Instant::now();
    loop {
        let exchanges = scene.server.journal().exchanges();
        let cut = [Some(Kind::CutEnd), Some(Kind::CutReset)];
        if let Some(exchange) = exchanges.iter().find(|one| cut.contains(&one.struck)) {
            return exchange.clone();
        }
        assert!(began.elapsed() < LIMIT, "nothing is cut");
        scene.is_right().await;
    }
}

#[tokio::test]
async fn a_streaming_list_that_is_cut_is_read_again() {
    is_right_after(Streaming::Served, 0, |ask| *ask == Ask::Stream).await;
}

#[tokio::test]
async fn a_page_that_is_cut_is_read_again() {
    is_right_after(Streaming::Refused, 1, |ask| *ask == Ask::List).await;
}

#[tokio::test]
async fn a_watch_that_is_cut_in_a_line_goes_on() {
    let is_watch = |ask: &Ask| matches!(ask, Ask::Watch { .. });
    is_right_after(Streaming::Refused, 2, is_watch).await;
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
            let asked = server.journal().exchanges().len();
            assert_eq!(asked, 2, "cut at {at}");
        }
    }
}
