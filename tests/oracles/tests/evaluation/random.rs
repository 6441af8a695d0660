//! Random rules on random values.

use std::collections::BTreeMap;

use crdkit_oracles::{
    Oracle, Random, cases,
    cel::{Expression, Scope, Target, Writer, random_root, targets, with_changes},
    evaluation::{Question, RuleText, ask, compare, shown},
    seed,
};

/// Pairs of a rule and a value in a whole run.
const PAIRS: u64 = 24_000;
/// Rules of one schema, and values on which each is evaluated.
const RULES: usize = 16;
const VALUES: usize = 3;

struct Batch {
    question: Question,
    rules: Vec<(Expression, Target)>,
}

fn batches(count: usize) -> Vec<Batch> {
    let mut random = Random::new(seed());
    let mut next = random.below(targets().len());
    (0..count.div_ceil(RULES * VALUES)).map(|_| batch(&mut random, &mut next)).collect()
}

fn batch(random: &mut Random, next: &mut usize) -> Batch {
    let node = random_root(random);
    let is_root = random.once_in(3) && node.can_be_root();
    let scope = Scope::of(node, is_root);
    let has_old = random.once_in(3);
    let mut values = Vec::new();
    for _ in 0..VALUES {
        let value = scope.random_value(random);
        let old = has_old.then(|| with_changes(&value, &scope.node, random));
        values.push((value, old));
    }
    let (mut rules, mut texts) = (Vec::new(), Vec::new());
    for at in 0..RULES {
        let target = if at % 5 == 4 {
            Target::Any
        } else {
            *next = (*next + 1) % targets().len();
            Target::Function(&targets()[*next])
        };
        let is_optional = random.once_in(4);
        let old_self = if is_optional { Some(true) } else { has_old.then_some(false) };
        let expression = Writer::new(random, &scope, old_self).rule(target);
        let message = random.once_in(6).then(|| Writer::new(random, &scope, old_self).message().to_string());
        texts.push(RuleText { rule: expression.to_string(), is_old_self_optional: is_optional, message });
        rules.push((expression, target));
    }
    let limit = if random.once_in(8) { 1 + random.below(60) as u64 } else { 1_000_000 };
    let schema = scope.node.schema();
    Batch { question: Question { schema, is_root, limit, repeats: 1, rules: texts, values }, rules }
}

#[test]
fn random_rules_have_the_outcomes_of_the_server() {
    let Some(oracle) = Oracle::shared() else { return };
    let batches = batches(cases(PAIRS));
    let questions: Vec<_> = batches.iter().map(|it| it.question.clone()).collect();
    let (different, pairs) = compare(oracle, &questions);
    let count = different.len();
    println!("{pairs} pairs of seed {}, {count} differ", seed());
    let text = shown(oracle, different, |it| Some(&batches[it.place[0]].rules[it.place[2]].0));
    // Known: lists that flatten and slice make, quantities above the largest, and the order of NaN in a sorted list.
    assert!(count * 500 < pairs, "{count} of {pairs} differ:\n{text}");
}

/// Each overload is evaluated without an error now and then, and nine of ten rules compile.
#[test]
fn random_rules_reach_all_overloads() {
    let Some(oracle) = Oracle::shared() else { return };
    let batches = batches(usize::try_from(PAIRS).unwrap());
    let questions: Vec<_> = batches.iter().map(|it| it.question.clone()).collect();
    let mut reached: BTreeMap<&str, usize> = targets().iter().map(|it| (it.id, 0)).collect();
    let (mut compiled, mut all) = (0, 0);
    for (batch, response) in batches.iter().zip(ask(oracle, &questions)) {
        all += response.refused.len();
        compiled += response.refused.iter().filter(|it| it.is_empty()).count();
        for (at, (_, target)) in batch.rules.iter().enumerate() {
            let Target::Function(function) = target else { continue };
            // The error of a missing key shows a result.
            let is_result = |it: &str| !it.starts_with("error") || it.contains("no such key");
            let results = response.outcomes.iter().flat_map(|it| &it[at]).filter(|it| is_result(&it.result));
            *reached.entry(function.id).or_default() += results.count();
        }
    }
    let rare: Vec<_> = reached.iter().filter(|(_, count)| **count == 0).collect();
    println!("{compiled} of {all} rules compile; {} overloads, the rarest {:?}", reached.len(), reached.values().min());
    assert!(rare.is_empty(), "{rare:?}");
    assert!(compiled * 10 > all * 9, "{compiled} of {all} rules compile");
}
