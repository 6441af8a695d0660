#![allow(warnings)]

#[path = "relations/at_most_one_of_a_filled_in_field.rs"]
mod at_most_one_of_a_filled_in_field;
#[path = "relations/immutable_any_value.rs"]
mod immutable_any_value;
#[path = "relations/immutable_in_a_list.rs"]
mod immutable_in_a_list;
#[path = "relations/immutable_in_a_list_of_the_status.rs"]
mod immutable_in_a_list_of_the_status;
#[path = "relations/immutable_list_of_any_value.rs"]
mod immutable_list_of_any_value;
#[path = "relations/immutable_type_in_a_list.rs"]
mod immutable_type_in_a_list;
#[path = "relations/on_a_spec_with_a_schema_of_schemars.rs"]
mod on_a_spec_with_a_schema_of_schemars;
#[path = "relations/one_of_a_nameless_field.rs"]
mod one_of_a_nameless_field;
#[path = "relations/one_of_a_required_field.rs"]
mod one_of_a_required_field;
#[path = "relations/one_of_a_required_field_of_a_flattened_type.rs"]
mod one_of_a_required_field_of_a_flattened_type;
#[path = "relations/one_of_any_value.rs"]
mod one_of_any_value;
#[path = "relations/one_of_no_field.rs"]
mod one_of_no_field;
#[path = "relations/requires_a_required_field.rs"]
mod requires_a_required_field;
#[path = "relations/requires_no_field.rs"]
mod requires_no_field;
#[path = "relations/requires_of_a_required_field.rs"]
mod requires_of_a_required_field;

fn main() {}
