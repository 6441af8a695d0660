//! Health and readiness checks.

use std::{
    fmt,
    panic::{AssertUnwindSafe, catch_unwind},
    time::Duration,
};

use super::{
    Error,
    error::describe,
    manager::Phase,
    monitor::{Monitor, Monitored, MonitoredInformer},
};
use crate::{
    client::Error as ClientError,
    informer::{WatchError, WatchHealth},
};

/// Default of [`ServeOptions::max_watch_age`](super::ServeOptions::max_watch_age).
const MAX_WATCH_AGE: Duration = Duration::from_secs(15 * 60);
/// Default of [`ServeOptions::max_reconcile_time`](super::ServeOptions::max_reconcile_time).
const MAX_RECONCILE_TIME: Duration = Duration::from_secs(30 * 60);
/// How much longer than its time limit a reconciliation may take, until its cancellation counts as failed.
const CANCELLATION: Duration = Duration::from_secs(60);

/// A check that a program adds.
pub(super) type CustomCheck = (String, Box<dyn Fn() -> Result<(), Error> + Send + Sync>);

/// The limits of the checks, and the checks that a program adds.
pub(super) struct HealthOptions {
    pub(super) max_watch_age: Duration,
    pub(super) max_reconcile_time: Duration,
    pub(super) healthz: Vec<CustomCheck>,
    pub(super) readyz: Vec<CustomCheck>,
}

impl Default for HealthOptions {
    fn default() -> Self {
        Self {
            max_watch_age: MAX_WATCH_AGE,
            max_reconcile_time: MAX_RECONCILE_TIME,
            healthz: Vec::new(),
            readyz: Vec::new(),
        }
    }
}

impl HealthOptions {
    /// Returns the same limits, without the checks of the program.
    pub(super) fn limits(&self) -> Self {
        let Self { max_watch_age, max_reconcile_time, .. } = *self;
        Self { max_watch_age, max_reconcile_time, ..Self::default() }
    }
}

/// The result of all health or readiness checks, in the order of their names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HealthReport {
    checks: Vec<HealthCheck>,
}

/// The result of one check.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct HealthCheck {
    /// The name, such as `watches`.
    pub name: String,
    /// Why the check fails; `None` if it succeeds.
    pub failure: Option<String>,
    /// What is lost although the check succeeds, such as one of several namespaces.
    pub warning: Option<String>,
}

impl HealthCheck {
    fn into_warning(mut self) -> Self {
        self.warning = self.failure.take().or(self.warning);
        self
    }
}

impl HealthReport {
    fn new(mut checks: Vec<HealthCheck>) -> Self {
        checks.sort_by(|one, other| one.name.cmp(&other.name));
        Self { checks }
    }

    /// Whether all checks succeed.
    pub fn is_healthy(&self) -> bool {
        self.failures().next().is_none()
    }

    /// Returns the results of all checks.
    pub fn checks(&self) -> &[HealthCheck] {
        &self.checks
    }

    /// Returns the result of the check with this name.
    pub fn check(&self, name: &str) -> Option<&HealthCheck> {
        self.checks.iter().find(|check| check.name == name)
    }

    /// Returns the same report without the checks that have these names.
    #[must_use]
    pub(super) fn without(&self, names: &[String]) -> Self {
        Self { checks: self.checks.iter().filter(|check| !names.contains(&check.name)).cloned().collect() }
    }

    fn failures(&self) -> impl Iterator<Item = (&str, &str)> {
        self.checks.iter().filter_map(|check| Some((&*check.name, &**check.failure.as_ref()?)))
    }
}

/// The failed checks with their reasons; `ok` if there are none.
impl fmt::Display for HealthReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let failures: Vec<_> = self.failures().map(|(name, failure)| format!("{name}: {failure}")).collect();
        f.write_str(if failures.is_empty() { "ok" } else { "" })?;
        f.write_str(&failures.join("; "))
    }
}

impl Monitor {
    pub(super) fn healthz(&self) -> HealthReport {
        let defaults = HealthOptions::default();
        let options = self.options.get().unwrap_or(&defaults);
        let running = self.phase().map_or(Duration::ZERO, |(_, running)| running);
        let mut checks = vec![
            check("ping", Vec::new()),
            check("reconciles", self.stuck(options.max_reconcile_time)),
            self.check_watches("watches", &|watch| is_old(watch, options.max_watch_age, running)),
        ];
        checks.extend(options.healthz.iter().map(run_custom));
        checks.extend(self.cluster_checks());
        HealthReport::new(checks)
    }

