//! Faults: requests that fail, are delayed or get no response.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use super::{ApiServer, failure::Failure, observed_requests::Requests};
use rules::{Action, Rule, Rules};

pub(super) mod rules;

/// The faults of an [`ApiServer`]; [`ApiServer::faults`] returns them.
#[derive(Clone, Copy)]
pub struct Faults<'s> {
    server: &'s ApiServer,
}

impl ApiServer {
    /// Returns the faults of the server, to add some.
    ///
    /// ```
    /// # use crdkit_api_server::{ApiServer, Requests};
    /// # use k8s_openapi::api::core::v1::ConfigMap;
    /// # use std::time::Duration;
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// let server = ApiServer::new();
    /// let configs = server.client().resources::<ConfigMap>().namespace("default");
    ///
    /// let faults = server.faults();
    /// let conflict = faults.on(Requests::update().of::<ConfigMap>()).once().conflict();
    /// faults.on(Requests::create()).nth(2).fail(503);
    /// faults.on(Requests::watch()).delay(Duration::from_millis(1));
    ///
    /// let config = serde_json::from_value(serde_json::json!({ "metadata": { "name": "web" } }))?;
    /// configs.create(&config).await?;
    /// configs.update("web", |config| config.data = Some([("a".into(), "b".into())].into())).await?; // sent again
    /// assert_eq!(conflict.count(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn faults(&self) -> Faults<'_> {
        Faults { server: self }
    }
}

impl<'s> Faults<'s> {
    /// Begins a fault of these requests. Unless its number is limited, all of them meet it.
    pub fn on(self, requests: Requests) -> FaultBuilder<'s> {
        FaultBuilder { server: self.server, requests, skipped: 0, times: usize::MAX }
    }

    /// Removes all faults.
    pub fn clear(self) {
        self.server.state(|state| state.faults = Rules::default());
    }
}

/// Which of the selected requests meet a fault. A last method such as [`conflict`](Self::conflict) adds it.
///
/// A request that several faults select has the sum of their delays, and otherwise the fault that was added first.
#[must_use = "a fault is added by `fail`, `conflict`, `disconnect`, `delay` …"]
pub struct FaultBuilder<'s> {
    server: &'s ApiServer,
    requests: Requests,
    skipped: usize,
    times: usize,
}

impl FaultBuilder<'_> {
    /// Only the next request meets the fault.
    pub fn once(self) -> Self {
        self.times(1)
    }

    /// Only this number of requests meets the fault.
    pub fn times(self, times: usize) -> Self {
        Self { times, ..self }
    }

    /// Only the `n`th request from now on meets the fault. The first has the number 1.
    pub fn nth(self, n: usize) -> Self {
        self.after(n.saturating_sub(1)).once()
    }

    /// The next `count` requests do not meet the fault.
    pub fn after(self, count: usize) -> Self {
        Self { skipped: count, ..self }
    }

    /// The requests fail with a status code, and the reason and message that Kubernetes has for it.
    pub fn fail(self, code: u16) -> Fault {
        self.add(Action::Fail { failure: Failure::of_code(code), retry_after: None })
    }

    /// The requests fail with a status code, a reason such as `Forbidden`, and a message.
    pub fn fail_with(self, code: u16, reason: &str, message: &str) -> Fault {
        self.add(Action::Fail { failure: Failure::new(code, reason.to_owned(), message), retry_after: None })
    }

    /// The requests fail with the code 409, as if another client had changed the object.
    pub fn conflict(self) -> Fault {
        self.add(Action::Conflict)
    }

    /// The requests fail with the code 429. `retry_after` is rounded to seconds.
    pub fn too_many_requests(self, retry_after: Duration) -> Fault {
        let seconds = retry_after.as_secs();
        let failure = Failure::of_code(429).with_detail("retryAfterSeconds", seconds);
        self.add(Action::Fail { failure, retry_after: Some(seconds) })
    }

    /// The connection ends before the requests are processed.
    pub fn disconnect(self) -> Fault {
        self.add(Action::Disconnect)
    }

    /// The requests are processed, but the connection ends before the client has the response.
    pub fn lose_response(self) -> Fault {
        self.add(Action::LoseResponse)
    }

    /// The requests wait before they are processed. This is the time of tokio, which `tokio::time::pause` stops.
    pub fn delay(self, delay: Duration) -> Fault {
        self.add(Action::Delay(delay))
    }

    fn add(self, action: Action) -> Fault {
        let count = Arc::new(AtomicUsize::new(0));
        let Self { server, requests, skipped, times } = self;
        let rule = Rule { requests, skipped, times, action, count: count.clone() };
        server.state(|state| state.faults.add(rule));
        Fault { server: server.clone(), count }
    }
}

/// A fault that was added. It remains if this is dropped.
pub struct Fault {
    server: ApiServer,
    count: Arc<AtomicUsize>,
}

impl Fault {
    /// Returns how many requests have met the fault.
    pub fn count(&self) -> usize {
        self.count.load(Ordering::SeqCst)
    }

    /// Removes the fault.
    pub fn remove(self) {
        self.server.state(|state| state.faults.remove(&self.count));
    }
}
