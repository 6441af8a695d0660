#![allow(warnings)]

#[path = "root/no_spec_with_a_flattened_enum_and_a_status.rs"]
mod no_spec_with_a_flattened_enum_and_a_status;
#[path = "root/no_spec_with_a_flattened_kind.rs"]
mod no_spec_with_a_flattened_kind;
#[path = "root/no_spec_with_a_flattened_option_and_a_status.rs"]
mod no_spec_with_a_flattened_option_and_a_status;
#[path = "root/no_spec_with_a_variant_of_metadata.rs"]
mod no_spec_with_a_variant_of_metadata;

fn main() {}
