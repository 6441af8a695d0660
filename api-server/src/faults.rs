//! Faults: requests that fail, are delayed or get no response.

use std::{
    io,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use super::{
    ApiServer,
    failure::Failure,
    requests::{ReceivedRequest, Requests},
    state::State,
};

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
        let (reason, message) = generic(code);
        self.fail_with(code, reason, &message)
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
        let (reason, message) = generic(429);
        let seconds = retry_after.as_secs();
        let failure = Failure::new(429, reason, message).with_detail("retryAfterSeconds", seconds);
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
        server.state(|state| state.faults.0.push(rule));
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
        self.server.state(|state| state.faults.0.retain(|rule| !Arc::ptr_eq(&rule.count, &self.count)));
    }
}

/// The faults, in the order in which they were added.
#[derive(Default)]
pub(super) struct Rules(Vec<Rule>);

struct Rule {
    requests: Requests,
    /// The requests that do not meet the fault, from now on.
    skipped: usize,
    /// The requests that still meet it.
    times: usize,
    action: Action,
    count: Arc<AtomicUsize>,
}

#[derive(Clone)]
enum Action {
    Fail { failure: Failure, retry_after: Option<u64> },
    Conflict,
    Disconnect,
    LoseResponse,
    Delay(Duration),
}

/// What a request meets.
#[derive(Default)]
pub(super) struct Plan {
    pub(super) delay: Duration,
    pub(super) outcome: Outcome,
}

#[derive(Default)]
pub(super) enum Outcome {
    #[default]
    Process,
    Fail(Failure, Option<u64>),
    Disconnect,
    LoseResponse,
}

impl Rule {
    /// Counts a selected request, and returns whether it meets the fault.
    fn strikes(&mut self) -> bool {
        if self.skipped > 0 {
            self.skipped -= 1;
            return false;
        }
        let strikes = self.times > 0;
        if strikes {
            self.times = self.times.saturating_sub(1);
            self.count.fetch_add(1, Ordering::SeqCst);
        }
        strikes
    }
}

impl State {
    /// Returns what a request meets, and counts it.
    pub(super) fn plan_faults(&mut self, request: &ReceivedRequest) -> Plan {
        let mut plan = Plan::default();
        if self.faults.0.is_empty() {
            return plan;
        }
        let mut rules = std::mem::take(&mut self.faults);
        for rule in rules.0.iter_mut().filter(|rule| rule.requests.matches(request)) {
            let is_decided = !matches!(plan.outcome, Outcome::Process);
            let is_delay = matches!(rule.action, Action::Delay(_));
            if is_decided && !is_delay || !rule.strikes() {
                continue;
            }
            match rule.action.clone() {
                Action::Delay(delay) => plan.delay += delay,
                Action::Fail { failure, retry_after } => plan.outcome = Outcome::Fail(failure, retry_after),
                Action::Conflict => plan.outcome = Outcome::Fail(self.conflict(request), None),
                Action::Disconnect => plan.outcome = Outcome::Disconnect,
                Action::LoseResponse => plan.outcome = Outcome::LoseResponse,
            }
        }
        rules.0.retain(|rule| rule.times > 0);
        self.faults = rules;
        plan
    }

    fn conflict(&self, request: &ReceivedRequest) -> Failure {
        let resolved = request.target().and_then(|target| self.resolve(target));
        match resolved {
            Some((resource, _)) => Failure::modified(&resource, &request.name().unwrap_or_default()),
            None => Failure::no_such_path(),
        }
    }
}

/// Returns the reason and the message that Kubernetes has for a status code.
pub(super) fn generic(code: u16) -> (&'static str, String) {
    let (reason, message) = match code {
        400 => ("BadRequest", "the server rejected our request for an unknown reason"),
        401 => ("Unauthorized", "the server has asked for the client to provide credentials"),
        403 => ("Forbidden", "forbidden"),
        404 => ("NotFound", "the server could not find the requested resource"),
        405 => ("MethodNotAllowed", "the server does not allow this method on the requested resource"),
        406 => ("NotAcceptable", "the server was unable to respond with a content type that the client supports"),
        409 => ("Conflict", "the server reported a conflict"),
        410 => ("Expired", "The resourceVersion for the provided watch is too old."),
        415 => ("UnsupportedMediaType", "the body of the request was in an unknown format"),
        422 => ("Invalid", "the server rejected our request due to an error in our request"),
        429 => ("TooManyRequests", "the server has received too many requests and has asked us to try again later"),
        503 => ("ServiceUnavailable", "the server is currently unable to handle the request"),
        504 => (
            "Timeout",
            "the server was unable to return a response in the time allotted, but may still be processing the request",
        ),
        500.. => ("InternalError", "an error on the server (\"unknown\") has prevented the request from succeeding"),
        _ => {
            let message =
                format!("the server responded with the status code {code} but did not return more information");
            return ("Unknown", message);
        }
    };
    (reason, message.to_owned())
}

/// The server does not run.
pub(super) fn refused() -> io::Error {
    io::Error::new(io::ErrorKind::ConnectionRefused, "the API server does not run")
}

/// The connection ended.
pub(super) fn reset() -> io::Error {
    io::Error::new(io::ErrorKind::ConnectionReset, "the connection to the API server ended")
}

/// A failure as an event of a watch.
pub(super) fn watch_failure(code: u16) -> Failure {
    let (reason, message) = generic(code);
    Failure::new(code, reason, message)
}
