#![allow(warnings)]

#[path = "rules/field_path_in_rust_spelling.rs"]
mod field_path_in_rust_spelling;
#[path = "rules/field_path_into_any_value.rs"]
mod field_path_into_any_value;
#[path = "rules/field_path_of_a_variant.rs"]
mod field_path_of_a_variant;
#[path = "rules/field_path_of_items.rs"]
mod field_path_of_items;
#[path = "rules/field_path_of_the_resource.rs"]
mod field_path_of_the_resource;
#[path = "rules/field_path_through_a_list.rs"]
mod field_path_through_a_list;
#[path = "rules/field_path_to_metadata.rs"]
mod field_path_to_metadata;
#[path = "rules/field_path_to_no_field.rs"]
mod field_path_to_no_field;
#[path = "rules/old_self_below_a_list.rs"]
mod old_self_below_a_list;
#[path = "rules/old_self_of_a_type_in_a_list.rs"]
mod old_self_of_a_type_in_a_list;
#[path = "rules/old_self_of_items.rs"]
mod old_self_of_items;

fn main() {}
