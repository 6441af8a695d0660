#![allow(warnings)]

#[path = "enums/address_inside_a_shared_field.rs"]
mod address_inside_a_shared_field;
#[path = "enums/fields_of_a_variant_written_by_other_names.rs"]
mod fields_of_a_variant_written_by_other_names;
#[path = "enums/fields_written_by_other_names.rs"]
mod fields_written_by_other_names;
#[path = "enums/form_of_a_unit.rs"]
mod form_of_a_unit;
#[path = "enums/functions_of_a_variant.rs"]
mod functions_of_a_variant;
#[path = "enums/keys_of_no_variant.rs"]
mod keys_of_no_variant;
#[path = "enums/rule_beside_a_tag_without_a_name.rs"]
mod rule_beside_a_tag_without_a_name;
#[path = "enums/two_forms.rs"]
mod two_forms;
#[path = "enums/unit_beside_data.rs"]
mod unit_beside_data;
#[path = "enums/words_beside_a_tag.rs"]
mod words_beside_a_tag;
#[path = "enums/words_of_a_shared_field.rs"]
mod words_of_a_shared_field;
#[path = "enums/words_of_hidden_variants.rs"]
mod words_of_hidden_variants;
#[path = "enums/words_of_skipped_data.rs"]
mod words_of_skipped_data;
#[path = "enums/words_of_untagged_variants.rs"]
mod words_of_untagged_variants;

fn main() {}
