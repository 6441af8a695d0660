#![allow(warnings)]

#[path = "columns/condition_without_conditions.rs"]
mod condition_without_conditions;
#[path = "columns/condition_without_status.rs"]
mod condition_without_status;
#[path = "columns/date_at_an_integer.rs"]
mod date_at_an_integer;
#[path = "columns/no_field_behind_a_filter.rs"]
mod no_field_behind_a_filter;
#[path = "columns/no_type_and_no_field.rs"]
mod no_type_and_no_field;
#[path = "columns/no_type_at_a_list.rs"]
mod no_type_at_a_list;
#[path = "columns/no_type_at_any_value.rs"]
mod no_type_at_any_value;
#[path = "columns/no_type_behind_a_descent.rs"]
mod no_type_behind_a_descent;
#[path = "columns/on_a_list.rs"]
mod on_a_list;
#[path = "columns/on_a_map.rs"]
mod on_a_map;
#[path = "columns/on_a_struct.rs"]
mod on_a_struct;
#[path = "columns/on_any_value.rs"]
mod on_any_value;
#[path = "columns/path_through_a_scalar.rs"]
mod path_through_a_scalar;
#[path = "columns/path_to_a_string.rs"]
mod path_to_a_string;
#[path = "columns/path_to_an_object.rs"]
mod path_to_an_object;
#[path = "columns/path_to_another_type.rs"]
mod path_to_another_type;
#[path = "columns/path_to_items_of_no_list.rs"]
mod path_to_items_of_no_list;
#[path = "columns/path_to_no_field.rs"]
mod path_to_no_field;
#[path = "columns/path_to_no_field_beside_a_flattened_one.rs"]
mod path_to_no_field_beside_a_flattened_one;
#[path = "columns/path_to_no_field_in_another_module.rs"]
mod path_to_no_field_in_another_module;
#[path = "columns/path_to_no_field_of_a_kubernetes_type.rs"]
mod path_to_no_field_of_a_kubernetes_type;
#[path = "columns/path_to_no_field_of_a_nested_type.rs"]
mod path_to_no_field_of_a_nested_type;
#[path = "columns/path_to_no_field_of_metadata.rs"]
mod path_to_no_field_of_metadata;
#[path = "columns/path_to_no_field_of_the_root.rs"]
mod path_to_no_field_of_the_root;
#[path = "columns/path_to_no_field_through_a_box.rs"]
mod path_to_no_field_through_a_box;
#[path = "columns/path_to_no_field_through_a_list.rs"]
mod path_to_no_field_through_a_list;
#[path = "columns/path_to_no_field_through_a_map.rs"]
mod path_to_no_field_through_a_map;
#[path = "columns/path_to_no_field_through_an_option.rs"]
mod path_to_no_field_through_an_option;
#[path = "columns/path_to_no_key_of_a_map.rs"]
mod path_to_no_key_of_a_map;
#[path = "columns/path_to_status_without_status.rs"]
mod path_to_status_without_status;

fn main() {}
