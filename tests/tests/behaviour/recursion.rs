//! Types that contain themselves through types of which only schemars has the schema.

use crdkit::{CustomResource, CustomResourceExt, Foreign, KubeSchema, testing::CheckReport};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
struct Rack {
    name: String,
    first: Option<Box<Machine>>,
}

#[derive(JsonSchema, Serialize, Deserialize, Clone, Debug)]
struct Machine {
    rack: Option<Box<Rack>>,
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
struct Step {
    #[schemars(with = "Vec<Foreign<Step>>")]
    steps: Vec<Step>,
}

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "recursion.example.com", version = "v1", kind = "Floor")]
struct FloorSpec {
    rack: Rack,
    step: Step,
}

#[test]
fn what_contains_itself_is_any_value_there() {
    let crd = json!(Floor::crd());
    let spec = &crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"];
    let any = json!({ "x-kubernetes-preserve-unknown-fields": true });
    let rack = &spec["properties"]["rack"]["properties"]["first"]["properties"]["rack"];
    assert_eq!(rack["properties"]["name"]["type"], "string");
    let maybe = json!({ "x-kubernetes-preserve-unknown-fields": true, "nullable": true });
    assert_eq!(rack["properties"]["first"], maybe);
    let step = &spec["properties"]["step"]["properties"]["steps"]["items"]["properties"]["steps"];
    assert_eq!(step, &json!({ "type": "array", "items": any }));
}

#[test]
fn each_such_place_is_a_note() {
    let report = CheckReport::new(&Floor::DEFINITION);
    let places =
        ["any value is kept at .spec.rack.first.rack.first, in", "any value is kept at .spec.step.steps[].steps[], in"];
    for place in places {
        let is_noted = report.notes.iter().any(|note| note.starts_with(place));
        assert!(is_noted, "{place}: {:?}", report.notes);
    }
}
