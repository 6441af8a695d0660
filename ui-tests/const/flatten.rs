#![allow(warnings)]

#[path = "flatten/alias_in_another_type.rs"]
mod alias_in_another_type;
#[path = "flatten/alias_of_a_field_beside_it.rs"]
mod alias_of_a_field_beside_it;
#[path = "flatten/data_of_an_enum.rs"]
mod data_of_an_enum;
#[path = "flatten/field_behind_another_schema.rs"]
mod field_behind_another_schema;
#[path = "flatten/field_beside_it_in_a_variant.rs"]
mod field_beside_it_in_a_variant;
#[path = "flatten/field_of_a_nested_type.rs"]
mod field_of_a_nested_type;
#[path = "flatten/field_of_a_variant.rs"]
mod field_of_a_variant;
#[path = "flatten/field_of_the_same_schema.rs"]
mod field_of_the_same_schema;
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
#[path = "flatten/tag_of_two_enums_alike.rs"]
mod tag_of_two_enums_alike;
#[path = "flatten/variant_of_an_enum.rs"]
mod variant_of_an_enum;

fn main() {}
