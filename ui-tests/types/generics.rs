#![allow(warnings)]

#[path = "generics/argument_of_schemars.rs"]
mod argument_of_schemars;
#[path = "generics/argument_without_a_default.rs"]
mod argument_without_a_default;
#[path = "generics/argument_without_a_schema.rs"]
mod argument_without_a_schema;
#[path = "generics/bound_of_a_type_in_it.rs"]
mod bound_of_a_type_in_it;

fn main() {}
