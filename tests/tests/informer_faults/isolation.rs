//! Closures that block their thread, and streams that are not read, do not block other watches of the client.

use std::{
    sync::{
        Arc, Condvar, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use crdkit::informer::{Executor, Index, Informer, InformerBuilder, Informers};
use crdkit_tests::{
    apiserver::{ApiServer, Settings},
    faults::Faults,
};
use tokio::time::{sleep, timeout};

use crate::{
    run::Transport,
    single_faults::content,
    transports::Tcp,
    widget::{Widget, version},
};

const LIMIT: Duration = Duration::from_secs(30);
/// More than the number of threads that the informers of a client share.
const BLOCKED: usize = 8;
const OBJECTS: usize = 20;
const CHANGES: usize = 50;

/// Blocks threads until it is opened.
#[derive(Clone, Default)]
struct Gate {
    open: Arc<(Mutex<bool>, Condvar)>,
    waiting: Arc<AtomicUsize>,
}

impl Gate {
    fn wait(&self) {
        self.waiting.fetch_add(1, Ordering::Relaxed);
        let (open, opened) = &*self.open;
        let open = open.lock().unwrap();
        drop(opened.wait_while(open, |open| !*open));
    }

    fn open(&self) {
        *self.open.0.lock().unwrap() = true;
        self.open.1.notify_all();
    }
}

async fn until(what: &str, is_so: impl Fn() -> bool) {
    let began = Instant::now();
    while !is_so() {
        assert!(began.elapsed() < LIMIT, "{what} takes too long");
        sleep(Duration::from_millis(10)).await;
    }
}

/// An informer with a closure that blocks: a transform or an index.
fn blocked(builder: InformerBuilder<Widget>, number: usize, gate: &Gate) -> Informer<Widget> {
    let gate = gate.clone();
    let blocked = match number % 2 {
        0 => builder.transform(move |_| gate.wait()),
        _ => builder.index(&Index::new("blocks", move |_: &Widget| {
            gate.wait();
            [0]
        })),
    };
    blocked.start()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn closures_that_block_and_unread_streams_block_no_other_watch() {
    let server = ApiServer::new(Settings::default(), Faults::none());
    let names: Vec<_> = (0..OBJECTS).map(|number| format!("w{number}")).collect();
    for name in &names {
        server.storage().create("prod", name, content(0));
    }
    let client = Tcp.client(&server).await;
    let informers = Informers::new(client.clone());
    let gate = Gate::default();
    let mut all_blocked = Vec::new();
    for number in 0..BLOCKED {
        let namespace = format!("blocked-{number}");
        server.storage().create(&namespace, "a", content(0));
        let builder = informers.of().namespace(&namespace);
        all_blocked.push(blocked(builder, number, &gate));
    }
    until("blocking", || gate.waiting.load(Ordering::Relaxed) == BLOCKED).await;

    let widgets = client.resources::<Widget>().namespace("prod");
    let unread = widgets.watch().await.unwrap();
    let other: Informer<Widget> = informers.of().namespace("prod").start();
    let (subscription, lossless) = (other.subscribe(), other.subscribe().lossless(4));
    timeout(LIMIT, other.synced()).await.unwrap().unwrap();
    assert_eq!(other.health().executor, Executor::SharedThreads);
    for size in 1..=CHANGES {
        for name in &names {
            let mut large = content(size);
            large.spec["note"] = "x".repeat(1_000).into();
            server.storage().update("prod", name, |widget| *widget = large.clone());
        }
    }
    let newest = server.storage().version();
    until("the last change", || {
        let shown = other.lister().list();
        shown.iter().any(|widget| version(widget) == newest)
    })
    .await;
    timeout(LIMIT, widgets.list()).await.unwrap().unwrap();
    let is_synced = |informer: &Informer<Widget>| informer.health().watches[0].synced;
    assert!(!all_blocked.iter().any(is_synced), "all are still blocked");

    gate.open();
    until("unblocking", || all_blocked.iter().all(is_synced)).await;
    drop((unread, subscription, lossless));
}
