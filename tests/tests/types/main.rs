//! The API server accepts the schemas of all types without a warning, and the values that serde reads.

use crdkit::{
    definition::{Definition, DerivedRoot, RootSchema},
    schema::Schema,
    testing::RoundtripTest,
};
use crdkit_tests::{
    Request, Verdict,
    server::{Server, server},
    unique_group,
};
use serde_json::{Value, json};

mod foreign;
mod native;

/// Values for a field of the spec.
struct Sample {
    field: &'static str,
    accepted: Value,
    refused: Value,
    is_read: fn(&Value) -> bool,
    roundtrip: fn() -> RoundtripTest,
}

/// A spec with a field of each type, with lists of what the server accepts there and what it does not.
macro_rules! samples {
    ($of:ident: $($field:ident: $type:ty = $accepted:tt, not $refused:tt;)+) => {
        const SPEC: crdkit::schema::Schema = crdkit::schema::Schema::object(&[$(
            crdkit::schema::Field::new(stringify!($field), &$of!($type)).optional()
        ),+]);

        fn samples() -> Vec<crate::Sample> {
            vec![$(crate::Sample {
                field: stringify!($field),
                accepted: serde_json::json!($accepted),
                refused: serde_json::json!($refused),
                is_read: |value| serde::Deserialize::deserialize(value).map(|_: $type| ()).is_ok(),
                roundtrip: || $of!(roundtrip of $type),
            }),+]
        }
    };
}

use samples;

/// The fields whose schemas accept what their types do not read, or the other way around; each with the path.
fn disagreements(samples: Vec<Sample>) -> Vec<(&'static str, String)> {
    let disagreement = |sample: Sample| {
        let report = (sample.roundtrip)().run();
        match &report.failure {
            Some(found) => {
                println!("{}: {found:?}", sample.field);
                Some((sample.field, found.path.clone()))
            }
            None => {
                assert!(report.is_good() || sample.field == ANY, "{report}");
                None
            }
        }
    };
    samples.into_iter().filter_map(disagreement).collect()
}

/// The field of which nothing is refused.
const ANY: &str = "any";

async fn judge(spec: &'static Schema, samples: Vec<Sample>) {
    let Some(server) = server() else {
        return;
    };
    let group = unique_group();
    let root = RootSchema::Derived(DerivedRoot::new(spec));
    let name = group.clone().leak();
    let definition = Definition::new(name, "v1", "Zoo", "zoos", "zoo", "ZooList", root);
    let crd = json!(definition.render().unwrap());
    let verdict = server.install(&crd).await.expect_accepted();
    assert_eq!(verdict.warnings, Vec::<String>::new());

    for sample in samples {
        for value in sample.accepted.as_array().unwrap() {
            assert!((sample.is_read)(value), "serde refuses {}: {value}", sample.field);
            let verdict = create(server, &group, sample.field, value).await;
            let object = verdict.expect_accepted().object.unwrap();
            assert_eq!(object["spec"][sample.field], *value);
        }
        for value in sample.refused.as_array().unwrap() {
            let verdict = create(server, &group, sample.field, value).await;
            assert!(!verdict.accepted, "the server accepts {}: {value}", sample.field);
        }
    }
}

async fn create(server: Server, group: &str, field: &str, value: &Value) -> Verdict {
    let object = json!({
        "apiVersion": format!("{group}/v1"), "kind": "Zoo", "metadata": { "name": "a" },
        "spec": { field: value },
    });
    let path = format!("/apis/{group}/v1/zoos?dryRun=All&fieldValidation=Strict");
    server.raw(Request::post(path, object)).await.into()
}
