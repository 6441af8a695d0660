#![allow(warnings)]

#[path = "conversion/both_kinds_of_functions.rs"]
mod both_kinds_of_functions;
#[path = "conversion/dropped_with_a_path.rs"]
mod dropped_with_a_path;
#[path = "conversion/empty_path.rs"]
mod empty_path;
#[path = "conversion/flattened_field.rs"]
mod flattened_field;
#[path = "conversion/generic_type.rs"]
mod generic_type;
#[path = "conversion/spokes_of_a_part.rs"]
mod spokes_of_a_part;
#[path = "conversion/spokes_with_a_value.rs"]
mod spokes_with_a_value;
#[path = "conversion/tuple_struct.rs"]
mod tuple_struct;
#[path = "conversion/unknown_key.rs"]
mod unknown_key;
#[path = "conversion/untagged_enum.rs"]
mod untagged_enum;
#[path = "conversion/without_hub.rs"]
mod without_hub;

fn main() {}