    pub(super) fn readyz(&self) -> HealthReport {
        // First, since a manager runs only after its informers are known.
        let manager = check("manager", self.not_running());
        let mut checks = vec![manager, self.check_watches("informers", &is_incomplete)];
        checks.extend(self.check_triggers());
        #[cfg(feature = "webhook")]
        checks
            .extend(self.webhooks.get().map(|service| check("webhooks", service.not_serving().into_iter().collect())));
        #[cfg(feature = "webhook")]
        checks.extend(self.certificates.get().map(|certificates| {
            let missing = (!certificates.is_ready()).then(|| "there is none yet".to_owned());
            check("certificates", missing.into_iter().collect())
        }));
        let custom = self.options.get().into_iter().flat_map(|options| &options.readyz);
        checks.extend(custom.map(run_custom));
        // What only a restart helps is the concern of the health checks.
        checks.extend(self.cluster_checks().into_iter().map(HealthCheck::into_warning));
        HealthReport::new(checks)
    }

    pub(super) fn health_limits(&self) -> HealthOptions {
        self.options.get().map(HealthOptions::limits).unwrap_or_default()
    }

    /// Describes the controllers with a reconciliation that runs longer than allowed.
    fn stuck(&self, limit: Duration) -> Vec<String> {
        self.controllers().iter().filter_map(|controller| controller.stuck(limit)).collect()
    }

    fn not_running(&self) -> Vec<String> {
        match self.phase() {
            None => vec!["it does not run yet".to_owned()],
            Some((Phase::Stopped, _)) => vec!["it shuts down".to_owned()],
            // A standby is ready to take over.
            Some((Phase::Standby | Phase::Active, _)) => Vec::new(),
        }
    }

    /// Warns of triggers that fail or have ended; `None` if there are none.
    fn check_triggers(&self) -> Option<HealthCheck> {
        let controllers = self.controllers();
        if controllers.iter().all(|controller| controller.triggers.is_empty()) {
            return None;
        }
        let problems = controllers.iter().flat_map(|controller| {
            let problems = controller.triggers.iter().filter_map(|trigger| trigger.problem());
            problems.map(move |problem| format!("the trigger {problem}, of the controller `{}`", controller.name))
        });
        let warning = problems.collect::<Vec<_>>().join("; ");
        let warning = Some(warning).filter(|warning| !warning.is_empty());
        Some(HealthCheck { name: "triggers".to_owned(), failure: None, warning })
    }

    /// Checks the watches of all informers.
    fn check_watches(&self, name: &str, check: &WatchCheck<'_>) -> HealthCheck {
        let mut problems = WatchProblems::default();
        self.informers().iter().for_each(|informer| problems.add(informer, check));
        let join = |problems: Vec<String>| Some(problems.join("; ")).filter(|problems| !problems.is_empty());
        HealthCheck { name: name.to_owned(), failure: join(problems.failures), warning: join(problems.warnings) }
    }
}

