#![allow(warnings)]

#[path = "defaults/against_a_pattern_of_schemars.rs"]
mod against_a_pattern_of_schemars;
#[path = "defaults/against_its_format.rs"]
mod against_its_format;
#[path = "defaults/against_its_pattern.rs"]
mod against_its_pattern;
#[path = "defaults/as_word.rs"]
mod as_word;
#[path = "defaults/beside_other_variants.rs"]
mod beside_other_variants;
#[path = "defaults/greater_than_any.rs"]
mod greater_than_any;
#[path = "defaults/greater_than_any_number.rs"]
mod greater_than_any_number;
#[path = "defaults/in_x_kube.rs"]
mod in_x_kube;
#[path = "defaults/no_multiple.rs"]
mod no_multiple;
#[path = "defaults/null.rs"]
mod null;
#[path = "defaults/of_a_flattened_field.rs"]
mod of_a_flattened_field;
#[path = "defaults/of_a_newtype.rs"]
mod of_a_newtype;
#[path = "defaults/of_a_required_option.rs"]
mod of_a_required_option;
#[path = "defaults/of_items_beside_a_pattern.rs"]
mod of_items_beside_a_pattern;
#[path = "defaults/of_serde_against_a_format.rs"]
mod of_serde_against_a_format;
#[path = "defaults/on_a_type.rs"]
mod on_a_type;
#[path = "defaults/twice.rs"]
mod twice;

fn main() {}
