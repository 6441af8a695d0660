//! The entry points of each rule: the attributes, constants and types that can break it.
//!
//! `entry_points.md` lists them, from the reports of crdkit for all cases: `CRDKIT_WRITE_ENTRY_POINTS=1` writes it.

use std::{
    collections::{BTreeMap, BTreeSet},
    env,
    fmt::Write as _,
    fs,
    path::Path,
};

use crdkit_core::{Rule, Stage, rules::TABLES};
use syn::{Attribute, Expr, Fields, Item, Lit, Meta, Token, parse::Parser, punctuated::Punctuated};

use crate::{Case, verdicts::CASES};

/// The rules that no definition of one type breaks, with the reason.
const UNREACHABLE_RULES: &[(&[&str], &str)] = &[
    (
        &["D1", "D2", "D3", "D4", "D5", "D6", "D7", "D12"],
        "what is written has the types of the API: a schema that cannot be read as such is not rendered",
    ),
    (&["D8", "D13"], "a schema with an unknown keyword is not rendered"),
    (&["D10"], "a bound is a 64-bit float before it is written"),
    (&["D14"], "the kind is written by `k8s-openapi`"),
    (
        &["M1", "M3", "M6", "M7", "M8", "M9"],
        "of the metadata, only labels and annotations are free: the name is made of plural and group",
    ),
    (&["N4"], "a scope is one of two constants"),
    (&["V2", "V3", "F9", "X41"], "they compare several versions, each of which is a type of its own"),
    (&["V5"], "a warning is part of a deprecation"),
    (&["V7", "F8"], "a resource without a schema belongs to those who install it"),
    (&["V8"], "it is not written"),
    (&["K1", "K2", "K3", "K4", "K5", "K6", "K7", "K8"], "no type configures conversion"),
    (&["U1", "U2"], "they compare several definitions"),
    (&["O2", "O3", "O4"], "a schema with another type or a reference is not rendered"),
    (
        &["O5", "O6", "O7", "O8", "S1", "S2", "S10", "X9", "X10", "X14"],
        "each schema is made structural, wherever it comes from: tuples and sets become lists, what has no type becomes any value",
    ),
    (
        &["J1", "J2", "J3", "J4", "J5", "J6", "J7", "J9", "J10", "X12"],
        "keywords that branches must not have move out of them",
    ),
    (&["J8"], "a schema with a rule in a branch is not rendered"),
    (&["X3"], "what is nullable and has an `enum` is written without the former"),
];

fn unreachable_rules() -> impl Iterator<Item = &'static str> {
    UNREACHABLE_RULES.iter().flat_map(|(ids, _)| ids.iter().copied())
}

type EntryPoints = BTreeMap<&'static str, BTreeSet<String>>;

/// Returns the entry points of each rule that a case breaks.
fn entry_points() -> EntryPoints {
    let mut entry_points = EntryPoints::new();
    for (case, ours) in CASES.iter() {
        for rule in ours.rules() {
            entry_points.entry(rule).or_default().insert(entry_point(case));
        }
    }
    entry_points
}

fn rules() -> impl Iterator<Item = &'static Rule> {
    let is_checked =
        |rule: &&Rule| !rule.is_of_registration() && !rule.stages.iter().any(|it| matches!(it, Stage::Never(_)));
    TABLES.iter().copied().flatten().filter(is_checked)
}

#[test]
fn each_reachable_rule_has_cases() {
    let reached = entry_points();
    let lacking: Vec<_> = rules().filter(|rule| !reached.contains_key(rule.id)).map(|rule| rule.id).collect();
    let listed: Vec<_> =
        rules().map(|rule| rule.id).filter(|id| unreachable_rules().any(|known| known == *id)).collect();
    assert_eq!(lacking, listed, "rules without a case");
    assert_eq!(listed.len(), unreachable_rules().count(), "a rule is listed twice, or is none");
}

#[test]
fn the_table_is_up_to_date() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/derived/entry_points.md");
    let shown = table(&entry_points());
    if env::var_os("CRDKIT_WRITE_ENTRY_POINTS").is_some() {
        fs::write(&path, &shown).expect("the table can be written");
    }
    let written = fs::read_to_string(&path).unwrap_or_default();
    assert!(written == shown, "the table is not up to date: write it with CRDKIT_WRITE_ENTRY_POINTS=1");
}

