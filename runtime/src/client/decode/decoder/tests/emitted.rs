//! Types that decode themselves.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::{
    CustomResource, KubeSchema,
    serde::{Deserialize, Serialize},
};

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Cat")]
struct CatSpec {
    lives: u8,
    #[serde(default)]
    names: Vec<String>,
}

fn cat() -> Value {
    json!({
        "apiVersion": "example.com/v1",
        "kind": "Cat",
        "metadata": { "name": "a", "managedFields": [{ "manager": "m" }], "labels": { "b": "c" } },
        "spec": { "lives": 9, "names": ["Tom"] },
    })
}

#[test]
fn the_decoder_receives_the_text() {
    let text = cat().to_string();
    let odd = text.replace("\"lives\"", "\"l\\u0069ves\"");
    let odd_metadata = text.replace("\"managedFields\"", "\"managed\\u0046ields\"");
    for text in [text, odd, odd_metadata] {
        let read: Cat = decode(&text, false).unwrap();
        assert_eq!(read.spec.lives, 9);
        assert!(read.metadata.managed_fields.is_none());
        let whole: Cat = decode(&text, true).unwrap();
        assert_eq!(whole.metadata.managed_fields.unwrap().len(), 1);
    }
}

#[test]
fn errors_are_those_of_serde() {
    let mut cat = cat();
    cat["spec"]["lives"] = json!(256);
    let text = cat.to_string();
    let failure = decode::<Cat>(&text, false).unwrap_err();
    let serde = serde_json::from_str::<Cat>(&text).unwrap_err();
    assert_eq!(failure.source.unredacted().to_string(), serde.to_string());
    assert_eq!(failure.path.as_deref(), Some("spec.lives"));
}

proptest! {
    #[test]
    fn accepts_what_serde_accepts(text in json::broken(Just(cat().to_string()))) {
        let Ok(identity) = identity(&text) else { return Ok(()) };
        let decoded = Decoder::new(ManagedFields::Retained, MAX_DEPTH).decode::<Cat>(&text, &identity).ok();
        let serde = serde_json::from_str::<Cat>(&text).ok();
        prop_assert_eq!(format!("{decoded:?}"), format!("{serde:?}"));
    }
}
