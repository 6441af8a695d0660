#![allow(warnings)]

#[path = "rules/field_of_a_list.rs"]
mod field_of_a_list;
#[path = "rules/field_of_a_map_value.rs"]
mod field_of_a_map_value;
#[path = "rules/field_of_a_part.rs"]
mod field_of_a_part;
#[path = "rules/field_of_a_part_in_rust_spelling.rs"]
mod field_of_a_part_in_rust_spelling;
#[path = "rules/field_of_an_indexed_item.rs"]
mod field_of_an_indexed_item;
#[path = "rules/field_of_items_in_a_macro.rs"]
mod field_of_items_in_a_macro;
#[path = "rules/field_of_the_spec.rs"]
mod field_of_the_spec;
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
#[path = "rules/fraction_equal_to_an_integer.rs"]
mod fraction_equal_to_an_integer;
#[path = "rules/labels_of_a_resource_without_spec.rs"]
mod labels_of_a_resource_without_spec;
#[path = "rules/list_of_text_contains_a_number.rs"]
mod list_of_text_contains_a_number;
#[path = "rules/macro_over_text.rs"]
mod macro_over_text;
#[path = "rules/message_expression_of_a_number.rs"]
mod message_expression_of_a_number;
#[path = "rules/method_of_text_on_a_number.rs"]
mod method_of_text_on_a_number;
#[path = "rules/number_as_condition.rs"]
mod number_as_condition;
#[path = "rules/number_compared_with_text.rs"]
mod number_compared_with_text;
#[path = "rules/old_field_of_a_part.rs"]
mod old_field_of_a_part;
#[path = "rules/old_self_below_a_list.rs"]
mod old_self_below_a_list;
#[path = "rules/old_self_of_a_type_in_a_list.rs"]
mod old_self_of_a_type_in_a_list;
#[path = "rules/old_self_of_items.rs"]
mod old_self_of_items;
#[path = "rules/optional_field_of_a_part.rs"]
mod optional_field_of_a_part;
#[path = "rules/presence_of_a_missing_field.rs"]
mod presence_of_a_missing_field;
#[path = "rules/result_of_a_number.rs"]
mod result_of_a_number;
#[path = "rules/size_of_a_number.rs"]
mod size_of_a_number;
#[path = "rules/text_equal_to_null.rs"]
mod text_equal_to_null;
#[path = "rules/value_of_any_type.rs"]
mod value_of_any_type;

fn main() {}
