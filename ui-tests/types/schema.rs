#![allow(warnings)]

#[path = "schema/schema_with_another_function.rs"]
mod schema_with_another_function;
#[path = "schema/spec_without_any.rs"]
mod spec_without_any;
#[path = "schema/status_without_any.rs"]
mod status_without_any;
#[path = "schema/type_without_any.rs"]
mod type_without_any;
#[path = "schema/type_without_any_in_an_option_of_a_list.rs"]
mod type_without_any_in_an_option_of_a_list;
#[path = "schema/type_without_any_in_several_fields.rs"]
mod type_without_any_in_several_fields;

fn main() {}
