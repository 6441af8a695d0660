//! Rules in CEL: evaluations of typical rules, beside the crate `cel` and the API server's own cel-go, and `validate_cel` of an object
//! with 100 fields and 20 rules.

mod object;
mod rules;

use std::collections::BTreeMap;

use anyhow::Result;
use crdkit_benches::{GoProgram, Results, Samples, Table, in_conditions};

use crate::rules::Rule;

const ROUNDS: usize = 7;

/// The nanoseconds of an evaluation, by the name of a rule.
type Nanoseconds = BTreeMap<String, f64>;

/// Who evaluates.
const EVALUATORS: [&str; 3] = ["crdkit", "cel", "cel-go"];

fn main() -> Result<()> {
    let rules = rules::read()?;
    let go = GoProgram::build("cel/cel-go")?;
    let mut measured: BTreeMap<(&str, String), Samples> = BTreeMap::new();
    let mut validated = Samples::default();
    in_conditions(ROUNDS, || {
        for _ in 0..ROUNDS {
            let figures =
                [Some(rules::ours(&rules)?), Some(rules::of_cel(&rules)?), go.as_ref().map(rules::of_go).transpose()?];
            for (evaluator, figures) in EVALUATORS.into_iter().zip(figures) {
                for (rule, nanoseconds) in figures.into_iter().flatten() {
                    measured.entry((evaluator, rule)).or_default().push(nanoseconds);
                }
            }
            validated.push(object::validation());
        }
        Ok(())
    })?;
    report(&rules, &measured, &validated)
}

fn report(rules: &[Rule], measured: &BTreeMap<(&str, String), Samples>, validated: &Samples) -> Result<()> {
    let mut results = Results::default();
    let mut table = Table::new(["rule", "crdkit, ns", "cel, ns", "cel-go, ns", "cel / crdkit", "cel-go / crdkit"]);
    let mut speedups = [Samples::default(), Samples::default()];
    for rule in rules {
        let samples = |evaluator| measured.get(&(evaluator, rule.name.clone()));
        let [ours, others @ ..] = EVALUATORS.map(samples);
        let Some(ours) = ours else { continue };
        let time = |samples: Option<&Samples>| samples.map_or("-".to_owned(), |it| format!("{:.0}", it.median()));
        let mut row = vec![rule.name.clone(), time(Some(ours)), time(others[0]), time(others[1])];
        for (other, speedups) in others.into_iter().zip(&mut speedups) {
            row.push(other.map_or("-".to_owned(), |other| {
                let speedup = other.over(ours);
                speedups.push(speedup.median());
                speedup.with_range(|it| format!("{it:.1}"))
            }));
        }
        table.row(row);
        results.figure(format!("{}_ns", rule.name.replace(' ', "_")), ours.median());
    }
    println!("\n{table}");
    for (name, speedups) in ["cel", "cel_go"].into_iter().zip(&speedups) {
        println!(
            "{name}: {:.1} times faster as the median of the rules ({:.1} to {:.1})",
            speedups.median(),
            speedups.min(),
            speedups.max()
        );
        results.figure(format!("speedup_over_{name}"), speedups.median());
    }
    println!("validate_cel: {:.1} µs ({:.1} to {:.1})", validated.median(), validated.min(), validated.max());
    results.figure("validate_cel_us", validated.median());
    results.write("cel")
}
