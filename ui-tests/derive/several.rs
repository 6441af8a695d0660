#![allow(warnings)]

#[path = "several/attributes_of_the_resource.rs"]
mod attributes_of_the_resource;
#[path = "several/fields.rs"]
mod fields;
#[path = "several/parts_of_a_column.rs"]
mod parts_of_a_column;
#[path = "several/syntax.rs"]
mod syntax;
#[path = "several/types.rs"]
mod types;

fn main() {}
