use crdkit_core::{
    admission::{Patterns, admit, go},
    json::Json,
};
use crdkit_oracles::{Random, answers, cases, seed};

use crate::schemas::{json, schema, value};

const DOCUMENTS: usize = 4_000;

#[test]
fn objects_are_admitted_as_the_server_says() {
    let mut random = Random::new(seed());
    let mut asked = Vec::new();
    while asked.len() < cases(DOCUMENTS) {
        let mut root = schema(&mut random, 3);
        root.type_ = Some("object".into());
        for _ in 0..4 {
            let document = value(&root, &mut random, 4);
            if matches!(document, Json::Object(_)) {
                asked.push((root.clone(), document));
            }
        }
    }
    let questions: Vec<_> = (asked.iter())
        .map(|(schema, document)| vec!["admit".into(), json(schema).to_string(), document.to_string()])
        .collect();
    let Some(answers) = answers(&questions) else {
        return;
    };
    let good = answers.iter().filter(|answer| answer.starts_with("{\"errors\":[],")).count();
    assert!(good > cases(DOCUMENTS) / 20, "only {good} are good");
    let mut wrong = Vec::new();
    for (((schema, document), question), answer) in asked.iter().zip(&questions).zip(&answers) {
        let mut object = document.clone();
        let admitted = admit(schema, &mut object, &Patterns::default());
        if answer.contains("\"object\":null") {
            object = Json::Null;
        }
        let mut errors: Vec<_> = admitted.errors.iter().map(ToString::to_string).collect();
        errors.sort();
        let texts = |all: Vec<String>| Json::Array(all.into_iter().map(|it| Json::String(it.into())).collect());
        // What each resource has is dropped from what is none, but is no field that is not known.
        let is_known = |path: &String| matches!(path.as_str(), "apiVersion" | "kind" | "metadata");
        let unknown = admitted.unknown.into_iter().filter(|path| !is_known(path)).collect();
        let ours = go::json(&Json::Object(vec![
            ("errors".into(), texts(errors)),
            ("object".into(), object),
            ("unknown".into(), texts(unknown)),
        ]));
        if ours != *answer {
            let at = ours.bytes().zip(answer.bytes()).take_while(|(one, other)| one == other).count();
            let from = (0..=at.saturating_sub(60)).rev().find(|at| ours.is_char_boundary(*at)).unwrap_or(0);
            wrong.push(format!("{question:?}\n  we: {}\n  it: {}", &ours[from..], &answer[from..]));
        }
    }
    wrong.sort_by_key(String::len);
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong[..wrong.len().min(12)].join("\n"));
}
