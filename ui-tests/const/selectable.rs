#![allow(warnings)]

#[path = "selectable/of_a_status_of_any_value.rs"]
mod of_a_status_of_any_value;
#[path = "selectable/of_status_without_status.rs"]
mod of_status_without_status;
#[path = "selectable/of_the_kind.rs"]
mod of_the_kind;
#[path = "selectable/on_a_field_and_as_path.rs"]
mod on_a_field_and_as_path;
#[path = "selectable/on_a_list.rs"]
mod on_a_list;
#[path = "selectable/on_a_list_with_a_merge_strategy.rs"]
mod on_a_list_with_a_merge_strategy;
#[path = "selectable/on_a_number.rs"]
mod on_a_number;
#[path = "selectable/on_a_number_with_a_bound.rs"]
mod on_a_number_with_a_bound;
#[path = "selectable/on_a_schema_of_any_value.rs"]
mod on_a_schema_of_any_value;
#[path = "selectable/on_any_value.rs"]
mod on_any_value;
#[path = "selectable/through_any_value.rs"]
mod through_any_value;
#[path = "selectable/through_unknown_fields.rs"]
mod through_unknown_fields;
#[path = "selectable/to_a_number.rs"]
mod to_a_number;
#[path = "selectable/to_an_object.rs"]
mod to_an_object;
#[path = "selectable/to_any_value.rs"]
mod to_any_value;
#[path = "selectable/to_int_or_string.rs"]
mod to_int_or_string;
#[path = "selectable/to_no_field.rs"]
mod to_no_field;

fn main() {}
