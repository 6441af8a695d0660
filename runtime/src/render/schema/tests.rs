//! Objects, and what is flattened into them.

use serde_json::{Value, json};

use super::*;
use crate::schema::{Keyword, Rule};

const SIZED: Schema = Schema::object(&[Field::new("size", &Schema::integer())])
    .named("Sized")
    .with(&[
        Keyword::Description("Something with a size."),
        Keyword::Rule(Rule::new("self.size > 0")),
    ]);

fn rendered(schema: &Schema) -> Value {
    json!(render_schema(schema).unwrap())
}

fn refused(schema: &Schema) -> String {
    render_schema(schema).unwrap_err().to_string()
}

#[test]
fn rules_of_a_flattened_type_hold_for_its_parent() {
    const PARENT: Schema = Schema::object(&[
        Field::new("name", &Schema::string()),
        Field::flattened(&SIZED),
    ])
    .with(&[Keyword::Rule(Rule::new("self.name != ''"))]);
    assert_eq!(
        rendered(&PARENT),
        json!({
            "type": "object",
            "properties": { "name": { "type": "string" }, "size": { "type": "integer" } },
            "required": ["name", "size"],
            "x-kubernetes-validations": [{ "rule": "self.size > 0" }, { "rule": "self.name != ''" }],
        })
    );
}

#[test]
fn rules_of_a_type_that_may_be_absent_are_refused() {
    const MAYBE: Schema = SIZED.optional();
    const PARENT: Schema = Schema::object(&[Field::flattened(&MAYBE)]);
    assert_eq!(
        refused(&PARENT),
        "the flattened `Sized` may be absent, where its rule `self.size > 0` cannot hold: move the \
         rule to the struct that it is flattened into, with `has()` around the fields"
    );
}

#[test]
fn rules_of_a_flattened_map_are_refused() {
    const MAP: Schema = Schema::map(&Schema::string());
    const RULED: Schema =
        Schema::newtype(&MAP).with(&[Keyword::Rule(Rule::new("self.all(key, key != '')"))]);
    const PARENT: Schema = Schema::object(&[Field::flattened(&RULED)]);
    assert!(
        refused(&PARENT).contains("is a map"),
        "{}",
        refused(&PARENT)
    );
}

#[test]
fn numbers_of_fields_are_refused() {
    const FEW: Schema = Schema::object(&[]).with(&[Keyword::MaxProperties(1)]);
    const PARENT: Schema = Schema::object(&[Field::flattened(&FEW)]);
    assert!(
        refused(&PARENT).contains("how many fields"),
        "{}",
        refused(&PARENT)
    );
}

#[test]
fn two_fields_of_one_name_are_refused() {
    const TEXT: Schema = Schema::object(&[Field::new("size", &Schema::string())]);
    const PARENT: Schema = Schema::object(&[
        Field::new("size", &Schema::string()),
        Field::flattened(&SIZED),
    ]);
    assert_eq!(
        refused(&PARENT),
        ".size: the type itself and the flattened `Sized` both have a field of this name: rename one"
    );
    const SIBLINGS: Schema = Schema::object(&[Field::flattened(&SIZED), Field::flattened(&TEXT)]);
    assert_eq!(
        refused(&SIBLINGS),
        ".size: the flattened `Sized` and a flattened type both have a field of this name: rename one"
    );
}

#[test]
fn two_fields_of_one_name_and_one_schema_are_one() {
    const PARENT: Schema = Schema::object(&[
        Field::new("size", &Schema::integer()).optional(),
        Field::flattened(&SIZED),
    ]);
    assert_eq!(rendered(&PARENT)["required"], json!(["size"]));
}
