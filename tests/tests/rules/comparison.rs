//! The verdicts of crdkit and the server on one definition, and their differences.

use std::{collections::BTreeSet, fmt::Display};

use crdkit::validate::{Severity, Violation};
use crdkit_tests::{Cause, ControlPlane, Request, Verdict};
use futures_util::{StreamExt as _, stream};
use serde_json::Value;

/// The number of concurrent requests.
const REQUESTS: usize = 8;

/// Both verdicts on a definition.
pub(crate) struct Comparison {
    /// How the definition was sent.
    pub(crate) verb: Verb,
    /// The verdict of the server.
    pub(crate) server: Verdict,
    /// The report of crdkit.
    pub(crate) ours: Vec<Violation>,
}

/// The number of the server's causes and warnings that crdkit has.
#[derive(Default)]
pub(crate) struct Agreement {
    /// Causes of which field and message are the same.
    pub(crate) same: usize,
    /// Causes of which only the field is the same.
    pub(crate) same_field: usize,
    /// Causes that follow from others, and that crdkit leaves out.
    pub(crate) following: usize,
    /// Causes that crdkit does not have at all.
    pub(crate) missing: usize,
}

/// The report of crdkit for a definition.
pub(crate) fn ours(crd: &Value) -> Vec<Violation> {
    crdkit::validate::validate_json(crd)
}

/// The request that sends a definition.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verb {
    /// To create the definition.
    Create,
    /// To apply it.
    Apply,
}

/// The verdicts of the server, in the order of the definitions.
pub(crate) async fn verdicts(plane: &ControlPlane, crds: Vec<(Verb, Value)>) -> Vec<Verdict> {
    let verdicts = stream::iter(crds).map(async |(verb, crd)| {
        let answer = plane.try_raw(request(verb, crd)).await;
        answer.map_or_else(|error| connection_error(&error), Verdict::from)
    });
    verdicts.buffered(REQUESTS).collect().await
}

fn request(verb: Verb, crd: Value) -> Request {
    let path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    let query = "?dryRun=All&fieldValidation=Strict&fieldManager=rules";
    match verb {
        Verb::Create => Request::post(format!("{path}{query}"), crd),
        Verb::Apply => {
            let name = crd["metadata"]["name"].as_str().unwrap_or_default();
            Request::apply(format!("{path}/{name}{query}"), crd)
        }
    }
}

/// The verdict of a server that breaks the connection.
fn connection_error(error: &dyn Display) -> Verdict {
    Verdict {
        accepted: false,
        message: format!("no answer: {error:#}"),
        causes: Vec::new(),
        warnings: Vec::new(),
        object: None,
    }
}

/// Whether a violation makes the server refuse.
pub(crate) fn is_error(violation: &Violation) -> bool {
    violation.severity == Severity::Error && !violation.rule.is_empty()
}

/// How two verdicts differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Difference {
    /// The server refuses what crdkit accepts.
    Hole,
    /// The server accepts what crdkit refuses.
    FalseAlarm,
    /// The server names a field that crdkit does not.
    Field,
    /// The messages differ.
    Words,
    /// One warns and the other does not.
    Warning,
}

impl Comparison {
    /// Compares both verdicts. crdkit refuses a definition that it cannot read.
    pub(crate) fn new(verb: Verb, server: Verdict, crd: &Value) -> Self {
        Self { verb, server, ours: ours(crd) }
    }

    /// Returns the most severe difference.
    pub(crate) fn difference(&self) -> Option<Difference> {
        if !self.is_agreement() {
            return Some(if self.server.accepted { Difference::FalseAlarm } else { Difference::Hole });
        }
        let (_, lacking) = self.agreement();
        match lacking.first() {
            Some(_) if lacking.iter().any(|it| it.starts_with("field")) => Some(Difference::Field),
            Some(_) => Some(Difference::Words),
            None if self.other_warnings().is_empty() => None,
            None => Some(Difference::Warning),
        }
    }

    /// Whether both accept, or both refuse.
    pub(crate) fn is_agreement(&self) -> bool {
        self.server.accepted == self.errors().next().is_none()
    }

