use std::{borrow::Cow, fmt, time::Duration};

use kube_core::{Status, response::reason};

use super::{
    ClientOperation, Error, PolicyRule,
    message::{Excerpt, describe_non_status, redacted},
};
use crate::client::{limits::QuoteLimit, request::Verb};

/// Maximum number of causes in a message; [`StatusError::causes`] returns all of them.
const MAX_CAUSES: usize = 50;

/// An error response of the API server, and the failed operation.
///
/// Its `Display` and `Debug` output omits the values that the API server quotes, unless the client
/// [quotes them](crate::Client::quote_values).
#[derive(Clone)]
#[non_exhaustive]
pub struct StatusError {
    /// The requested operation.
    pub operation: ClientOperation,
    /// The Status, including the values that it quotes. If the response is not a Status, such as a proxy's page,
    /// `message` is its text, and `status` and `reason` are unset.
    pub status: Status,
    /// The delay that the API server requests before a retry.
    pub retry_after: Option<Duration>,
    /// How much of it messages quote.
    pub(crate) quote_limit: QuoteLimit,
    /// All verbs that the operation requires, if it consists of several requests.
    pub(crate) needed: &'static [Verb],
}

/// One violation in an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct StatusCause<'a> {
    /// The path in the object, such as `spec.disks[0].size`.
    pub path: &'a str,
    /// The message.
    pub message: &'a str,
    /// The type of the violation, such as `FieldValueRequired`.
    pub reason: &'a str,
}

impl StatusError {
    /// Returns the individual violations, if the API server lists them.
    pub fn causes(&self) -> impl Iterator<Item = StatusCause<'_>> {
        let details = self.status.details.iter();
        details.flat_map(|details| &details.causes).map(|cause| StatusCause {
            path: &cause.field,
            message: &cause.message,
            reason: &cause.reason,
        })
    }

    /// Returns the RBAC rule that would allow the request, if RBAC forbids it. The rule of an informer contains all
    /// verbs that it requires.
    pub fn missing_rule(&self) -> Option<PolicyRule> {
        let mut rule = PolicyRule::missing(&self.status.message)?;
        let needed = self.needed.iter().map(|verb| verb.as_str());
        if needed.clone().any(|verb| rule.verbs == [verb]) {
            rule.verbs = needed.map(str::to_owned).collect();
        }
        Some(rule)
    }

    /// Returns whether an apply violates the schema, for which the API server responds with 500.
    fn is_of_an_untyped_apply(&self) -> bool {
        const START: &str = "failed to create typed patch object";
        self.status.code == 500 && self.status.message.starts_with(START)
    }

    /// Converts the response to the matching variant.
    pub(crate) fn into_error(self) -> Error {
        let case = match (self.status.reason.as_str(), self.status.code) {
            (reason::ALREADY_EXISTS, _) => Error::AlreadyExists,
            (reason::EXPIRED, _) | (_, 410) => Error::Expired,
            (reason::SERVER_TIMEOUT | reason::TIMEOUT, _) | (_, 504) => Error::Timeout,
            _ if self.is_of_an_untyped_apply() => Error::Invalid,
            (_, 401) => Error::Unauthorized,
            (_, 403) => Error::Forbidden,
            (_, 404) if self.has_no_name() => Error::NotServed,
            (_, 404) => Error::NotFound,
            (_, 409) => Error::Conflict,
            (_, 422) => Error::Invalid,
            (_, 429) => Error::TooManyRequests,
            (_, 503) => Error::Unavailable,
            _ => Error::Api,
        };
        case(Box::new(self))
    }

    /// Returns whether the details contain no name: the kind itself is not found, rather than an object.
    fn has_no_name(&self) -> bool {
        let details = self.status.details.as_ref();
        details.is_none_or(|details| details.name.is_empty())
    }

    /// Returns the message as [`Self::quoted`] does.
    fn message(&self) -> Cow<'_, str> {
        let status = &self.status;
        let is_status = status.status.is_some() || !status.reason.is_empty();
        match status.message.as_str() {
            "" => Excerpt(&status.reason).to_string().into(),
            text if !is_status => describe_non_status(status.code, text),
            message => self.quoted(message),
        }
    }

    /// Returns a text of the API server, truncated, and without values unless the client quotes them.
    fn quoted<'a>(&self, text: &'a str) -> Cow<'a, str> {
        if self.operation.quotes_values {
            return self.quote_limit.truncate(text);
        }
        redacted(text, self.quote_limit)
    }

    /// Returns the advice for a failure between the client and the API server.
    pub(super) fn advice_after_failure(&self) -> &'static str {
        match self.status.code {
            503 if self.retry_after.is_some() => "retry later",
            500.. => self.operation.advice_after_timeout(),
            _ => "",
        }
    }

    pub(super) fn explain(&self, hint: &str) -> String {
        let message = self.message();
        let hint = if hint.is_empty() { String::new() } else { format!(" ({hint})") };
        format!("cannot {}: {}{hint}", self.operation, message)
    }

    /// Returns what the API server says about the PodDisruptionBudgets that refuse an eviction.
    pub(super) fn explain_budget(&self) -> String {
        let causes: Vec<_> = self.causes().take(MAX_CAUSES).map(|cause| self.quoted(cause.message)).collect();
        causes.join("; ")
    }

    pub(super) fn explain_not_served(&self) -> String {
        let hint = "the API server does not serve the kind: install its CustomResourceDefinition, or use a version that \
                    is served";
        let place = match self.operation.namespace {
            Some(_) => "",
            None => "; if the kind is namespaced, choose a namespace with `.namespace(...)`",
        };
        self.explain(&format!("{hint}{place}"))
    }

    pub(super) fn explain_causes(&self) -> String {
        let causes: String = self
            .causes()
            .take(MAX_CAUSES)
            .map(|cause| format!("\n  {}: {}", Excerpt(cause.path), self.quoted(cause.message)))
            .collect();
        if causes.is_empty() {
            self.explain("")
        } else {
            format!("cannot {}: the object is invalid{}", self.operation, self.quote_limit.truncate(&causes))
        }
    }

    pub(super) fn explain_permission(&self) -> String {
        match self.missing_rule() {
            Some(rule) => format!("{}; this rule would allow it:\n{rule}", self.explain("")),
            None => self.explain(""),
        }
    }
}

