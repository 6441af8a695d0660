#![allow(warnings)]

#[path = "schema/inner_on_no_list.rs"]
mod inner_on_no_list;
#[path = "schema/length_of_a_number.rs"]
mod length_of_a_number;
#[path = "schema/range_of_a_newtype.rs"]
mod range_of_a_newtype;
#[path = "schema/range_of_a_string.rs"]
mod range_of_a_string;
#[path = "schema/regex_on_a_list.rs"]
mod regex_on_a_list;
#[path = "schema/tuple.rs"]
mod tuple;
#[path = "schema/tuple_struct.rs"]
mod tuple_struct;
#[path = "schema/tuple_under_another_name.rs"]
mod tuple_under_another_name;
#[path = "schema/unit_struct.rs"]
mod unit_struct;
#[path = "schema/unit_struct_as_argument.rs"]
mod unit_struct_as_argument;
#[path = "schema/unit_struct_as_spec.rs"]
mod unit_struct_as_spec;
#[path = "schema/unit_type_under_another_name.rs"]
mod unit_type_under_another_name;

fn main() {}