/// The table as Markdown. Most rules are reached by all placements of fragments, which are listed once.
fn table(entry_points: &EntryPoints) -> String {
    let cases = CASES.iter().filter(|(case, _)| case.name.contains("::fragments::"));
    let placements: BTreeSet<String> = cases.map(|(case, _)| entry_point(case)).collect();
    let mut text = String::from("# Entry points of rules\n\nThe placements of a fragment:\n\n");
    for placement in &placements {
        writeln!(text, "- {placement}").expect("a string takes any text");
    }
    text.push_str("\nrule | entry points\n---|---\n");
    for rule in rules() {
        if let Some(entry_points) = entry_points.get(rule.id) {
            let entry_points = abbreviated(entry_points, &placements);
            writeln!(text, "{} | {entry_points}", rule.id).expect("a string takes any text");
        }
    }
    text.push_str("\n# Rules that types cannot break\n\nrules | why\n---|---\n");
    for (ids, reason) in UNREACHABLE_RULES {
        writeln!(text, "{} | {reason}", ids.join(" ")).expect("a string takes any text");
    }
    text
}

fn abbreviated(entry_points: &BTreeSet<String>, placements: &BTreeSet<String>) -> String {
    let others: Vec<_> = entry_points.difference(placements).map(String::as_str).collect();
    let lacking: Vec<_> = placements.difference(entry_points).map(String::as_str).collect();
    let all = match lacking.as_slice() {
        [] => "all placements of a fragment".to_owned(),
        lacking if lacking.len() < placements.len() / 2 => {
            format!("all placements of a fragment but {}", lacking.join("; "))
        }
        _ => {
            return entry_points.iter().map(String::as_str).collect::<Vec<_>>().join("; ");
        }
    };
    [&[all.as_str()], others.as_slice()].concat().join("; ")
}

/// Returns the attributes of a case, or else its description of the entry point.
fn entry_point(case: &Case) -> String {
    let Ok(file) = syn::parse_str::<syn::File>(case.entry_point) else {
        return syn::parse_str(case.entry_point).map_or_else(|_| case.entry_point.to_owned(), |it| constant(&it));
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
    match (found.is_empty(), case.entry_point.strip_prefix("struct X { v :")) {
        (false, _) => found.join(", "),
        (true, Some(rest)) => {
            let type_ = rest.trim_end_matches('}').replace(' ', "");
            format!("the type `{type_}`")
        }
        (true, None) => "a type".to_owned(),
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
            let entry_point = format!("`#[{}({key})]` on {place}", namespace.as_deref().unwrap_or_default());
            if !found.contains(&entry_point) {
                found.push(entry_point);
            }
        }
    }
}

/// Returns the keys of an attribute, each with the kind of its value.
fn keys(list: &syn::MetaList) -> Vec<String> {
    let parser = Punctuated::<Meta, Token![,]>::parse_terminated;
    match parser.parse2(list.tokens.clone()) {
        Ok(items) => items.iter().flat_map(key).collect(),
        // The attribute has a syntax of its own.
        Err(_) => Vec::new(),
    }
}

fn key(item: &Meta) -> Vec<String> {
    let name = item.path().get_ident().map(ToString::to_string).unwrap_or_default();
    match item {
        Meta::Path(_) => vec![name],
        Meta::NameValue(value) => vec![format!("{name}{}", kind(&value.value))],
        Meta::List(list) => {
            const OUTER: &[&str] = &["items", "values", "inner", "length", "range", "regex"];
            let inner = if OUTER.contains(&name.as_str()) { keys(list) } else { Vec::new() };
            if inner.is_empty() { vec![name] } else { inner.iter().map(|key| format!("{name}({key})")).collect() }
        }
    }
}

/// Returns the functions that create a constant, without their arguments, and its keywords.
fn constant(value: &Expr) -> String {
    let mut calls = Vec::new();
    called(value, &mut calls);
    if calls.is_empty() { "a constant".to_owned() } else { format!("`{}`", calls.join("`, `")) }
}

fn called(value: &Expr, calls: &mut Vec<String>) {
    match value {
        Expr::MethodCall(call) => {
            called(&call.receiver, calls);
            if call.method == "with" {
                call.args.iter().for_each(|it| called(it, calls));
            } else {
                calls.push(format!(".{}()", call.method));
            }
        }
        Expr::Call(call) => called(&call.func, calls),
        Expr::Struct(value) => called_path(&value.path, calls),
        Expr::Path(path) => called_path(&path.path, calls),
        Expr::Reference(value) => called(&value.expr, calls),
        Expr::Array(list) => list.elems.iter().for_each(|it| called(it, calls)),
        _ => {}
    }
}

/// Skips constants, which are in capitals.
fn called_path(path: &syn::Path, calls: &mut Vec<String>) {
    let names = path.segments.iter().map(|it| it.ident.to_string());
    let name = names.collect::<Vec<_>>().join("::");
    if name.chars().any(char::is_lowercase) && !calls.contains(&name) {
        calls.push(name);
    }
}

/// Returns the kind of a value, unless it is a literal.
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
