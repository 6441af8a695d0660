//! Random rules on random values.

use std::collections::BTreeMap;

use crdkit_core::schema::SchemaProps;
use crdkit_oracles::{
    Oracle, Random, cases,
    cel::{Expression, Scope, Target, Writer, random_root, targets, with_changes},
    evaluation::{Difference, Disagreement, Question, RuleText, ask, compare, shown},
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
    let is_known = |it: &&Disagreement| KNOWN.iter().any(|(_, is_it)| is_it(it));
    let unknown: Vec<_> = different.iter().filter(|it| !is_known(it)).map(|it| it.case.rule.rule.clone()).collect();
    let text = shown(oracle, different, |it| Some(&batches[it.place[0]].rules[it.place[2]].0));
    // Other seeds find a few more.
    assert!(unknown.len() * 4_000 < pairs, "{unknown:?} of {pairs} differ in unknown ways:\n{text}");
}

/// Why an outcome differs, and how such a difference is told.
type Known = (&'static str, fn(&Disagreement) -> bool);

/// The differences that are left.
const KNOWN: &[Known] = &[
    ("a list, a map or an object is a key of a map by its address", |it| {
        let rule = &it.case.rule.rule;
        it.theirs.contains("] already exists")
            || [" in {", "{self: ", "{oldSelf: "].iter().any(|part| rule.contains(part))
    }),
    ("a map has several entries with the key NaN", |it| it.case.rule.rule.contains("double('NaN'): ")),
    ("the sum of two lists has a Go type of its own", |it| it.theirs.contains("*types.concatList")),
    ("a conversion has only the first overload if the type is open when it is checked", |it| {
        it.theirs.contains("no such overload: string(")
    }),
    ("an item that does not fit its schema is an error in a list or an optional value", |it| {
        it.ours.contains("illegal base64 data")
    }),
    ("a field without a type in CEL is not an unknown one", |it| {
        it.difference == Difference::Cost && has_untyped_field(&it.case.schema)
    }),
    ("the name of a time zone is a directory", |it| it.theirs.contains("is a directory")),
];

fn has_untyped_field(schema: &SchemaProps<'_>) -> bool {
    let fields = schema.properties.iter().flatten().map(|(_, field)| field);
    let mut parts = fields.chain(schema.items()).chain(schema.values());
    parts.any(|part| part.type_.is_none() && !part.int_or_string || has_untyped_field(part))
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
