//! The corpus, judged.

use std::{collections::BTreeSet, fmt::Write as _};

use crdkit::validate::{Severity, Violation};
use crdkit_core::rules;
use crdkit_tests::ControlPlane;

use crate::{
    corpus::{Case, cases},
    judge::{self, Agreement, Judged, Verb, is_error},
    report,
};

/// What is wrong about one case.
pub(crate) struct Wrong {
    id: String,
    what: Vec<String>,
    shown: String,
}

#[test]
fn crdkit_finds_what_each_case_breaks() {
    let mut wrong = Vec::new();
    for case in cases("corpus") {
        let ours = judge::ours(&case.crd);
        let what = other_rules(&case, &ours);
        wrong.extend(wrong_of(&case, what, report::ours(&ours)));
    }
    fail(wrong);
}

#[tokio::test]
async fn the_server_says_the_same() {
    let Some(plane) = ControlPlane::shared() else {
        return;
    };
    let cases = cases("corpus");
    let crds = cases.iter().map(|case| (verb(case), case.crd.clone())).collect();
    let mut total = Agreement::default();
    let (mut refused, mut wrong) = (0, Vec::new());
    for (case, server) in cases.iter().zip(judge::verdicts(plane, crds).await) {
        let judged = Judged::new(verb(case), server, &case.crd);
        refused += usize::from(!judged.server.accepted);
        let mut what = Vec::new();
        if judged.server.accepted == is_refused(case) {
            what.push("the server disagrees with the case".to_owned());
        }
        if is_written(case) {
            if !judged.is_one() {
                what.push("one refuses, the other accepts".to_owned());
            }
            let (agreement, lacking) = judged.agreement();
            total.same += agreement.same;
            total.same_field += agreement.same_field;
            total.following += agreement.following;
            total.missing += agreement.missing;
            what.extend(lacking);
            what.extend(judged.other_warnings());
        }
        let shown = report::server(&judged.server) + &report::ours(&judged.ours);
        wrong.extend(wrong_of(case, what, shown));
    }
    println!(
        "{} definitions, {refused} of them refused; of the causes {} are the same, {} have the same field, {} follow, {} are missing",
        cases.len(),
        total.same,
        total.same_field,
        total.following,
        total.missing
    );
    fail(wrong);
}

/// A create does not mind a rule that is there twice.
fn verb(case: &Case) -> Verb {
    match case.breaks.iter().any(|id| id == "C9") {
        true => Verb::Apply,
        false => Verb::Create,
    }
}

/// Whether all its rules are written.
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
    let severe = ours.iter().filter(|it| is_error(it) || it.severity == Severity::Warning && !is_refused(case));
    let severe: BTreeSet<&str> = severe.map(|it| it.rule).collect();
    let lacking = expected.difference(&found);
    let more = severe.difference(&expected);
    let lacking = lacking.map(|id| format!("crdkit does not find {id}"));
    lacking.chain(more.map(|id| format!("crdkit finds {id}"))).collect()
}

pub(crate) fn wrong_of(case: &Case, what: Vec<String>, shown: String) -> Option<Wrong> {
    (!what.is_empty()).then(|| Wrong { id: format!("{} {}", case.id, case.text), what, shown })
}

pub(crate) fn fail(wrong: Vec<Wrong>) {
    let mut text = String::new();
    for Wrong { id, what, shown } in &wrong {
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
