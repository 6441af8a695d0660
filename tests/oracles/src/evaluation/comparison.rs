//! The outcomes of crdkit and of the server, and their differences.

use std::{
    collections::BTreeMap,
    fmt::Write as _,
    fs,
    panic::{AssertUnwindSafe, catch_unwind},
    path::Path,
    thread,
};

use super::question::{Outcome, Question, Response, RuleText, ask};
use crate::{Oracle, schema_json};
use crdkit_core::{
    cel::{EvaluationError, Program, RuleScope},
    json::Json,
    schema::SchemaProps,
};

const COST_LIMIT_EXCEEDED: &str = "error: operation cancelled: actual cost limit exceeded";

/// How often the server evaluates what differs at first: maps have any order.
const REPEATS: usize = 60;

/// A rule, and the value on which it is evaluated.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "as in a question")]
pub struct Case {
    pub schema: SchemaProps<'static>,
    pub is_root: bool,
    pub limit: u64,
    pub rule: RuleText,
    pub value: Json<'static>,
    pub old: Option<Json<'static>>,
}

/// What differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Difference {
    /// crdkit panics.
    Panic,
    /// One of them refuses the rule.
    Compilation,
    /// The results, or one of them has an error.
    Result,
    /// The texts of errors.
    Error,
    /// The costs.
    Cost,
    /// The messages, or their costs.
    Message,
}

/// A case whose outcomes differ.
#[derive(Clone, Debug)]
pub struct Disagreement {
    /// The case.
    pub case: Case,
    /// The outcome of crdkit.
    pub ours: String,
    /// All outcomes of the server.
    pub theirs: String,
    /// What differs.
    pub difference: Difference,
    /// The number among the questions, the values and the rules.
    pub place: [usize; 3],
}

impl Disagreement {
    /// What disagreements of the same cause share, as far as their texts show it.
    pub(crate) fn group(&self) -> String {
        let [theirs, ours] = [&self.theirs, &self.ours].map(|it| match self.difference {
            Difference::Message => outline(it.split("message: ").nth(1).unwrap_or_default()),
            _ => outline(it),
        });
        format!("{:?}: {theirs} | {ours}", self.difference)
    }

    pub(crate) fn shown(&self) -> String {
        let mut text = String::new();
        let case = &self.case;
        let old = case.old.as_ref().map(|it| format!(", old {it}")).unwrap_or_default();
        let flags = [(case.is_root, "root"), (case.rule.is_old_self_optional, "optionalOldSelf")];
        let flags: Vec<_> = flags.iter().filter(|it| it.0).map(|it| it.1).collect();
        let limit = if case.limit == 1_000_000 { String::new() } else { format!(" limit {}", case.limit) };
        writeln!(text, "  rule   {}", case.rule.rule).unwrap();
        if let Some(message) = &case.rule.message {
            writeln!(text, "  message {message}").unwrap();
        }
        writeln!(text, "  value  {}{old}{limit} {}", case.value, flags.join(" ")).unwrap();
        writeln!(text, "  schema {}", schema_json(&case.schema)).unwrap();
        writeln!(text, "  ours   {}", self.ours).unwrap();
        writeln!(text, "  theirs {}", self.theirs).unwrap();
        text
    }
}

/// A result without its numbers and names.
fn outline(outcome: &str) -> String {
    let result = outcome.split(" @ ").next().unwrap_or_default();
    let result = if result.contains("no such key: ") { "error: no such key" } else { result };
    let plain = result.chars().filter(|it| !it.is_ascii_digit() && *it != '-');
    plain.take(50).collect()
}

/// What becomes of a rule: `Err` if crdkit panics.
type Compiled = thread::Result<Result<Programs, String>>;

/// A rule, and its message if that compiles.
struct Programs {
    rule: Program,
    message: Option<Program>,
}

fn compiled(question: &Question, rule: &RuleText) -> Compiled {
    catch_unwind(AssertUnwindSafe(|| {
        let scope = RuleScope::of(&question.schema, question.is_root).ok_or_else(|| "no type".to_owned())?;
        let is_optional = rule.is_old_self_optional;
        let message = rule.message.as_deref().and_then(|it| scope.message_program(it, is_optional).ok());
        let rule = scope.program(&rule.rule, is_optional).map_err(|it| format!("{it:?}"))?;
        Ok(Programs { rule: rule.with_zones(zone), message: message.map(|it| it.with_zones(zone)) })
    }))
}

/// The data of a time zone, from where Go looks first.
pub fn zone(name: &str) -> Option<Vec<u8>> {
    let is_inside = !name.starts_with('/') && !name.split('/').any(|step| step == "..");
    is_inside.then(|| fs::read(Path::new("/usr/share/zoneinfo").join(name)).ok()).flatten()
}

/// crdkit's outcome of a rule on a value: `Err` if it panics.
fn evaluated(programs: &Programs, case: &Case) -> thread::Result<Outcome> {
    let (value, old) = (&case.value, case.old.as_ref());
    catch_unwind(AssertUnwindSafe(|| {
        let evaluation = programs.rule.evaluate(value, old, case.limit);
        let is_false = evaluation.result == Ok(false);
        let message = programs.message.as_ref().filter(|_| is_false).map(|it| {
            let message = it.evaluate_text(value, old, case.limit);
            (shown_result(message.result), message.cost)
        });
        Outcome { result: shown_result(evaluation.result), cost: evaluation.cost, message }
    }))
}