impl fmt::Debug for StatusError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let causes = self.causes().take(MAX_CAUSES).map(|cause| {
            let (path, reason) = (Excerpt(cause.path), Excerpt(cause.reason));
            (path.to_string(), reason.to_string())
        });
        f.debug_struct("StatusError")
            .field("operation", &self.operation)
            .field("code", &self.status.code)
            .field("reason", &Excerpt(&self.status.reason).to_string())
            .field("message", &self.message())
            .field("causes", &causes.collect::<Vec<_>>())
            .field("retry_after", &self.retry_after)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use kube_core::response::{StatusCause, StatusDetails};

    use super::*;

    fn status_error(code: u16, reason: &str, details: Option<StatusDetails>) -> StatusError {
        let status = Status::failure("no", reason).with_code(code);
        StatusError {
            operation: ClientOperation {
                verb: Verb::Get,
                group: "infra.example.com".into(),
                version: "v1".into(),
                kind: "VirtualMachine".into(),
                plural: "virtualmachines".into(),
                subresource: None,
                namespace: Some("default".into()),
                name: Some("web".into()),
                generate_name: None,
                quotes_values: false,
            },
            status: Status { details, ..status },
            retry_after: None,
            quote_limit: QuoteLimit::default(),
            needed: &[],
        }
    }

    fn details(name: &str, causes: Vec<StatusCause>) -> Option<StatusDetails> {
        Some(StatusDetails {
            name: name.into(),
            group: String::new(),
            kind: String::new(),
            uid: String::new(),
            causes,
            retry_after_seconds: 0,
        })
    }

    macro_rules! cases {
        ($($test:ident: $code:literal $reason:literal $details:expr => $case:ident,)+) => {$(
            #[test]
            fn $test() {
                let error = status_error($code, $reason, $details).into_error();
                assert!(matches!(error, Error::$case(_)), "{error:?}");
                assert_eq!(error.status().unwrap().code, $code);
                assert_eq!(error.operation().kind, "VirtualMachine");
            }
        )+};
    }

    cases! {
        a_missing_object: 404 "NotFound" details("web", vec![]) => NotFound,
        a_missing_kind: 404 "NotFound" details("", vec![]) => NotServed,
        a_missing_kind_in_plain_text: 404 "" None => NotServed,
        a_name_that_is_taken: 409 "AlreadyExists" details("web", vec![]) => AlreadyExists,
        a_lost_race: 409 "Conflict" details("web", vec![]) => Conflict,
        an_invalid_object: 422 "Invalid" details("web", vec![]) => Invalid,
        a_forbidden_request: 403 "Forbidden" details("web", vec![]) => Forbidden,
        an_unknown_user: 401 "Unauthorized" None => Unauthorized,
        an_old_version: 410 "Expired" None => Expired,
        an_old_watch: 410 "Gone" None => Expired,
        too_many: 429 "TooManyRequests" None => TooManyRequests,
        a_slow_server: 504 "Timeout" None => Timeout,
        a_slow_store: 500 "ServerTimeout" None => Timeout,
        a_resting_server: 503 "ServiceUnavailable" None => Unavailable,
        another_reason: 400 "BadRequest" None => Api,
    }

    #[test]
    fn apply_that_violates_the_schema_is_invalid() {
        let mut status_error = status_error(500, "InternalError", None);
        status_error.operation.verb = Verb::Patch;
        status_error.status.message = "failed to create typed patch object (prod/web; apps/v1, \
                                  Kind=Deployment): .spec.replcas: field not declared in schema"
            .into();
        let error = status_error.into_error();
        assert!(matches!(error, Error::Invalid(_)), "{error:?}");
        assert!(!error.is_outcome_unknown());
    }

    #[test]
    fn rule_has_all_required_verbs() {
        let mut status_error = status_error(403, "Forbidden", None);
        status_error.status.message =
            "pods is forbidden: User \"jane\" cannot watch resource \"pods\" in API group \"\" at \
                                  the cluster scope"
                .into();
        assert_eq!(status_error.missing_rule().unwrap().verbs, ["watch"]);
        status_error.needed = &[Verb::Get, Verb::List, Verb::Watch];
        let rule = status_error.missing_rule().unwrap();
        assert_eq!(rule.verbs, ["get", "list", "watch"]);
        let yaml = "# in a ClusterRole\n- apiGroups: [\"\"]\n  resources: [\"pods\"]\n  verbs: [\"get\", \"list\", \
                    \"watch\"]";
        assert_eq!(rule.to_string(), yaml);

        status_error.needed = &[Verb::Get];
        assert_eq!(status_error.missing_rule().unwrap().verbs, ["watch"]);
    }

    #[test]
    fn messages_contain_the_operation_and_target() {
        let error = status_error(409, "Conflict", None).into_error();
        let message = "cannot get VirtualMachine `web` in namespace `default`: no (read the object again and repeat \
                       the change, as `update` does)";
        assert_eq!(error.to_string(), message);
    }

    #[test]
    fn missing_kind_may_be_a_missing_namespace() {
        let hint = "choose a namespace with `.namespace(...)`";
        let mut status_error = status_error(404, "", None);
        let message = status_error.clone().into_error().to_string();
        assert!(!message.contains(hint), "{message}");
        status_error.operation.namespace = None;
        let message = status_error.into_error().to_string();
        assert!(message.contains(hint), "{message}");
    }

    #[test]
    fn invalid_objects_list_their_violations() {
        let cause = |field: &str, message: &str| StatusCause {
            reason: "FieldValueInvalid".into(),
            message: message.into(),
            field: field.into(),
        };
        let causes = vec![cause("spec.cpu", "too small"), cause("spec.disks", "none boots")];
        let status_error = status_error(422, "Invalid", details("web", causes));
        let paths: Vec<_> = status_error.causes().map(|cause| cause.path).collect();
        assert_eq!(paths, ["spec.cpu", "spec.disks"]);
        let message = "cannot get VirtualMachine `web` in namespace `default`: the object is invalid\n  spec.cpu: too small\n  \
                       spec.disks: none boots";
        assert_eq!(status_error.into_error().to_string(), message);
    }

    #[test]
    fn words_of_the_response_are_truncated() {
        let long = "\u{1b}".repeat(1 << 20);
        let cause = StatusCause { reason: long.clone(), message: "no".into(), field: long.clone() };
        let mut status_error = status_error(422, &long, details("web", vec![cause]));
        status_error.status.message = String::new();
        let texts = [format!("{status_error:?}"), status_error.explain(""), status_error.explain_causes()];
        for text in texts {
            assert!(text.len() < 10_000, "{}", text.len());
            assert!(!text.contains('\u{1b}'));
        }
    }
}
