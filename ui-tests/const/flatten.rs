#![allow(warnings)]

#[path = "flatten/field_beside_it_in_a_variant.rs"]
mod field_beside_it_in_a_variant;
#[path = "flatten/field_of_a_variant.rs"]
mod field_of_a_variant;
#[path = "flatten/field_of_the_struct.rs"]
mod field_of_the_struct;
#[path = "flatten/field_of_two_structs.rs"]
mod field_of_two_structs;
#[path = "flatten/field_with_other_bounds.rs"]
mod field_with_other_bounds;
#[path = "flatten/list.rs"]
mod list;
#[path = "flatten/string_enum.rs"]
mod string_enum;
#[path = "flatten/tag_of_two_enums.rs"]
mod tag_of_two_enums;

fn main() {}
