#![allow(warnings)]

#[path = "schema/email_with_a_value.rs"]
mod email_with_a_value;
#[path = "schema/enum_without_variants.rs"]
mod enum_without_variants;
#[path = "schema/extend_with_a_typo.rs"]
mod extend_with_a_typo;
#[path = "schema/extend_without_value.rs"]
mod extend_without_value;
#[path = "schema/fields_beside_a_schema_of_the_type.rs"]
mod fields_beside_a_schema_of_the_type;
#[path = "schema/generic_resource.rs"]
mod generic_resource;
#[path = "schema/length_as_value.rs"]
mod length_as_value;
#[path = "schema/length_as_word.rs"]
mod length_as_word;
#[path = "schema/length_of_a_flattened_map.rs"]
mod length_of_a_flattened_map;
#[path = "schema/length_twice.rs"]
mod length_twice;
#[path = "schema/phantom_data.rs"]
mod phantom_data;
#[path = "schema/range_of_a_skipped_field.rs"]
mod range_of_a_skipped_field;
#[path = "schema/recursive.rs"]
mod recursive;
#[path = "schema/recursive_enum.rs"]
mod recursive_enum;
#[path = "schema/recursive_through_a_list.rs"]
mod recursive_through_a_list;
#[path = "schema/recursive_through_a_pointer.rs"]
mod recursive_through_a_pointer;
#[path = "schema/recursive_through_a_shared_pointer.rs"]
mod recursive_through_a_shared_pointer;
#[path = "schema/regex_without_pattern.rs"]
mod regex_without_pattern;
#[path = "schema/required_with_a_value.rs"]
mod required_with_a_value;
#[path = "schema/schemars_syntax.rs"]
mod schemars_syntax;
#[path = "schema/serde_with_a_module.rs"]
mod serde_with_a_module;
#[path = "schema/taken_back_but_not_there.rs"]
mod taken_back_but_not_there;
#[path = "schema/title_of_a_variant.rs"]
mod title_of_a_variant;
#[path = "schema/title_twice.rs"]
mod title_twice;
#[path = "schema/union.rs"]
mod union;
#[path = "schema/unit_type.rs"]
mod unit_type;
#[path = "schema/unknown_in_inner.rs"]
mod unknown_in_inner;
#[path = "schema/unknown_in_length.rs"]
mod unknown_in_length;
#[path = "schema/with_beside_preserve_unknown_fields.rs"]
mod with_beside_preserve_unknown_fields;
#[path = "schema/with_no_type.rs"]
mod with_no_type;
#[path = "schema/with_twice.rs"]
mod with_twice;
#[path = "schema/with_without_quotes.rs"]
mod with_without_quotes;
#[path = "schema/words_of_a_flattened_field.rs"]
mod words_of_a_flattened_field;
#[path = "schema/written_by_another_name.rs"]
mod written_by_another_name;

fn main() {}
