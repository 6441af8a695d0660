use crdkit_core::{
    go,
    json::Json,
    object_processing::{Patterns, admit},
};
use crdkit_oracles::{Random, cases, responses, schema_json, seed};

use crate::schemas::{schema, value};

const DOCUMENTS: u64 = 4_000;

#[test]
fn objects_are_admitted_as_on_the_server() {
    let mut random = Random::new(seed());
    let mut inputs = Vec::new();
    let count = cases(DOCUMENTS);
    while inputs.len() < count {
        let mut root = schema(&mut random, 3);
        root.type_ = Some("object".into());
        for _ in 0..4 {
            let document = value(&root, &mut random, 4);
            if matches!(document, Json::Object(_)) {
                inputs.push((root.clone(), document));
            }
        }
    }
    let queries: Vec<_> = (inputs.iter())
        .map(|(schema, document)| vec!["admit".into(), schema_json(schema).to_string(), document.to_string()])
        .collect();
    let Some(responses) = responses(&queries) else {
        return;
    };
    let good = responses.iter().filter(|response| response.starts_with("{\"errors\":[],")).count();
    assert!(good > count / 20, "only {good} are good");
    let mut wrong = Vec::new();
    for (((schema, document), query), response) in inputs.iter().zip(&queries).zip(&responses) {
        let mut object = document.clone();
        let admitted = admit(schema, &mut object, &Patterns::default());
        if response.contains("\"object\":null") {
            object = Json::Null;
        }
        let mut errors: Vec<_> = admitted.errors.iter().map(ToString::to_string).collect();
        errors.sort();
        let texts = |all: Vec<String>| Json::Array(all.into_iter().map(|it| Json::String(it.into())).collect());
        // The members of every resource are dropped from other objects, but are not unknown fields.
        let is_known = |path: &String| matches!(path.as_str(), "apiVersion" | "kind" | "metadata");
        let unknown = admitted.unknown.into_iter().filter(|path| !is_known(path)).collect();
        let ours = go::json(&Json::Object(vec![
            ("errors".into(), texts(errors)),
            ("object".into(), object),
            ("unknown".into(), texts(unknown)),
        ]));
        if ours != *response {
            let at = ours.bytes().zip(response.bytes()).take_while(|(one, other)| one == other).count();
            let from = (0..=at.saturating_sub(60)).rev().find(|at| ours.is_char_boundary(*at)).unwrap_or(0);
            wrong.push(format!("{query:?}\n  we: {}\n  it: {}", &ours[from..], &response[from..]));
        }
    }
    wrong.sort_by_key(String::len);
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong[..wrong.len().min(12)].join("\n"));
}
