//! Whether schemas and decoders agree.

use crdkit::{
    CustomResource, KubeSchema,
    testing::{RoundtripTest, roundtrip},
};
use example_resources::{
    at::At,
    virtual_machine::{VirtualMachine, v1alpha1},
};
use serde::{Deserialize, Serialize};
use serde_json::json;

#[test]
fn the_examples_agree() {
    roundtrip::<At>();
    roundtrip::<VirtualMachine>();
    roundtrip::<v1alpha1::VirtualMachine>();
}

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "agreement.example.com", version = "v1", kind = "Job", status = "JobStatus")]
#[serde(rename_all = "camelCase")]
struct JobSpec {
    #[serde(with = "text")]
    #[schemars(with = "u32")]
    retries: u32,
    steps: Vec<Step>,
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
struct JobStatus {
    done: bool,
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
struct Step {
    name: String,
    #[serde(default)]
    weight: u8,
}

/// Numbers as texts, which the schema of the field does not say.
mod text {
    use serde::{Deserialize, Deserializer, Serializer, de::Error as _};

    pub(super) fn serialize<S: Serializer>(number: &u32, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(number)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u32, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}

#[test]
fn a_field_that_is_written_in_another_way_is_found() {
    let report = RoundtripTest::of_resource::<Job>().run();
    let found = report.failure.expect("a disagreement");
    assert_eq!(found.path, ".spec.retries", "{found:?}");
    assert!(found.message.contains("expected a string"), "{found:?}");
    assert_eq!(
        found.document,
        json!({
            "apiVersion": "agreement.example.com/v1", "kind": "Job", "metadata": { "name": "example" },
            "spec": { "retries": 0, "steps": [] },
        }),
    );
    assert_eq!(found.schema["type"], "integer");
}

#[test]
#[should_panic(expected = "the schema and the decoder of Job are inconsistent at `.spec.retries`")]
fn a_test_of_a_resource_fails() {
    roundtrip::<Job>();
}