/// The outcome without the costs of evaluations that exceed the limit: the server stops there, so that they do not matter.
fn without_cut_costs(outcome: &Outcome) -> Outcome {
    let cost = |result: &str, cost: u64| if result == COST_LIMIT_EXCEEDED { 0 } else { cost };
    Outcome {
        result: outcome.result.clone(),
        cost: cost(&outcome.result, outcome.cost),
        message: outcome.message.as_ref().map(|it| (it.0.clone(), cost(&it.0, it.1))),
    }
}

/// Whether the outcome depends on the order of Go's maps: of objects with null or unknown fields, `format` may also panic.
fn has_arbitrary_order(outcome: &Outcome) -> bool {
    const CAUSES: &[&str] = &["invalid memory address", "could not find key", "no formatting function for"];
    CAUSES.iter().any(|it| outcome.result.starts_with("error") && outcome.result.contains(it))
}

fn shown_result(result: Result<impl ToString, EvaluationError>) -> String {
    result.map_or_else(|error| format!("error: {error}"), |it| it.to_string())
}

/// Compares both outcomes; `theirs` are all that the server has.
fn difference(
    case: &Case,
    program: &Compiled,
    refused: &str,
    theirs: &[Outcome],
) -> Option<(Difference, String, String)> {
    let shown = |it: &Outcome| {
        let message = it.message.as_ref().map(|it| format!(", message: {} @ {}", it.0, it.1));
        format!("{} @ {}{}", it.result, it.cost, message.unwrap_or_default())
    };
    let server = if refused.is_empty() {
        theirs.iter().map(shown).collect::<Vec<_>>().join(" or ")
    } else {
        format!("refused: {}", refused.replace('\n', " "))
    };
    let evaluation = match program {
        Ok(Err(_)) if !refused.is_empty() => return None,
        Ok(Err(error)) => return Some((Difference::Compilation, format!("refused: {error}"), server)),
        Ok(Ok(program)) => evaluated(program, case),
        Err(_) => return Some((Difference::Panic, "panic".to_owned(), server)),
    };
    let Ok(outcome) = evaluation else {
        return Some((Difference::Panic, "panic".to_owned(), server));
    };
    if theirs.iter().any(has_arbitrary_order) {
        return None;
    }
    let difference = if theirs.iter().any(|it| without_cut_costs(it) == without_cut_costs(&outcome)) {
        return None;
    } else if !refused.is_empty() {
        Difference::Compilation
    } else if theirs.iter().any(|it| it.result == outcome.result && it.cost == outcome.cost) {
        Difference::Message
    } else if theirs.iter().any(|it| it.result == outcome.result) {
        Difference::Cost
    } else if outcome.result.starts_with("error") && theirs.iter().all(|it| it.result.starts_with("error")) {
        Difference::Error
    } else {
        Difference::Result
    };
    Some((difference, shown(&outcome), server))
}

/// The outcomes of questions that differ, and the number of pairs whose rule compiles.
///
/// # Panics
///
/// If the oracle cannot read a question.
pub fn compare(oracle: &Oracle, questions: &[Question]) -> (Vec<Disagreement>, usize) {
    let first = disagreements(questions, &ask(oracle, questions));
    let pairs = first.1;
    let again: Vec<_> = first.0.iter().map(|it| question(&it.case)).collect();
    let (mut different, _) = disagreements(&again, &ask(oracle, &again));
    for it in &mut different {
        it.place = first.0[it.place[0]].place;
    }
    (different, pairs)
}

/// The question of a case alone.
fn question(case: &Case) -> Question {
    Question {
        schema: case.schema.clone(),
        is_root: case.is_root,
        limit: case.limit,
        repeats: REPEATS,
        rules: vec![case.rule.clone()],
        values: vec![(case.value.clone(), case.old.clone())],
    }
}

fn disagreements(questions: &[Question], responses: &[Response]) -> (Vec<Disagreement>, usize) {
    let (mut different, mut pairs) = (Vec::new(), 0);
    for (number, (question, response)) in questions.iter().zip(responses).enumerate() {
        let programs: Vec<_> = question.rules.iter().map(|it| compiled(question, it)).collect();
        for (of_value, outcomes) in response.outcomes.iter().enumerate() {
            for (of_rule, theirs) in outcomes.iter().enumerate() {
                let refused = &response.refused[of_rule];
                pairs += usize::from(refused.is_empty());
                let (value, old) = question.values[of_value].clone();
                let case = Case {
                    schema: question.schema.clone(),
                    is_root: question.is_root,
                    limit: question.limit,
                    rule: question.rules[of_rule].clone(),
                    value,
                    old,
                };
                if let Some((difference, ours, theirs)) = difference(&case, &programs[of_rule], refused, theirs) {
                    let place = [number, of_value, of_rule];
                    different.push(Disagreement { case, ours, theirs, difference, place });
                }
            }
        }
    }
    (different, pairs)
}

/// Disagreements by what they share, those with the most first.
pub(crate) fn grouped(different: Vec<Disagreement>) -> Vec<(String, Vec<Disagreement>)> {
    let mut groups: BTreeMap<String, Vec<Disagreement>> = BTreeMap::new();
    for it in different {
        groups.entry(it.group()).or_default().push(it);
    }
    let mut groups: Vec<_> = groups.into_iter().collect();
    for (_, all) in &mut groups {
        all.sort_by_key(|it| it.case.rule.rule.len() + it.case.value.to_string().len());
    }
    groups.sort_by_key(|(_, all)| std::cmp::Reverse(all.len()));
    groups
}