/// The problem of a watch.
struct WatchProblem {
    text: String,
    effect: Effect,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Effect {
    Fails,
    /// The check fails if no watch of the informer is better. A restart does not help a namespace that is deleted or forbidden, so
    /// an informer of several namespaces continues with the others.
    FailsIfAllAre,
    /// As [`Self::FailsIfAllAre`], but an informer of a single namespace waits for it as well.
    FailsIfAllOfSeveralAre,
    Warns,
}

type WatchCheck<'a> = dyn Fn(&WatchHealth) -> Option<WatchProblem> + 'a;

#[derive(Default)]
struct WatchProblems {
    failures: Vec<String>,
    warnings: Vec<String>,
}

impl WatchProblems {
    fn add(&mut self, informer: &MonitoredInformer, check: &WatchCheck<'_>) {
        let problems: Vec<_> = informer.health.watches.iter().map(|watch| (watch, check(watch))).collect();
        let is_better =
            |problem: &Option<WatchProblem>| problem.as_ref().is_none_or(|problem| problem.effect == Effect::Warns);
        let is_any_better = problems.iter().any(|(_, problem)| is_better(problem));
        for (watch, problem) in problems {
            let Some(WatchProblem { text, effect }) = problem else {
                continue;
            };
            let fails = match effect {
                Effect::Fails => true,
                Effect::FailsIfAllAre => !is_any_better,
                Effect::FailsIfAllOfSeveralAre => !is_any_better && informer.health.watches.len() > 1,
                Effect::Warns => false,
            };
            let described = describe_watch(&informer.resource, watch, &text);
            if fails { self.failures.push(described) } else { self.warnings.push(described) }
        }
    }
}

/// Whether the data of a watch is older than allowed.
fn is_old(watch: &WatchHealth, limit: Duration, running: Duration) -> Option<WatchProblem> {
    let age = watch.staleness.unwrap_or_else(|| running.min(watch.started.elapsed()));
    let effect = if is_lost_namespace(watch) { Effect::FailsIfAllOfSeveralAre } else { Effect::FailsIfAllAre };
    (age > limit).then(|| WatchProblem { text: format!("is {} old", rounded(age)), effect })
}

/// Whether the role in a namespace is gone, as it is when the namespace is deleted.
fn is_lost_namespace(watch: &WatchHealth) -> bool {
    watch.namespace.is_some()
        && matches!(watch.last_error.as_deref(), Some(WatchError::Request(ClientError::Forbidden(_))))
}

/// Whether the objects of a watch are not listed yet, or the API server has refused the watch since.
fn is_incomplete(watch: &WatchHealth) -> Option<WatchProblem> {
    if !watch.synced {
        // The first request may not be answered yet.
        let effect = if watch.failures > 0 || watch.is_added { Effect::FailsIfAllAre } else { Effect::Fails };
        return Some(WatchProblem { text: "is not listed yet".to_owned(), effect });
    }
    watch
        .last_error
        .as_ref()
        .is_some_and(|error| error.is_refusal())
        .then(|| WatchProblem { text: "is not watched".to_owned(), effect: Effect::Warns })
}

impl Monitored {
    fn stuck(&self, limit: Duration) -> Option<String> {
        let (key, running) = self.queue.oldest_claim()?;
        // Its own limit cancels it, unless it does not await.
        let own_limit = Some(self.timeout).filter(|timeout| *timeout < Duration::MAX);
        let allowed = own_limit.map_or(limit, |own| limit.max(own.saturating_add(CANCELLATION)));
        (running > allowed).then(|| format!("`{}` has been reconciling {key} for {}", self.name, rounded(running)))
    }
}

fn check(name: &str, failures: Vec<String>) -> HealthCheck {
    let failure = Some(failures.join("; ")).filter(|failure| !failure.is_empty());
    HealthCheck { name: name.to_owned(), failure, warning: None }
}

/// Runs a check of the program. Unwind safe, because the function shares no state with this crate.
fn run_custom((name, check): &CustomCheck) -> HealthCheck {
    let failure = match catch_unwind(AssertUnwindSafe(check)) {
        Ok(Ok(())) => None,
        Ok(Err(error)) => Some(describe(&error)),
        Err(_) => Some("the check panicked".to_owned()),
    };
    HealthCheck { name: name.clone(), failure, warning: None }
}

fn describe_watch(resource: &str, watch: &WatchHealth, problem: &str) -> String {
    let namespace = watch.namespace.as_ref().map(|namespace| format!(" in `{namespace}`")).unwrap_or_default();
    let error = watch.last_error.as_ref().map(|error| format!(": {error}")).unwrap_or_default();
    format!("the data of `{resource}`{namespace} {problem}{error}")
}

/// Returns a duration in full seconds, for messages.
fn rounded(duration: Duration) -> String {
    format!("{:?}", Duration::from_secs(duration.as_secs()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn custom(name: &str, check: fn() -> Result<(), Error>) -> CustomCheck {
        (name.to_owned(), Box::new(check))
    }

    #[test]
    fn checks_of_the_program_fail_with_their_reason() {
        let checks = [
            custom("database", || Err("no connection".into())),
            custom("disk", || Ok(())),
            custom("cloud", || panic!("a bug")),
        ];
        let report = HealthReport::new(checks.iter().map(run_custom).collect());
        let names: Vec<_> = report.checks().iter().map(|check| check.name.as_str()).collect();
        assert_eq!(names, ["cloud", "database", "disk"]);
        assert_eq!(report.to_string(), "cloud: the check panicked; database: no connection");
        assert!(!report.is_healthy() && report.check("disk").unwrap().failure.is_none());
        let without = report.without(&["cloud".to_owned(), "database".to_owned()]);
        assert_eq!((without.is_healthy(), without.to_string().as_str()), (true, "ok"));
    }
}
