//! Compares both verdicts on the corpus.

use std::{collections::BTreeSet, fmt::Write as _, sync::LazyLock};

use crdkit::validate::{Severity, Violation};
use crdkit_core::rules;
use crdkit_tests::ControlPlane;

use crate::{
    comparison::{self, Agreement, Comparison, Verb, is_error},
    corpus::{Case, cases},
    report,
};

/// The failure of one case.
pub(crate) struct Failure {
    id: String,
    what: Vec<String>,
    shown: String,
}

/// The cases, and the reports of crdkit for them.
static CORPUS: LazyLock<Vec<(Case, Vec<Violation>)>> = LazyLock::new(|| {
    let cases = cases("corpus").into_iter();
    let reports = cases.map(|case| {
        let ours = comparison::ours(&case.crd);
        (case, ours)
    });
    reports.collect()
});

#[test]
fn crdkit_reports_the_rules_that_each_case_breaks() {
    let wrong = CORPUS.iter().filter_map(|(case, ours)| failure_of(case, other_rules(case, ours), report::ours(ours)));
    fail(wrong.collect());
}

#[tokio::test]
async fn the_server_agrees() {
    let Some(plane) = ControlPlane::shared() else {
        return;
    };
    let crds = CORPUS.iter().map(|(case, _)| (verb(case), case.crd.clone())).collect();
    let mut total = Agreement::default();
    let (mut refused, mut wrong) = (0, Vec::new());
    for ((case, ours), server) in CORPUS.iter().zip(comparison::verdicts(plane, crds).await) {
        let comparison = Comparison { verb: verb(case), server, ours: ours.clone() };
        refused += usize::from(!comparison.server.accepted);
        let mut what = Vec::new();
        if comparison.server.accepted == is_refused(case) {
            what.push("the server disagrees with the case".to_owned());
        }
        if is_written(case) {
            if !comparison.is_agreement() {
                what.push("one refuses, the other accepts".to_owned());
            }
            let (agreement, lacking) = comparison.agreement();
            total.same += agreement.same;
            total.same_field += agreement.same_field;
            total.following += agreement.following;
            total.missing += agreement.missing;
            what.extend(lacking);
            what.extend(comparison.other_warnings());
        }
        let shown = report::server(&comparison.server) + &report::ours(&comparison.ours);
        wrong.extend(failure_of(case, what, shown));
    }
    println!(
        "{} definitions, {refused} of them refused; of the causes {} are the same, {} have the same field, {} follow, {} are missing",
        CORPUS.len(),
        total.same,
        total.same_field,
        total.following,
        total.missing
    );
    fail(wrong);
}

/// Only an apply refuses a rule that is there twice.
fn verb(case: &Case) -> Verb {
    if case.breaks.iter().any(|id| id == "C9") { Verb::Apply } else { Verb::Create }
}

/// Whether the corpus names all its rules.
fn is_written(case: &Case) -> bool {
    let is_written = |id: &String| rules::find(id).is_some();
    case.breaks.iter().all(is_written)
}

/// Whether the server refuses it, by the rules that it breaks.
pub(crate) fn is_refused(case: &Case) -> bool {
    let is_error = |id: &String| match rules::find(id) {
        Some(rule) => rule.severity == Severity::Error || verb(case) == Verb::Apply,
        None => !id.starts_with(['W', 'X']),
    };
    case.breaks.iter().any(is_error)
}

/// The rules that only the case has, and the errors and warnings that only crdkit has.
pub(crate) fn other_rules(case: &Case, ours: &[Violation]) -> Vec<String> {
    if !is_written(case) {
        return Vec::new();
    }
    let expected: BTreeSet<&str> = case.breaks.iter().map(String::as_str).collect();
    let found: BTreeSet<&str> = ours.iter().map(|it| it.rule).collect();
    // The server warns of what it accepts only.
    let severe: BTreeSet<&str> = ours
        .iter()
        .filter(|it| is_error(it) || it.severity == Severity::Warning && !is_refused(case))
        .map(|it| it.rule)
        .collect();
    let lacking = expected.difference(&found);
    let more = severe.difference(&expected);
    let lacking = lacking.map(|id| format!("crdkit does not find {id}"));
    lacking.chain(more.map(|id| format!("crdkit finds {id}"))).collect()
}

pub(crate) fn failure_of(case: &Case, what: Vec<String>, shown: String) -> Option<Failure> {
    (!what.is_empty()).then(|| Failure { id: format!("{} {}", case.id, case.text), what, shown })
}

pub(crate) fn fail(wrong: Vec<Failure>) {
    let mut text = String::new();
    for Failure { id, what, shown } in &wrong {
        report::line(&mut text, "", id);
        for what in what {
            report::line(&mut text, "  ", what);
        }
        text.push_str(shown);
    }
    let mut head = String::new();
    write!(head, "{} cases are wrong", wrong.len()).expect("a string takes any text");
    assert!(wrong.is_empty(), "{head}:\n{text}");
}
