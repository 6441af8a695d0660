#![allow(warnings)]

#[path = "defaults/float_of_an_integer.rs"]
mod float_of_an_integer;
#[path = "defaults/items_of_another_type.rs"]
mod items_of_another_type;
#[path = "defaults/items_too_long.rs"]
mod items_too_long;
#[path = "defaults/more_than_32_bits.rs"]
mod more_than_32_bits;
#[path = "defaults/no_variant.rs"]
mod no_variant;
#[path = "defaults/not_among_enum_values.rs"]
mod not_among_enum_values;
#[path = "defaults/object_that_misses_a_member.rs"]
mod object_that_misses_a_member;
#[path = "defaults/of_another_type.rs"]
mod of_another_type;
#[path = "defaults/of_items.rs"]
mod of_items;
#[path = "defaults/out_of_bounds.rs"]
mod out_of_bounds;
#[path = "defaults/outside_of_what_is_added.rs"]
mod outside_of_what_is_added;
#[path = "defaults/too_long.rs"]
mod too_long;

fn main() {}
