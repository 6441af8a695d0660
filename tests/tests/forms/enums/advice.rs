//! The schemas that the compiler suggests where no structural schema can describe two variants exactly: the server accepts them,
//! and accepts or refuses rules on them as the suggestion states.

use crdkit::{
    KubeSchema,
    definition::{Definition, DerivedRoot, RootSchema},
    schema::{Field, Schema},
    validate::validate,
};
use crdkit_tests::{server::server, unique_group};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use serde::{Deserialize, Serialize};
use serde_json::json;

/// Of text and a list.
#[derive(KubeSchema, Serialize, Deserialize)]
#[serde(untagged)]
#[crd(preserve_unknown_fields)]
enum OneOrMany {
    One(String),
    Many(Vec<String>),
}

#[derive(KubeSchema, Serialize, Deserialize)]
#[crd(validation = "has(self.name)")]
struct AdvisedForTheEnum {
    name: Option<String>,
    names: OneOrMany,
}

#[derive(KubeSchema, Serialize, Deserialize)]
#[serde(tag = "type")]
enum AdvisedForFields {
    Count {
        #[crd(preserve_unknown_fields)]
        value: i32,
    },
    Flag {
        #[crd(schema = Schema::any())]
        value: Vec<bool>,
    },
}

#[derive(KubeSchema, Serialize, Deserialize)]
#[serde(tag = "type")]
enum AdvisedForNumbersAndText {
    Count {
        #[crd(int_or_string, validation = "type(self) == int ? self > 0 : self != ''")]
        value: i32,
    },
    Name {
        #[crd(int_or_string, validation = "type(self) == int ? self > 0 : self != ''")]
        value: String,
    },
}

#[derive(KubeSchema, Serialize, Deserialize)]
#[crd(validation = "type(self.of.value) != int || self.of.value < 9")]
struct RuledAround {
    of: AdvisedForNumbersAndText,
}

#[derive(KubeSchema, Serialize, Deserialize)]
struct AdvisedForTuples {
    #[crd(preserve_unknown_fields)]
    pair: (i32, String),
}

/// The rule that nothing advises any more: a constant, because a literal is a compile error.
const ABOUT_ANY: &str = "type(self.names) == string";

#[derive(KubeSchema, Serialize, Deserialize)]
#[crd(validation = Rule::new(ABOUT_ANY))]
struct RuledAroundAny {
    names: OneOrMany,
}

fn definition(schema: &'static Schema) -> CustomResourceDefinition {
    let spec = Schema::object(vec![Field::new("of", schema)].leak());
    let root = RootSchema::Derived(DerivedRoot::new(Box::leak(Box::new(spec))));
    let group = unique_group().leak();
    let definition = Definition::new(group, "v1", "Advised", "adviseds", "advised", "AdvisedList", root);
    definition.render().unwrap()
}

#[tokio::test]
async fn the_server_takes_what_is_advised() {
    let Some(server) = server() else {
        return;
    };
    for schema in [
        AdvisedForTheEnum::SCHEMA_REF,
        AdvisedForFields::SCHEMA_REF,
        AdvisedForNumbersAndText::SCHEMA_REF,
        RuledAround::SCHEMA_REF,
        AdvisedForTuples::SCHEMA_REF,
    ] {
        let crd = definition(schema);
        assert_eq!(validate(&crd), [], "{}", schema.name);
        server.dry_run(&json!(crd)).await.expect_accepted();
    }
}

#[tokio::test]
async fn no_rule_can_be_about_any_value() {
    let crd = definition(RuledAroundAny::SCHEMA_REF);
    let found = validate(&crd);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].message.contains("undefined field 'names'"), "{found:?}");
    let Some(server) = server() else {
        return;
    };
    let verdict = server.dry_run(&json!(crd)).await;
    assert!(verdict.message.contains("undefined field 'names'"), "{verdict}");
}
