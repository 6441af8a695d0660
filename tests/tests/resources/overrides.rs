//! Schemas that the user changes: `with`, `schema_with`, `transform`, `extend` and `preserve_unknown_fields`.

use crdkit::{CustomResource, KubeSchema};
use schemars::{Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, ser::Error};
use serde_json::{Value, json};

use crate::served::served;

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
#[crd(group = "overrides.example.com", version = "v1", kind = "Overridden", derive = "PartialEq")]
#[serde(rename_all = "camelCase")]
pub(crate) struct OverriddenSpec {
    #[schemars(with = "String")]
    pub(crate) with: Opaque,

    #[schemars(with = "Option<u8>")]
    pub(crate) with_option: Option<Opaque2>,

    #[schemars(schema_with = "port")]
    pub(crate) schema_with: u16,

    #[schemars(transform = at_most_nine)]
    pub(crate) transformed: i32,

    #[schemars(extend("minimum" = 3, "maximum" = 5))]
    pub(crate) extended: i32,

    #[serde(with = "hex")]
    #[schemars(with = "String", regex(pattern = "^[0-9a-f]+$"))]
    pub(crate) serde_with: u32,

    #[crd(preserve_unknown_fields)]
    pub(crate) anything: Value,

    #[crd(preserve_unknown_fields)]
    pub(crate) tree: Option<Tree>,

    pub(crate) changed: Changed,
}

/// A type without a schema.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
#[serde(transparent)]
pub(crate) struct Opaque(pub(crate) String);

#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
#[serde(transparent)]
pub(crate) struct Opaque2(pub(crate) u8);

/// A type that contains itself.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
pub(crate) struct Tree {
    pub(crate) children: Vec<Tree>,
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
#[schemars(extend("x-kubernetes-map-type" = "atomic"), transform = no_description)]
pub(crate) struct Changed {
    /// A flag.
    pub(crate) flag: bool,
}

fn port(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "integer", "minimum": 1024, "maximum": 65535 })
}

fn at_most_nine(schema: &mut Schema) {
    schema.insert("maximum".to_owned(), json!(9));
}

fn no_description(schema: &mut Schema) {
    schema.remove("description");
}

mod hex {
    use super::*;

    pub(super) fn serialize<S: Serializer>(value: &u32, serializer: S) -> Result<S::Ok, S::Error> {
        if *value == u32::MAX {
            return Err(S::Error::custom("too big"));
        }
        serializer.serialize_str(&format!("{value:x}"))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u32, D::Error> {
        let text = String::deserialize(deserializer)?;
        u32::from_str_radix(&text, 16).map_err(serde::de::Error::custom)
    }
}

fn overridden(name: &str) -> Overridden {
    let leaf = Tree { children: vec![] };
    let spec = OverriddenSpec {
        with: Opaque("text".to_owned()),
        with_option: Some(Opaque2(1)),
        schema_with: 8080,
        transformed: 9,
        extended: 4,
        serde_with: 0xff,
        anything: json!({ "any": [1, { "thing": true }] }),
        tree: Some(Tree { children: vec![leaf] }),
        changed: Changed { flag: true },
    };
    Overridden::new(name, spec)
}

#[tokio::test]
async fn values_are_those_that_the_overrides_describe() {
    let Some(served) = served::<Overridden>().await else {
        return;
    };
    served.keeps(overridden("a")).await;
    let mut without = overridden("b");
    without.spec.with_option = None;
    without.spec.tree = None;
    served.keeps(without).await;
    let changes = [
        ("/spec/with", json!(1), "spec.with"),
        ("/spec/withOption", json!(256), "spec.withOption"),
        ("/spec/schemaWith", json!(80), "spec.schemaWith"),
        ("/spec/transformed", json!(10), "spec.transformed"),
        ("/spec/extended", json!(2), "spec.extended"),
        ("/spec/extended", json!(6), "spec.extended"),
        ("/spec/serdeWith", json!("xyz"), "spec.serdeWith"),
        ("/spec/anything", json!(null), "spec.anything"),
    ];
    served.refuses(&overridden("c"), &changes).await;
}

#[test]
fn types_are_changed_where_they_occur() {
    let crd = json!(crdkit::render::render::<Overridden>().unwrap());
    let spec = &crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"];
    let changed = &spec["properties"]["changed"];
    assert_eq!(changed["x-kubernetes-map-type"], "atomic");
    assert_eq!(spec["properties"]["transformed"]["format"], "int32");
}
