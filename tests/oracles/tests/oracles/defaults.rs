use std::collections::{BTreeMap, BTreeSet};

use crdkit_core::{
    definition::{Definition, Version},
    rules,
    schema::SchemaProps,
};
use crdkit_oracles::{Random, answers, cases, seed};

use crate::schemas::{json, schema};

const SCHEMAS: usize = 3_000;
const ROOT: &str = "spec.validation.openAPIV3Schema";

/// What crdkit says of the defaults, as the server would, by the schema that has them: the rule and the text.
fn ours(schema: &SchemaProps<'static>) -> BTreeMap<String, BTreeSet<(&'static str, String)>> {
    let version = Version { name: "v1".into(), schema: Some(schema.clone()), ..Version::default() };
    let definition = Definition { versions: vec![version], ..Definition::default() };
    let mut found: BTreeMap<_, BTreeSet<_>> = BTreeMap::new();
    rules::check_definition(&definition, &mut |place, violation| {
        if let (id @ ("E4" | "E5" | "E6"), Some(answer)) = (violation.rule.id, violation.server_error) {
            let field = format!("{}{}", place.field, answer.field).replace(ROOT, "s");
            let text = format!("{field}: {answer}");
            found.entry(place.field.replace(ROOT, "s")).or_default().insert((id, text));
        }
    });
    found
}

/// The texts in a list of texts of JSON, by the schemas that they are about.
fn theirs(answer: &str) -> BTreeMap<String, BTreeSet<String>> {
    let mut found: BTreeMap<_, BTreeSet<_>> = BTreeMap::new();
    let texts: Vec<String> = serde_json::from_str(answer).unwrap();
    for text in texts {
        let node = text.split(".default").next().unwrap().to_owned();
        found.entry(node).or_default().insert(text);
    }
    found
}

/// Why the findings about a node differ.
fn difference(ours: &BTreeSet<(&'static str, String)>, theirs: &BTreeSet<String>) -> Option<String> {
    let of_resources = ours.iter().any(|(id, _)| *id == "E6");
    let texts: BTreeSet<_> = ours.iter().map(|(_, text)| text.clone()).collect();
    // Of a resource, the server says one thing or the other, and several in no order; what it shows is half coerced.
    let is_ours = |text: &&String| {
        texts.contains(*text)
            || text.contains("must result in valid metadata: ")
            || text.ends_with(": must not have unknown fields")
    };
    match of_resources {
        true if !theirs.is_empty() && theirs.iter().all(|text| is_ours(&text)) => None,
        false if texts == *theirs => None,
        _ => Some(format!("  we: {texts:?}\n  it: {theirs:?}")),
    }
}

#[test]
fn defaults_are_held_to_their_schemas_as_the_server_says() {
    let mut random = Random::new(seed());
    let mut asked = Vec::new();
    while asked.len() < cases(SCHEMAS) {
        let mut root = schema(&mut random, 3);
        root.type_ = Some("object".into());
        asked.push(root);
    }
    let question = |schema: &SchemaProps<'static>| vec!["defaults".into(), json(schema).to_string()];
    let questions: Vec<_> = asked.iter().map(question).collect();
    let Some(answers) = answers(&questions) else {
        return;
    };
    let mut wrong = Vec::new();
    for (schema, answer) in asked.iter().zip(&answers) {
        let (ours, theirs) = (ours(schema), theirs(answer));
        let nodes: BTreeSet<_> = ours.keys().chain(theirs.keys()).collect();
        for node in nodes {
            let (none, nothing) = (BTreeSet::new(), BTreeSet::new());
            let difference = difference(ours.get(node).unwrap_or(&none), theirs.get(node).unwrap_or(&nothing));
            wrong.extend(difference.map(|it| format!("{node} of {}\n{it}", json(schema))));
        }
    }
    wrong.sort_by_key(String::len);
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong[..wrong.len().min(8)].join("\n"));
}
