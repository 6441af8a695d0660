//! Checks that the tables of rules are complete, that the catalogue shows them, and that the corpus has cases of each.

use std::{collections::BTreeSet, env, fmt::Write as _, fs, path::Path};

use crdkit_core::{Rule, Stage, rules::TABLES};

use crate::corpus::{Case, cases};

/// The families of rules that the API server has, and how many of them there are in each.
const FAMILIES: &[(char, usize)] = &[
    ('A', 2),
    ('C', 19),
    ('D', 11),
    ('E', 8),
    ('F', 9),
    ('H', 31),
    ('J', 10),
    ('K', 8),
    ('L', 14),
    ('M', 6),
    ('N', 8),
    ('O', 11),
    ('P', 5),
    ('R', 5),
    ('S', 11),
    ('V', 8),
    ('W', 2),
];

/// Rules about which no dry run of one definition decides: their cases are those of `stored`.
const NO_CASE: &[&str] = &["U1", "U2", "Z2", "Z4", "Z5"];

fn all() -> impl Iterator<Item = &'static Rule> {
    TABLES.iter().copied().flatten()
}

/// Why a rule is never checked.
fn reason(rule: &Rule) -> Option<&'static str> {
    rule.stages.iter().find_map(|stage| match stage {
        Stage::Never(reason) => Some(*reason),
        _ => None,
    })
}

#[test]
fn no_rule_of_the_server_is_missing() {
    let ids: BTreeSet<&str> = all().map(|rule| rule.id).collect();
    assert_eq!(ids.len(), all().count(), "an id stands twice");
    let expected = FAMILIES.iter().flat_map(|(letter, count)| (1..=*count).map(move |at| format!("{letter}{at}")));
    let missing: Vec<_> = expected.filter(|id| !ids.contains(id.as_str())).collect();
    assert_eq!(missing, [""; 0], "missing in the tables");
}

#[test]
fn every_rule_is_checked_or_has_a_reason() {
    for rule in all() {
        assert!(!rule.stages.is_empty(), "{}", rule.id);
        if let Some(reason) = reason(rule) {
            assert_eq!(rule.stages.len(), 1, "{} is checked after all", rule.id);
            assert!(!reason.is_empty(), "{}", rule.id);
        }
    }
}

#[test]
fn every_rule_has_cases() {
    let mut cases = cases("corpus");
    cases.extend(self::cases("cel"));
    let broken: BTreeSet<&str> = cases.iter().flat_map(|case| &case.breaks).map(String::as_str).collect();
    let known: BTreeSet<&str> = all().map(|rule| rule.id).collect();
    let strange: Vec<_> = broken.difference(&known).collect();
    assert!(strange.is_empty(), "cases of {strange:?}, which are no rules");
    // The cases of other objects are those of `api_server/registration.rs`.
    let is_checked = |rule: &&Rule| reason(rule).is_none() && !rule.is_of_registration() && !NO_CASE.contains(&rule.id);
    let missing: Vec<_> = all().filter(is_checked).map(|rule| rule.id).filter(|id| !broken.contains(id)).collect();
    assert_eq!(missing, [""; 0], "rules without a case");
    // The nearest good definition stands in the same file and changes the same place.
    let near = |case: &Case| {
        let file = case.id.split(':').next().unwrap_or_default().to_owned();
        (file, case.place.clone())
    };
    let good: BTreeSet<_> = cases.iter().filter(|case| case.breaks.is_empty()).map(near).collect();
    for rule in all().filter(is_checked) {
        let mut of_rule = cases.iter().filter(|case| case.breaks.iter().any(|id| id == rule.id));
        let has_good = of_rule.any(|case| good.contains(&near(case)));
        assert!(has_good, "{} has no good case", rule.id);
    }
}

#[test]
fn the_catalogue_shows_the_tables() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../core/src/rules/catalogue.md");
    let shown = catalogue();
    if env::var_os("CRDKIT_WRITE_CATALOGUE").is_some() {
        fs::write(&path, &shown).expect("the catalogue can be written");
    }
    let written = fs::read_to_string(&path).unwrap_or_default();
    let hint = "write it anew with CRDKIT_WRITE_CATALOGUE=1";
    assert!(written == shown, "the catalogue is not up to date: {hint}");
}

/// The tables as Markdown.
fn catalogue() -> String {
    let mut text = String::from("rule | severity | checked on | statement\n---|---|---|---\n");
    let mut rules: Vec<_> = all().collect();
    rules.sort_by_key(|rule| (rule.id[..1].to_owned(), rule.id[1..].parse::<usize>().ok()));
    for rule in rules {
        let inputs: Vec<_> = rule.stages.iter().map(input).collect();
        let Rule { id, severity, statement, .. } = rule;
        writeln!(text, "{id} | {severity:?} | {} | {statement}", inputs.join(", ")).expect("a string takes any text");
    }
    text
}

/// What a rule is checked on.
fn input(stage: &Stage) -> String {
    match stage {
        Stage::Never(reason) => format!("never: {reason}"),
        Stage::Derive => "derives".to_owned(),
        Stage::Const => "types".to_owned(),
        Stage::Validate => "finished definitions".to_owned(),
        Stage::Registration => "webhook configurations and policies".to_owned(),
    }
}
