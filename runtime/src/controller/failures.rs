//! Events and conditions that say why an object waits.

use std::{sync::Arc, time::Duration};

use super::{
    Action, Error,
    context::Run,
    error::{Retry, describe, retry_of},
    events::ObjectEvent,
};
use crate::informer::{Backoff, queue::ReconcileOutcome};

/// The first attempts often meet what passes at once, such as a conflict. They are in the log only.
const FIRST_REPORTED: u32 = 3;
/// The reason of the events and conditions.
pub(super) const FAILED: &str = "ReconcileFailed";
const RECOVERED: &str = "Reconciled";

/// Sets or ends the condition of a failure.
pub(super) type FailureCondition<K> = Arc<dyn Fn(&Run<K>, &K, Option<&str>) + Send + Sync>;

/// What is said about the failures of a controller.
#[derive(Clone, Copy)]
pub(super) struct FailureTexts {
    /// The longest wait after a failure.
    longest: Duration,
}

impl FailureTexts {
    pub(super) fn new(backoff: &Backoff) -> Self {
        Self { longest: backoff.longest_wait() }
    }

    /// Returns the event of a run. Its text is the same for each attempt, so that the events of an object become one series.
    pub(super) fn event(self, attempt: u32, outcome: &ReconcileOutcome) -> Option<ObjectEvent> {
        let (error, retry) = match outcome {
            ReconcileOutcome::TerminalFailure(error) => (&**error, Retry::Never),
            ReconcileOutcome::Failure { error, retry_in: Some(delay) } => (&**error, Retry::After(*delay)),
            ReconcileOutcome::Failure { error, retry_in: None } => (&**error, Retry::Backoff),
            // Its message is only for the log.
            ReconcileOutcome::Panic(_) => ("the reconcile function panicked", Retry::Backoff),
            ReconcileOutcome::Success(Action::Done | Action::Requeue(_)) if attempt > FIRST_REPORTED => {
                return Some(ObjectEvent::normal(RECOVERED, "it is reconciled after failures"));
            }
            ReconcileOutcome::Success(_) | ReconcileOutcome::Postponed => return None,
        };
        let next = self.next(attempt, retry)?;
        Some(ObjectEvent::warning(FAILED, &note(error, &next)))
    }

    /// Returns the message of a condition.
    pub(super) fn message(self, attempt: u32, error: &Error) -> Option<String> {
        let next = self.next(attempt, retry_of(error))?;
        Some(format!("{}; {next}", describe(error)))
    }

    /// Returns when the object is reconciled again; `None` for a failure that is not reported.
    fn next(self, attempt: u32, retry: Retry) -> Option<String> {
        match retry {
            Retry::Never => Some("it is not tried again until the object changes".to_owned()),
            Retry::After(delay) => Some(format!("it is tried again after {delay:?}")),
            Retry::Backoff if attempt < FIRST_REPORTED => None,
            Retry::Backoff => Some(format!("it is tried again within {:?}, sooner after fewer failures", self.longest)),
        }
    }
}

/// The end says when it goes on, so a long error is cut before it.
fn note(error: &str, next: &str) -> String {
    let end = format!("; {next}");
    super::events::note_before(error, &end) + &end
}

#[cfg(test)]
mod tests {
    use super::*;

    fn events() -> FailureTexts {
        FailureTexts::new(&Backoff::default())
    }

    fn failure(error: &str, retry_in: Option<Duration>) -> ReconcileOutcome {
        ReconcileOutcome::Failure { error: error.to_owned(), retry_in }
    }

    #[test]
    fn an_event_says_what_is_waited_for_and_how_long() {
        let warning = |note: &str| Some(ObjectEvent::warning("ReconcileFailed", note));
        let failed = failure("no quota", None);
        assert_eq!((events().event(1, &failed), events().event(2, &failed)), (None, None));
        let expected = warning("no quota; it is tried again within 600s, sooner after fewer failures");
        assert_eq!(events().event(3, &failed), expected);
        assert_eq!(events().event(99, &failed), expected);
        let delayed = failure("no quota", Some(Duration::from_secs(90)));
        assert_eq!(events().event(1, &delayed), warning("no quota; it is tried again after 90s"));
        let terminal = ReconcileOutcome::TerminalFailure("no such size".to_owned());
        let expected = warning("no such size; it is not tried again until the object changes");
        assert_eq!(events().event(1, &terminal), expected);
    }

    #[test]
    fn a_success_is_an_event_only_after_one_of_a_failure() {
        let success = ReconcileOutcome::Success(Action::Done);
        assert_eq!(events().event(3, &success), None);
        assert_eq!(
            events().event(4, &success),
            Some(ObjectEvent::normal("Reconciled", "it is reconciled after failures"))
        );
        assert_eq!(events().event(9, &ReconcileOutcome::Postponed), None);
    }

    #[test]
    fn long_errors_are_cut_before_the_end() {
        let event = events().event(3, &failure(&"ü".repeat(2_000), None)).unwrap();
        let end = "; it is tried again within 600s, sooner after fewer failures";
        assert_eq!(
            event,
            ObjectEvent::warning("ReconcileFailed", &format!("{}{end}", "ü".repeat((1_024 - end.len()) / 2)))
        );
    }
}
