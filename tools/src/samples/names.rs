//! Names of objects that the rules of their kind accept.

use std::collections::BTreeSet;

use crdkit::__internal::{
    admission::accepts,
    cel::CompiledRules,
    crd_accessors::read,
    generate::{Pattern, Random},
};
use crdkit_core::{cel::string_literals, literal::dns::subdomain};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::JSONSchemaProps as Props;
use serde_json::{Map, Value, json};

const NAME: &str = "example";
/// The number of names that are tried for each pattern in a rule.
const SAMPLES: usize = 20;
/// The number of texts in rules of which each pair makes names.
const MAX_PAIRS: usize = 8;

/// Returns the name of an object whose schema is `root`: `example`, unless rules or the schema require another one. `base` are
/// the other fields that every object has.
pub(super) fn name(root: &Props, base: &Map<String, Value>) -> String {
    let of_metadata = root.properties.as_ref().and_then(|all| all.get("metadata")?.properties.as_ref()?.get("name"));
    let is_of_name = |rule: &str| rule.contains("metadata") || rule.contains("self.all(") || rule.contains("name");
    let rules: Vec<_> =
        root.x_kubernetes_validations.iter().flatten().filter(|rule| is_of_name(&rule.rule)).cloned().collect();
    let literals: Vec<_> = rules.iter().flat_map(|rule| string_literals(&rule.rule)).collect();
    // Rules about other fields fail for all names alike.
    let compiled = CompiledRules::of(&Props {
        x_kubernetes_validations: Some(rules).filter(|rules| !rules.is_empty()),
        ..root.clone()
    });
    let failures = |name: &str| {
        let mut object = Value::Object(base.clone());
        object["metadata"] = json!({ "name": name });
        let of_rules = compiled.as_ref().map_or(0, |rules| rules.failures(None, &read::json(&object)).len());
        let is_accepted = of_metadata.is_none_or(|schema| accepts(schema, &json!(name)));
        of_rules + usize::from(!is_accepted)
    };
    let mut best = (failures(NAME), NAME.to_owned());
    if best.0 == 0 {
        return best.1;
    }
    let pattern = of_metadata.and_then(|schema| schema.pattern.clone());
    for name in candidates(&literals, pattern) {
        let count = failures(&name);
        if count < best.0 {
            best = (count, name);
        }
        if best.0 == 0 {
            break;
        }
    }
    best.1
}

/// Returns names made of the texts in rules, and names of several lengths.
fn candidates(texts: &[String], pattern: Option<String>) -> Vec<String> {
    const LENGTHS: &[usize] = &[1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32, 48, 63, 128, 253];
    let mut random = Random::new(1);
    let mut names = Vec::new();
    for text in texts {
        let text = text.trim();
        names.push(text.to_owned());
        names.extend([
            format!("{text}{NAME}"),
            format!("{NAME}{text}"),
            format!("{text}-{NAME}"),
            format!("{NAME}-{text}"),
        ]);
    }
    for pattern in texts.iter().chain(&pattern).filter_map(|text| Pattern::parse(text)) {
        names.extend((0..SAMPLES).map(|_| pattern.sample(&mut random)));
    }
    for first in texts.iter().take(MAX_PAIRS) {
        for second in texts.iter().take(MAX_PAIRS) {
            names.extend([format!("{first}{second}"), format!("{first}{NAME}{second}"), format!("{first}-{second}")]);
        }
    }
    let long = |length: usize| NAME.chars().cycle().take(length).collect::<String>();
    names.extend(LENGTHS.iter().map(|length| long(*length)));
    let mut seen = BTreeSet::new();
    names.retain(|name| subdomain(name).is_ok() && seen.insert(name.clone()));
    names
}

/// Returns the texts in an object that can be names.
pub(super) fn in_values(value: &Value) -> Vec<String> {
    match value {
        Value::String(text) if subdomain(text).is_ok() => vec![text.clone()],
        Value::Array(items) => items.iter().flat_map(in_values).collect(),
        Value::Object(members) => members.values().flat_map(in_values).collect(),
        _ => Vec::new(),
    }
}
