//! Compares rules in CEL with the server's compiler and its estimate of costs: the cases of the folder `cel`.
//!
//! Both verdicts are the same, and so are the words: the place and the message of each error, and the factor by which a cost
//! exceeds the budget. Of a text that is no expression, only the place of the first mistake has to be the same, as the server
//! goes on reading behind it.

use std::collections::BTreeSet;

use crdkit_tests::{Cause, ControlPlane};

use crate::{
    comparison::{self, Comparison, Verb, is_error},
    corpus::cases,
    report,
    verdicts::{Failure, fail, failure_of, is_refused, other_rules},
};

/// How many cases there are at least, of expressions and of costs.
const CASES: usize = 800;

#[test]
fn crdkit_finds_what_each_expression_breaks() {
    let cases = cases("cel");
    assert!(cases.len() > CASES, "{} cases", cases.len());
    let wrong = cases.iter().filter_map(|case| {
        let ours = comparison::ours(&case.crd);
        failure_of(case, other_rules(case, &ours), report::ours(&ours))
    });
    fail(wrong.collect());
}

#[tokio::test]
async fn the_compiler_of_the_server_agrees() {
    let Some(plane) = ControlPlane::shared() else {
        return;
    };
    let cases = cases("cel");
    let crds = cases.iter().map(|it| (Verb::Create, it.crd.clone()));
    let verdicts = comparison::verdicts(plane, crds.collect()).await;
    let (mut refused, mut same) = (0, 0);
    let mut wrong: Vec<Failure> = Vec::new();
    for (case, server) in cases.iter().zip(verdicts) {
        let comparison = Comparison::new(Verb::Create, server, &case.crd);
        refused += usize::from(!comparison.server.accepted);
        let mut what = Vec::new();
        if comparison.server.accepted == is_refused(case) {
            what.push("the server disagrees with the case".to_owned());
        }
        if !comparison.is_agreement() {
            what.push("one refuses, the other accepts".to_owned());
        }
        for cause in comparison.server.causes.iter().filter(|it| !follows(it)) {
            if has_cause(&comparison, cause) {
                same += 1;
            } else {
                what.push(format!("{}: {}", cause.field, cause.message));
            }
        }
        let shown = report::server(&comparison.server) + &report::ours(&comparison.ours);
        wrong.extend(failure_of(case, what, shown));
    }
    println!("{} rules, {refused} of them refused, for {same} causes", cases.len());
    fail(wrong);
}

/// The causes of the server that crdkit lacks.
pub(crate) fn missing_causes(comparison: &Comparison) -> Vec<String> {
    let causes = comparison.server.causes.iter().filter(|it| !follows(it) && !has_cause(comparison, it));
    causes.map(|it| format!("{}: {}", it.field, it.message)).collect()
}

/// Whether a cause only follows from a rule that does not compile.
fn follows(cause: &Cause) -> bool {
    cause.field.ends_with(".optionalOldSelf")
}

fn has_cause(comparison: &Comparison, cause: &Cause) -> bool {
    let mut errors = comparison.ours.iter().filter(|it| is_error(it));
    let message = comparable(&cause.message);
    errors.any(|it| it.field == cause.field && comparable(&it.server_error) == message)
        || is_share(&cause.message) && is_chance(comparison)
}

/// Whether it names one of the most expensive expressions.
fn is_share(message: &str) -> bool {
    message.contains("contributed to estimated rule cost total")
}

/// Whether it is chance which of the expressions the server names: of those that cost the same, any four.
fn is_chance(comparison: &Comparison) -> bool {
    let ours: Vec<_> = comparison.ours.iter().filter(|it| is_share(&it.server_error)).collect();
    let causes = comparison.server.causes.iter();
    let costs: BTreeSet<_> =
        ours.iter().filter_map(|it| it.message.rsplit_once("` alone")).map(|(_, cost)| cost).collect();
    costs.len() < ours.len() && ours.len() == causes.filter(|it| is_share(&it.message)).count()
}

/// What both say in the same words: types without the number that is new each time, and of a text that is no expression the
/// place of the first mistake.
pub(crate) fn comparable(message: &str) -> String {
    let mut parts = message.split("selfType");
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        text.push_str("self");
        text.push_str(part.trim_start_matches(|c: char| c.is_ascii_digit()));
    }
    let mistake = ["Syntax error", "reserved identifier"];
    let at = mistake.iter().filter_map(|it| text.find(it)).min();
    text.truncate(at.unwrap_or(text.len()));
    text
}
