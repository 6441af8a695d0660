#![allow(warnings)]

#[path = "left_out/field_of_a_variant.rs"]
mod field_of_a_variant;
#[path = "left_out/flattened_type.rs"]
mod flattened_type;
#[path = "left_out/required_field.rs"]
mod required_field;
#[path = "left_out/required_list_while_empty.rs"]
mod required_list_while_empty;
#[path = "left_out/required_option.rs"]
mod required_option;

fn main() {}
