use std::collections::{BTreeMap, BTreeSet};

use crdkit_core::{
    definition::{Definition, Version},
    rules,
    schema::SchemaProps,
};
use crdkit_oracles::{Random, cases, responses, schema_json, seed};

use crate::schemas::schema;

const SCHEMAS: u64 = 3_000;
const ROOT: &str = "spec.validation.openAPIV3Schema";

/// Returns crdkit's errors of defaults, by the schema that has them: the rule and the server's message.
fn ours(schema: &SchemaProps<'static>) -> BTreeMap<String, BTreeSet<(&'static str, String)>> {
    let version = Version { name: "v1".into(), schema: Some(schema.clone()), ..Version::default() };
    let definition = Definition { versions: vec![version], ..Definition::default() };
    let mut found: BTreeMap<_, BTreeSet<_>> = BTreeMap::new();
    rules::check_definition(&definition, &mut |place, violation| {
        if let (id @ ("E4" | "E5" | "E6"), Some(error)) = (violation.rule.id, violation.server_error) {
            let field = format!("{}{}", place.field, error.field).replace(ROOT, "s");
            let text = format!("{field}: {error}");
            found.entry(place.field.replace(ROOT, "s")).or_default().insert((id, text));
        }
    });
    found
}

/// Returns the server's errors, by their schemas.
fn theirs(response: &str) -> BTreeMap<String, BTreeSet<String>> {
    let mut found: BTreeMap<_, BTreeSet<_>> = BTreeMap::new();
    let texts: Vec<String> = serde_json::from_str(response).unwrap();
    for text in texts {
        let node = text.split(".default").next().unwrap().to_owned();
        found.entry(node).or_default().insert(text);
    }
    found
}

/// Returns how the errors of a schema differ.
fn difference(ours: &BTreeSet<(&'static str, String)>, theirs: &BTreeSet<String>) -> Option<String> {
    let of_resources = ours.iter().any(|(id, _)| *id == "E6");
    let texts: BTreeSet<_> = ours.iter().map(|(_, text)| text.clone()).collect();
    // For a resource, the server reports one of several errors, in any order, with partly coerced values.
    let is_ours = |text: &&String| {
        texts.contains(*text)
            || text.contains("must result in valid metadata: ")
            || text.ends_with(": must not have unknown fields")
    };
    let is_same =
        if of_resources { !theirs.is_empty() && theirs.iter().all(|text| is_ours(&text)) } else { texts == *theirs };
    (!is_same).then(|| format!("  we: {texts:?}\n  it: {theirs:?}"))
}

#[test]
fn defaults_have_the_same_errors_as_on_the_server() {
    let mut random = Random::new(seed());
    let mut inputs = Vec::new();
    let count = cases(SCHEMAS);
    while inputs.len() < count {
        let mut root = schema(&mut random, 3);
        root.type_ = Some("object".into());
        inputs.push(root);
    }
    let query = |schema: &SchemaProps<'static>| vec!["defaults".into(), schema_json(schema).to_string()];
    let queries: Vec<_> = inputs.iter().map(query).collect();
    let Some(responses) = responses(&queries) else {
        return;
    };
    let mut wrong = Vec::new();
    for (schema, response) in inputs.iter().zip(&responses) {
        let (ours, theirs) = (ours(schema), theirs(response));
        let nodes: BTreeSet<_> = ours.keys().chain(theirs.keys()).collect();
        for node in nodes {
            let (none, nothing) = (BTreeSet::new(), BTreeSet::new());
            let difference = difference(ours.get(node).unwrap_or(&none), theirs.get(node).unwrap_or(&nothing));
            wrong.extend(difference.map(|it| format!("{node} of {}\n{it}", schema_json(schema))));
        }
    }
    wrong.sort_by_key(String::len);
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong[..wrong.len().min(8)].join("\n"));
}
