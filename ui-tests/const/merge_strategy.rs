#![allow(warnings)]

#[path = "merge_strategy/in_x_kube.rs"]
mod in_x_kube;
#[path = "merge_strategy/key_in_rust_spelling.rs"]
mod key_in_rust_spelling;
#[path = "merge_strategy/key_that_is_a_list.rs"]
mod key_that_is_a_list;
#[path = "merge_strategy/key_that_is_no_field.rs"]
mod key_that_is_no_field;
#[path = "merge_strategy/key_that_may_be_missing.rs"]
mod key_that_may_be_missing;
#[path = "merge_strategy/list_atomic_on_a_string.rs"]
mod list_atomic_on_a_string;
#[path = "merge_strategy/map_merge_on_a_list.rs"]
mod map_merge_on_a_list;
#[path = "merge_strategy/map_merge_on_a_string.rs"]
mod map_merge_on_a_string;
#[path = "merge_strategy/map_of_options.rs"]
mod map_of_options;
#[path = "merge_strategy/map_of_scalars.rs"]
mod map_of_scalars;
#[path = "merge_strategy/map_on_a_struct.rs"]
mod map_on_a_struct;
#[path = "merge_strategy/second_key_that_is_no_field.rs"]
mod second_key_that_is_no_field;
#[path = "merge_strategy/set_of_objects.rs"]
mod set_of_objects;
#[path = "merge_strategy/set_of_options.rs"]
mod set_of_options;
#[path = "merge_strategy/set_on_a_string.rs"]
mod set_on_a_string;

fn main() {}
