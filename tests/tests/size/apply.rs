//! The limit of the annotation of client-side apply: crdkit warns at the size at which the server refuses.

use crdkit::{
    definition::{Definition, DerivedRoot, RootSchema},
    emit::Crds,
    merge::Warning,
    schema::{Keyword, Schema},
};
use crdkit_tests::{Request, server::server, unique_group};
use serde_json::{Value, json};

const CRDS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions?dryRun=All";

fn definition(group: &'static str, length: usize) -> Value {
    // Go writes each `<` as six characters.
    let text: &str = format!("<{}", "x".repeat(length)).leak();
    let keywords: &[Keyword] = Box::leak(Box::new([Keyword::Description(text)]));
    let spec = Box::leak(Box::new(Schema::object(&[]).with(keywords)));
    let root = RootSchema::Derived(DerivedRoot::new(spec));
    let definition =
        Definition::new(group, "v1", "Foo", "foos", "foo", "FooList", root).annotations(&[("note", "a short one")]);
    json!(definition.render().unwrap())
}

fn is_warned_of(crd: &Value) -> bool {
    let crd = serde_json::from_value(crd.clone()).unwrap();
    let rendered = Crds::new().add_crd("Foo", crd).render().unwrap();
    let mut warnings = rendered.warnings.iter();
    warnings.any(|it| matches!(it, Warning::Rule { violation, .. } if violation.rule == "Z4"))
}

/// The definition as `kubectl apply` sends it.
fn applied(crd: &Value) -> Value {
    let copy = format!("{crd}\n").replace('<', r"\u003c");
    let mut applied = crd.clone();
    applied["metadata"]["annotations"]["kubectl.kubernetes.io/last-applied-configuration"] = json!(copy);
    applied
}

#[tokio::test]
async fn the_warning_begins_where_the_server_refuses() {
    let Some(server) = server() else {
        return;
    };
    let group = unique_group().leak();
    let fits = |length: &usize| !is_warned_of(&definition(group, *length));
    let lengths: Vec<usize> = (0..262_144).collect();
    let longest = lengths.partition_point(fits) - 1;
    for (length, accepted) in [(longest, true), (longest + 1, false)] {
        let crd = definition(group, length);
        let answer = server.raw(Request::post(CRDS, applied(&crd))).await;
        assert_eq!(answer.is_success(), accepted, "{length}: {}", answer.body["message"]);
        let answer = server.raw(Request::post(CRDS, crd)).await;
        assert!(answer.is_success(), "{}", answer.body["message"]);
    }
}
