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

use crdkit_core::{Rule, Stage, rules::TABLES};
use syn::{Attribute, Expr, Fields, Item, Lit, Meta, Token, parse::Parser, punctuated::Punctuated};

use crate::{Case, verdicts::CASES};

/// Rules that no definition of one type breaks.
const OUT_OF_REACH: &[(&[&str], &str)] = &[
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
    (&["V2", "V3", "F9", "X41"], "they are about several versions, each of which is a type"),
    (&["V5"], "a warning is part of a deprecation"),
    (&["V7", "F8"], "a resource without a schema belongs to those who install it"),
    (&["V8"], "it is not written"),
    (&["K1", "K2", "K3", "K4", "K5", "K6", "K7", "K8"], "no type speaks of conversion"),
    (&["U1", "U2"], "they are about several definitions"),
    (&["O2", "O3", "O4"], "a schema with another type or a reference is not rendered"),
    (
        &["O5", "O6", "O7", "O8", "S1", "S2", "S10", "X9", "X10", "X14"],
        "each schema is made structural, wherever it comes from: tuples and sets become lists, what has no type becomes any value",
    ),
    (&["J1", "J2", "J3", "J4", "J5", "J6", "J7", "J9", "J10", "X12"], "what branches may not say moves out of them"),
    (&["J8"], "a schema with a rule in a branch is not rendered"),
    (&["X3"], "what is nullable and has an `enum` is written without the former"),
];

fn out_of_reach() -> impl Iterator<Item = &'static str> {
    OUT_OF_REACH.iter().flat_map(|(ids, _)| ids.iter().copied())
}

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
    let is_checked =
        |rule: &&Rule| !rule.is_of_registration() && !rule.stages.iter().any(|it| matches!(it, Stage::Never(_)));
    TABLES.iter().copied().flatten().filter(is_checked)
}

#[test]
fn each_rule_that_types_reach_has_cases() {
    let reached = doors();
    let lacking = rules().filter(|rule| !reached.contains_key(rule.id));
    let lacking: Vec<_> = lacking.map(|rule| rule.id).collect();
    let listed: Vec<_> = rules().map(|rule| rule.id).filter(|id| out_of_reach().any(|known| known == *id)).collect();
    assert_eq!(lacking, listed, "rules without a case");
    assert_eq!(listed.len(), out_of_reach().count(), "a rule is listed twice, or is none");
}

#[test]
fn the_table_of_doors_is_up_to_date() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/derived/doors.md");
    let shown = table(&doors());
    if env::var_os("CRDKIT_WRITE_DOORS").is_some() {
        fs::write(&path, &shown).expect("the table can be written");
    }
    let written = fs::read_to_string(&path).unwrap_or_default();
    assert!(written == shown, "the table is not up to date: write it anew with CRDKIT_WRITE_DOORS=1");
}

/// The table as Markdown. Most rules are reached by all ways of fragments, which are listed once.
fn table(doors: &Doors) -> String {
    let cases = CASES.iter().filter(|(case, _)| case.name.contains("::fragments::"));
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
    text.push_str("\n# Out of reach of types\n\nrules | why\n---|---\n");
    for (ids, reason) in OUT_OF_REACH {
        writeln!(text, "{} | {reason}", ids.join(" ")).expect("a string takes any text");
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
            return doors.iter().map(String::as_str).collect::<Vec<_>>().join("; ");
        }
    };
    [&[all.as_str()], others.as_slice()].concat().join("; ")
}

/// The attributes by which a case comes to be what it is, or else the words that it has for that.
fn door(case: &Case) -> String {
    let Ok(file) = syn::parse_str::<syn::File>(case.door) else {
        return syn::parse_str(case.door).map_or_else(|_| case.door.to_owned(), |it| constant(&it));
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
    match (found.is_empty(), case.door.strip_prefix("struct X { v :")) {
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
            let door = format!("`#[{}({key})]` on {place}", namespace.as_deref().unwrap_or_default());
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
    let name = item.path().get_ident().map(ToString::to_string).unwrap_or_default();
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

/// What is called to make a constant, without the arguments, and the keywords that it is given.
fn constant(value: &Expr) -> String {
    let mut calls = Vec::new();
    called(value, &mut calls);
    match calls.is_empty() {
        true => "a constant".to_owned(),
        false => format!("`{}`", calls.join("`, `")),
    }
}

fn called(value: &Expr, calls: &mut Vec<String>) {
    match value {
        Expr::MethodCall(call) => {
            called(&call.receiver, calls);
            match call.method == "with" {
                true => call.args.iter().for_each(|it| called(it, calls)),
                false => calls.push(format!(".{}()", call.method)),
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

/// Constants say nothing: they are in capitals.
fn called_path(path: &syn::Path, calls: &mut Vec<String>) {
    let names = path.segments.iter().map(|it| it.ident.to_string());
    let name = names.collect::<Vec<_>>().join("::");
    if name.chars().any(char::is_lowercase) && !calls.contains(&name) {
        calls.push(name);
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
