//! `allOf`, `anyOf`, `oneOf` and `not`.

use crate::crd::compare::tests::*;

#[test]
fn schemas_beside_each_other() {
    let one_of = |names: &[&str]| {
        let properties: serde_json::Map<_, _> =
            names.iter().map(|name| ((*name).to_owned(), json!({ "type": "string" }))).collect();
        let branches: Vec<_> = names.iter().map(|name| json!({ "required": [name] })).collect();
        json!({ "type": "object", "properties": properties, "oneOf": branches })
    };
    assert!(texts(one_of(&["a", "b"]), one_of(&["c", "b", "a"])).is_empty());
    let fewer = texts(one_of(&["a", "b"]), one_of(&["a"]));
    assert_eq!(
        fewer,
        [
            r#"`oneOf` of `.spec` changes from [{"required":["a"]},{"required":["b"]}] to [{"required":["a"]}]"#,
            "`.spec.b` is removed",
        ]
    );
    let tagged = |tags: &[&str]| {
        let branch = |tag: &&str| json!({ "required": ["tag"], "properties": { "tag": { "enum": [tag] } } });
        let branches: Vec<_> = tags.iter().map(branch).collect();
        with(object(json!({ "tag": { "type": "string", "enum": tags } })), "oneOf", json!(branches))
    };
    assert!(texts(tagged(&["a"]), tagged(&["a", "b"])).is_empty());
    assert_eq!(texts(tagged(&["a", "b"]), tagged(&["b"])).len(), 2);

    let text = |key: &str, branches: &[&str]| {
        let branches: Vec<_> = branches.iter().map(|pattern| json!({ "pattern": pattern })).collect();
        json!({ "type": "string", key: branches })
    };
    for (key, old, new, count) in [
        ("anyOf", &["a"][..], &["b", "a"][..], 0),
        ("anyOf", &["a", "b"], &["a"], 1),
        ("anyOf", &[], &["a"], 1),
        ("allOf", &["a", "b"], &["b"], 0),
        ("allOf", &["a"], &["b", "a"], 1),
    ] {
        assert_eq!(texts(text(key, old), text(key, new)).len(), count, "{key} {old:?} {new:?}");
    }
    let not = |not: &str| json!({ "type": "string", "not": { "pattern": not } });
    assert_eq!(texts(not("a"), not("b")).len(), 1);
    assert!(texts(not("a"), json!({ "type": "string" })).is_empty());

    let plain = json!({ "x-kubernetes-int-or-string": true });
    let restricted = with(plain.clone(), "anyOf", json!([{ "type": "integer" }, { "type": "string" }]));
    assert!(texts(plain, restricted).is_empty());
}
