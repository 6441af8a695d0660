//! Schemas and definitions are constants.

use crdkit::{
    CustomResource, KubeSchema,
    definition::{Definition, Scope},
    schema::{Schema, Shape},
};
use serde::{Deserialize, Serialize};

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "constants.example.com", version = "v1", kind = "Fixed", namespaced, shortname = "fx")]
struct FixedSpec {
    first: u8,
    second: Option<Inner>,
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
struct Inner {
    third: Vec<String>,
}

const DEFINITION: Definition = Fixed::DEFINITION;
const SCHEMA: Schema = FixedSpec::SCHEMA;

const fn field_name(schema: &Schema, index: usize) -> &'static str {
    match schema.shape {
        Shape::Object(fields) => fields[index].name,
        _ => "",
    }
}

const _: () = assert!(matches!(DEFINITION.scope, Scope::Namespaced));
const _: () = assert!(DEFINITION.short_names.len() == 1);
const SECOND: &str = field_name(&SCHEMA, 1);
static STATIC: Schema = <Inner as KubeSchema>::SCHEMA;

#[test]
fn constants_are_read_while_compiling() {
    assert_eq!(DEFINITION.plural, "fixeds");
    assert_eq!(SECOND, "second");
    assert_eq!(field_name(&STATIC, 0), "third");
    assert_eq!(STATIC.name, "Inner");
}

#[test]
fn types_of_spec_and_status_are_known() {
    fn spec<K: CustomResource<Spec = FixedSpec, Status = ()>>() -> &'static str {
        K::DEFINITION.kind
    }
    assert_eq!(spec::<Fixed>(), "Fixed");
}
