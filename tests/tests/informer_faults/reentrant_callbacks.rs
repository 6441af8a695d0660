//! Callbacks that use the informer that calls them.

use std::{
    sync::{
        Arc, OnceLock,
        atomic::{AtomicUsize, Ordering},
        mpsc,
    },
    thread,
    time::Duration,
};

use crdkit::informer::{Action, Event, Filter, Index, Informer, InformerBuilder, Informers, ObjectKey, Problem};
use crdkit_tests::{
    apiserver::{ApiServer, Content, Settings},
    faults::Faults,
};
use futures_util::FutureExt;
use serde_json::json;
use tokio::{runtime::Builder, time::sleep};

use crate::{run::Transport, transports::Memory, widget::Widget};

const OBJECTS: usize = 40;

fn content(size: usize) -> Content {
    Content { spec: json!({ "size": size, "note": "" }), ..Content::default() }
}

/// The informer that callbacks use, once it is set, and the number of uses.
#[derive(Clone, Default)]
struct Reentrant {
    informer: Arc<OnceLock<(Informers, Informer<Widget>)>>,
    uses: Arc<AtomicUsize>,
}

impl Reentrant {
    fn use_informer(&self) {
        let Some((informers, informer)) = self.informer.get() else {
            return;
        };
        self.uses.fetch_add(1, Ordering::Relaxed);
        drop(informer.subscribe());
        drop(informer.problems());
        let shown = informer.lister().list().len();
        assert!(informer.health().objects.abs_diff(shown) <= OBJECTS);
        assert!(informer.undecodable_objects().is_empty());
        drop(of_widgets(informers).start());
        drop(informers.of::<Widget>().labels("none=such").start());
    }

    fn uses(&self) -> usize {
        self.uses.load(Ordering::Relaxed)
    }

    /// An index that also requests itself.
    fn index(&self) -> Index<Widget, i64> {
        let (reentrant, itself) = (self.clone(), Arc::new(OnceLock::<Index<Widget, i64>>::new()));
        let index = {
            let itself = itself.clone();
            Index::new("size", move |widget: &Widget| {
                reentrant.use_informer();
                if let (Some((informers, _)), Some(index)) = (reentrant.informer.get(), itself.get()) {
                    drop(of_widgets(informers).index(index).start());
                }
                [widget.spec.size]
            })
        };
        let _ = itself.set(index.clone());
        index
    }
}

fn of_widgets(informers: &Informers) -> InformerBuilder<Widget> {
    informers.of::<Widget>().namespace("prod")
}

/// Fails after a time limit, which means a deadlock.
fn within_time_limit<F: Future<Output = ()>>(test: impl FnOnce(Arc<ApiServer>) -> F + Send + 'static) {
    let (ended, end) = mpsc::channel();
    let test = thread::spawn(move || {
        let runtime = Builder::new_current_thread().enable_all().build().unwrap();
        let server = ApiServer::new(Settings::default(), Faults::none());
        for size in 0..OBJECTS {
            server.storage().create("prod", &format!("w{size}"), content(size));
        }
        runtime.block_on(test(server));
        let _ = ended.send(());
    });
    let end = end.recv_timeout(Duration::from_secs(60));
    assert!(end != Err(mpsc::RecvTimeoutError::Timeout), "a deadlock");
    test.join().unwrap();
}

async fn change_all(server: &ApiServer) {
    for size in 0..OBJECTS {
        let changed = |widget: &mut Content| *widget = content(size + 1_000);
        server.storage().update("prod", &format!("w{size}"), changed);
    }
    sleep(Duration::from_millis(500)).await;
}

#[test]
fn an_index_may_use_its_informer() {
    within_time_limit(async |server| {
        let informers = Informers::new(Memory.client(&server).await);
        let (reentrant, early) = (Reentrant::default(), Reentrant::default());
        let first = early.index();
        let informer = of_widgets(&informers).index(&first).start();
        informer.synced().await.unwrap();
        for reentrant in [&reentrant, &early] {
            let _ = reentrant.informer.set((informers.clone(), informer.clone()));
        }
        let late = reentrant.index();
        let joined = of_widgets(&informers).index(&late).start();
        assert_eq!(reentrant.uses(), OBJECTS);
        assert_eq!(joined.lister().by(&late, &7).len(), 1);
        change_all(&server).await;
        assert_eq!((reentrant.uses(), early.uses()), (2 * OBJECTS, OBJECTS));
        for index in [&first, &late] {
            assert_eq!(informer.lister().by(index, &7).len(), 0);
            assert_eq!(informer.lister().by(index, &1_007).len(), 1);
        }
    });
}

#[test]
fn late_subscribers_receive_current_panics() {
    within_time_limit(async |server| {
        let informers = Informers::new(Memory.client(&server).await);
        let index = Index::new("small", |widget: &Widget| {
            let size = widget.spec.size;
            assert!(size != 7, "the size is {size}");
            [size]
        });
        let informer = of_widgets(&informers).index(&index).start();
        let mut early = informer.problems();
        informer.synced().await.unwrap();
        let mut late = informer.problems();
        for problems in [&mut early, &mut late] {
            let Some(Problem::Panicked { name, message, .. }) = problems.next().await else {
                panic!("the index panicked");
            };
            assert_eq!(name, "w7");
            assert!(message.unredacted().contains("the size is 7"));
            assert!(problems.next().now_or_never().is_none());
        }
        change_all(&server).await;
        assert!(informer.problems().next().now_or_never().is_none());
        assert_eq!(informer.health().panics, 1);
    });
}

#[test]
fn transforms_filters_and_mappings_may_use_their_informer() {
    within_time_limit(async |server| {
        let informers = Informers::new(Memory.client(&server).await);
        let reentrant = Reentrant::default();
        let transform = reentrant.clone();
        let informer = of_widgets(&informers).transform(move |_| transform.use_informer()).start();
        informer.synced().await.unwrap();
        let _ = reentrant.informer.set((informers.clone(), informer.clone()));
        let (filter, mapping, reconciler) = (reentrant.clone(), reentrant.clone(), reentrant.clone());
        let filter = Filter::new(move |_, _| {
            filter.use_informer();
            true
        });
        let keys = move |event: &Event<Widget>| {
            mapping.use_informer();
            event.object().map(|object| ObjectKey::of(&**object))
        };
        let work = informer.reconciler().filter(filter).watches(&informer, keys);
        let queue = work.queue();
        let reconcile = move |_| {
            reconciler.use_informer();
            async { Ok::<_, String>(Action::Done) }
        };
        let steps = async {
            change_all(&server).await;
            queue.shut_down();
        };
        let (ended, ()) = tokio::join!(work.run(2, reconcile), steps);
        ended.unwrap();
        assert!(reentrant.uses() >= 4 * OBJECTS, "{}", reentrant.uses());
    });
}
