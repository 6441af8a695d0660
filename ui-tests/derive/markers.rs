#![allow(warnings)]

#[path = "markers/beside_a_disabled_schema.rs"]
mod beside_a_disabled_schema;
#[path = "markers/beside_a_manual_schema.rs"]
mod beside_a_manual_schema;
#[path = "markers/name_with_a_dot.rs"]
mod name_with_a_dot;
#[path = "markers/on_a_flattened_field.rs"]
mod on_a_flattened_field;
#[path = "markers/on_a_skipped_field.rs"]
mod on_a_skipped_field;
#[path = "markers/on_the_field_of_a_newtype.rs"]
mod on_the_field_of_a_newtype;
#[path = "markers/rule_on_a_flattened_field.rs"]
mod rule_on_a_flattened_field;
#[path = "markers/strategy_on_a_skipped_field.rs"]
mod strategy_on_a_skipped_field;

fn main() {}
