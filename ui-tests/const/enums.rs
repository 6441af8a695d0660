#![allow(warnings)]

#[path = "enums/data_that_differs.rs"]
mod data_that_differs;
#[path = "enums/field_of_a_variant.rs"]
mod field_of_a_variant;
#[path = "enums/fields_that_differ.rs"]
mod fields_that_differ;
#[path = "enums/fields_that_differ_in_other_types.rs"]
mod fields_that_differ_in_other_types;
#[path = "enums/immutable_in_one_variant.rs"]
mod immutable_in_one_variant;
#[path = "enums/ip_in_one_variant.rs"]
mod ip_in_one_variant;
#[path = "enums/keywords_that_do_not_fit_a_variant.rs"]
mod keywords_that_do_not_fit_a_variant;
#[path = "enums/map_beside_a_tag.rs"]
mod map_beside_a_tag;
#[path = "enums/one_of_in_one_variant.rs"]
mod one_of_in_one_variant;
#[path = "enums/path_to_no_field_of_tagged_variants.rs"]
mod path_to_no_field_of_tagged_variants;
#[path = "enums/path_to_no_variant.rs"]
mod path_to_no_variant;
#[path = "enums/requires_in_one_variant.rs"]
mod requires_in_one_variant;
#[path = "enums/rule_in_one_variant.rs"]
mod rule_in_one_variant;
#[path = "enums/rule_of_a_type_beside_a_tag_without_a_name.rs"]
mod rule_of_a_type_beside_a_tag_without_a_name;
#[path = "enums/rule_of_one_type.rs"]
mod rule_of_one_type;
#[path = "enums/scalar_or_list.rs"]
mod scalar_or_list;
#[path = "enums/string_or_object.rs"]
mod string_or_object;
#[path = "enums/tag_on_a_string.rs"]
mod tag_on_a_string;
#[path = "enums/tag_that_is_a_field.rs"]
mod tag_that_is_a_field;
#[path = "enums/tuple_of_different_types.rs"]
mod tuple_of_different_types;

fn main() {}
