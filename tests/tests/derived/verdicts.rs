//! Compares the verdicts of crdkit and the server on each case.

use std::{collections::BTreeSet, sync::LazyLock};

use crdkit::{
    testing::CheckReport,
    validate::{Severity, Violation, validate},
};
use crdkit_tests::{ControlPlane, Request, Verdict};
use futures_util::{StreamExt, stream};
use serde_json::Value;

use crate::{Case, Expected, all};

/// The number of concurrent requests.
const REQUESTS: usize = 8;

/// The report of crdkit for a case.
pub(crate) struct CrdkitReport {
    /// The violations that fail the generated test.
    pub(crate) fatal: Vec<Violation>,
    /// All violations in the rendered definition.
    pub(crate) found: Vec<Violation>,
    crd: Option<Value>,
}

impl CrdkitReport {
    fn of(case: &Case) -> Self {
        let rendered = case.definition.render().ok();
        Self {
            fatal: CheckReport::new(&case.definition).violations,
            found: rendered.as_ref().map(validate).unwrap_or_default(),
            crd: rendered.map(|crd| serde_json::to_value(crd).expect("JSON")),
        }
    }

    /// The ids of all rules that are broken.
    pub(crate) fn rules(&self) -> BTreeSet<&'static str> {
        let all = self.fatal.iter().chain(&self.found);
        all.map(|it| it.rule).filter(|id| !id.is_empty()).collect()
    }

    fn breaks(&self, id: &str) -> bool {
        self.rules().contains(id)
    }

    /// Whether the server refuses it, according to crdkit.
    fn is_refused(&self) -> bool {
        self.fatal.iter().any(|it| it.severity == Severity::Error)
    }

    /// Returns how the report differs from the expectation of the case.
    fn mismatch(&self, case: &Case) -> Option<String> {
        let is_as_expected = match case.expected {
            Expected::Accepted => self.fatal.is_empty() && !self.breaks("W1"),
            Expected::Breaks(id) => self.breaks(id),
            Expected::CrdkitOnly => self.crd.is_none() && !self.fatal.is_empty(),
        };
        (!is_as_expected).then(|| format!("expected {:?}", case.expected))
    }

    fn text(&self) -> String {
        let line = |it: &Violation| format!("\n    crdkit: {:?} {} {it}", it.severity, it.rule);
        let extra = self.found.iter().filter(|it| !self.fatal.contains(it));
        self.fatal.iter().chain(extra).map(line).collect()
    }
}

fn fail(wrong: &[String], of: usize) {
    let count = wrong.len();
    assert!(wrong.is_empty(), "{count} of {of} are wrong:\n{}", wrong.join("\n"));
}

/// All cases, with the reports of crdkit.
pub(crate) static CASES: LazyLock<Vec<(Case, CrdkitReport)>> = LazyLock::new(|| {
    let cases = all().into_iter();
    cases.map(|case| (case.clone(), CrdkitReport::of(&case))).collect()
});

#[test]
fn crdkit_reports_the_rules_that_each_case_breaks() {
    let cases = &*CASES;
    assert!(cases.len() >= 1500, "only {} cases", cases.len());
    let wrong = cases.iter().filter_map(|(case, ours)| {
        let mismatch = ours.mismatch(case)?;
        Some(format!("{}: {mismatch}{}", case.name, ours.text()))
    });
    fail(&wrong.collect::<Vec<_>>(), cases.len());
}

#[test]
fn names_of_cases_are_unique() {
    let names: BTreeSet<_> = CASES.iter().map(|(case, _)| &case.name).collect();
    assert_eq!(names.len(), CASES.len());
}

#[tokio::test]
async fn the_server_agrees_with_crdkit() {
    let Some(plane) = ControlPlane::shared() else {
        return;
    };
    let cases = &*CASES;
    let judged = stream::iter(cases).map(|(case, ours)| disagreement(plane, case, ours));
    let wrong: Vec<_> = judged.buffered(REQUESTS).filter_map(async |it| it).collect().await;
    fail(&wrong, cases.len());
}

/// Returns how the two verdicts on a case differ.
async fn disagreement(plane: &ControlPlane, case: &Case, ours: &CrdkitReport) -> Option<String> {
    let crd = ours.crd.clone()?;
    let verdict = verdict(plane, case, crd).await;
    let mut differences = Vec::new();
    if verdict.accepted == ours.is_refused() {
        differences.push("one refuses, the other accepts".to_owned());
    }
    differences.extend(warnings(ours, &verdict));
    (!differences.is_empty()).then(|| {
        let differences = differences.join("; ");
        format!("{}: {differences}{}\n    server: {verdict}", case.name, ours.text())
    })
}

/// Returns the warnings that only one of them has, for an accepted definition.
fn warnings(ours: &CrdkitReport, verdict: &Verdict) -> Option<String> {
    let warnings = ours.found.iter();
    let ours: BTreeSet<&str> =
        warnings.filter(|it| it.severity == Severity::Warning).map(|it| it.server_error.as_str()).collect();
    let theirs: BTreeSet<&str> = verdict.warnings.iter().map(String::as_str).collect();
    (verdict.accepted && ours != theirs).then(|| format!("the warnings of crdkit are {ours:?}"))
}

/// Sends the definition by the request with which the server checks everything that the case contains.
async fn verdict(plane: &ControlPlane, case: &Case, mut crd: Value) -> Verdict {
    crd["apiVersion"] = "apiextensions.k8s.io/v1".into();
    crd["kind"] = "CustomResourceDefinition".into();
    let name = crd["metadata"]["name"].as_str().unwrap_or_default();
    let request = match case.name.rsplit("::").find(|it| TO_APPLY.contains(it)) {
        Some(_) => Request::apply(format!("{CRDS}/{name}?{DRY_RUN}"), crd),
        // Only etcd limits the size, so it must be stored.
        None if case.name.ends_with("::too_large") => Request::post(CRDS, crd),
        None => Request::post(format!("{CRDS}?{DRY_RUN}"), crd),
    };
    plane.raw(request).await.into()
}

const CRDS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const DRY_RUN: &str = "dryRun=All&fieldValidation=Strict&fieldManager=derived";

/// The cases that only an apply refuses.
const TO_APPLY: &[&str] = &["rule_twice", "rule_with_and_without"];
