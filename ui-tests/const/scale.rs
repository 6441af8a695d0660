#![allow(warnings)]

#[path = "scale/fields_without_scale.rs"]
mod fields_without_scale;
#[path = "scale/no_field_for_replicas.rs"]
mod no_field_for_replicas;
#[path = "scale/no_field_for_status_replicas.rs"]
mod no_field_for_status_replicas;
#[path = "scale/path_to_a_string.rs"]
mod path_to_a_string;
#[path = "scale/path_to_no_field.rs"]
mod path_to_no_field;
#[path = "scale/role_in_the_wrong_half.rs"]
mod role_in_the_wrong_half;
#[path = "scale/role_of_a_string.rs"]
mod role_of_a_string;
#[path = "scale/selector_role_of_an_integer.rs"]
mod selector_role_of_an_integer;
#[path = "scale/selector_to_an_integer.rs"]
mod selector_to_an_integer;
#[path = "scale/two_fields_for_replicas.rs"]
mod two_fields_for_replicas;
#[path = "scale/two_selectors.rs"]
mod two_selectors;

fn main() {}
