//! Watches that are open, which tests can end or freeze.

use std::{
    collections::VecDeque,
    pin::Pin,
    sync::{Arc, Mutex, Weak},
    task::{Context, Poll, Waker},
};

use bytes::Bytes;
use futures_util::Stream;
use tower::BoxError;

use super::{
    failure::Failure,
    faults::rules::reset,
    json_text,
    observed_requests::{ReceivedRequest, Requests},
    watch::event::event,
};

/// The start of an event, which does not end.
const HALF_A_LINE: &[u8] = br#"{"type":"MODIFIED","object":{"kind":"#;

/// Watches that were open when [`ApiServer::watches`](crate::ApiServer::watches) was called.
///
/// ```
/// # use crdkit_api_server::{ApiServer, Requests};
/// # use futures_util::StreamExt;
/// # use k8s_openapi::api::core::v1::ConfigMap;
/// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
/// let server = ApiServer::new();
/// let configs = server.client().resources::<ConfigMap>().namespace("default");
/// let mut events = configs.watch().await?;
/// let watches = server.watches(Requests::watch().of::<ConfigMap>());
/// assert_eq!(watches.len(), 1);
///
/// watches.freeze();
/// let config = serde_json::from_value(serde_json::json!({ "metadata": { "name": "web" } }))?;
/// configs.create(&config).await?;
/// # use std::time::Duration;
/// assert!(tokio::time::timeout(Duration::from_millis(20), events.next()).await.is_err());
/// watches.thaw();
/// assert!(events.next().await.unwrap().is_ok());
///
/// watches.cut();
/// assert!(events.next().await.unwrap().is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Watches(Vec<Arc<Control>>);

impl Watches {
    /// Returns the number of the watches that are still open.
    pub fn len(&self) -> usize {
        self.0.iter().filter(|control| !control.is_over()).count()
    }

    /// Returns whether none is open any more.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the requests.
    pub fn requests(&self) -> impl Iterator<Item = &ReceivedRequest> {
        self.0.iter().map(|control| &control.request)
    }

    /// Ends the watches as the server does after their timeout.
    pub fn end(&self) {
        self.set(|| Mode::Ending(VecDeque::new()));
    }

    /// Ends the connections in the middle of a line.
    pub fn cut(&self) {
        self.set(|| Mode::Ending([Ok(Bytes::from_static(HALF_A_LINE)), Err(reset().into())].into()));
    }

    /// Sends an `ERROR` event with a status code, and ends the watches. 410 is the code of an expired version.
    pub fn fail(&self, code: u16) {
        self.set(|| {
            let status = json_text::to_bytes(&Failure::of_code(code).to_json());
            Mode::Ending([Ok(event("ERROR", &status))].into())
        });
    }

    /// Sends nothing any more, no bookmarks either, on connections that stay open, until [`Self::thaw`].
    pub fn freeze(&self) {
        self.set(|| Mode::Frozen);
    }

    /// Sends what [`Self::freeze`] held back, and what follows.
    pub fn thaw(&self) {
        self.set(|| Mode::Running);
    }

    fn set(&self, mode: impl Fn() -> Mode) {
        self.0.iter().for_each(|control| control.set(mode()));
    }
}

enum Mode {
    Running,
    Frozen,
    /// The stream has only these items any more.
    Ending(VecDeque<Result<Bytes, BoxError>>),
}

/// What a test decided about a watch.
struct Control {
    request: ReceivedRequest,
    mode: Mutex<(Mode, Option<Waker>)>,
}

impl Control {
    fn set(&self, mode: Mode) {
        let mut state = self.mode.lock().expect("nothing panics here");
        // What has ended does not begin again.
        if !matches!(state.0, Mode::Ending(_)) {
            state.0 = mode;
        }
        if let Some(waker) = state.1.take() {
            waker.wake();
        }
    }

    fn is_over(&self) -> bool {
        matches!(self.mode.lock().expect("nothing panics here").0, Mode::Ending(_))
    }
}

/// The watches that are open, and some that ended.
#[derive(Default)]
pub(super) struct OpenWatches(Vec<Weak<Control>>);

impl OpenWatches {
    /// Returns the open watches of some requests.
    pub(super) fn of(&mut self, requests: &Requests) -> Watches {
        Watches(self.open().into_iter().filter(|control| requests.matches(&control.request)).collect())
    }

    /// Ends the connections of all watches.
    pub(super) fn cut(&mut self) {
        Watches(self.open()).set(|| Mode::Ending([Err(reset().into())].into()));
    }

    fn open(&mut self) -> Vec<Arc<Control>> {
        self.0.retain(|control| control.strong_count() > 0);
        self.0.iter().filter_map(Weak::upgrade).filter(|control| !control.is_over()).collect()
    }

    /// Adds a watch.
    pub(super) fn add(&mut self, request: ReceivedRequest, lines: Lines) -> ControlledWatch {
        if self.0.len() == self.0.capacity() {
            self.0.retain(|control| control.strong_count() > 0);
        }
        let control = Arc::new(Control { request, mode: Mutex::new((Mode::Running, None)) });
        self.0.push(Arc::downgrade(&control));
        ControlledWatch { lines, control }
    }
}

/// The lines of a watch.
pub(super) type Lines = Pin<Box<dyn Stream<Item = Bytes> + Send>>;

/// The lines of a watch, unless the test decides otherwise.
pub(super) struct ControlledWatch {
    lines: Lines,
    control: Arc<Control>,
}

impl Drop for ControlledWatch {
    fn drop(&mut self) {
        self.control.set(Mode::Ending(VecDeque::new()));
    }
}

impl Stream for ControlledWatch {
    type Item = Result<Bytes, BoxError>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let control = self.control.clone();
        {
            let mut state = control.mode.lock().expect("nothing panics here");
            match &mut state.0 {
                Mode::Ending(items) => return Poll::Ready(items.pop_front()),
                Mode::Running | Mode::Frozen => {}
            }
            state.1 = Some(cx.waker().clone());
            if matches!(state.0, Mode::Frozen) {
                return Poll::Pending;
            }
        }
        self.lines.as_mut().poll_next(cx).map(|line| line.map(Ok))
    }
}
