//! Which rule is reached by which doors: what leads from a type to it.
//!
//! `doors.md` shows it, from what crdkit reports of all cases: `CRDKIT_WRITE_DOORS=1` writes it anew.

use std::{
    collections::{BTreeMap, BTreeSet},
    env,
    fmt::Write as _,
    fs,
    path::Path,
};

use crdkit_core::{Asked, Rule, rules::TABLES};
use syn::{Attribute, Expr, Fields, Item, Lit, Meta, Token, parse::Parser, punctuated::Punctuated};

use crate::{Case, verdicts::CASES};

/// Rules that no definition of one derived type breaks.
const OUT_OF_REACH: &[(&str, &str)] = &[(
    "D1",
    "`type` is read from a schema, and written as one text",
)];

type Doors = BTreeMap<&'static str, BTreeSet<String>>;

/// The doors to each rule that a case breaks.
fn doors() -> Doors {
    let mut doors = Doors::new();
    for (case, ours) in CASES.iter() {
        for rule in ours.rules() {
            doors.entry(rule).or_default().insert(door(case));
        }
    }
    doors
}

fn rules() -> impl Iterator<Item = &'static Rule> {
    let is_asked = |rule: &&Rule| !rule.asked.iter().any(|it| matches!(it, Asked::Never(_)));
    TABLES.iter().copied().flatten().filter(is_asked)
}

#[test]
fn each_rule_that_types_reach_has_cases() {
    let reached = doors();
    let lacking = rules().filter(|rule| !reached.contains_key(rule.id));
    let lacking: Vec<_> = lacking.map(|rule| rule.id).collect();
    let listed: Vec<_> = rules()
        .map(|rule| rule.id)
        .filter(|id| OUT_OF_REACH.iter().any(|(known, _)| known == id))
        .collect();
    assert_eq!(lacking, listed, "rules without a case");
    assert_eq!(
        listed.len(),
        OUT_OF_REACH.len(),
        "a rule is listed twice, or is none"
    );
}

#[test]
fn the_table_of_doors_is_up_to_date() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/derived/doors.md");
    let shown = table(&doors());
    if env::var_os("CRDKIT_WRITE_DOORS").is_some() {
        fs::write(&path, &shown).expect("the table can be written");
    }
    let written = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        written == shown,
        "the table is not up to date: write it anew with CRDKIT_WRITE_DOORS=1"
    );
}

/// The table as Markdown. Most rules are reached by all ways of fragments, which are listed once.
fn table(doors: &Doors) -> String {
    let cases = CASES
        .iter()
        .filter(|(case, _)| case.name.contains("::fragments::"));
    let ways: BTreeSet<String> = cases.map(|(case, _)| door(case)).collect();
    let mut text = String::from("# Doors to rules\n\nThe ways of a fragment:\n\n");
    for way in &ways {
        writeln!(text, "- {way}").expect("a string takes any text");
    }
    text.push_str("\nrule | doors\n---|---\n");
    for rule in rules() {
        if let Some(doors) = doors.get(rule.id) {
            let doors = in_short(doors, &ways);
            writeln!(text, "{} | {doors}", rule.id).expect("a string takes any text");
        }
    }
    text.push_str("\n# Out of reach of types\n\nrule | why\n---|---\n");
    for (id, reason) in OUT_OF_REACH {
        writeln!(text, "{id} | {reason}").expect("a string takes any text");
    }
    text
}

fn in_short(doors: &BTreeSet<String>, ways: &BTreeSet<String>) -> String {
    let others: Vec<_> = doors.difference(ways).map(String::as_str).collect();
    let lacking: Vec<_> = ways.difference(doors).map(String::as_str).collect();
    let all = match lacking.as_slice() {
        [] => "all ways of a fragment".to_owned(),
        lacking if lacking.len() < ways.len() / 2 => {
            format!("all ways of a fragment but {}", lacking.join("; "))
        }
        _ => {
            return doors
                .iter()
                .map(String::as_str)
                .collect::<Vec<_>>()
                .join("; ");
        }
    };
    [&[all.as_str()], others.as_slice()].concat().join("; ")
}

/// The attributes by which a case comes to be what it is, or else the words that it has for that.
fn door(case: &Case) -> String {
    let Ok(file) = syn::parse_str::<syn::File>(case.door) else {
        return case.door.to_owned();
    };
    let mut found = Vec::new();
    for item in &file.items {
        match item {
            Item::Struct(item) => {
                attributes(&item.attrs, "a type", &mut found);
                fields(&item.fields, "a field", &mut found);
            }
            Item::Enum(item) => {
                attributes(&item.attrs, "an enum", &mut found);
                for variant in &item.variants {
                    attributes(&variant.attrs, "a variant", &mut found);
                    fields(&variant.fields, "a field of a variant", &mut found);
                }
            }
            _ => {}
        }
    }
    match found.is_empty() {
        true => format!("`{}`", case.door),
        false => found.join(", "),
    }
}

fn fields(fields: &Fields, place: &str, found: &mut Vec<String>) {
    for field in fields {
        attributes(&field.attrs, place, found);
    }
}

fn attributes(attributes: &[Attribute], place: &str, found: &mut Vec<String>) {
    for attribute in attributes.iter().filter(|it| !it.path().is_ident("derive")) {
        let Meta::List(list) = &attribute.meta else {
            continue;
        };
        let namespace = attribute.path().get_ident().map(ToString::to_string);
        for key in keys(list) {
            let door = format!(
                "`#[{}({key})]` on {place}",
                namespace.as_deref().unwrap_or_default()
            );
            if !found.contains(&door) {
                found.push(door);
            }
        }
    }
}

/// The keys of an attribute, each with what kind of value it has.
fn keys(list: &syn::MetaList) -> Vec<String> {
    let parser = Punctuated::<Meta, Token![,]>::parse_terminated;
    match parser.parse2(list.tokens.clone()) {
        Ok(items) => items.iter().flat_map(key).collect(),
        // What is no list of items is that of a key with a form of its own.
        Err(_) => Vec::new(),
    }
}

fn key(item: &Meta) -> Vec<String> {
    let name = item
        .path()
        .get_ident()
        .map(ToString::to_string)
        .unwrap_or_default();
    match item {
        Meta::Path(_) => vec![name],
        Meta::NameValue(value) => vec![format!("{name}{}", kind(&value.value))],
        Meta::List(list) => {
            const OUTER: &[&str] = &["items", "values", "inner", "length", "range", "regex"];
            let inner = match OUTER.contains(&name.as_str()) {
                true => keys(list),
                false => Vec::new(),
            };
            match inner.is_empty() {
                true => vec![name],
                false => inner.iter().map(|key| format!("{name}({key})")).collect(),
            }
        }
    }
}

/// How a value is given, unless it is a literal.
fn kind(value: &Expr) -> &'static str {
    match value {
        Expr::Path(_) => " = CONSTANT",
        Expr::Lit(lit) if matches!(&lit.lit, Lit::Str(text) if text.value().is_empty()) => "",
        Expr::MethodCall(call) => match call.args.iter().map(kind).find(|it| !it.is_empty()) {
            Some(kind) => kind,
            None => kind(&call.receiver),
        },
        Expr::Call(call) => match call.args.iter().map(kind).find(|it| !it.is_empty()) {
            Some(kind) => kind,
            None if call.args.is_empty() => " = function()",
            None => "",
        },
        _ => "",
    }
}
