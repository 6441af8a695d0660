#![allow(warnings)]

#[path = "markers/deep_under_a_list_of_the_status.rs"]
mod deep_under_a_list_of_the_status;
#[path = "markers/on_a_spec_with_a_schema_of_schemars.rs"]
mod on_a_spec_with_a_schema_of_schemars;
#[path = "markers/role_in_a_list_of_parts.rs"]
mod role_in_a_list_of_parts;
#[path = "markers/role_on_a_spec_with_a_schema_of_schemars.rs"]
mod role_on_a_spec_with_a_schema_of_schemars;
#[path = "markers/role_under_a_list.rs"]
mod role_under_a_list;
#[path = "markers/rule_on_a_spec_with_a_schema_of_schemars.rs"]
mod rule_on_a_spec_with_a_schema_of_schemars;
#[path = "markers/selectable_under_a_list.rs"]
mod selectable_under_a_list;
#[path = "markers/type_in_spec_and_status.rs"]
mod type_in_spec_and_status;
#[path = "markers/type_twice.rs"]
mod type_twice;
#[path = "markers/under_a_list.rs"]
mod under_a_list;
#[path = "markers/under_a_map.rs"]
mod under_a_map;
#[path = "markers/under_an_option_of_a_list.rs"]
mod under_an_option_of_a_list;
#[path = "markers/under_another_type.rs"]
mod under_another_type;

fn main() {}
