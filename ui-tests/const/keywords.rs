#![allow(warnings)]

#[path = "keywords/embedded_resource_of_a_map.rs"]
mod embedded_resource_of_a_map;
#[path = "keywords/embedded_resource_of_a_string.rs"]
mod embedded_resource_of_a_string;
#[path = "keywords/embedded_resource_of_another_kind.rs"]
mod embedded_resource_of_another_kind;
#[path = "keywords/embedded_resource_of_any_kind.rs"]
mod embedded_resource_of_any_kind;
#[path = "keywords/embedded_resource_with_values.rs"]
mod embedded_resource_with_values;
#[path = "keywords/embedded_resource_without_fields.rs"]
mod embedded_resource_without_fields;
#[path = "keywords/enum_values_of_a_number.rs"]
mod enum_values_of_a_number;
#[path = "keywords/enum_values_of_no_variant.rs"]
mod enum_values_of_no_variant;
#[path = "keywords/format_of_a_number.rs"]
mod format_of_a_number;
#[path = "keywords/format_of_a_time.rs"]
mod format_of_a_time;
#[path = "keywords/format_of_an_integer.rs"]
mod format_of_an_integer;
#[path = "keywords/inside_list_map_keys_of_no_field.rs"]
mod inside_list_map_keys_of_no_field;
#[path = "keywords/inside_list_type_of_a_string.rs"]
mod inside_list_type_of_a_string;
#[path = "keywords/items_of_a_map.rs"]
mod items_of_a_map;
#[path = "keywords/items_of_another_type.rs"]
mod items_of_another_type;
#[path = "keywords/key_pattern_on_text.rs"]
mod key_pattern_on_text;
#[path = "keywords/list_map_keys_nullable.rs"]
mod list_map_keys_nullable;
#[path = "keywords/list_map_keys_of_a_list.rs"]
mod list_map_keys_of_a_list;
#[path = "keywords/list_map_keys_of_entries.rs"]
mod list_map_keys_of_entries;
#[path = "keywords/list_map_keys_of_no_field.rs"]
mod list_map_keys_of_no_field;
#[path = "keywords/list_map_keys_of_preserved_items.rs"]
mod list_map_keys_of_preserved_items;
#[path = "keywords/list_map_keys_optional.rs"]
mod list_map_keys_optional;
#[path = "keywords/list_map_keys_skipped_while_empty.rs"]
mod list_map_keys_skipped_while_empty;
#[path = "keywords/list_type_of_a_string.rs"]
mod list_type_of_a_string;
#[path = "keywords/list_type_of_a_struct.rs"]
mod list_type_of_a_struct;
#[path = "keywords/list_type_set_of_objects.rs"]
mod list_type_set_of_objects;
#[path = "keywords/list_type_set_of_sets.rs"]
mod list_type_set_of_sets;
#[path = "keywords/map_type_of_a_list.rs"]
mod map_type_of_a_list;
#[path = "keywords/max_length_below_min_length.rs"]
mod max_length_below_min_length;
#[path = "keywords/max_properties_of_a_number.rs"]
mod max_properties_of_a_number;
#[path = "keywords/maximum_that_is_no_number.rs"]
mod maximum_that_is_no_number;
#[path = "keywords/min_items_of_a_map.rs"]
mod min_items_of_a_map;
#[path = "keywords/min_length_of_a_list.rs"]
mod min_length_of_a_list;
#[path = "keywords/minimum_above_maximum.rs"]
mod minimum_above_maximum;
#[path = "keywords/minimum_above_the_type.rs"]
mod minimum_above_the_type;
#[path = "keywords/minimum_beyond_integers.rs"]
mod minimum_beyond_integers;
#[path = "keywords/minimum_of_a_string.rs"]
mod minimum_of_a_string;
#[path = "keywords/minimum_with_a_fraction.rs"]
mod minimum_with_a_fraction;
#[path = "keywords/minimum_with_a_fraction_of_a_number.rs"]
mod minimum_with_a_fraction_of_a_number;
#[path = "keywords/multiple_of_a_half.rs"]
mod multiple_of_a_half;
#[path = "keywords/multiple_of_less_than_one.rs"]
mod multiple_of_less_than_one;
#[path = "keywords/narrower_than_a_newtype.rs"]
mod narrower_than_a_newtype;
#[path = "keywords/nullable_enum.rs"]
mod nullable_enum;
#[path = "keywords/nullable_items_of_a_map_list.rs"]
mod nullable_items_of_a_map_list;
#[path = "keywords/nullable_items_of_a_set.rs"]
mod nullable_items_of_a_set;
#[path = "keywords/of_a_newtype.rs"]
mod of_a_newtype;
#[path = "keywords/on_a_type_of_another_kind.rs"]
mod on_a_type_of_another_kind;
#[path = "keywords/on_a_type_without_values.rs"]
mod on_a_type_without_values;
#[path = "keywords/pattern_of_a_number.rs"]
mod pattern_of_a_number;
#[path = "keywords/values_of_a_list.rs"]
mod values_of_a_list;

fn main() {}