    /// The causes of the server that crdkit lacks. If the server has several causes for one field, one of
    /// them is enough: the others follow from it.
    pub(crate) fn agreement(&self) -> (Agreement, Vec<String>) {
        let mut agreement = Agreement::default();
        let mut lacking = Vec::new();
        for cause in &self.server.causes {
            let message = format!("{}: {}", cause.field, cause.message);
            if self.has(cause) {
                agreement.same += 1;
            } else if self.errors().any(|it| it.field == cause.field) {
                agreement.same_field += 1;
                let others = self.server.causes_at(&cause.field);
                if !others.into_iter().any(|it| self.has(it)) {
                    lacking.push(format!("words: {message}"));
                }
            } else if self.follows(cause) {
                agreement.following += 1;
            } else {
                agreement.missing += 1;
                lacking.push(format!("field: {message}"));
            }
        }
        (agreement, lacking)
    }

    /// Whether a cause only follows from another error, such as an invalid name that other names derive from.
    fn follows(&self, cause: &Cause) -> bool {
        let mistakes: &[&str] = match cause.field.as_str() {
            "metadata.name" => &["M7", "N1", "N2", "N5", "N6"],
            "spec.names.singular" | "spec.names.listKind" => &["N5", "N7"],
            "spec.version" => &["V1"],
            "spec.conversion.strategy" => &["V8"],
            "spec.conversion.webhookClientConfig" | "spec.conversion.conversionReviewVersions" => &["K1"],
            "status.storedVersions" => &["V3"],
            // of a schema that is none for selectable fields either
            "spec.schema.openAPIV3Schema" => &["O3", "O4", "O5", "O8"],
            _ => &[],
        };
        let follows = |it: &Violation| match it.rule {
            rule if mistakes.contains(&rule) => true,
            // It is not to be described elsewhere either.
            "J9" => cause.field.ends_with(".properties[metadata]"),
            // A default is not held to a rule that has no type.
            "C13" => cause.message.contains("failed to convert to declType"),
            "C10" | "C11" => cause.message.contains("rule compile error"),
            // one of several that cost the same
            "C16" => cause.message.contains("contributed to estimated rule cost total"),
            // of what is within
            "O3" | "J8" => cause.field.starts_with(&it.field),
            // for want of a type
            "J7" => {
                let node = it.field.rsplit_once(".x-").map_or("", |(node, _)| node);
                [".type", ".x-kubernetes-list-type"].iter().any(|field| cause.field == format!("{node}{field}"))
            }
            _ => false,
        };
        self.errors().any(follows)
    }

    fn errors(&self) -> impl Iterator<Item = &Violation> {
        // Only an apply refuses a rule that is there twice.
        let is_checked = |it: &Violation| self.verb == Verb::Apply || it.rule != "C9";
        let counts = move |it: &&Violation| is_error(it) && is_checked(it);
        self.ours.iter().filter(counts)
    }

    fn has(&self, cause: &Cause) -> bool {
        let is_same = |it: &Violation| it.server_error == cause.message || leaves_out(&it.server_error, cause);
        self.errors().any(|it| it.field == cause.field && is_same(it))
    }

    /// The warnings that only one of them gives, of an accepted definition.
    pub(crate) fn other_warnings(&self) -> Vec<String> {
        if !self.server.accepted {
            return Vec::new();
        }
        let warnings = self.ours.iter();
        let ours: BTreeSet<&str> =
            warnings.filter(|it| it.severity == Severity::Warning).map(|it| it.server_error.as_str()).collect();
        let server: BTreeSet<&str> = self.server.warnings.iter().map(String::as_str).collect();
        let only = |who: &str, these: &BTreeSet<&str>, those: &BTreeSet<&str>| -> Vec<String> {
            let only = these.difference(those);
            only.map(|it| format!("warning of {who} alone: {it}")).collect()
        };
        let mut all = only("the server", &server, &ours);
        all.extend(only("crdkit", &ours, &server));
        all
    }
}

/// Whether our answer is the server's but for a whole object or null, as Go has it, between the kind and the detail.
fn leaves_out(answer: &str, cause: &Cause) -> bool {
    let Some((kind, detail)) = answer.split_once(": ") else {
        return false;
    };
    let rest = cause.message.strip_prefix(kind);
    let value = rest.and_then(|it| it.strip_prefix(": ")?.strip_suffix(detail)?.strip_suffix(": "));
    value.is_some_and(|it| it == "null" || it.starts_with(['{', '[']) && it.ends_with(['}', ']']))
}
