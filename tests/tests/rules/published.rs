//! Evaluates the rules of public definitions on random values of their schemas, as the server does.

use std::path::Path;

use crdkit::__internal::{
    crd_accessors::{self, read},
    generate::{Random, SchemaNode, value},
};
use crdkit_core::{
    json::Json,
    object_processing::{Patterns, admit},
    schema::SchemaProps,
};
use crdkit_oracles::{
    Oracle,
    evaluation::{Question, RuleText, compare, shown},
    seed,
};
use crdkit_tests::definitions_below;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::{
    JSONSchemaProps, JSONSchemaPropsOrArray, JSONSchemaPropsOrBool, ValidationRule,
};

/// Values of each schema with rules. The value before is what each of them replaces.
const VALUES: usize = 12;
const PAIRS: usize = 10_000;

#[test]
#[ignore = "needs the definitions that `imports fetch target/imports/definitions` downloads"]
fn rules_of_public_definitions_have_the_outcomes_of_the_server() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/imports/definitions");
    let definitions = definitions_below(&folder);
    let mut questions = Vec::new();
    let mut random = Random::new(seed());
    for crd in definitions.values() {
        for schema in crd.spec.versions.iter().filter_map(crd_accessors::schema) {
            add_questions(schema, true, &mut random, &mut questions);
        }
    }
    let oracle = Oracle::shared().expect("there is Go");
    let rules: usize = questions.iter().map(|it| it.rules.len()).sum();
    let (different, pairs) = compare(oracle, &questions);
    let count = different.len();
    println!("{pairs} pairs of {rules} rules in {} definitions, {count} differ", definitions.len());
    let text = shown(oracle, different, |_| None);
    assert!(count == 0, "{count} of {pairs} differ:\n{text}");
    assert!(pairs > PAIRS, "{pairs} pairs");
}

/// Adds a question for each schema with rules.
fn add_questions(schema: &JSONSchemaProps, is_root: bool, random: &mut Random, all: &mut Vec<Question>) {
    if let Some(rules) = schema.x_kubernetes_validations.as_deref() {
        all.push(question(schema, is_root, rules, random));
    }
    let mut add = |inner: &JSONSchemaProps| add_questions(inner, false, random, all);
    schema.properties.iter().flat_map(|it| it.values()).for_each(&mut add);
    if let Some(JSONSchemaPropsOrArray::Schema(items)) = &schema.items {
        add(items);
    }
    if let Some(JSONSchemaPropsOrBool::Schema(values)) = &schema.additional_properties {
        add(values);
    }
}

fn question(schema: &JSONSchemaProps, is_root: bool, rules: &[ValidationRule], random: &mut Random) -> Question {
    let props = read::schema(schema).into_owned();
    let node = SchemaNode::new(schema.clone());
    let patterns = Patterns::default();
    let mut values: Vec<Json<'static>> = Vec::new();
    for _ in 0..VALUES * 3 {
        let mut json = read::json(&value(&node, random)).into_owned();
        if let (true, Json::Object(members)) = (is_root, &mut json) {
            members.retain(|(name, _)| !matches!(&**name, "apiVersion" | "kind" | "metadata"));
            members.extend(resource());
        }
        let mut admitted = json.clone();
        if admit(&props, &mut admitted, &patterns).errors.is_empty() && values.len() < VALUES {
            values.push(admitted);
        }
    }
    let pair = |at: usize| (values[at].clone(), Some(values[(at + 1) % values.len()].clone()));
    let rule = |it: &ValidationRule| RuleText {
        rule: it.rule.clone(),
        is_old_self_optional: it.optional_old_self == Some(true),
        message: None,
    };
    // A message expression has the type `string`: the error of a missing key shows it.
    let message = |it: &ValidationRule| RuleText {
        rule: format!("{{'': true}}[{}]", it.message_expression.as_deref().unwrap_or("''")),
        ..rule(it)
    };
    let messages = rules.iter().filter(|it| it.message_expression.is_some()).map(message);
    Question {
        schema: SchemaProps { validations: Vec::new(), ..props },
        is_root,
        limit: 1_000_000,
        repeats: 1,
        rules: rules.iter().map(rule).chain(messages).collect(),
        values: (0..values.len()).map(pair).collect(),
    }
}

/// The members that a resource has.
fn resource() -> [(std::borrow::Cow<'static, str>, Json<'static>); 3] {
    let text = |text: &'static str| Json::String(text.into());
    let metadata = Json::Object(vec![("name".into(), text("a"))]);
    [("apiVersion".into(), text("example.com/v1")), ("kind".into(), text("Thing")), ("metadata".into(), metadata)]
}
