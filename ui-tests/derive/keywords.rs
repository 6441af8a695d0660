#![allow(warnings)]

#[path = "keywords/enum_values_as_text.rs"]
mod enum_values_as_text;
#[path = "keywords/enum_values_greater_than_any.rs"]
mod enum_values_greater_than_any;
#[path = "keywords/enum_values_mixed.rs"]
mod enum_values_mixed;
#[path = "keywords/enum_values_none.rs"]
mod enum_values_none;
#[path = "keywords/enum_values_twice.rs"]
mod enum_values_twice;
#[path = "keywords/external_docs_without_url.rs"]
mod external_docs_without_url;
#[path = "keywords/format_unknown.rs"]
mod format_unknown;
#[path = "keywords/in_x_kube.rs"]
mod in_x_kube;
#[path = "keywords/inside_form_of_a_hidden_list.rs"]
mod inside_form_of_a_hidden_list;
#[path = "keywords/inside_unknown.rs"]
mod inside_unknown;
#[path = "keywords/items_without_any.rs"]
mod items_without_any;
#[path = "keywords/key_pattern_as_constant.rs"]
mod key_pattern_as_constant;
#[path = "keywords/key_pattern_that_the_server_cannot_read.rs"]
mod key_pattern_that_the_server_cannot_read;
#[path = "keywords/list_map_keys_beside_a_type_that_is_none.rs"]
mod list_map_keys_beside_a_type_that_is_none;
#[path = "keywords/list_map_keys_empty.rs"]
mod list_map_keys_empty;
#[path = "keywords/list_map_keys_twice.rs"]
mod list_map_keys_twice;
#[path = "keywords/list_map_keys_without_type.rs"]
mod list_map_keys_without_type;
#[path = "keywords/list_type_beside_merge_strategy.rs"]
mod list_type_beside_merge_strategy;
#[path = "keywords/list_type_map_without_keys.rs"]
mod list_type_map_without_keys;
#[path = "keywords/list_type_unknown.rs"]
mod list_type_unknown;
#[path = "keywords/min_length_negative.rs"]
mod min_length_negative;
#[path = "keywords/minimum_as_word.rs"]
mod minimum_as_word;
#[path = "keywords/minimum_greater_than_any.rs"]
mod minimum_greater_than_any;
#[path = "keywords/minimum_in_quotes.rs"]
mod minimum_in_quotes;
#[path = "keywords/minimum_twice.rs"]
mod minimum_twice;
#[path = "keywords/multiple_of_nothing.rs"]
mod multiple_of_nothing;
#[path = "keywords/nullable_beside_enum_values.rs"]
mod nullable_beside_enum_values;
#[path = "keywords/of_a_flattened_field.rs"]
mod of_a_flattened_field;
#[path = "keywords/of_a_spec_without_schema.rs"]
mod of_a_spec_without_schema;
#[path = "keywords/of_no_spec.rs"]
mod of_no_spec;
#[path = "keywords/of_the_spec.rs"]
mod of_the_spec;
#[path = "keywords/patch_of_a_rule_with_a_typo.rs"]
mod patch_of_a_rule_with_a_typo;
#[path = "keywords/patch_that_the_server_drops.rs"]
mod patch_that_the_server_drops;
#[path = "keywords/patch_with_a_typo.rs"]
mod patch_with_a_typo;
#[path = "keywords/patch_with_a_typo_inside.rs"]
mod patch_with_a_typo_inside;
#[path = "keywords/pattern_not_closed.rs"]
mod pattern_not_closed;
#[path = "keywords/pattern_of_schemars.rs"]
mod pattern_of_schemars;
#[path = "keywords/pattern_that_looks_around.rs"]
mod pattern_that_looks_around;
#[path = "keywords/schema_patch_in_quotes.rs"]
mod schema_patch_in_quotes;
#[path = "keywords/title_as_list.rs"]
mod title_as_list;
#[path = "keywords/title_twice.rs"]
mod title_twice;
#[path = "keywords/unique_items.rs"]
mod unique_items;
#[path = "keywords/unknown_in_items.rs"]
mod unknown_in_items;

fn main() {}
