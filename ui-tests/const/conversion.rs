#![allow(warnings)]

#[path = "conversion/another_kind.rs"]
mod another_kind;
#[path = "conversion/enum_of_another_hub.rs"]
mod enum_of_another_hub;
#[path = "conversion/field_of_a_variant.rs"]
mod field_of_a_variant;
#[path = "conversion/hub_of_a_spoke.rs"]
mod hub_of_a_spoke;
#[path = "conversion/missing_in_a_nested_object.rs"]
mod missing_in_a_nested_object;
#[path = "conversion/nested_type_of_another_hub.rs"]
mod nested_type_of_another_hub;
#[path = "conversion/nested_type_without_conversion.rs"]
mod nested_type_without_conversion;
#[path = "conversion/other_kind_of_value.rs"]
mod other_kind_of_value;
#[path = "conversion/path_into_a_string.rs"]
mod path_into_a_string;
#[path = "conversion/renamed_field.rs"]
mod renamed_field;
#[path = "conversion/required_beside_a_path.rs"]
mod required_beside_a_path;
#[path = "conversion/required_by_the_hub.rs"]
mod required_by_the_hub;
#[path = "conversion/required_without_default.rs"]
mod required_without_default;
#[path = "conversion/unknown_hub_default.rs"]
mod unknown_hub_default;
#[path = "conversion/unknown_variant.rs"]
mod unknown_variant;
#[path = "conversion/variant_of_the_hub.rs"]
mod variant_of_the_hub;
#[path = "conversion/variant_that_stands_for_others.rs"]
mod variant_that_stands_for_others;
#[path = "conversion/variant_without_data.rs"]
mod variant_without_data;

fn main() {}
